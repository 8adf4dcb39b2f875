/* Memory that has a handle and no address (cuMemCreate, arrays), and where it is mapped. A handle's
 * memory is held until its creator released it and nothing maps it any more, in any order. Handles
 * lie closer together than the memory they stand for is long, so each is shown at a place of its
 * own. Memory from pages.h; not thread-safe. */
#ifndef GS_RECORDER_PRELOAD_MAPPINGS_H
#define GS_RECORDER_PRELOAD_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/dump/live_allocations.h"

typedef struct gs_mappings {
	gs_live handles; /* address: the handle; size: its place; stream: how often it is held */
	gs_live ranges;  /* address: of the mapping; stream: the handle */
} gs_mappings;

/* A place for that many bytes, which no address of a device and no other place overlaps.
 * Thread-safe. */
uint64_t gs_mappings_place(uint64_t bytes);

/* A handle was created, to be shown at a place (or retained once more: its place stays). */
void gs_mappings_create(gs_mappings *m, uint64_t handle, uint64_t place, gs_pages *pages);
/* One hold less; with the last one its memory goes: its place. Else, and of a handle that is not
 * known, 0. */
uint64_t gs_mappings_release(gs_mappings *m, uint64_t handle);
bool gs_mappings_knows(const gs_mappings *m, uint64_t handle);
void gs_mappings_map(
	gs_mappings *m, uint64_t address, uint64_t bytes, uint64_t handle, gs_pages *pages);
/* Takes away the first mapping in [*at, end) and moves *at behind it: its handle; 0: no more. */
uint64_t gs_mappings_unmap(gs_mappings *m, uint64_t *at, uint64_t end);

#endif
