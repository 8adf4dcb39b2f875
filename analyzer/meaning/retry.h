/* Requests that gave the cache back and asked again. */
#ifndef GS_ANALYZER_MEANING_RETRY_H
#define GS_ANALYZER_MEANING_RETRY_H

#include "analyzer/model/snapshot.h"

typedef struct gs_retry {
	bool own;      /* the recording is of our own allocator: below */
	bool called;   /* by a call of empty_cache(), which the recording tells */
	bool released; /* segments went back just before */
	gs_id stack;
} gs_retry;

/* A recording of our own allocator tells each call of empty_cache(), and of segments that went back
 * the stack by which they were made: there whoever asks next is the one who gave them back. */
static inline gs_retry gs_retry_start(const gs_snapshot *s)
{
	return (gs_retry){.own = gs_snapshot_is_own(s)};
}

/* Whether the event, taken in order, asks the driver again: a request that it refused gives the
 * cache back, so segments are freed, then one is made, by the same call; where the recorder tells
 * no stack of what is freed, by whoever asks next. What a call of empty_cache() gives back is for
 * nobody. The recorder counts so too (dump/stream_figures.c). */
bool gs_retry_step(gs_retry *r, gs_action action, gs_id stack);

#endif
