/* Segments and blocks of one device at one moment. Units, unknown facts and orders are those of
 * snapshot.h. */
#ifndef GS_ANALYZER_MODEL_LAYOUT_H
#define GS_ANALYZER_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"
#include "schema/terms.h"

typedef struct gs_segment {
	uint64_t address; /* 0 and has_address false when the file gives none */
	uint64_t size;
	uint64_t stream;
	gs_pool_id pool_id;
	gs_id stack;
	uint8_t pool; /* gs_pool_class */
	bool expandable;
	bool has_address;
	size_t first_block, nblocks; /* its blocks in the layout's blocks */
} gs_segment;

typedef struct gs_block {
	uint64_t address; /* where the file has none: segment address + running sum */
	uint64_t size;
	int64_t requested; /* GS_NONE where unknown; never believed on inactive blocks (stored as
						  GS_NONE there) */
	uint64_t stale;    /* what an inactive block of the file still shows as its requested size */
	int64_t idx;       /* index of its alloc event in the device's trace, GS_NONE unknown */
	gs_id stack;
	gs_id tag;
	gs_id more;       /* string: see gs_event */
	uint32_t segment; /* index in the layout's segments */
	uint8_t state;    /* gs_block_state */
} gs_block;

/* Segments and blocks of one device at one moment. */
typedef struct gs_layout {
	gs_segment *segments;
	size_t nsegments;
	gs_block *blocks;
	size_t nblocks;
	int64_t idx; /* it holds after this event of the trace; GS_NONE: as captured, after the whole
					trace */
	bool exact;  /* false: something in it was bounded, not determined; note says what */
	char note[160];
} gs_layout;

/* Empty, without memory; gives back what it owns; a copy with memory of its own, over whatever *to
 * was (GS_NO_MEMORY: nothing changes). */
void gs_layout_init(gs_layout *l);
void gs_layout_release(gs_layout *l);
gs_status gs_layout_copy(gs_layout *to, const gs_layout *from);

/* Sums over a layout, one definition for everyone. free: inactive bytes; largest: index of the
 * biggest inactive block (lowest address on ties), SIZE_MAX if none; rounding: Σ(size − requested)
 * of allocated and pending blocks with known requested. */
typedef struct gs_totals {
	uint64_t reserved, allocated, pending, free, rounding;
	size_t segments, blocks, free_blocks, largest;
} gs_totals;
void gs_layout_totals(const gs_layout *l, gs_totals *t);

#endif
