/* Tables of torch.cuda.memory_summary() in a log, whole or cut, with the units of any release (KB
 * and KiB are 1024 both).
 *
 * A table gives rows of stat: the names are those of memory_stats() (allocated_bytes, active_bytes,
 * requested_bytes, reserved_bytes, inactive_split_bytes, allocation, active, segment,
 * inactive_split, oversize_allocations, oversize_segments; pool all, large or small), num_ooms and
 * num_alloc_retries (current only), and the device's allocated and reserved bytes. Sizes are
 * rounded down to the unit shown. Tables of several processes whose lines are mixed are told apart
 * by what stands before each line. Of several tables of one device the last one counts. */
#ifndef GS_ANALYZER_READ_LOGS_MEMORY_SUMMARY_H
#define GS_ANALYZER_READ_LOGS_MEMORY_SUMMARY_H

#include "analyzer/read/text/window.h"
#include "analyzer/model/snapshot.h"

enum { GS_SUMMARY_METRICS = 11, GS_SUMMARY_DEVICES = 64 };

typedef struct gs_summary_cells {
	int64_t cell[4];
	bool seen;
} gs_summary_cells; /* current, peak, allocated, freed */

typedef struct gs_summary_table {
	int32_t device;
	int64_t ooms, retries;
	gs_summary_cells rows[GS_SUMMARY_METRICS][3]; /* by pool: all, large, small */
	size_t nrows;
	bool cut;    /* the last line is missing */
	bool at_end; /* … because the input ends there */
} gs_summary_table;

typedef struct gs_memory_summary {
	gs_summary_table *tables; /* one a device */
	size_t n;
	size_t replaced; /* tables that a later one took the place of */
	size_t found;    /* titles seen */
	uint64_t done;
	uint64_t mixed_to; /* titles before it begin tables whose lines are mixed with those of another
						  process */
	uint64_t crowd;    /* where the first of the titles stands that are near each other, */
	size_t crowded;    /* and how many they are so far */
} gs_memory_summary;

#define GS_MEMORY_SUMMARY_INIT \
	{                          \
		0                      \
	}
void gs_memory_summary_release(gs_memory_summary *m);

/* Looks at [from, to) of a window. GS_NO_MEMORY. */
gs_status gs_memory_summary_scan(
	gs_memory_summary *m, const gs_text *t, size_t from, size_t to, gs_error *err);

/* Puts the tables into the snapshot. *cut: one goes on beyond the end of the input. */
gs_status gs_memory_summary_finish(
	const gs_memory_summary *m, gs_snapshot *s, bool *cut, gs_error *err);

#endif
