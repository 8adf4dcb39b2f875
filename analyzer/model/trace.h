/* Events of one device. Units and unknown facts are those of snapshot.h. */
#ifndef GS_ANALYZER_MODEL_TRACE_H
#define GS_ANALYZER_MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"
#include "schema/terms.h"

enum { GS_MOST_MORE = 4096 };

typedef struct gs_event {
	uint64_t
		address;   /* of an oom or a refusal: the device's free bytes, (uint64_t)GS_NONE unknown */
	uint64_t size; /* alloc, free_*: requested bytes; segment_*: bytes; oom: rounded request;
					  snapshot: active bytes */
	int64_t time_us; /* GS_NONE unknown */
	uint16_t stream; /* index in the snapshot's streams */
	uint16_t pool;   /* index + 1 in the snapshot's pool ids, 0 unknown */
	gs_id more; /* string: members of the file's record that have no place here, as a JSON object
				   (`{"compile_context":"N/A"}`, up to GS_MOST_MORE bytes; what is longer is not
				   kept); 0 none */
	gs_id stack;
	uint32_t tag_action; /* tag id << 8 | gs_action; use gs_event_action and gs_event_tag */
} gs_event;

/* Its action, and the id of its tag (0: none). */
static inline gs_action gs_event_action(const gs_event *e)
{
	return (gs_action)(e->tag_action & 255);
}
static inline gs_id gs_event_tag(const gs_event *e) { return e->tag_action >> 8; }

/* What some events of a device that follow each other come to. Numbers are the file's; bytes are
 * those of blocks, rounded. */
typedef struct gs_run_figures {
	uint64_t first, events;                 /* number of the first, and how many */
	int64_t from_us, until_us;              /* times of the first and the last, GS_NONE unknown */
	uint64_t allocated, pending, reserved;  /* after the last */
	uint64_t most_allocated, allocated_idx; /* after any of them, and after which first */
	uint64_t most_reserved, reserved_idx;
	uint64_t reserved_then; /* reserved when most was allocated */
	uint64_t ooms, retries;
} gs_run_figures;

/* Events of one device, oldest first. */
typedef struct gs_trace {
	gs_event *events;
	size_t n, cap;
	uint64_t first; /* events of the device in the file before events[0]: not 0 where the reader was
					   asked for one moment of a stream. Indexes count from events[0]; what is
					   shown is gs_event_number */
	gs_run_figures *figures; /* of a stream: of all its events but the last, in order; else NULL */
	size_t nfigures;
	uint64_t dropped; /* events known to be lost before the first one (ring overflow) */
	uint64_t skipped; /* events that the input holds and the reader was told not to decode
						 (events_skipped): n + skipped are in the file */
	int complete; /* 1: recording began before the device's first allocation; 0: surely not; -1: not
					 known (see state.h) */
} gs_trace;

/* The number that the file gives the event at that index; GS_NONE stays. */
static inline int64_t gs_event_number(const gs_trace *t, int64_t idx)
{
	return idx == GS_NONE ? GS_NONE : idx + (int64_t)t->first;
}

/* Appends an event (zeroed, unknown facts GS_NONE), NULL when memory is short; it holds until the
 * next one. */
gs_event *gs_trace_append(gs_trace *t);

/* Appends; GS_NO_MEMORY. */
gs_status gs_trace_add_figures(gs_trace *t, const gs_run_figures *figures);

#endif
