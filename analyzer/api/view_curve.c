/* What every event came to, as columns. */
#include "analyzer/api/call.h"
#include "analyzer/api/column_table.h"
#include "analyzer/model/parts.h"

static const gs_api_column curve_columns[] = {
	GS_API_COLUMN(gpusnap_curve, time_us, n),
	GS_API_COLUMN(gpusnap_curve, allocated, n),
	GS_API_COLUMN(gpusnap_curve, reserved, n),
	GS_API_COLUMN(gpusnap_curve, action, n),
};

void gpusnap_curve_free(gpusnap_curve *c)
{
	gs_api_free_columns(c, sizeof *c, GS_API_TABLE(curve_columns));
}

typedef struct filling {
	const gs_timeline *t;
	gpusnap_curve *c;
	size_t first; /* the event of the first row */
	gs_running_totals now;
} filling;

static gs_status fill_events(void *arg, size_t i, size_t end)
{
	filling *x = arg;
	gpusnap_curve *c = x->c;
	for (; i < end; i++) {
		const gs_event *e = &x->t->device->trace.events[x->first + i];
		if (c->allocated || c->reserved)
			gs_running_totals_step(x->t->history, x->first + i, &x->now);
		GS_API_PUT(c, time_us, i, e->time_us);
		GS_API_PUT(c, allocated, i, x->now.allocated);
		GS_API_PUT(c, reserved, i, x->now.reserved);
		GS_API_PUT(c, action, i, (uint8_t)gs_event_action(e));
	}
	return GS_OK;
}

static gs_status fill_curve(const gs_timeline *t, size_t first, gpusnap_curve *c)
{
	filling x = {t, c, first, gs_timeline_totals(t, (int64_t)first - 1)};
	return gs_in_parts(c->n, fill_events, &x);
}

static gs_status answer_curve(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err)
{
	gpusnap_curve *c = columns;
	int64_t end = (int64_t)t->history->n - 1, first = 0, last = end;
	(void)s;
	gs_status status = gs_api_option_idx(o, "from", &first, err);
	if (!status)
		status = gs_api_option_idx(o, "to", &last, err);
	if (status)
		return status;
	first = first < 0 ? 0 : first;
	last = last > end ? end : last;
	c->n = last < first ? 0 : (size_t)(last - first) + 1;
	status = gs_api_take_wanted(o, c, GS_API_TABLE(curve_columns), err);
	return status || !c->n ? status : fill_curve(t, (size_t)first, c);
}

int gpusnap_snapshot_curve(gpusnap_snapshot *s, const char *options, gpusnap_curve *columns)
{
	static const char *const names[] = {"device", "columns", "from", "to", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_curve);
	if (failed)
		gpusnap_curve_free(columns);
	return failed;
}
