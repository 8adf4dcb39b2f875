/* Which event a step's state is after. */
#include "analyzer/meaning/step_state.h"

#include "analyzer/meaning/course.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gs_status find_step(const gs_meaning *m, int64_t number, bool peak, const char *selector,
	gs_state *state, gs_error *err)
{
	const gs_phase_step *step = gs_meaning_step(m, number);
	if (!step)
		return gs_step_none(m->history->device->device, m->steps, m->nsteps, number, err);
	*state = (gs_state){"", peak ? step->peak_idx : step->last_idx, SIZE_MAX};
	snprintf(state->name, sizeof state->name, "%s", selector);
	return GS_OK;
}

/* Of a part of a run, by its figures; the part has to hold that event. */
static gs_status find_in_course(
	const gs_snapshot *s, const gs_device *d, const char *selector, gs_state *state, gs_error *err)
{
	uint64_t event = 0;
	gs_status status = gs_course_find(s, d, selector, &event, err);
	if (!status && (event < d->trace.first || event - d->trace.first >= d->trace.n))
		status = gs_fail(
			err, GS_NOT_FOUND, "device %d: event %" PRIu64 " is not in memory", d->device, event);
	if (!status) {
		*state = (gs_state){"", (int64_t)(event - d->trace.first), SIZE_MAX};
		snprintf(state->name, sizeof state->name, "%s", selector);
	}
	return status;
}

gs_status gs_meaning_state_find(const gs_snapshot *s, const gs_device *d, const gs_history *h,
	const gs_meaning *m, const char *selector, gs_state *state, gs_error *err)
{
	int64_t number;
	bool peak;
	if (!gs_step_selector(selector, &number, &peak))
		return gs_state_find(s, d, h, selector, state, err);
	if (s->excerpt && gs_course_is_told(d))
		return find_in_course(s, d, selector, state, err);
	if (m)
		return find_step(m, number, peak, selector, state, err);
	gs_history own = GS_HISTORY_INIT;
	gs_meaning made = GS_MEANING_INIT;
	gs_status status = h ? GS_OK : gs_history_init(&own, s, d, err);
	if (!status)
		status = gs_meaning_init(&made, h ? h : &own, NULL, err);
	if (!status)
		status = find_step(&made, number, peak, selector, state, err);
	gs_meaning_release(&made);
	gs_history_release(&own);
	return status;
}

/* GS_NOT_FOUND: the device has no such step. */
static gs_status take_moment(const gs_snapshot *s, const gs_device *d, const char *selector,
	gs_moments *moments, gs_error *err)
{
	char idx[24];
	gs_state state;
	gs_moments one = GS_MOMENTS_INIT;
	gs_status status = gs_meaning_state_find(s, d, NULL, NULL, selector, &state, err);
	if (status)
		return status;
	snprintf(idx, sizeof idx, "%" PRId64, gs_event_number(&d->trace, state.idx));
	status = gs_moments_select(s, d->device, idx, &one, err);
	if (!status) {
		moments->at[moments->n] = one.at[0];
		snprintf(moments->at[moments->n].state.name, sizeof state.name, "%s", state.name);
		moments->n++;
		one.n = 0; /* its layout is theirs now */
	}
	gs_moments_release(&one);
	return status;
}

gs_status gs_meaning_moments_select(
	const gs_snapshot *s, int64_t device, const char *selector, gs_moments *moments, gs_error *err)
{
	int64_t number;
	bool peak, asked = device != GS_NONE;
	if (!gs_step_selector(selector, &number, &peak) ||
		(asked && !gs_snapshot_find_device(s, (int32_t)device)))
		return gs_moments_select(s, device, selector, moments, err);
	*moments = (gs_moments)GS_MOMENTS_INIT;
	moments->at = calloc(s->ndevices + 1, sizeof *moments->at);
	gs_status status = moments->at ? GS_OK : gs_fail(err, GS_NO_MEMORY, "states of devices");
	gs_status missing = GS_OK;
	for (size_t i = 0; i < s->ndevices && !status; i++) {
		const gs_device *d = &s->devices[i];
		if ((asked && d->device != device) || (!asked && !d->trace.n))
			continue;
		status = take_moment(s, d, selector, moments, err);
		missing = status == GS_NOT_FOUND ? status : missing;
		status = status == GS_NOT_FOUND ? GS_OK : status;
	}
	if (status || moments->n)
		return status;
	return missing ? missing : gs_fail(err, GS_NOT_FOUND, "no device has events, so no steps");
}
