#include "analyzer/state/moments.h"

#include <stdlib.h>

/* only: no other could be shown instead. */
static gs_status select_one(const gs_snapshot *s, const gs_device *d, bool asked, bool only,
	const char *selector, gs_moments *moments, gs_error *err)
{
	gs_moment *m = &moments->at[moments->n];
	gs_status status;

	m->device = d;
	gs_layout_init(&m->layout);
	status = gs_state_select(s, d, selector, &m->layout, &m->state, err);
	if (status == GS_NOT_FOUND && !only)
		return GS_OK;
	if (status)
		return status;
	if (m->layout.nsegments || asked || (only && (d->has_layout || d->trace.n)))
		moments->n++;
	else
		gs_layout_release(&m->layout);
	return GS_OK;
}

gs_status gs_moments_select(
	const gs_snapshot *s, int64_t device, const char *selector, gs_moments *moments, gs_error *err)
{
	bool asked = device != GS_NONE;
	gs_status status = GS_OK;

	*moments = (gs_moments)GS_MOMENTS_INIT;
	if (asked && (device != (int32_t)device || !gs_snapshot_find_device(s, (int32_t)device)))
		return gs_fail(err, GS_NOT_FOUND, "there is no device %lld in it", (long long)device);
	moments->at = calloc(s->ndevices + 1, sizeof *moments->at);
	if (!moments->at)
		return gs_fail(err, GS_NO_MEMORY, "states of %zu devices", s->ndevices);
	for (size_t i = 0; i < s->ndevices && !status; i++)
		if (!asked || s->devices[i].device == device)
			status = select_one(
				s, &s->devices[i], asked, asked || s->ndevices == 1, selector, moments, err);
	if (!status && !moments->n)
		status = gs_fail(err, GS_NOT_FOUND, "no device has segments to show%s",
			selector ? " in that state" : "");
	return status;
}

void gs_moments_release(gs_moments *moments)
{
	for (size_t i = 0; i < moments->n; i++)
		gs_layout_release(&moments->at[i].layout);
	free(moments->at);
	*moments = (gs_moments)GS_MOMENTS_INIT;
}

const gs_oom *gs_moment_oom(const gs_snapshot *s, const gs_moment *m)
{
	return m->state.oom < s->nooms ? &s->ooms[m->state.oom] : NULL;
}
