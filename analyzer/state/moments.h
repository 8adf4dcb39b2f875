/* The selected state of each device of a snapshot: what commands that show one moment begin with.
 */
#ifndef GS_ANALYZER_STATE_MOMENTS_H
#define GS_ANALYZER_STATE_MOMENTS_H

#include "analyzer/state/state.h"

typedef struct gs_moment {
	const gs_device *device;
	gs_state state;
	gs_layout layout;
} gs_moment;

typedef struct gs_moments {
	gs_moment *at; /* in order of devices */
	size_t n;
} gs_moments;

#define GS_MOMENTS_INIT \
	{                   \
		NULL, 0         \
	}

/* device: GS_NONE for all; selector as in gs_state_find. Of several devices those that do not have
 * the state or any segment are left out. GS_NOT_FOUND where none is left, or the device asked for
 * has not got it; GS_INVALID: no such selector. Release in any case. */
gs_status gs_moments_select(
	const gs_snapshot *s, int64_t device, const char *selector, gs_moments *moments, gs_error *err);
void gs_moments_release(gs_moments *moments);

/* The OOM that a moment belongs to, or NULL. */
const gs_oom *gs_moment_oom(const gs_snapshot *s, const gs_moment *m);

#endif
