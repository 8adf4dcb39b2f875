/* Figures that no device has are cut when a snapshot is finished, so that no sum of them wraps. */
#ifndef GS_ANALYZER_MODEL_BOUNDS_H
#define GS_ANALYZER_MODEL_BOUNDS_H

#include "analyzer/model/snapshot.h"

/* GS_MOST_REQUEST: what a request that failed is cut to, 5 EiB: it is shown as the input prints it,
 * and programs do ask for such sizes. GS_MOST_FIGURE: what another single figure (a capacity) is
 * cut to, 2 EiB: the sum of a request and one of them, or of three of them, fits 63 bits.
 * GS_MOST_SUM: if all sizes of segments, blocks and events add up to more, 4 EiB, each is cut to
 * its share, so that any sum of them is at most that. Both are said in a warning. */
#define GS_MOST_REQUEST (INT64_C(5) << 60)
#define GS_MOST_FIGURE (INT64_C(1) << 61)
#define GS_MOST_SUM (UINT64_C(1) << 62)
void gs_snapshot_bound(gs_snapshot *s);

#endif
