/* Rows: runs of the replay, several at once, judged against the recorded settings. */
#include "analyzer/replay/whatif.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "recorder/pool/rule_sets.h"
#include "schema/size.h"

enum { STEP = 2 << 20 }; /* capacities are looked for in steps of what a device hands out */

static gs_replay_settings settings_of(
	const gs_whatif *w, const gs_whatif_row *row, uint64_t total, uint64_t limit)
{
	return (gs_replay_settings){.rules = w->rules,
		.conf = row->conf,
		.capacity = total,
		.outside = w->outside,
		.allowed = limit};
}

/* Rows that are run together, each on a device and under a limit of its own. */
typedef struct batch {
	gs_whatif *w;
	gs_whatif_row **rows;
	gs_replay_settings *settings;
	gs_replay_result *results;
	size_t n;
} batch;

static gs_status batch_init(batch *b, gs_whatif *w, size_t most, gs_error *err)
{
	*b = (batch){w, malloc((most + 1) * sizeof *b->rows), malloc((most + 1) * sizeof *b->settings),
		malloc((most + 1) * sizeof *b->results), 0};
	return b->rows && b->settings && b->results ? GS_OK
												: gs_fail(err, GS_NO_MEMORY, "%zu rows", most);
}

static void batch_release(batch *b)
{
	free(b->rows);
	free(b->settings);
	free(b->results);
}

static void batch_add(batch *b, gs_whatif_row *row, uint64_t total, uint64_t limit)
{
	b->rows[b->n] = row;
	b->settings[b->n++] = settings_of(b->w, row, total, limit);
}

static gs_status batch_run(batch *b, gs_error *err)
{
	return b->n ? gs_replay_run_all(&b->w->replay, b->settings, b->n, b->results, err) : GS_OK;
}

static void mark_inexact(gs_whatif_row *row, const char *text)
{
	row->exact = false;
	if (!row->note[0])
		snprintf(row->note, sizeof row->note, "%s", text);
}

/* Whether the row's allocator has been, from the first request to the last, in the states that were
 * recorded: a retry that only the last request made leads to none behind it. */
static bool went_as_recorded(const gs_whatif *w, const gs_whatif_row *row)
{
	uint64_t retries = row->result.retries;
	if (strcmp(row->conf, w->recorded_conf) != 0 || gs_replay_rewrites(&w->options.rewrite))
		return false;
	return w->options.capacity == GS_NONE && w->options.allowed == GS_NONE
		? retries == w->agreement.retries
		: w->agreement.retries == 0 && retries <= (row->result.fits ? 0 : 1);
}

/* What gave segments back is inferred where the recording does not tell it. */
static void doubt_empty_cache(const gs_whatif *w, gs_whatif_row *row)
{
	const gs_replay *r = &w->replay;
	if (r->told || went_as_recorded(w, row))
		return;
	if (r->emptied + r->settled_empty > r->captures + r->settled_captures)
		mark_inexact(row,
			"calls of empty_cache() that gave nothing back are not recorded, and here they might");
	if (r->guessed)
		mark_inexact(row,
			"whether a retry or empty_cache() gave segments back is not recorded: taken for a retry");
}

static void judge_exactness(const gs_whatif *w, gs_whatif_row *row)
{
	bool recorded = !strcmp(row->conf, w->recorded_conf);

	row->exact = true;
	if (w->doubt[0])
		mark_inexact(row, w->doubt);
	if (row->result.too_small)
		mark_inexact(row, "what was live before the recording does not fit this device");
	if (!w->starts_whole && w->options.capacity != GS_NONE &&
		w->options.capacity != w->recorded_capacity)
		mark_inexact(row,
			"what was allocated before the recording lies as the recorded device had room for");
	if (!w->starts_whole && !recorded)
		mark_inexact(
			row, "what was allocated before the recording lies as the recorded settings laid it");
	if (!w->starts_whole && !w->replay.initial->exact)
		mark_inexact(row, "the state before the recording is not wholly known");
	doubt_empty_cache(w, row);
	if (row->result.past_wait && !w->replay.past_wait)
		mark_inexact(row,
			"frees that other streams still used completed in a retry; there is none here: when they would have is not recorded");
	if (row->result.past_oom)
		mark_inexact(row,
			"a request that failed when recorded succeeds; what the program would have done then is not recorded");
}

/* What is reserved holds at least what the program asked for, and no more than the device gives. */
static void bound_peak(const gs_whatif *w, gs_whatif_row *row, uint64_t total)
{
	uint64_t most = total - w->outside < w->limit ? total - w->outside : w->limit;

	row->peak_low = (int64_t)(row->exact ? row->result.peak_reserved : row->result.peak_requested);
	row->peak_high = row->exact                              ? row->peak_low
		: row->capacity == GS_NONE && w->limit == UINT64_MAX ? GS_NONE
															 : (int64_t)most;
	if (row->peak_high != GS_NONE && row->peak_high < (int64_t)row->result.peak_reserved)
		row->peak_high = (int64_t)row->result.peak_reserved;
}

