/* Which state a selector means. */
#include "analyzer/state/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/state/history_internal.h"

int64_t gs_history_peak(const gs_history *h, bool reserved)
{
	return reserved ? h->tables->peak_reserved : h->tables->peak_allocated;
}

bool gs_history_frees_tell_birth(const gs_history *h) { return h->tables->frees_tell_birth; }

gs_running_totals gs_history_peak_totals(const gs_history *h) { return h->tables->at_peak; }

/* The nth OOM of a device (0: the last): its index in the snapshot's ooms, SIZE_MAX where there is
 * none. */
static size_t find_oom(const gs_snapshot *s, int32_t device, uint64_t nth)
{
	size_t found = SIZE_MAX;
	uint64_t seen = 0;
	for (size_t i = 0; i < s->nooms; i++) {
		if (s->ooms[i].device != device)
			continue;
		found = i;
		if (nth && ++seen == nth)
			return i;
	}
	return nth ? SIZE_MAX : found;
}

static bool is_number(const char *text, uint64_t *number)
{
	char *end;
	if (*text < '0' || *text > '9' || strlen(text) > 18)
		return false;
	*number = strtoull(text, &end, 10);
	return !*end;
}

static gs_status find_peak(const gs_snapshot *s, const gs_device *d, const gs_history *h,
	bool reserved, gs_state *state, gs_error *err)
{
	gs_history own = GS_HISTORY_INIT;
	gs_status status = h ? GS_OK : gs_history_init(&own, s, d, err);
	if (!status)
		state->idx = gs_history_peak(h ? h : &own, reserved);
	if (!status && state->idx < 0)
		state->idx = GS_NONE;
	gs_history_release(&own);
	return status;
}

static gs_status select_oom(
	const gs_snapshot *s, const gs_device *d, uint64_t nth, gs_state *state, gs_error *err)
{
	state->oom = find_oom(s, d->device, nth);
	if (state->oom == SIZE_MAX && nth)
		return gs_fail(err, GS_NOT_FOUND, "device %d has no OOM number %llu", d->device,
			(unsigned long long)nth);
	if (state->oom == SIZE_MAX)
		return gs_fail(err, GS_NOT_FOUND, "device %d has no recorded OOM", d->device);
	state->idx = s->ooms[state->oom].idx;
	if (state->idx < 0 || state->idx >= (int64_t)d->trace.n)
		state->idx = GS_NONE;
	return GS_OK;
}

gs_status gs_state_find(const gs_snapshot *s, const gs_device *d, const gs_history *h,
	const char *selector, gs_state *state, gs_error *err)
{
	uint64_t number;
	gs_state found = {"captured", GS_NONE, SIZE_MAX};
	gs_status status = GS_OK;
	if (!selector || !*selector)
		selector = find_oom(s, d->device, 0) == SIZE_MAX ? "captured" : "oom";
	snprintf(found.name, sizeof found.name, "%s", selector);
	if (!strcmp(selector, "captured")) {
		if (d->captured.idx != GS_NONE && d->captured.idx + 1 < (int64_t)d->trace.n)
			found.idx = (int64_t)d->trace.n - 1; /* a stream: what it shows is its last moment */
	} else if (!strcmp(selector, "oom"))
		status = select_oom(s, d, 0, &found, err);
	else if (!strncmp(selector, "oom ", 4) && is_number(selector + 4, &number) && number)
		status = select_oom(s, d, number, &found, err);
	else if (!strcmp(selector, "peak") || !strcmp(selector, "peak reserved"))
		status = find_peak(s, d, h, selector[4], &found, err);
	else if (!is_number(selector, &number))
		status = gs_fail(err, GS_INVALID,
			"no state \"%.40s\": captured, oom, oom N, peak, peak reserved, or an event's number",
			selector);
	else if (number < d->trace.first || number - d->trace.first >= d->trace.n)
		status = gs_fail(err, GS_NOT_FOUND, "device %d has no event %llu", d->device,
			(unsigned long long)number);
	else
		found.idx = (int64_t)(number - d->trace.first);
	if (!status)
		*state = found;
	return status;
}

gs_state_fit gs_state_captured_fit(
	const gs_snapshot *s, const gs_device *d, const gs_state *state, const char **why)
{
	if (state->idx != GS_NONE)
		return GS_STATE_OWN;
	*why = "no events were recorded: what was captured stands for the peak";
	if (!strncmp(state->name, "peak", 4))
		return GS_STATE_NEAR;
	if (state->oom == SIZE_MAX)
		return GS_STATE_OWN;
	*why = "the layout printed last belongs to a later failure";
	for (size_t i = state->oom + 1; i < s->nooms; i++)
		if (s->ooms[i].device == d->device)
			return GS_STATE_OTHER;
	return GS_STATE_OWN;
}

gs_status gs_state_select(const gs_snapshot *s, const gs_device *d, const char *selector,
	gs_layout *out, gs_state *state, gs_error *err)
{
	gs_history h = GS_HISTORY_INIT;
	gs_state found;
	gs_status status = gs_history_init(&h, s, d, err);
	if (!status)
		status = gs_state_find(s, d, &h, selector, &found, err);
	const char *why = NULL;
	gs_state_fit fit = status ? GS_STATE_OWN : gs_state_captured_fit(s, d, &found, &why);
	if (fit == GS_STATE_OTHER)
		status = gs_fail(
			err, GS_NOT_FOUND, "device %d has no layout of that state: %s", d->device, why);
	if (!status)
		status = gs_history_layout(&h, found.idx == GS_NONE ? h.captured_at : found.idx, out, err);
	if (!status && found.idx == GS_NONE)
		out->idx = GS_NONE;
	if (!status && fit == GS_STATE_NEAR && out->exact) {
		out->exact = false;
		snprintf(out->note, sizeof out->note, "%s", why);
	}
	if (!status && state)
		*state = found;
	gs_history_release(&h);
	return status;
}
