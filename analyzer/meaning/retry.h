/* Requests that gave the cache back and asked again. */
#ifndef GS_ANALYZER_MEANING_RETRY_H
#define GS_ANALYZER_MEANING_RETRY_H

#include "analyzer/model/snapshot.h"

typedef struct gs_retry {
	bool released; /* segments went back just before */
	gs_id stack;
} gs_retry;

/* Whether the event, taken in order, asks the driver again: a request that it refused gives the
 * cache back, so segments are freed, then one is made, by the same call; where the recorder tells
 * no stack of what is freed, by whoever asks next. A recorder that tells of emptying on demand
 * settles the rest. */
bool gs_retry_step(gs_retry *r, gs_action action, gs_id stack);

#endif
