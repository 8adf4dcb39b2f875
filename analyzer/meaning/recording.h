/* What one device's recording comes to: its history, and what its memory means. Each is made when
 * it is first asked for and kept: for whoever looks at several moments of it. */
#ifndef GS_ANALYZER_MEANING_RECORDING_H
#define GS_ANALYZER_MEANING_RECORDING_H

#include "analyzer/meaning/meaning.h"

typedef struct gs_recording {
	const gs_snapshot *snapshot;
	const gs_device *device;
	const gs_category_rules *rules; /* the user's, NULL none */
	gs_history history;
	gs_meaning meaning;
	bool has_history, has_meaning;
} gs_recording;

/* Nothing is made yet. It must stay where it is, and the snapshot as it is, until the release. */
void gs_recording_init(
	gs_recording *r, const gs_snapshot *s, const gs_device *d, const gs_category_rules *rules);
void gs_recording_release(gs_recording *r); /* accepts zeroed memory */

/* Make it, once; errors as of gs_history_init and gs_meaning_init. */
gs_status gs_recording_need_history(gs_recording *r, gs_error *err);
gs_status gs_recording_need_meaning(gs_recording *r, gs_error *err); /* and the history */

/* Recordings that a caller keeps of a snapshot's devices, so that several questions share what is
 * made once: what a question needs is made in them. They belong to one thread. */
typedef struct gs_recordings {
	gs_recording *all;
	size_t n;
} gs_recordings;

/* That of a device by the same rules, or NULL. */
gs_recording *gs_recordings_find(
	gs_recordings kept, const gs_device *d, const gs_category_rules *rules);

/* What there is by now, or NULL. */
static inline const gs_history *gs_recording_history(const gs_recording *r)
{
	return r->has_history ? &r->history : NULL;
}
static inline const gs_meaning *gs_recording_meaning(const gs_recording *r)
{
	return r->has_meaning ? &r->meaning : NULL;
}

#endif
