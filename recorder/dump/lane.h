/* A device's lane into the stream: a ring between one producer, who holds the device's lock, and
 * the stream's thread, who takes no lock of the program's. Where the thread lags the lane fills and
 * the producer waits, which is counted. A layout is copied by the producer when the thread asks for
 * one, at a moment when no operation is half done (gs_lane_layout_due). Nothing here takes memory
 * but gs_lane_reserve. */
#ifndef GS_RECORDER_DUMP_LANE_H
#define GS_RECORDER_DUMP_LANE_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "recorder/capture/cache_line.h"
#include "recorder/dump/encode.h"
#include "recorder/dump/ring.h"
#include "recorder/dump/staging.h"
#include "schema/gsnap_rows.h"

/* Two sections: what a kill can take is small, and the events stay in the cache of the cores that
 * pass them on. AHEAD: how far before its turn the producer asks for a line that the other core
 * has. */
enum { GS_LANE_AHEAD = 8 };
enum { GS_LANE_EVENTS = 1 << 14, GS_LANE_OOMS = 64, GS_LANE_SETTINGS = 64 };

/* The thread that empties lanes, as their producers see it. */
typedef struct gs_lane_consumer {
	sem_t wake;
	_Atomic bool runs; /* nobody waits for a thread that does not */
} gs_lane_consumer;

/* What the events so far add up to, for the stream's figures (stream_figures.c). */
enum { GS_FIGURES_KEPT = 256 };
typedef struct gs_lane_figures {
	gs_row_figures
		rows[GS_FIGURES_KEPT]; /* not sent yet; the last one is open where it has events */
	uint32_t n;
	bool open;  /* the last of them goes on */
	bool stale; /* some events were not seen: the sums hold from the next layout on */
	uint64_t allocated, pending, reserved; /* after the last event */
	uint64_t marks;                        /* how many of the stream's marks were met */
	bool own;                              /* of our own allocator */
	bool called, released; /* empty_cache() was called; segments went back just before … */
	gs_id released_for;    /* … by a call of this stack, or were made by one */
	gs_ring_event held;    /* late: it is counted when its block is known */
	int64_t held_us;
	bool holds;
} gs_lane_figures;

typedef struct gs_lane {
	gs_lane_consumer *consumer;
	gs_ring_event *events; /* GS_LANE_EVENTS */
	uint64_t *blocks;      /* beside them: bytes of the block, as it is rounded; late: of the event
							  before */
	/* What one of the two writes at every event shares no cache line with what the other reads at
	 * every event: a pair took half as long again where it did. */
	_Alignas(GS_CACHE_LINE) _Atomic uint64_t tail; /* taken out; written by the consumer */
	_Alignas(GS_CACHE_LINE) _Atomic uint64_t head; /* events ever pushed; by the producer */
	uint64_t
		room_until; /* the producer's: up to this head there is room, whatever tail is by now */
	uint64_t ticks; /* of the last event: times never run backwards */
	_Atomic uint32_t layout; /* a layout: 0 none wanted, 1 wanted, 2 there, 3 its moment has come,
								it is being filled: the consumer takes nothing behind it */
	uint64_t layout_at;      /* events before it */
	uint64_t layout_block;   /* late: of the last of them */
	gs_staging staging;      /* it; the producer's until it is there, then the consumer's */
	gs_stage_oom ooms[GS_LANE_OOMS];
	_Atomic uint64_t nooms;        /* ever pushed */
	_Atomic uint64_t ooms_written; /* by the consumer, after their events */
	_Atomic uint64_t waited;       /* times that the producer found no room */
	_Atomic uint64_t waited_ns;
	gs_dump_device device;
	gs_ring *ring; /* whose pool ids its events name */
	bool sized;    /* blocks are told … */
	bool late; /* … with the event after theirs, which is when another's allocator tells them */
	int complete; /* 1: it begins before the device's first allocation; −1: not known */
	const char *library, *rules; /* as in gs_staging */
	struct {
		gs_id name, value;        /* texts of the stream's tables */
	} settings[GS_LANE_SETTINGS]; /* of another's allocator, with its first layout */
	uint32_t nsettings;

	/* the consumer's */
	uint64_t base;    /* events before the first one of this file */
	uint64_t counted; /* events that the figures have met */
	uint64_t last_layout, last_blocks;
	gs_lane_figures figures;
} gs_lane;

/* Until there is room, or nobody makes any; by any thread. */
void gs_lane_wait(gs_lane *l);
/* The same, by the producer, who then knows how far the room goes. False: nobody makes any, ever
 * again. */
bool gs_lane_make_room(gs_lane *l);
static inline bool gs_lane_is_full(const gs_lane *l)
{
	return l->head - atomic_load_explicit(&l->tail, memory_order_acquire) >= GS_LANE_EVENTS;
}
/* Appends an event, with the bytes of its block (late: of the event before); waits where there is
 * no room. Where the stream has ended it is left out: what is still to be written stays whole. */
static inline void gs_lane_push(gs_lane *l, const gs_ring_event *e, uint64_t block)
{
	uint64_t head = atomic_load_explicit(&l->head, memory_order_relaxed);
	if (__builtin_expect(head >= l->room_until, 0) && !gs_lane_make_room(l))
		return;
	gs_prefetch_to_write(&l->events[(head + GS_LANE_AHEAD) % GS_LANE_EVENTS]);
	gs_prefetch_to_write(&l->blocks[(head + 2 * GS_LANE_AHEAD) % GS_LANE_EVENTS]);
	gs_ring_event *to = &l->events[head % GS_LANE_EVENTS];
	*to = *e;
	l->blocks[head % GS_LANE_EVENTS] = block;
	if (to->ticks < l->ticks)
		to->ticks = l->ticks;
	else
		l->ticks = to->ticks;
	atomic_store_explicit(&l->head, head + 1, memory_order_release);
}

/* The figures of the out-of-memory whose event is pushed next; waits where the last ones are not
 * written yet. */
void gs_lane_push_oom(gs_lane *l, const gs_stage_oom *oom);

/* Whether a layout is wanted; then the producer, between two operations, fills l->staging (which it
 * alone touches meanwhile) and says so. */
static inline bool gs_lane_layout_due(const gs_lane *l)
{
	return atomic_load_explicit(&l->layout, memory_order_relaxed) == 1 &&
		atomic_load_explicit(&l->layout, memory_order_acquire) == 1; /* the last one was read */
}
void gs_lane_layout_ready(gs_lane *l);
/* Or, where it is copied by and by: that it is the layout of this moment (the last event's block is
 * so large; nothing where none is wanted), and later that it is there, or is given up. */
void gs_lane_layout_here(gs_lane *l, uint64_t block);
void gs_lane_layout_filled(gs_lane *l, bool there);
/* As gs_staging_reserve, for l->staging. By the producer. */
gs_status gs_lane_reserve(gs_lane *l, size_t metadata_bytes);

#endif
