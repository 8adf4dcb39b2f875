/* A recording as a Perfetto trace (protobuf), for ui.perfetto.dev and trace_processor: per device
 * counters of allocated and reserved bytes, a slice for each allocation from its birth to its free,
 * failures and annotations as instants, steps as slices.
 *
 * Slices of a Perfetto track must nest and lives of allocations do not, so that each allocation
 * takes the first lane that is free; lanes are tracks. There are at most GS_PERFETTO_LANES a
 * device: where more allocations live at once, those under a size are left out (least_slice tells
 * which); the counters count them all the same. Times are the events' in nanoseconds; without
 * recorded times an event counts as a microsecond. Errors of writing are the stream's (ferror). */
#ifndef GS_ANALYZER_EXPORT_PERFETTO_H
#define GS_ANALYZER_EXPORT_PERFETTO_H

#include <stdio.h>

#include "analyzer/model/snapshot.h"

enum { GS_PERFETTO_LANES = 1000 };

/* device: GS_NONE for all. *least_slice (may be NULL): 0, or the size below which some device's
 * allocations have no slice. GS_NOT_FOUND: no such device, or no events; GS_NO_MEMORY. */
gs_status gs_export_perfetto(
	const gs_snapshot *s, int64_t device, FILE *out, uint64_t *least_slice, gs_error *err);

#endif
