/* A device's recording made ready for a picture that is zoomed: its history, what its memory means,
 * the life of every block, who holds it.
 *
 * Made once, then any view of it costs what it shows, not the whole recording. Events are indexes
 * in the trace, "after event i"; -1 is before the first. Bytes are rounded sizes. The snapshot must
 * outlive the timeline and stay unchanged. A finished timeline belongs to one thread. */
#ifndef GS_ANALYZER_TIMELINE_TIMELINE_H
#define GS_ANALYZER_TIMELINE_TIMELINE_H

#include "analyzer/meaning/recording.h"
#include "analyzer/state/lives.h"

/* A holder as gs_meaning_holders names it, whatever the category of its blocks. */
typedef struct gs_timeline_holder {
	char *where, *called_by;
} gs_timeline_holder;

enum { GS_CHECKPOINT = 4096 };

typedef struct gs_timeline {
	const gs_snapshot *snapshot;
	const gs_device *device;
	const gs_history *history;
	const gs_meaning *meaning;
	gs_lives lives;
	uint32_t *holder; /* by life: its holder's number */
	gs_timeline_holder *holders;
	size_t nholders;
	gs_running_totals *checkpoints; /* after event k × GS_CHECKPOINT - 1 */
	bool timed;   /* every event has a time, none is earlier than the one before, and they differ */
	bool crowded; /* most of the time that they span is empty */
} gs_timeline;

/* Of a recording that outlives it, and in which history and meaning are made where they are
 * missing. O(n log n) in the events. GS_NO_MEMORY; GS_LIMIT as gs_history_init. Release in any
 * case. */
gs_status gs_timeline_init(gs_timeline *t, gs_recording *r, gs_error *err);
void gs_timeline_release(gs_timeline *t);

/* What a life is, and the step that it was born in: index in meaning.steps, -1 none. */
gs_categorization gs_timeline_categorization(const gs_timeline *t, uint32_t life);
int64_t gs_timeline_step_at(const gs_timeline *t, int64_t idx);

/* The totals after event idx (-1: before the first). */
gs_running_totals gs_timeline_totals(const gs_timeline *t, int64_t idx);

/* Fills t->holder and t->holders: called by init. GS_NO_MEMORY. */
gs_status gs_timeline_name_holders(gs_timeline *t);

#endif
