/* Queues of events, one a stream, in the order in which PyTorch visits them.
 *
 * PyTorch keeps them in a hash map (robin hood hashing, Fibonacci spread, load at most one half) and polls them in the map's order, which decides
 * which of two freed neighbours survives a merge. The same table here gives the same order for streams whose id is their handle. */
#ifndef GS_POOL_QUEUES_H
#define GS_POOL_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/pool/memory.h"

struct gs_pool_block;

typedef struct gs_event_entry {
	struct gs_event_entry *next;
	uint64_t event;
	struct gs_pool_block *block;
} gs_event_entry;

typedef struct gs_event_queue {
	uint64_t stream;
	gs_event_entry *head, *tail;
	int distance; /* from the slot that its hash names; -1: the slot is empty */
} gs_event_queue;

typedef struct gs_queues {
	const gs_pool_memory *memory;
	gs_event_queue *slots;  /* buckets + reach of them */
	size_t buckets, count;  /* buckets: 0 or a power of two */
	int reach;              /* no queue is as far from its slot */
	int device;             /* part of the hash */
} gs_queues;

void gs_queues_init(gs_queues *q, const gs_pool_memory *memory, int device);
void gs_queues_release(gs_queues *q);
/* The stream's queue, made when new; NULL when memory is short. Pointers hold until the next call that makes or drops one. */
gs_event_queue *gs_queues_get(gs_queues *q, uint64_t stream);
/* The first queue at or behind a slot, in order; start with 0, go on with *slot + 1. NULL at the end. */
gs_event_queue *gs_queues_from(const gs_queues *q, size_t *slot);
/* Drops the (empty) queue in a slot. Another may move into the slot. */
void gs_queues_drop(gs_queues *q, size_t slot);

#endif
