/* The events of a device that are not in memory: a whole run, read piece by piece, and as often as
 * is wanted. Who looks at them keeps what a look needs, not the events. */
#ifndef GS_ANALYZER_MODEL_EVENT_SOURCE_H
#define GS_ANALYZER_MODEL_EVENT_SOURCE_H

#include "analyzer/model/snapshot.h"

/* Gets the next n events, which are its until it returns. GS_END: enough; other statuses end the
 * pass with them. */
typedef gs_status gs_event_visit(void *context, const gs_event *events, size_t n, gs_error *err);

typedef struct gs_event_source {
	/* What the ids in events are of; a pass may add to that. device (a number) has in it the layout
	 * before the first event, or the first layout after it and all events up to that: what the
	 * state before the first event is made from (state/state.h). */
	gs_snapshot *snapshot;
	int32_t device;
	/* All events from the first that there are now, those of earlier passes again; GS_OK at their
	 * end, or after the visitor's GS_END. One pass at a time. */
	gs_status (*pass)(void *context, gs_event_visit *visit, void *visitor, gs_error *err);
	void *context;
	size_t window; /* how many events are looked at together; 0: as is best */
} gs_event_source;

/* How all of a run is read, of which a snapshot holds a part. *run is the way's own, and *events
 * are valid until it is closed; neither is set where it fails. */
typedef struct gs_run_way {
	gs_status (*open)(const gs_snapshot *part, int32_t device, void **run, gs_event_source *events,
		gs_error *err);
	void (*close)(void *run);
} gs_run_way;

#endif
