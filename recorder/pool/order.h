/* A small hash map whose order is that of PyTorch's (robin hood hashing, Fibonacci spread, load at
 * most one half).
 *
 * PyTorch keeps the queues of events, one a stream, and the private pools that may be given back in
 * such maps and visits them in the maps' order. The order shows: in the order of actions, and in
 * which of two freed neighbours survives a merge. */
#ifndef GS_RECORDER_POOL_ORDER_H
#define GS_RECORDER_POOL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/pool/memory.h"

typedef struct gs_order_slot {
	uint64_t hash, key; /* no two slots have the same key */
	void *first;        /* what it holds is the user's */
	void *last;
	int distance; /* from the slot that its hash names; -1: the slot is empty */
} gs_order_slot;

typedef struct gs_order {
	const gs_pool_memory *memory;
	gs_order_slot *slots;  /* buckets + reach of them */
	size_t buckets, count; /* buckets: 0 or a power of two */
	int reach;             /* nothing is as far from its slot */
} gs_order;

/* Empty, without memory. */
void gs_order_init(gs_order *o, const gs_pool_memory *memory);
void gs_order_release(gs_order *o);

/* The slot of that key, whose hash is given, made when new (first and last NULL); NULL when memory
 * is short. Holds until the next call that makes or drops one. */
gs_order_slot *gs_order_get(gs_order *o, uint64_t hash, uint64_t key);

/* The first slot in use at or behind *at, in order; start with 0, go on with *at + 1. NULL at the
 * end. */
gs_order_slot *gs_order_from(const gs_order *o, size_t *at);

/* Drops the slot at a place. Another may move there. */
void gs_order_drop(gs_order *o, size_t at);

/* Hash, and key, of a stream's queue: its packed form, of device type, device number, 48 bits of id
 * (which is the handle of an external stream). */
static inline uint64_t gs_order_of_stream(int device, uint64_t stream)
{
	return UINT64_C(1) << 56 | (uint64_t)(device & 255) << 48 |
		(stream & ((UINT64_C(1) << 48) - 1));
}

#endif
