/* A stretch of the recording as bands of blocks, in columns. */
#include <string.h>

#include "analyzer/api/call.h"
#include "analyzer/api/column_table.h"
#include "analyzer/timeline/bands.h"

static gs_status read_key(
	const gs_api_options *o, const char *name, gs_life_key *key, gs_error *err)
{
	const char *word = NULL;
	gs_status status = gs_api_option_text(o, name, &word, err);
	if (status || !word)
		return status;
	*key = gs_life_key_parse(word);
	return *key == GS_LIFE_KEY_COUNT
		? gs_fail(err, GS_INVALID, "no %s is called \"%.40s\"", name, word)
		: GS_OK;
}

static gs_status read_axis(const gs_api_options *o, gs_bands_ask *ask, gs_error *err)
{
	const char *axis = "event";
	gs_status status = gs_api_option_text(o, "axis", &axis, err);
	if (!status && strcmp(axis, "event") && strcmp(axis, "time"))
		status = gs_fail(err, GS_INVALID, "no axis is called \"%.40s\"", axis);
	ask->timed = !strcmp(axis, "time");
	return status;
}

/* The whole recording: all events, and one column's width behind the last where it is timed. */
static void set_extent(const gs_timeline *t, gs_bands_ask *ask)
{
	const gs_trace *trace = &t->device->trace;
	int64_t peak = gs_history_peak(t->history, false);
	gs_running_totals g = gs_timeline_totals(t, peak < 0 ? -1 : peak);
	ask->from = ask->timed && trace->n ? (double)trace->events[0].time_us : 0;
	ask->to = ask->timed && trace->n ? (double)trace->events[trace->n - 1].time_us + 1
									 : (double)(trace->n ? trace->n : 1);
	ask->low = 0;
	ask->high = (double)(g.allocated + g.pending);
	ask->high = ask->high > 0 ? ask->high : 1;
}

static gs_status read_bands(
	const gs_api_options *o, const gs_timeline *t, gs_bands_ask *ask, gs_error *err)
{
	int64_t columns = 1000, rows = 0;
	gs_status status = read_axis(o, ask, err);
	set_extent(t, ask);
	if (!status)
		status = gs_api_option_real(o, "from", &ask->from, err);
	if (!status)
		status = gs_api_option_real(o, "to", &ask->to, err);
	if (!status)
		status = gs_api_option_real(o, "low", &ask->low, err);
	if (!status)
		status = gs_api_option_real(o, "high", &ask->high, err);
	if (!status)
		status = gs_api_option_number(o, "columns", &columns, err);
	if (!status)
		status = gs_api_option_number(o, "rows", &rows, err);
	if (!status)
		status = read_key(o, "order", &ask->order, err);
	if (!status)
		status = read_key(o, "key", &ask->key, err);
	if (!status && (columns > GS_BANDS_MOST || rows > GS_BANDS_MOST))
		status = gs_fail(err, GS_INVALID, "a view has %d columns and rows at most", GS_BANDS_MOST);
	ask->columns = (int)columns;
	ask->rows = (int)rows;
	return status;
}

static const gs_api_column band_columns[] = {
	GS_API_COLUMN(gpusnap_bands, idx, ncolumns),
	GS_API_COLUMN(gpusnap_bands, time_us, ncolumns),
	GS_API_COLUMN(gpusnap_bands, allocated, ncolumns),
	GS_API_COLUMN(gpusnap_bands, pending, ncolumns),
	GS_API_COLUMN(gpusnap_bands, least, ncolumns),
	GS_API_COLUMN(gpusnap_bands, reserved, ncolumns),
	GS_API_COLUMN(gpusnap_bands, failed, ncolumns),
	GS_API_COLUMN(gpusnap_bands, passed, ncolumns),
	GS_API_COLUMN(gpusnap_bands, passed_bytes, ncolumns),
	GS_API_COLUMN(gpusnap_bands, first, npieces),
	GS_API_COLUMN(gpusnap_bands, last, npieces),
	GS_API_COLUMN(gpusnap_bands, bottom, npieces),
	GS_API_COLUMN(gpusnap_bands, height, npieces),
	GS_API_COLUMN(gpusnap_bands, life, npieces),
	GS_API_COLUMN(gpusnap_bands, count, npieces),
	GS_API_COLUMN(gpusnap_bands, key, npieces),
	GS_API_COLUMN(gpusnap_bands, holder, npieces),
	GS_API_COLUMN(gpusnap_bands, category, npieces),
};

void gpusnap_bands_free(gpusnap_bands *c)
{
	gs_api_free_columns(c, sizeof *c, GS_API_TABLE(band_columns));
}

static void fill_columns(const gs_timeline *t, const gs_bands *b, gpusnap_bands *c)
{
	for (size_t i = 0; i < c->ncolumns; i++) {
		const gs_column_of_bands *from = &b->columns[i];
		c->idx[i] = (int32_t)from->idx;
		c->time_us[i] = from->idx < 0 ? GS_NONE : t->device->trace.events[from->idx].time_us;
		c->allocated[i] = from->allocated;
		c->pending[i] = from->pending;
		c->least[i] = from->least;
		c->reserved[i] = from->reserved;
		c->failed[i] = from->failed;
		c->passed[i] = from->passed;
		c->passed_bytes[i] = from->passed_bytes;
	}
}

static void fill_pieces(const gs_timeline *t, const gs_bands *b, gpusnap_bands *c)
{
	for (size_t i = 0; i < c->npieces; i++) {
		const gs_band *from = &b->pieces[i];
		c->first[i] = from->first;
		c->last[i] = from->last;
		c->bottom[i] = from->bottom;
		c->height[i] = from->height;
		c->life[i] = from->life;
		c->count[i] = from->count;
		c->key[i] = from->key;
		c->holder[i] = t->holder[from->life];
		c->category[i] = gs_timeline_categorization(t, from->life).category;
	}
}

static gs_status answer_bands(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err)
{
	gs_bands_ask ask = {.order = GS_LIFE_KEY_BIRTH, .key = GS_LIFE_KEY_HOLDER};
	gs_bands b = GS_BANDS_INIT;
	gpusnap_bands *c = columns;
	(void)s;
	gs_status status = read_bands(o, t, &ask, err);
	if (!status)
		status = gs_bands_init(&b, t, &ask, err);
	c->ncolumns = (size_t)b.ncolumns;
	c->npieces = b.npieces;
	if (!status)
		status = gs_api_take_columns(c, GS_API_TABLE(band_columns), err);
	if (!status) {
		fill_columns(t, &b, c);
		fill_pieces(t, &b, c);
	}
	gs_bands_release(&b);
	return status;
}

int gpusnap_snapshot_bands(gpusnap_snapshot *s, const char *options, gpusnap_bands *columns)
{
	static const char *const names[] = {
		"device", "axis", "from", "to", "columns", "rows", "low", "high", "order", "key", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_bands);
	if (failed)
		gpusnap_bands_free(columns);
	return failed;
}
