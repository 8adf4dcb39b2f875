#include "analyzer/advice/advice.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/replay/whatif.h"
#include "schema/size.h"

enum { LINES = 2 };

/* Few and well tried: a diagnosis shall not take the time of a search. */
static const char *const tried[] = {
	"expandable_segments:True",
	"expandable_segments:True,roundup_power2_divisions:8",
	"roundup_power2_divisions:4",
	"max_split_size_mb:128",
	"max_split_size_mb:512",
};

static void keep_better(gs_whatif_advice *advice, const gs_whatif_row *row)
{
	size_t most = sizeof advice->rows / sizeof *advice->rows, at = advice->n;

	while (at > 0 && advice->rows[at - 1].result.peak_reserved > row->result.peak_reserved)
		at--;
	if (at == most)
		return;
	advice->n += advice->n < most;
	memmove(&advice->rows[at + 1], &advice->rows[at], (advice->n - 1 - at) * sizeof *row);
	advice->rows[at] = *row;
}

gs_status gs_whatif_advise(
	const gs_snapshot *s, const gs_whatif_ask *ask, gs_whatif_advice *advice, gs_error *err)
{
	gs_whatif w;
	gs_status status;

	memset(advice, 0, sizeof *advice);
	status = gs_whatif_open(&w, s, ask, err);
	if (!status) {
		const char *recorded = w.recorded_conf;
		status = gs_whatif_try(&w, &recorded, 1, err);
	}
	if (!status)
		advice->recorded = w.rows[0];
	advice->agrees = w.agreement.agrees;
	advice->failed = !status && !w.rows[0].result.fits &&
		w.rows[0].result.failed_event == w.replay.last_oom;
	if (advice->failed)
		status = gs_whatif_try(&w, tried, sizeof tried / sizeof *tried, err);
	for (size_t i = 1; i < w.n && !status; i++)
		if (w.rows[i].result.fits && strcmp(w.rows[i].conf, w.recorded_conf))
			keep_better(advice, &w.rows[i]);
	gs_whatif_release(&w);
	return status;
}

static gs_status advise(gs_diagnosis *d, const gs_whatif_row *row)
{
	char act[192], because[256], peak[32], reserved[32];

	snprintf(act, sizeof act, "run with PYTORCH_CUDA_ALLOC_CONF=%s", row->conf);
	snprintf(because, sizeof because,
		"a replay of this run under it serves the request that failed: %s reserved then, %s at most before%s",
		gs_size_format(reserved, sizeof reserved, row->result.reserved),
		gs_size_format(peak, sizeof peak, row->result.peak_reserved),
		row->exact ? "" : " (the replay is not exact)");
	return gs_diagnosis_advise(d, d->requested > 0 ? (uint64_t)d->requested : 0, act, because);
}

gs_status gs_advise_settings(gs_diagnosis *d, gs_error *err)
{
	gs_whatif_ask ask = GS_WHATIF_ASK_INIT;
	gs_whatif_advice advice;
	gs_error error =
		GS_ERROR_INIT; /* that a run cannot be replayed does not make the diagnosis fail */
	gs_status status = GS_OK;

	if (d->oom == SIZE_MAX || d->idx == GS_NONE || !d->device ||
		(d->snapshot->kind != GS_KIND_PYTORCH && d->snapshot->kind != GS_KIND_GSNAP))
		return GS_OK;
	ask.device = d->device->device;
	ask.until = d->idx;
	ask.recorded_capacity = d->capacity;
	ask.allowed = d->allowed;
	ask.threads = 2;
	if (gs_whatif_advise(d->snapshot, &ask, &advice, &error))
		return error.status == GS_NO_MEMORY ? gs_fail(err, GS_NO_MEMORY, "%s", error.text) : GS_OK;
	for (size_t i = 0; i < advice.n && i < LINES && !status; i++)
		status = advise(d, &advice.rows[i]);
	return status ? gs_fail(err, status, "out of memory") : GS_OK;
}
