/* Numbered addresses, and sets of them that answer "the next one from here" in a few steps.
 *
 * Addresses are collected (any order, repeats allowed), then sealed: sorted, numbered from 0. A set
 * holds numbers 0 … n - 1 as a tree of bit words, 64-fold a level, so that set, clear, next and
 * previous touch one word a level. */
#ifndef GS_ANALYZER_STATE_ADDRESS_INDEX_H
#define GS_ANALYZER_STATE_ADDRESS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/hash_map.h"
#include "schema/status.h"

#define GS_NO_ADDRESS UINT32_MAX

typedef struct gs_address_index {
	uint64_t *address; /* ascending once sealed */
	uint32_t n;
	size_t cap;
	gs_hash_map numbers; /* before sealing: address → number */
} gs_address_index;

/* Before sealing: a provisional number of the address (GS_NO_ADDRESS when memory is short or there
 * are 2^31 of them). */
uint32_t gs_address_index_add(gs_address_index *p, uint64_t address);
/* Sorts; *renumber (free() it) maps provisional to final numbers. */
gs_status gs_address_index_seal(gs_address_index *p, uint32_t **renumber);
/* After sealing: the number of an address, GS_NO_ADDRESS if it is none. */
uint32_t gs_address_index_find(const gs_address_index *p, uint64_t address);
void gs_address_index_release(gs_address_index *p);

enum { GS_ADDRESS_LEVELS = 6 };

typedef struct gs_address_set {
	uint64_t *level[GS_ADDRESS_LEVELS]; /* [0] has a bit a number, [k + 1] a bit a word of [k] */
	uint32_t words[GS_ADDRESS_LEVELS];
	int depth;
} gs_address_set;

/* An empty set of numbers below n. GS_NO_MEMORY; release in any case. Adding a member again and
 * removing what is none change nothing. */
gs_status gs_address_set_init(gs_address_set *s, uint32_t n);
void gs_address_set_release(gs_address_set *s);
void gs_address_set_add(gs_address_set *s, uint32_t i);
void gs_address_set_remove(gs_address_set *s, uint32_t i);
/* The smallest member ≥ i; the greatest ≤ i. GS_NO_ADDRESS where there is none (also for i =
 * GS_NO_ADDRESS). */
uint32_t gs_address_set_next(const gs_address_set *s, uint32_t i);
uint32_t gs_address_set_previous(const gs_address_set *s, uint32_t i);

static inline bool gs_address_set_has(const gs_address_set *s, uint32_t i)
{
	return s->level[0][i >> 6] >> (i & 63) & 1;
}

#endif
