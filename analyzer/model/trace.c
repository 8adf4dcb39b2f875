#include "analyzer/model/trace.h"

#include <string.h>

#include "analyzer/model/array.h"

gs_event *gs_trace_append(gs_trace *t)
{
	if (!GS_ARRAY_RESERVE(t->events, t->cap, t->n + 1))
		return NULL;
	gs_event *e = &t->events[t->n++];
	memset(e, 0, sizeof *e);
	e->time_us = GS_NONE;
	return e;
}

gs_status gs_trace_add_figures(gs_trace *t, const gs_run_figures *figures)
{
	if (!GS_ARRAY_ONE_MORE(t->figures, t->nfigures))
		return GS_NO_MEMORY;
	t->figures[t->nfigures++] = *figures;
	return GS_OK;
}
