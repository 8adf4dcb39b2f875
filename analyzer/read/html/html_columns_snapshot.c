/* PyTorch 2.0's pages: columns of numbers, a table of strings, and stacks as chains (string, rest)
 * in a suffix table. `trace_data` has one device's events, segments and live blocks; `alloc_data`
 * the allocations drawn over time. Neither names the device: it is called 0. */
#include "analyzer/model/memory.h"
#include "analyzer/model/want.h"
#include "analyzer/read/html/html.h"
#include "analyzer/read/html/html_columns_internal.h"

static gs_status build(gs_html_page *p)
{
	bool trace = p->columns[GS_HTML_EVENT_ACTION].n || p->columns[GS_HTML_SEGMENT_ADDRESS].n;
	p->s->kind = GS_KIND_PYTORCH;
	p->s->library = "pytorch";
	p->s->tool = "PyTorch";
	p->s->release_min = p->s->release_max = "2.0";
	if (!trace && !p->columns[GS_HTML_ACTIONS].n)
		return GS_OK;
	gs_device *d = gs_snapshot_device(p->s, 0);
	if (!d)
		return gs_no_memory(&p->error);
	d->has_layout = trace;
	if (trace && gs_html_add_layout(p, &d->captured))
		return p->error.status;
	if (!(p->want & GS_WANT_EVENTS)) {
		p->s->events_skipped = p->columns[GS_HTML_EVENT_ACTION].n || p->columns[GS_HTML_ACTIONS].n;
		return GS_OK;
	}
	return trace ? gs_html_add_events(p, &d->trace) : gs_html_add_actions(p, &d->trace);
}

gs_status gs_html_columns(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_html_page p = {.s = s, .want = want};
	gs_status status = gs_html_page_parse(&p, source, err);
	if (!status && build(&p))
		status = gs_fail(err, p.error.status, "%s", p.error.text);
	for (int i = 0; i < GS_HTML_COLUMNS; i++)
		gs_memory_give(p.columns[i].v);
	gs_memory_give(p.stack_of_suffix);
	gs_memory_give(p.frame_of_suffix);
	return status;
}
