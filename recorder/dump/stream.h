/* A whole run in one file that only grows (FORMAT.md, "A stream"): every event from the first to
 * the last, with a full layout of each device every so many.
 *
 * A device's events go through its lane, a ring that the device's own lock makes one producer's;
 * the only consumer is a thread of ours, which takes no lock of the program's. It encodes and
 * writes; where it lags, the ring fills and the producer waits, which is counted and told at the
 * end. Layouts are copied by the producer when the consumer asks for one, at a moment when no
 * operation is half done (gs_lane_layout_due). Memory is taken when a lane is made.
 *
 * A full disk, or any other failed write, ends the stream with one line; the rest goes on. What is
 * in the file then ends with a whole section. A forked child begins a file of its own. */
#ifndef GS_RECORDER_DUMP_STREAM_H
#define GS_RECORDER_DUMP_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "recorder/capture/clock.h"
#include "recorder/capture/marks.h"
#include "recorder/capture/pages.h"
#include "recorder/capture/tables.h"
#include "recorder/dump/config.h"
#include "recorder/dump/encode.h"
#include "recorder/dump/ring.h"
#include "recorder/dump/staging.h"

enum { GS_LANE_EVENTS = 1 << 17, GS_LANE_OOMS = 64 };

typedef struct gs_stream gs_stream;

typedef struct gs_lane {
	gs_stream *stream;
	gs_ring_event *events;   /* GS_LANE_EVENTS */
	_Atomic uint64_t head;   /* events ever pushed; written by the producer */
	_Atomic uint64_t tail;   /* taken out; written by the consumer */
	uint64_t ticks;          /* of the last event: times never run backwards */
	_Atomic uint32_t layout; /* a layout: 0 none wanted, 1 wanted, 2 there */
	uint64_t layout_at;      /* events before it */
	gs_staging stage;        /* it; the producer's until it is there, then the consumer's */
	gs_stage_oom ooms[GS_LANE_OOMS];
	_Atomic uint64_t nooms; /* ever pushed */
	uint64_t ooms_written;
	_Atomic uint64_t waited; /* times that the producer found no room */
	_Atomic uint64_t waited_ns;
	gs_dump_device device;
	gs_ring *ring; /* whose pool ids its events name */
	int complete;  /* 1: it begins before the device's first allocation; −1: not known */
	const char *library, *rules; /* as in gs_staging */

	/* the consumer's */
	uint64_t base;    /* events before the first one of this file */
	uint64_t written; /* head when … events were last sent */
	uint64_t last_layout, last_blocks;
} gs_lane;

/* Opens the file of the pattern config->stream and starts the thread. NULL and why where it cannot
 * be written (told on stderr as well). tables, clock and config outlive it. */
gs_stream *gs_stream_open(
	const gs_config *config, gs_tables *tables, gs_clock *clock, gs_pages *pages, gs_error *err);

/* What the program names goes into the file too, as annotations of each device in it; from the
 * first mark that is kept on. marks outlives the stream. */
void gs_stream_watch_marks(gs_stream *s, gs_marks *marks);

/* Writes what is left, and the index; no producer may be inside. NULL: nothing. */
void gs_stream_close(gs_stream *s);

/* A lane for a device: metadata_bytes as gs_staging_reserve. NULL: no memory, or too many. */
gs_lane *gs_stream_lane(gs_stream *s, const gs_dump_device *device, gs_ring *ring,
	const char *library, const char *rules);

/* Appends an event; waits where there is no room. */
void gs_lane_wait(gs_lane *l);
static inline void gs_lane_push(gs_lane *l, const gs_ring_event *e)
{
	uint64_t head = atomic_load_explicit(&l->head, memory_order_relaxed);
	if (__builtin_expect(
			head - atomic_load_explicit(&l->tail, memory_order_acquire) >= GS_LANE_EVENTS, 0))
		gs_lane_wait(l);
	gs_ring_event *to = &l->events[head % GS_LANE_EVENTS];
	*to = *e;
	if (to->ticks < l->ticks)
		to->ticks = l->ticks;
	else
		l->ticks = to->ticks;
	atomic_store_explicit(&l->head, head + 1, memory_order_release);
}

/* The figures of the out-of-memory whose event is pushed next. */
void gs_lane_push_oom(gs_lane *l, const gs_stage_oom *oom);

/* Whether a layout is wanted; then the producer, between two operations, fills l->stage (which it
 * alone touches meanwhile) and says so. */
static inline bool gs_lane_layout_due(const gs_lane *l)
{
	return atomic_load_explicit(&l->layout, memory_order_relaxed) == 1;
}
void gs_lane_layout_ready(gs_lane *l);
/* As gs_staging_reserve, for l->stage. By the producer. */
gs_status gs_lane_reserve(gs_lane *l, size_t metadata_bytes);

/* The path of the file, for messages. */
const char *gs_stream_path(const gs_stream *s);

/* Around fork, when no producer is inside: the child's lanes go on in a file of its own. */
void gs_stream_before_fork(gs_stream *s);
void gs_stream_after_fork(gs_stream *s, bool child);

#endif
