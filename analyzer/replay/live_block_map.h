/* A map from the addresses of live blocks to small numbers: open addressing, as large as the most
 * that were live. */
#ifndef GS_ANALYZER_REPLAY_LIVE_BLOCK_MAP_H
#define GS_ANALYZER_REPLAY_LIVE_BLOCK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"

typedef struct gs_live_block_map {
	struct gs_live_block_entry {
		uint64_t address;
		uint32_t slot, used;
	} * entries; /* used: 0 free, 1 taken */
	size_t cap, n;
} gs_live_block_map;

gs_status gs_live_block_map_put(
	gs_live_block_map *m, uint64_t address, uint32_t slot); /* replaces */
bool gs_live_block_map_find(const gs_live_block_map *m, uint64_t address, uint32_t *slot);
bool gs_live_block_map_take(
	gs_live_block_map *m, uint64_t address, uint32_t *slot); /* finds and removes */
void gs_live_block_map_release(gs_live_block_map *m);

#endif
