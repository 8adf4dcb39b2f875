/* Physical memory without an address (cuMemCreate) and where it is mapped. A handle's memory is
 * held until its creator released it and nothing maps it any more, in any order. Memory from
 * pages.h; not thread-safe. */
#ifndef GS_RECORDER_PRELOAD_MAPPINGS_H
#define GS_RECORDER_PRELOAD_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/dump/live_allocations.h"

typedef struct gs_mappings {
	gs_live handles; /* address: the handle; stream: how often it is held */
	gs_live ranges;  /* address: of the mapping; stream: the handle */
} gs_mappings;

/* A handle was created (or retained once more). */
void gs_mappings_create(gs_mappings *m, uint64_t handle, uint64_t bytes, gs_pages *pages);
/* One hold less; true: the last, its memory goes. False too for a handle that is not known. */
bool gs_mappings_release(gs_mappings *m, uint64_t handle);
bool gs_mappings_knows(const gs_mappings *m, uint64_t handle);
void gs_mappings_map(
	gs_mappings *m, uint64_t address, uint64_t bytes, uint64_t handle, gs_pages *pages);
/* Takes away the first mapping in [*at, end) and moves *at behind it: its handle; 0: no more. */
uint64_t gs_mappings_unmap(gs_mappings *m, uint64_t *at, uint64_t end);
/* The handle mapped at an address, 0 none. */
uint64_t gs_mappings_at(const gs_mappings *m, uint64_t address);

#endif
