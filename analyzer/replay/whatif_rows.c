/* Rows: runs of the replay, several at once, judged against the recorded settings. */
#include "analyzer/replay/whatif.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "recorder/pool/rule_sets.h"
#include "schema/size.h"

enum { STEP = 2 << 20 }; /* capacities are looked for in steps of what a device hands out */

static gs_status run_conf(const gs_whatif *w, const char *conf, uint64_t total, uint64_t limit,
	gs_replay_result *result, gs_error *err)
{
	gs_replay_settings settings = {.rules = w->rules,
		.conf = conf,
		.capacity = total,
		.outside = w->outside,
		.allowed = limit};

	return gs_replay_run(&w->replay, &settings, result, err);
}

static void mark_inexact(gs_whatif_row *row, const char *text)
{
	row->exact = false;
	if (!row->note[0])
		snprintf(row->note, sizeof row->note, "%s", text);
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
	if (!w->starts_whole && !w->replay.history->initial.exact)
		mark_inexact(row, "the state before the recording is not wholly known");
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

/* The run, and again under the least that an inferred limit could be. */
static gs_status fill_row(const gs_whatif *w, gs_whatif_row *row, uint64_t total, gs_error *err)
{
	gs_replay_result other;
	gs_status status = run_conf(w, row->conf, total, w->limit, &row->result, err);

	if (status)
		return status;
	judge_exactness(w, row);
	if (w->limit_low != w->limit &&
		!(row->result.fits && row->result.peak_reserved <= w->limit_low)) {
		status = run_conf(w, row->conf, total, w->limit_low, &other, err);
		if (!status && memcmp(&other, &row->result, sizeof other))
			mark_inexact(
				row, "the limit that refused the recorded request is known between bounds only");
	}
	bound_peak(w, row, total);
	return status;
}

/* --- several at once
 * -------------------------------------------------------------------------------- */

typedef gs_status row_work(const gs_whatif *w, gs_whatif_row *row, gs_error *err);

typedef struct work {
	const gs_whatif *w;
	row_work *work;
	gs_whatif_row *rows;
	size_t n, next;
	pthread_mutex_t lock;
	gs_status status;
	gs_error error;
} work;

static void *labour(void *context)
{
	work *all = context;

	for (;;) {
		gs_error error = GS_ERROR_INIT;
		pthread_mutex_lock(&all->lock);
		size_t i = all->status ? all->n : all->next++;
		pthread_mutex_unlock(&all->lock);
		if (i >= all->n)
			return NULL;
		gs_status status = all->work(all->w, &all->rows[i], &error);
		if (!status)
			continue;
		pthread_mutex_lock(&all->lock);
		if (!all->status) {
			all->status = status;
			all->error = error;
		}
		pthread_mutex_unlock(&all->lock);
	}
}

static gs_status for_each_row(
	const gs_whatif *w, gs_whatif_row *rows, size_t n, row_work *do_row, gs_error *err)
{
	work all = {.w = w, .work = do_row, .rows = rows, .n = n, .lock = PTHREAD_MUTEX_INITIALIZER};
	pthread_t threads[16];
	int started = 0, most = w->options.threads < 16 ? w->options.threads : 16;

	while (started + 1 < most && (size_t)started + 1 < n &&
		!pthread_create(&threads[started], NULL, labour, &all))
		started++;
	labour(&all);
	while (started > 0)
		pthread_join(threads[--started], NULL);
	pthread_mutex_destroy(&all.lock);
	if (all.status && err)
		*err = all.error;
	return all.status;
}

/* --- rows
 * --------------------------------------------------------------------------------------------- */

static gs_status try_row(const gs_whatif *w, gs_whatif_row *row, gs_error *err)
{
	row->capacity = w->capacity;
	return fill_row(w, row, w->total, err);
}

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
	return for_each_row(w, w->rows + w->n - n, n, try_row, err);
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

/* --- the smallest device
 * ------------------------------------------------------------------------------ */

static gs_status minimize_row(const gs_whatif *w, gs_whatif_row *row, gs_error *err)
{
	gs_replay_result result, best;
	uint64_t low, high;
	gs_status status = run_conf(
		w, row->conf, GS_WHATIF_UNLIMITED + w->outside, w->limit, &best, err);

	if (status)
		return status;
	row->result = best;
	row->capacity = GS_NONE;
	judge_exactness(w, row);
	if (!best.fits)
		return GS_OK;
	low = best.peak_allocated / STEP; /* one step below what could pass */
	low -= low > 0;
	high = (best.peak_reserved + STEP - 1) / STEP;
	while (low + 1 < high) {
		uint64_t middle = low + (high - low) / 2;
		if ((status = run_conf(w, row->conf, middle * STEP + w->outside, w->limit, &result, err)))
			return status;
		if (result.fits) {
			high = middle;
			row->result = result;
		} else {
			low = middle;
		}
	}
	row->capacity = (int64_t)(high * STEP + w->outside);
	status = run_conf(w, row->conf, (uint64_t)row->capacity, w->limit, &row->result, err);
	bound_peak(w, row, (uint64_t)row->capacity);
	return status;
}

gs_status gs_whatif_minimize(gs_whatif *w, gs_error *err)
{
	return for_each_row(w, w->rows, w->n, minimize_row, err);
}
