/* The diagnosis: which failure, its state, the ladder and who holds what, one after the other. */
#include "analyzer/diagnose/diagnose.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/diagnose_internal.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/model/failure.h"

/* Without an OOM: the device with the most reserved memory; the host only where nothing else is. */
static const gs_device *busiest(const gs_snapshot *s)
{
	const gs_device *found = NULL;
	uint64_t most = 0;
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_totals t;
		gs_layout_totals(&s->devices[i].captured, &t);
		if (found && gs_device_is_host(s, &s->devices[i]))
			continue;
		if (!found || t.reserved > most || gs_device_is_host(s, found)) {
			found = &s->devices[i];
			most = t.reserved;
		}
	}
	return found;
}

static gs_status choose_device(gs_diagnosis *d, const gs_diagnose_options *options, gs_error *err)
{
	const gs_snapshot *s = d->snapshot;
	size_t told = gs_failure_of(s, true, 0);
	if (!options->any_device) {
		d->device = gs_snapshot_find_device(s, options->device);
		for (size_t i = 0; !d->device && i < s->nooms; i++)
			if (s->ooms[i].device == options->device)
				return GS_OK;
		return d->device
			? GS_OK
			: gs_fail(err, GS_NOT_FOUND, "there is no device %d in it", options->device);
	}
	d->device = told == SIZE_MAX ? busiest(s) : gs_snapshot_find_device(s, s->ooms[told].device);
	return GS_OK;
}

/* An event's number that is an OOM's means that OOM. */
static void match_event(gs_diagnosis *d)
{
	for (size_t i = 0; d->state.oom == SIZE_MAX && d->state.idx >= 0 && i < d->snapshot->nooms; i++)
		if (d->snapshot->ooms[i].device == d->device->device &&
			d->snapshot->ooms[i].idx == d->state.idx)
			d->state.oom = i;
}

/* A text's row whose device is not known, or that says nothing of segments. */
static gs_status choose_row(gs_diagnosis *d, const gs_diagnose_options *options, gs_error *err)
{
	uint64_t nth = 0, seen = 0;
	const char *state = options->state ? options->state : "oom";
	d->state = (gs_state){"oom", GS_NONE, SIZE_MAX};
	if (!strncmp(state, "oom ", 4))
		nth = strtoull(state + 4, NULL, 10);
	if (!nth)
		d->state.oom = gs_failure_of(d->snapshot, options->any_device, options->device);
	for (size_t i = 0; nth && i < d->snapshot->nooms; i++)
		if ((options->any_device || d->snapshot->ooms[i].device == options->device) &&
			++seen == nth)
			d->state.oom = i;
	if (nth && d->state.oom == SIZE_MAX)
		return gs_fail(err, GS_NOT_FOUND, "there is no OOM number %llu", (unsigned long long)nth);
	if (d->state.oom != SIZE_MAX && d->snapshot->kind == GS_KIND_TEXT)
		d->policy = gs_policy_of_library(d->snapshot->ooms[d->state.oom].library);
	return GS_OK;
}

static gs_status rebuild(gs_diagnosis *d, const gs_diagnose_options *options, gs_error *err)
{
	gs_recording *kept = gs_recordings_find(options->recordings, d->device, options->rules);
	gs_recording_init(&d->own, d->snapshot, d->device, options->rules);
	d->recording = kept ? kept : &d->own;
	gs_status status = gs_recording_need_history(d->recording, err);
	if (!status)
		status = gs_meaning_state_find(d->snapshot, d->device, &d->recording->history,
			gs_recording_meaning(d->recording), options->state, &d->state, err);
	if (status)
		return status;
	const char *why;
	if (gs_state_captured_fit(d->snapshot, d->device, &d->state, &why) == GS_STATE_OTHER)
		return choose_row(d, options, err);
	match_event(d);
	int64_t idx = d->state.idx == GS_NONE ? d->recording->history.captured_at : d->state.idx;
	if ((status = gs_history_layout(&d->recording->history, idx, &d->layout, err)))
		return status;
	d->has_layout = true;
	d->exact = d->layout.exact;
	gs_layout_totals(&d->layout, &d->totals);
	return GS_OK;
}

/* A message that belongs to no known device still is the failure. */
static bool has_state(const gs_diagnosis *d)
{
	return d->device && (d->device->has_layout || d->device->trace.n);
}

static gs_status judge_failure(gs_diagnosis *d, const gs_diagnose_options *options)
{
	gs_figures f;
	memset(&f, 0, sizeof f);
	gs_diagnose_request(d, options);
	if (d->oom == SIZE_MAX) {
		d->exact &= d->has_layout || d->snapshot->kind != GS_KIND_TEXT; /* nothing was understood */
		return GS_OK;
	}
	if (d->has_layout) {
		gs_status status = gs_diagnose_layout(d, &f);
		if (status)
			return status;
		gs_diagnose_device(d, gs_range_of(d->totals.reserved), &f);
		f.limit = gs_range_reaches(f.device_free, f.ask);
	} else {
		gs_diagnose_bounds(d, &f);
		gs_diagnose_device(d, f.reserved, &f);
		gs_diagnose_refusal(d, &f);
		d->ask = d->needed;
	}
	gs_diagnose_steps(d, &f);
	return GS_OK;
}

