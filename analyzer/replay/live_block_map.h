/* A map from the addresses of live blocks to small numbers: open addressing, as large as the most
 * that were live. */
#ifndef GS_ANALYZER_REPLAY_SLOTS_H
#define GS_ANALYZER_REPLAY_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"

typedef struct gs_slots {
	struct gs_slots_entry {
		uint64_t address;
		uint32_t slot, used;
	} * entries; /* used: 0 free, 1 taken */
	size_t cap, n;
} gs_slots;

gs_status gs_slots_put(gs_slots *m, uint64_t address, uint32_t slot); /* replaces */
bool gs_slots_find(const gs_slots *m, uint64_t address, uint32_t *slot);
bool gs_slots_take(gs_slots *m, uint64_t address, uint32_t *slot); /* finds and removes */
void gs_slots_release(gs_slots *m);

#endif
