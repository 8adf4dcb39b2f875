#include "tools/whole_run.h"

#include <stdio.h>
#include <string.h>

#include "tools/inputs.h"

static void tell(gs_whole_run *w)
{
	char text[64];
	unsigned now = w->total ? (unsigned)(w->seen * 100 / w->total) : 0;
	if (now == w->hundredths)
		return;
	w->hundredths = now;
	snprintf(text, sizeof text, "pass %u: %u %%", w->passes, now > 100 ? 100 : now);
	gs_progress_at(text);
}

/* What came since the part was read is not looked at: failures among it are not known. */
static gs_status see(void *context, const gs_event *events, size_t n, gs_error *err)
{
	gs_whole_run *w = context;
	n = n < w->total - w->seen ? n : (size_t)(w->total - w->seen);
	w->seen += n;
	tell(w);
	gs_status status = n ? w->visit(w->visitor, events, n, err) : GS_OK;
	return status ? status : w->seen == w->total ? GS_END : GS_OK;
}

static gs_status pass(void *context, gs_event_visit *visit, void *visitor, gs_error *err)
{
	gs_whole_run *w = context;
	w->visit = visit;
	w->visitor = visitor;
	w->seen = 0;
	w->passes++;
	return w->inner.pass(w->inner.context, see, w, err);
}

gs_status gs_whole_run_open(
	gs_whole_run *w, const gs_snapshot *part, const gs_device *d, gs_error *err)
{
	memset(w, 0, sizeof *w);
	gs_progress_begin_doing("replaying", part->path);
	gs_status status = gs_run_open(part->path, d->device, &w->run, err);
	if (status)
		return status;
	w->inner = w->events = gs_run_events(w->run);
	w->events.pass = pass;
	w->events.context = w;
	w->total = d->trace.n + d->trace.skipped;
	return GS_OK;
}

void gs_whole_run_close(gs_whole_run *w)
{
	gs_progress_end();
	gs_run_close(w->run);
	memset(w, 0, sizeof *w);
}
