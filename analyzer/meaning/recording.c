#include "analyzer/meaning/recording.h"

#include <string.h>

void gs_recording_init(
	gs_recording *r, const gs_snapshot *s, const gs_device *d, const gs_category_rules *rules)
{
	memset(r, 0, sizeof *r);
	r->snapshot = s;
	r->device = d;
	r->rules = rules;
}

void gs_recording_release(gs_recording *r)
{
	if (r->has_meaning)
		gs_meaning_release(&r->meaning);
	if (r->has_history)
		gs_history_release(&r->history);
	memset(r, 0, sizeof *r);
}

gs_recording *gs_recordings_find(
	gs_recordings kept, const gs_device *d, const gs_category_rules *rules)
{
	for (size_t i = 0; i < kept.n; i++)
		if (kept.all[i].device == d && kept.all[i].rules == rules)
			return &kept.all[i];
	return NULL;
}

gs_status gs_recording_need_history(gs_recording *r, gs_error *err)
{
	if (r->has_history)
		return GS_OK;
	gs_status status = gs_history_init(&r->history, r->snapshot, r->device, err);
	if (status)
		gs_history_release(&r->history);
	r->has_history = !status;
	return status;
}

gs_status gs_recording_need_meaning(gs_recording *r, gs_error *err)
{
	if (r->has_meaning)
		return GS_OK;
	gs_status status = gs_recording_need_history(r, err);
	if (status)
		return status;
	status = gs_meaning_init(&r->meaning, &r->history, r->rules, err);
	if (status)
		gs_meaning_release(&r->meaning);
	r->has_meaning = !status;
	return status;
}
