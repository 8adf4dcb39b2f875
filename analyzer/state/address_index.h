/* Numbered addresses, and sets of them that answer "the next one from here" in a few steps.
 *
 * Places are collected (any order, repeats allowed), then sealed: sorted, numbered from 0. A set
 * holds numbers 0 … n - 1 as a tree of bit words, 64-fold a level, so that set, clear, next and
 * previous touch one word a level. */
#ifndef GS_ANALYZER_STATE_PLACES_H
#define GS_ANALYZER_STATE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"

#define GS_NO_PLACE UINT32_MAX

typedef struct gs_places {
	uint64_t *address; /* ascending once sealed */
	uint32_t n;
	uint32_t *slots; /* hash table of number + 1 */
	uint32_t nslots;
} gs_places;

/* Before sealing: a provisional number of the address (GS_NO_PLACE when memory is short or there
 * are 2^31 of them). */
uint32_t gs_places_add(gs_places *p, uint64_t address);
/* Sorts; *renumber (free() it) maps provisional to final numbers. */
gs_status gs_places_seal(gs_places *p, uint32_t **renumber);
/* After sealing: the number of an address, GS_NO_PLACE if it is none. */
uint32_t gs_places_find(const gs_places *p, uint64_t address);
void gs_places_release(gs_places *p);

enum { GS_PLACE_LEVELS = 6 };

typedef struct gs_place_set {
	uint64_t *level[GS_PLACE_LEVELS]; /* [0] has a bit a number, [k + 1] a bit a word of [k] */
	uint32_t words[GS_PLACE_LEVELS];
	int depth;
} gs_place_set;

gs_status gs_place_set_init(gs_place_set *s, uint32_t n);
void gs_place_set_release(gs_place_set *s);
void gs_place_set_add(gs_place_set *s, uint32_t i);
void gs_place_set_remove(gs_place_set *s, uint32_t i);
/* The smallest member ≥ i; the greatest ≤ i. GS_NO_PLACE where there is none (also for i =
 * GS_NO_PLACE). */
uint32_t gs_place_set_next(const gs_place_set *s, uint32_t i);
uint32_t gs_place_set_previous(const gs_place_set *s, uint32_t i);

static inline bool gs_place_set_has(const gs_place_set *s, uint32_t i)
{
	return s->level[0][i >> 6] >> (i & 63) & 1;
}

#endif
