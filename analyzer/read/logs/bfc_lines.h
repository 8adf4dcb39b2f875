/* The kinds of lines in a dump of the BFC allocator. Private to the files that gather dumps.
 *
 * Each takes the window, where its anchor stands, and *end behind the anchor, which moves behind
 * what was read. A line that is not what its anchor promises changes nothing: GS_OK. The only
 * failure is GS_NO_MEMORY. */
#ifndef GS_ANALYZER_READ_LOGS_BFC_LINES_H
#define GS_ANALYZER_READ_LOGS_BFC_LINES_H

#include "analyzer/read/logs/bfc_internal.h"

#define GS_BFC_MOST_BYTES (INT64_C(1) << 50) /* no device has more, a larger number is damage */

/* Declares d, the dump that the line at i belongs to (bfc_internal.h), or returns. */
#define GS_BFC_DUMP(fresh)                             \
	gs_bfc_dump *d = gs_bfc_dump_of(b, t, i, (fresh)); \
	if (!d)                                            \
	return GS_NO_MEMORY

typedef gs_status gs_bfc_line(gs_bfc *b, const gs_text *t, size_t i, size_t *end);

/* Allocator (GPU_0_bfc) ran out of memory trying to allocate …; BFCAllocator dump for GPU_0_bfc */
gs_bfc_line gs_bfc_line_message, gs_bfc_line_dump_for;

/* totalMemory: 11.17GiB freeMemory: …, deviceMemorySize: 39.59GiB; (device: 0, name: NVIDIA
 * A100-PCIE-40GB, pci bus id: … */
gs_bfc_line gs_bfc_line_device_memory, gs_bfc_line_device_name;

/* Bin (256): Total Chunks: 4, …; of ONNX Runtime the heading of its bins and one of them. */
gs_bfc_line gs_bfc_line_bin, gs_bfc_line_arena, gs_bfc_line_arena_bin;

/* Bin for 74.16MiB was 64.00MiB, Chunk State:; Next region of size 1048576; InUse at 7f0… of size
 * 256 …; 4 Chunks of size 256 totalling 1.0KiB */
gs_bfc_line gs_bfc_line_heading, gs_bfc_line_region, gs_bfc_line_chunk, gs_bfc_line_chunks_of_size;

/* Sum Total of in-use chunks: …; total_region_allocated_bytes_: … and its successors; Limit: … and
 * the other statistics. */
gs_bfc_line gs_bfc_line_sum, gs_bfc_line_pool, gs_bfc_line_pool_summary, gs_bfc_line_statistic;

#endif
