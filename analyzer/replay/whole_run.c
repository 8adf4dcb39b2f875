#include "analyzer/replay/whole_run.h"

#include <string.h>

/* What came since the part was read is not looked at: failures among it are not known. */
static gs_status see(void *context, const gs_event *events, size_t n, gs_error *err)
{
	gs_whole_run *w = context;
	n = n < w->total - w->seen ? n : (size_t)(w->total - w->seen);
	w->seen += n;
	if (w->progress)
		w->progress(w->passes, w->seen, w->total);
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

gs_status gs_whole_run_open(gs_whole_run *w, const gs_snapshot *part, const gs_device *d,
	gs_whole_run_progress *progress, gs_error *err)
{
	*w = (gs_whole_run){.way = part->whole, .progress = progress};
	gs_status status = w->way->open(part, d->device, &w->run, &w->inner, err);
	if (status)
		return status;
	w->events = w->inner;
	w->events.pass = pass;
	w->events.context = w;
	w->total = d->trace.n + d->trace.skipped;
	return GS_OK;
}

void gs_whole_run_close(gs_whole_run *w)
{
	if (w->run)
		w->way->close(w->run);
	memset(w, 0, sizeof *w);
}
