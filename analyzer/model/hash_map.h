/* A map from 64-bit keys (addresses mostly) to 32-bit numbers: open addressing with linear probing,
 * at most half full, in counted memory (memory.h). The analyzer's only one: other tables of its
 * kind are interning's, whose keys are the columns of the snapshot (intern.c), and caches that may
 * forget.
 *
 * {0} is an empty map. Keys that are too large or no numbers are numbered first, or hashed to 64
 * bits and compared by the caller, who tries the next key where two differ (gs_hash_map_at). */
#ifndef GS_ANALYZER_MODEL_HASH_MAP_H
#define GS_ANALYZER_MODEL_HASH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_hash_entry {
	uint64_t key;
	uint32_t value, used; /* used: 0 or 1 */
} gs_hash_entry;

typedef struct gs_hash_map {
	gs_hash_entry *entries;
	size_t cap, n; /* cap: a power of two, or 0 */
} gs_hash_map;

/* Where the key's value is, until the map changes; a new key's is 0. NULL: memory is short. */
uint32_t *gs_hash_map_at(gs_hash_map *m, uint64_t key, bool *is_new);
/* Puts a value, or replaces it; false: memory is short. */
bool gs_hash_map_put(gs_hash_map *m, uint64_t key, uint32_t value);
/* Whether the key is there. *value is written only then. */
bool gs_hash_map_find(const gs_hash_map *m, uint64_t key, uint32_t *value);
/* The same, and takes it out. */
bool gs_hash_map_take(gs_hash_map *m, uint64_t key, uint32_t *value);
void gs_hash_map_release(gs_hash_map *m);

#endif
