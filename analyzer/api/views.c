/* Bands, lives and the heap as columns. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/api/call.h"
#include "analyzer/timeline/bands.h"

/* Takes an array of n members into a member of a struct of columns; an array of none is still one
 * to give back. */
#define TAKE(columns, member, n) \
	(((columns)->member = calloc((size_t)(n) + 1, sizeof *(columns)->member)) != NULL)

/* --- bands ---------------------------------------------------------------------------------------
 */

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

void gpusnap_bands_free(gpusnap_bands *c)
{
	free(c->idx);
	free(c->time_us);
	free(c->allocated);
	free(c->pending);
	free(c->least);
	free(c->reserved);
	free(c->failed);
	free(c->passed);
	free(c->passed_bytes);
	free(c->first);
	free(c->last);
	free(c->bottom);
	free(c->height);
	free(c->life);
	free(c->count);
	free(c->key);
	free(c->holder);
	free(c->category);
	memset(c, 0, sizeof *c);
}

static bool take_bands(gpusnap_bands *c, size_t columns, size_t pieces)
{
	c->ncolumns = columns;
	c->npieces = pieces;
	return TAKE(c, idx, columns) && TAKE(c, time_us, columns) && TAKE(c, allocated, columns) &&
		TAKE(c, pending, columns) && TAKE(c, least, columns) && TAKE(c, reserved, columns) &&
		TAKE(c, failed, columns) && TAKE(c, passed, columns) && TAKE(c, passed_bytes, columns) &&
		TAKE(c, first, pieces) && TAKE(c, last, pieces) && TAKE(c, bottom, pieces) &&
		TAKE(c, height, pieces) && TAKE(c, life, pieces) && TAKE(c, count, pieces) &&
		TAKE(c, key, pieces) && TAKE(c, holder, pieces) && TAKE(c, category, pieces);
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
	(void)s;
	gs_status status = read_bands(o, t, &ask, err);
	if (!status)
		status = gs_bands_init(&b, t, &ask, err);
	if (!status && !take_bands(columns, (size_t)b.ncolumns, b.npieces))
		status = gs_fail(err, GS_NO_MEMORY, "no memory for %zu pieces", b.npieces);
	if (!status) {
		fill_columns(t, &b, columns);
		fill_pieces(t, &b, columns);
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

/* --- lives ---------------------------------------------------------------------------------------
 */

/* A column that may be asked for alone: where its pointer stands in the struct, how wide a value
 * is. */
typedef struct column {
	size_t at, width;
	const char *name;
} column;
#define COLUMN(columns, member)                                               \
	{                                                                         \
		offsetof(columns, member), sizeof *((columns *)NULL)->member, #member \
	}
#define COUNT(list) (sizeof(list) / sizeof *(list))
enum { MOST_COLUMNS = 32 };

/* The columns that the option names, a bit each in their order; all where it names none. */
static gs_status read_wanted(
	const gs_api_options *o, const column *all, size_t nall, unsigned *wanted, gs_error *err)
{
	const char *names[MOST_COLUMNS];
	size_t n = 0, k;
	gs_status status = gs_api_option_texts(o, "columns", names, MOST_COLUMNS, &n, err);
	*wanted = n ? 0 : ~0u;
	for (size_t i = 0; i < n && !status; i++) {
		for (k = 0; k < nall && strcmp(all[k].name, names[i]); k++)
			;
		if (k == nall)
			status = gs_fail(err, GS_INVALID, "no column is called \"%.40s\"", names[i]);
		*wanted |= 1u << (k % MOST_COLUMNS);
	}
	return status;
}

/* Takes an array of n values for each wanted column of a zeroed struct: pointers of several types,
 * written as bytes. */
static gs_status take_wanted(
	const gs_api_options *o, void *columns, const column *all, size_t nall, size_t n, gs_error *err)
{
	unsigned wanted;
	gs_status status = read_wanted(o, all, nall, &wanted, err);
	for (size_t i = 0; i < nall && !status; i++) {
		void *values = wanted >> i & 1 ? calloc(n + 1, all[i].width) : NULL;
		memcpy((char *)columns + all[i].at, &values, sizeof values);
		if (wanted >> i & 1 && !values)
			status = gs_fail(err, GS_NO_MEMORY, "no memory for a column of %zu values", n);
	}
	return status;
}

static void free_columns(void *columns, const column *all, size_t nall)
{
	for (size_t i = 0; i < nall; i++) {
		void *values;
		memcpy(&values, (char *)columns + all[i].at, sizeof values);
		free(values);
	}
}

static const column life_columns[] = {
	COLUMN(gpusnap_lives, birth),
	COLUMN(gpusnap_lives, freed),
	COLUMN(gpusnap_lives, death),
	COLUMN(gpusnap_lives, address),
	COLUMN(gpusnap_lives, size),
	COLUMN(gpusnap_lives, holder),
	COLUMN(gpusnap_lives, stack),
	COLUMN(gpusnap_lives, tag),
	COLUMN(gpusnap_lives, step),
	COLUMN(gpusnap_lives, stream),
	COLUMN(gpusnap_lives, pool),
	COLUMN(gpusnap_lives, category),
};

void gpusnap_lives_free(gpusnap_lives *c)
{
	free_columns(c, life_columns, COUNT(life_columns));
	memset(c, 0, sizeof *c);
}

#define PUT(c, member, i, value)      \
	do {                              \
		if ((c)->member)              \
			(c)->member[i] = (value); \
	} while (0)

static void fill_life(const gs_timeline *t, uint32_t i, gpusnap_lives *c)
{
	const gs_life *l = &t->lives.all[i];
	PUT(c, birth, i, l->birth);
	PUT(c, freed, i, l->freed);
	PUT(c, death, i, l->death);
	PUT(c, address, i, gs_life_address(&t->lives, i));
	PUT(c, size, i, gs_life_size(&t->lives, i));
	PUT(c, holder, i, t->holder[i]);
	PUT(c, stack, i, gs_life_block(&t->lives, i).stack);
	PUT(c, tag, i, gs_life_block(&t->lives, i).tag);
	PUT(c, step, i, (int32_t)gs_timeline_step_at(t, l->birth));
	PUT(c, stream, i, gs_life_stream(&t->lives, i));
	PUT(c, pool, i, gs_life_pool(&t->lives, i));
	PUT(c, category, i, gs_timeline_categorization(t, i).category);
}

static gs_status answer_lives(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err)
{
	gpusnap_lives *c = columns;
	(void)s;
	c->n = t->lives.n;
	gs_status status = take_wanted(o, c, life_columns, COUNT(life_columns), c->n, err);
	for (uint32_t i = 0; !status && i < t->lives.n; i++)
		fill_life(t, i, c);
	return status;
}

int gpusnap_snapshot_lives(gpusnap_snapshot *s, const char *options, gpusnap_lives *columns)
{
	static const char *const names[] = {"device", "columns", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_lives);
	if (failed)
		gpusnap_lives_free(columns);
	return failed;
}

/* --- the curve -----------------------------------------------------------------------------------
 */

static const column curve_columns[] = {
	COLUMN(gpusnap_curve, time_us),
	COLUMN(gpusnap_curve, allocated),
	COLUMN(gpusnap_curve, reserved),
	COLUMN(gpusnap_curve, action),
};

void gpusnap_curve_free(gpusnap_curve *c)
{
	free_columns(c, curve_columns, COUNT(curve_columns));
	memset(c, 0, sizeof *c);
}

static void fill_curve(const gs_timeline *t, gpusnap_curve *c)
{
	const gs_event *events = t->device->trace.events;
	gs_running_totals g;
	gs_running_totals_start(t->history, &g);
	for (size_t i = 0; i < c->n; i++) {
		if (c->allocated || c->reserved)
			gs_running_totals_step(t->history, i, &g);
		PUT(c, time_us, i, events[i].time_us);
		PUT(c, allocated, i, g.allocated);
		PUT(c, reserved, i, g.reserved);
		PUT(c, action, i, (uint8_t)gs_event_action(&events[i]));
	}
}

static gs_status answer_curve(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err)
{
	gpusnap_curve *c = columns;
	(void)s;
	c->n = t->device->trace.n;
	gs_status status = take_wanted(o, c, curve_columns, COUNT(curve_columns), c->n, err);
	if (!status)
		fill_curve(t, c);
	return status;
}

int gpusnap_snapshot_curve(gpusnap_snapshot *s, const char *options, gpusnap_curve *columns)
{
	static const char *const names[] = {"device", "columns", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_curve);
	if (failed)
		gpusnap_curve_free(columns);
	return failed;
}

/* --- the heap ------------------------------------------------------------------------------------
 */

void gpusnap_heap_free(gpusnap_heap *c)
{
	free(c->segment_address);
	free(c->segment_size);
	free(c->segment_stream);
	free(c->segment_pool_a);
	free(c->segment_pool_b);
	free(c->segment_large);
	free(c->segment_expandable);
	free(c->address);
	free(c->size);
	free(c->requested);
	free(c->segment);
	free(c->life);
	free(c->stack);
	free(c->tag);
	free(c->holder);
	free(c->state);
	free(c->category);
	memset(c, 0, sizeof *c);
}

static bool take_heap(gpusnap_heap *c, const gs_layout *l)
{
	size_t segments = c->nsegments = l->nsegments, blocks = c->nblocks = l->nblocks;
	return TAKE(c, segment_address, segments) && TAKE(c, segment_size, segments) &&
		TAKE(c, segment_stream, segments) && TAKE(c, segment_pool_a, segments) &&
		TAKE(c, segment_pool_b, segments) && TAKE(c, segment_large, segments) &&
		TAKE(c, segment_expandable, segments) && TAKE(c, address, blocks) &&
		TAKE(c, size, blocks) && TAKE(c, requested, blocks) && TAKE(c, segment, blocks) &&
		TAKE(c, life, blocks) && TAKE(c, stack, blocks) && TAKE(c, tag, blocks) &&
		TAKE(c, holder, blocks) && TAKE(c, state, blocks) && TAKE(c, category, blocks);
}

static void fill_segment(const gs_segment *g, size_t i, gpusnap_heap *c)
{
	c->segment_address[i] = g->address;
	c->segment_size[i] = g->size;
	c->segment_stream[i] = g->stream;
	c->segment_pool_a[i] = g->pool_id.a;
	c->segment_pool_b[i] = g->pool_id.b;
	c->segment_large[i] = g->pool == GS_SMALL ? 0 : g->pool == GS_LARGE ? 1 : 2;
	c->segment_expandable[i] = g->expandable;
}

static void fill_block(const gs_timeline *t, const gs_block *b, size_t i, gpusnap_heap *c)
{
	uint32_t life = gs_lives_of_block(&t->lives, b);
	c->address[i] = b->address;
	c->size[i] = b->size;
	c->requested[i] = b->requested;
	c->segment[i] = b->segment;
	c->life[i] = life == GS_NO_LIFE ? -1 : (int32_t)life;
	c->stack[i] = b->stack;
	c->tag[i] = b->tag;
	c->holder[i] = life == GS_NO_LIFE ? UINT32_MAX : t->holder[life];
	c->state[i] = b->state == GS_ACTIVE_ALLOCATED ? 0 : b->state == GS_ACTIVE_PENDING_FREE ? 1 : 2;
	c->category[i] = gs_meaning_of(t->meaning, b).category;
}

static void fill_heap(const gs_timeline *t, const gs_layout *l, gpusnap_heap *c)
{
	c->exact = l->exact;
	for (size_t i = 0; i < l->nsegments; i++)
		fill_segment(&l->segments[i], i, c);
	for (size_t i = 0; i < l->nblocks; i++)
		fill_block(t, &l->blocks[i], i, c);
}

static gs_status answer_heap(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err)
{
	gpusnap_heap *c = columns;
	gs_layout l;
	(void)s;
	gs_layout_init(&l);
	gs_status status = gs_api_option_moment(o, t, &c->idx, err);
	if (!status)
		status = gs_api_layout_at(t, c->idx, &l, err);
	if (!status && !take_heap(c, &l))
		status = gs_fail(err, GS_NO_MEMORY, "no memory for %zu blocks", l.nblocks);
	if (!status)
		fill_heap(t, &l, c);
	gs_layout_release(&l);
	return status;
}

int gpusnap_snapshot_heap(gpusnap_snapshot *s, const char *options, gpusnap_heap *columns)
{
	static const char *const names[] = {"device", "idx", "state", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_heap);
	if (failed)
		gpusnap_heap_free(columns);
	return failed;
}
