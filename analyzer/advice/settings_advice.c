/* Advice on settings: from replays alone, for only they show what a setting would do. */
#include "analyzer/advice/advice.h"
#include "analyzer/advice/answer.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/replay/whatif.h"
#include "schema/size.h"

/* Few and well tried: a diagnosis shall not take the time of a search. */
static const char *const candidates[] = {
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
	const gs_snapshot *s, const gs_whatif_options *options, gs_whatif_advice *advice, gs_error *err)
{
	gs_whatif w;
	gs_status status;

	memset(advice, 0, sizeof *advice);
	status = gs_whatif_open(&w, s, options, err);
	if (!status) {
		const char *recorded = w.recorded_conf;
		status = gs_whatif_try(&w, &recorded, 1, err);
	}
	if (!status)
		advice->recorded = w.rows[0];
	advice->agrees = w.agreement.agrees;
	advice->failed = !status && !w.rows[0].result.fits &&
		w.rows[0].result.failed_event == w.replay.last_oom + (int64_t)w.replay.first;
	if (advice->failed)
		status = gs_whatif_try(&w, candidates, sizeof candidates / sizeof *candidates, err);
	for (size_t i = 1; i < w.n && !status; i++)
		if (w.rows[i].result.fits && strcmp(w.rows[i].conf, w.recorded_conf))
			keep_better(advice, &w.rows[i]);
	gs_whatif_release(&w);
	return status;
}

static size_t settings_in(const char *conf)
{
	size_t n = 1;
	for (; *conf; conf++)
		n += *conf == ',';
	return n;
}

/* An exact row is better than another, then the one with fewer settings, then the one that gives
 * the cache back less often, for the device stands still meanwhile, then the one that reserves
 * less. */
static bool better(const gs_whatif_row *a, const gs_whatif_row *than)
{
	if (a->exact != than->exact)
		return a->exact;
	if (settings_in(a->conf) != settings_in(than->conf))
		return settings_in(a->conf) < settings_in(than->conf);
	if (a->result.retries != than->result.retries)
		return a->result.retries < than->result.retries;
	return a->result.reserved < than->result.reserved;
}

static gs_status advise(gs_diagnosis *d, const gs_whatif_row *row)
{
	gs_prose act, because;

	gs_prose_clear(&act);
	gs_prose_clear(&because);
	gs_say(&act, "PYTORCH_CUDA_ALLOC_CONF=%s", row->conf);
	gs_say(&because, "the run passes");
	if (d->reserved >= 0 && (uint64_t)d->reserved != row->result.reserved) {
		gs_say(&because, " with ");
		gs_say_size_beside(&because, (int64_t)row->result.reserved, d->reserved);
		gs_say(&because, " reserved at this point instead of ");
		gs_say_size_beside(&because, d->reserved, (int64_t)row->result.reserved);
	}
	if (!row->exact)
		gs_say(&because, " (not exact)");
	return gs_diagnosis_advise(d, GS_KNOWN_REPLAYED, act.text, because.text);
}

static bool can_be_replayed(const gs_diagnosis *d)
{
	return d->oom != SIZE_MAX && d->idx != GS_NONE && d->device &&
		(d->snapshot->kind == GS_KIND_PYTORCH || d->snapshot->kind == GS_KIND_GSNAP);
}

gs_status gs_advise_settings(gs_diagnosis *d, bool *tried, gs_error *err)
{
	gs_whatif_options options = GS_WHATIF_OPTIONS_INIT;
	gs_whatif_advice advice;
	gs_error error = GS_ERROR_INIT; /* a run that cannot be replayed does not fail the diagnosis */
	const gs_whatif_row *best;

	*tried = false;
	if (!can_be_replayed(d))
		return GS_OK;
	options.device = d->device->device;
	options.until = d->idx + (d->snapshot->excerpt ? (int64_t)d->device->trace.first : 0);
	options.most_events = GS_WHATIF_BESIDE_EVENTS;
	options.recorded_capacity = d->capacity;
	options.allowed = d->allowed;
	options.recordings = (gs_recordings){d->recording, 1};
	if (gs_whatif_advise(d->snapshot, &options, &advice, &error))
		return error.status == GS_NO_MEMORY ? gs_fail(err, GS_NO_MEMORY, "%s", error.text) : GS_OK;
	*tried = advice.failed;
	best = advice.n ? &advice.rows[0] : NULL;
	for (size_t i = 1; i < advice.n; i++)
		best = better(&advice.rows[i], best) ? &advice.rows[i] : best;
	return best ? advise(d, best) : GS_OK;
}