static bool depends_on_limit(const gs_whatif *w, const gs_whatif_row *row)
{
	return w->limit_low != w->limit &&
		!(row->result.fits && row->result.peak_reserved <= w->limit_low);
}

/* What depends on it is run again under the least that an inferred limit could be. */
static gs_status doubt_limit(batch *b, gs_whatif_row *rows, size_t n, gs_error *err)
{
	gs_whatif *w = b->w;
	b->n = 0;
	for (size_t i = 0; i < n; i++)
		if (depends_on_limit(w, &rows[i]))
			batch_add(b, &rows[i], w->total, w->limit_low);
	gs_status status = batch_run(b, err);
	for (size_t i = 0; i < b->n && !status; i++)
		if (memcmp(&b->results[i], &b->rows[i]->result, sizeof *b->results) != 0)
			mark_inexact(b->rows[i],
				"the limit that refused the recorded request is known between bounds only");
	return status;
}

static gs_status fill_rows(gs_whatif *w, gs_whatif_row *rows, size_t n, gs_error *err)
{
	batch b;
	gs_status status = batch_init(&b, w, n, err);
	for (size_t i = 0; i < n && !status; i++) {
		rows[i].capacity = w->capacity;
		batch_add(&b, &rows[i], w->total, w->limit);
	}
	if (!status)
		status = batch_run(&b, err);
	for (size_t i = 0; i < n && !status; i++) {
		memcpy(&rows[i].result, &b.results[i], sizeof b.results[i]); /* compared as bytes below */
		judge_exactness(w, &rows[i]);
	}
	if (!status)
		status = doubt_limit(&b, rows, n, err);
	for (size_t i = 0; i < n && !status; i++)
		bound_peak(w, &rows[i], w->total);
	batch_release(&b);
	return status;
}

/* --- rows --- */

static gs_status add_rows(gs_whatif *w, const char *const *confs, size_t n, gs_error *err)
{
	gs_pool_settings settings;
	size_t room = w->n;

	if (!GS_ARRAY_RESERVE(w->rows, room, w->n + n + 1))
		return gs_fail(err, GS_NO_MEMORY, "%zu rows", n);
	for (size_t i = 0; i < n; i++) {
		gs_whatif_row *row = &w->rows[w->n];
		memset(row, 0, sizeof *row);
		if (strlen(confs[i]) >= sizeof row->conf)
			return gs_fail(err, GS_LIMIT, "settings of more than %zu characters: %.60s…",
				sizeof row->conf - 1, confs[i]);
		strcpy(row->conf, confs[i]);
		gs_pool_settings_init(&settings);
		gs_status status = gs_pool_settings_parse(&settings, w->rules, row->conf, err);
		if (status) {
			gs_fail_in(err, row->conf);
			return status;
		}
		w->n++;
	}
	return fill_rows(w, w->rows + w->n - n, n, err);
}

gs_status gs_whatif_try(gs_whatif *w, const char *const *confs, size_t n, gs_error *err)
{
	return add_rows(w, confs, n, err);
}

/* Negative: a is better. */
static int compare_results(const gs_replay_result *a, const gs_replay_result *b)
{
	if (a->fits != b->fits)
		return a->fits ? -1 : 1;
	if (!a->fits && a->allocations != b->allocations)
		return a->allocations > b->allocations ? -1 : 1;
	return a->peak_reserved < b->peak_reserved ? -1 : a->peak_reserved > b->peak_reserved;
}

/* Where a reader of three digits sees no difference, there is none to speak of. */
static bool looks_the_same(const gs_replay_result *a, const gs_replay_result *b)
{
	char x[32], y[32];
	return a->fits == b->fits && (a->fits || a->allocations == b->allocations) &&
		!strcmp(gs_size_format(x, sizeof x, a->peak_reserved),
			gs_size_format(y, sizeof y, b->peak_reserved));
}

static int better_first(const void *a, const void *b)
{
	const gs_whatif_row *x = a, *y = b;
	int order = compare_results(&x->result, &y->result);

	return order ? order : strcmp(x->conf, y->conf);
}

static const char *const searched[] = {
	"expandable_segments:True",
	"expandable_segments:True,roundup_power2_divisions:8",
	"max_split_size_mb:64",
	"max_split_size_mb:128",
	"max_split_size_mb:256",
	"max_split_size_mb:512",
	"roundup_power2_divisions:2",
	"roundup_power2_divisions:4",
	"roundup_power2_divisions:8",
	"roundup_power2_divisions:16",
	"max_split_size_mb:128,roundup_power2_divisions:4",
	"max_split_size_mb:512,roundup_power2_divisions:8",
};

