#include "analyzer/api/timelines.h"

#include <stdlib.h>

#include "analyzer/meaning/step_state.h"

static gs_status device_of(
	const gs_snapshot *s, const gs_api_options *o, size_t *device, gs_error *err)
{
	int64_t number = GS_NONE;
	gs_status status = gs_api_option_number(o, "device", &number, err);
	if (status)
		return status;
	for (*device = 0; *device < s->ndevices; ++*device)
		if (number == GS_NONE ? s->devices[*device].trace.n > 0
							  : s->devices[*device].device == number)
			return GS_OK;
	*device = 0;
	if (number == GS_NONE && s->ndevices)
		return GS_OK;
	return number == GS_NONE
		? gs_fail(err, GS_NOT_FOUND, "it tells of no device")
		: gs_fail(err, GS_NOT_FOUND, "there is no device %lld in it", (long long)number);
}

gs_status gs_api_timeline_of(
	gpusnap_snapshot *s, const gs_api_options *o, const gs_timeline **t, gs_error *err)
{
	size_t device = 0;
	gs_status status = device_of(&s->snapshot, o, &device, err);
	return status ? status : gs_api_timeline_at(s, device, t, err);
}

gs_status gs_api_recordings(gpusnap_snapshot *s, gs_recordings *all, gs_error *err)
{
	size_t n = s->snapshot.ndevices;
	if (!s->recordings && n) {
		s->recordings = calloc(n, sizeof *s->recordings);
		if (!s->recordings)
			return gs_fail(err, GS_NO_MEMORY, "no memory for recordings");
		for (size_t i = 0; i < n; i++)
			gs_recording_init(&s->recordings[i], &s->snapshot, &s->snapshot.devices[i], NULL);
	}
	*all = (gs_recordings){s->recordings, n};
	return GS_OK;
}

gs_status gs_api_timeline_at(
	gpusnap_snapshot *s, size_t device, const gs_timeline **t, gs_error *err)
{
	gs_recordings all;
	gs_status status = gs_api_recordings(s, &all, err);
	if (status)
		return status;
	if (!s->timelines)
		s->timelines = calloc(s->snapshot.ndevices, sizeof *s->timelines);
	if (!s->timelines)
		return gs_fail(err, GS_NO_MEMORY, "no memory for timelines");
	gs_api_timeline *x = &s->timelines[device];
	if (!x->made)
		status = gs_timeline_init(&x->timeline, &all.all[device], err);
	x->made = !status;
	if (status)
		gs_timeline_release(&x->timeline);
	*t = &x->timeline;
	return status;
}

void gs_api_timelines_release(gpusnap_snapshot *s)
{
	for (size_t i = 0; s->timelines && i < s->snapshot.ndevices; i++)
		if (s->timelines[i].made)
			gs_timeline_release(&s->timelines[i].timeline);
	for (size_t i = 0; s->recordings && i < s->snapshot.ndevices; i++)
		gs_recording_release(&s->recordings[i]);
	free(s->timelines);
	free(s->recordings);
	s->timelines = NULL;
	s->recordings = NULL;
}

gs_status gs_api_option_idx(
	const gs_api_options *o, const char *name, int64_t *value, gs_error *err)
{
	double number = 0;
	gs_status status = gs_api_option_real(o, name, &number, err);
	if (status || !gs_api_option_given(o, name))
		return status;
	if (!(number >= -1 && number <= INT32_MAX) || number != (double)(int64_t)number)
		return gs_fail(err, GS_INVALID, "the option %s wants an event's number", name);
	*value = (int64_t)number;
	return GS_OK;
}

gs_status gs_api_option_moment(
	const gs_api_options *o, const gs_timeline *t, int64_t *idx, gs_error *err)
{
	const char *selector = NULL;
	gs_state state;
	*idx = -2;
	gs_status status = gs_api_option_text(o, "state", &selector, err);
	if (!status && gs_api_option_given(o, "idx")) {
		status = gs_api_option_idx(o, "idx", idx, err);
		if (!status && *idx >= (int64_t)t->history->n)
			status = gs_fail(err, GS_NOT_FOUND, "there is no event %lld", (long long)*idx);
		return status;
	}
	if (!status)
		status = gs_meaning_state_find(
			t->snapshot, t->device, t->history, t->meaning, selector, &state, err);
	if (!status)
		*idx = state.idx;
	return status;
}

gs_status gs_api_layout_at(const gs_timeline *t, int64_t idx, gs_layout *out, gs_error *err)
{
	return gs_history_layout(t->history, idx == GS_NONE ? t->history->captured_at : idx, out, err);
}