static void begin_diagnosis(gs_diagnosis *d, const gs_snapshot *s)
{
	memset(d, 0, sizeof *d);
	d->recording = &d->own;
	d->snapshot = s;
	d->policy = gs_policy_of(s);
	gs_policy_settings(s, &d->settings, &d->settings_known);
	gs_layout_init(&d->layout);
	gs_layout_totals(&d->layout, &d->totals);
	d->exact = true;
	d->verdict = GS_VERDICT_NONE;
	d->oom = SIZE_MAX;
	d->idx = d->requested = d->needed = d->ask = d->stream = d->free = d->free_blocks =
		d->largest_free = GS_NONE;
	d->context = GS_CONTEXT;
	d->device_free = d->allowed = d->capacity = d->reserved = d->missing = d->others = GS_NONE;
	d->unused_limit = GS_NONE;
	d->pool = GS_CLASS_UNKNOWN;
	d->free_whole = GS_NONE;
	d->peak.idx = d->peak.number = d->peak.step = -1;
	d->peak.time_us = GS_NONE;
}

gs_status gs_diagnose_ladder(
	const gs_snapshot *s, const gs_diagnose_options *options, gs_diagnosis *d, gs_error *err)
{
	begin_diagnosis(d, s);
	gs_status status = choose_device(d, options, err);
	if (!status)
		status = has_state(d) ? rebuild(d, options, err) : choose_row(d, options, err);
	if (status)
		return status;
	d->oom = d->state.oom;
	if ((status = judge_failure(d, options)))
		return gs_fail(err, status, "out of memory");
	return GS_OK;
}

/* Who holds the memory of this state and, where that is another, held the peak's; what for. */
static gs_status find_holders(gs_diagnosis *d)
{
	const gs_history *h = &d->recording->history;
	const gs_meaning *m = &d->recording->meaning;
	gs_layout then;
	gs_status status = GS_OK;
	d->peak_apart = d->peak.idx >= 0 && !gs_history_same(h, d->peak.idx, d->layout.idx);
	if (!d->peak_apart)
		return gs_meaning_holders(m, &d->layout, &d->holders, &d->nholders);
	if ((status = gs_history_layout(h, d->peak.idx, &then, NULL)))
		return status;
	status = gs_meaning_categories(m, &then, &d->peak_categories, &d->npeak_categories);
	if (!status)
		status = gs_meaning_holders_of_two(
			m, &d->layout, &then, &d->holders, &d->nholders, &d->peak_holders, &d->npeak_holders);
	gs_layout_release(&then);
	return status;
}

/* What the memory is for, who holds it, when it peaked, what grew. */
static gs_status find_meaning(gs_diagnosis *d, int64_t until)
{
	const gs_meaning *m = &d->recording->meaning;
	gs_status status = gs_recording_need_meaning(d->recording, NULL);
	if (!status)
		status = gs_meaning_categories(m, &d->layout, &d->categories, &d->ncategories);
	if (!status)
		status = gs_meaning_growth(m, until, &d->growth, &d->ngrowth);
	if (!status)
		gs_meaning_peak(m, until, &d->peak);
	return status ? status : find_holders(d);
}

const gs_rung *gs_diagnosis_rung(const gs_diagnosis *d, gs_step step)
{
	for (int i = 0; i < d->nladder; i++)
		if (d->ladder[i].step == step)
			return &d->ladder[i];
	return NULL;
}

int64_t gs_diagnosis_left(const gs_diagnosis *d)
{
	int64_t left = d->device_free;
	if (d->allowed >= 0 && d->reserved >= 0 && (left < 0 || left > d->allowed - d->reserved))
		left = d->allowed > d->reserved ? d->allowed - d->reserved : 0;
	return left;
}

static gs_status blame(gs_diagnosis *d)
{
	gs_policy_request r = gs_diagnosis_request(d);
	int64_t until = d->idx != GS_NONE ? d->idx : d->state.idx;
	int64_t left = gs_diagnosis_left(d);
	gs_status status = gs_blame_pinning(d->snapshot, &d->layout, &d->pinning, &d->npinning);
	if (!status && d->oom != SIZE_MAX && d->requested > 0 && d->policy->caches)
		status = gs_blame_eviction(
			d->policy, &d->settings, &d->layout, &r, left, &d->evictions, &d->nevictions);
	return status ? status : find_meaning(d, until);
}

gs_status gs_diagnose(
	const gs_snapshot *s, const gs_diagnose_options *options, gs_diagnosis *d, gs_error *err)
{
	gs_status status = gs_diagnose_ladder(s, options, d, err);
	if (status)
		return status;
	if (d->has_layout && (status = blame(d)))
		return gs_fail(err, status, "out of memory");
	status = gs_diagnose_health(d);
	return status ? gs_fail(err, status, "out of memory") : GS_OK;
}

void gs_diagnosis_release(gs_diagnosis *d)
{
	gs_recording_release(&d->own);
	gs_layout_release(&d->layout);
	free(d->pinning);
	free(d->evictions);
	free(d->growth);
	free(d->holders);
	free(d->categories);
	free(d->peak_holders);
	free(d->peak_categories);
	free(d->pool_fits);
	free(d->others_list);
	free(d->many);
	free(d->advice);
	memset(d, 0, sizeof *d);
}
