/* What every event came to, as columns. */
#include "analyzer/api/call.h"
#include "analyzer/api/column_table.h"

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

static void fill_curve(const gs_timeline *t, size_t first, gpusnap_curve *c)
{
	const gs_event *events = t->device->trace.events + first;
	gs_running_totals g = gs_timeline_totals(t, (int64_t)first - 1);
	for (size_t i = 0; i < c->n; i++) {
		if (c->allocated || c->reserved)
			gs_running_totals_step(t->history, first + i, &g);
		GS_API_PUT(c, time_us, i, events[i].time_us);
		GS_API_PUT(c, allocated, i, g.allocated);
		GS_API_PUT(c, reserved, i, g.reserved);
		GS_API_PUT(c, action, i, (uint8_t)gs_event_action(&events[i]));
	}
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
	if (!status && c->n)
		fill_curve(t, (size_t)first, c);
	return status;
}

int gpusnap_snapshot_curve(gpusnap_snapshot *s, const char *options, gpusnap_curve *columns)
{
	static const char *const names[] = {"device", "columns", "from", "to", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_curve);
	if (failed)
		gpusnap_curve_free(columns);
	return failed;
}