/* These act only where a limit on the process is set. */
static const char *const searched_with_limit[] = {
	"garbage_collection_threshold:0.6",
	"garbage_collection_threshold:0.8",
	"garbage_collection_threshold:0.8,max_split_size_mb:128",
};

gs_status gs_whatif_search(gs_whatif *w, gs_error *err)
{
	const char *confs[2 + sizeof searched / sizeof *searched +
		sizeof searched_with_limit / sizeof *searched_with_limit] = {w->recorded_conf};
	size_t n = 1;
	gs_status status;

	if (w->recorded_conf[0])
		confs[n++] = "";
	for (size_t i = 0; i < sizeof searched / sizeof *searched; i++)
		if (strcmp(searched[i], w->recorded_conf))
			confs[n++] = searched[i];
	for (size_t i = 0;
		 i < sizeof searched_with_limit / sizeof *searched_with_limit && w->limit != UINT64_MAX;
		 i++)
		if (strcmp(searched_with_limit[i], w->recorded_conf))
			confs[n++] = searched_with_limit[i];
	if ((status = add_rows(w, confs, n, err)))
		return status;
	gs_whatif_row *recorded = &w->rows[w->n - n];
	qsort(recorded + 1, n - 1, sizeof *recorded, better_first);
	recorded->change = GS_WHATIF_RECORDED;
	for (size_t i = 1; i < n; i++) {
		int order = looks_the_same(&recorded[i].result, &recorded->result)
			? 0
			: compare_results(&recorded[i].result, &recorded->result);
		recorded[i].change = order < 0 ? GS_WHATIF_BETTER
			: order                    ? GS_WHATIF_WORSE
									   : GS_WHATIF_SAME;
	}
	return GS_OK;
}

/* --- the smallest device --- */

/* A row's devices, in steps: it does not pass on low, it does on high. */
typedef struct span {
	uint64_t low, high, middle;
} span;

static bool is_open(const gs_whatif_row *row, const span *s)
{
	return row->result.fits && s->low + 1 < s->high;
}

static gs_status run_unbounded(batch *b, span *spans, gs_error *err)
{
	gs_whatif *w = b->w;
	b->n = 0;
	for (size_t i = 0; i < w->n; i++)
		batch_add(b, &w->rows[i], GS_WHATIF_UNLIMITED + w->outside, w->limit);
	gs_status status = batch_run(b, err);
	for (size_t i = 0; i < w->n && !status; i++) {
		gs_whatif_row *row = &w->rows[i];
		row->result = b->results[i];
		row->capacity = GS_NONE;
		judge_exactness(w, row);
		uint64_t low = row->result.peak_allocated / STEP; /* one step below what could pass */
		spans[i] = (span){low - (low > 0), (row->result.peak_reserved + STEP - 1) / STEP, 0};
	}
	return status;
}

/* Each open span becomes half of itself; *any: there was one. */
static gs_status halve(batch *b, span *spans, bool *any, gs_error *err)
{
	gs_whatif *w = b->w;
	b->n = 0;
	for (size_t i = 0; i < w->n; i++) {
		span *s = &spans[i];
		if (!is_open(&w->rows[i], s))
			continue;
		s->middle = s->low + (s->high - s->low) / 2;
		batch_add(b, &w->rows[i], s->middle * STEP + w->outside, w->limit);
	}
	*any = b->n > 0;
	gs_status status = batch_run(b, err);
	for (size_t i = 0; i < b->n && !status; i++) {
		span *s = &spans[b->rows[i] - w->rows];
		if (b->results[i].fits)
			s->high = s->middle;
		else
			s->low = s->middle;
	}
	return status;
}

/* The figures are of the run on the device that was found. */
static gs_status run_smallest(batch *b, const span *spans, gs_error *err)
{
	gs_whatif *w = b->w;
	b->n = 0;
	for (size_t i = 0; i < w->n; i++) {
		gs_whatif_row *row = &w->rows[i];
		if (!row->result.fits)
			continue;
		row->capacity = (int64_t)(spans[i].high * STEP + w->outside);
		batch_add(b, row, (uint64_t)row->capacity, w->limit);
	}
	gs_status status = batch_run(b, err);
	for (size_t i = 0; i < b->n && !status; i++) {
		b->rows[i]->result = b->results[i];
		bound_peak(w, b->rows[i], (uint64_t)b->rows[i]->capacity);
	}
	return status;
}

gs_status gs_whatif_minimize(gs_whatif *w, gs_error *err)
{
	batch b;
	span *spans = calloc(w->n + 1, sizeof *spans);
	bool any = true;
	gs_status status = batch_init(&b, w, w->n, err);
	if (!status && !spans)
		status = gs_fail(err, GS_NO_MEMORY, "%zu rows", w->n);
	if (!status)
		status = run_unbounded(&b, spans, err);
	while (!status && any)
		status = halve(&b, spans, &any, err);
	if (!status)
		status = run_smallest(&b, spans, err);
	batch_release(&b);
	free(spans);
	return status;
}
