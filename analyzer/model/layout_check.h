/* Whether a captured layout can be. */
#ifndef GS_ANALYZER_MODEL_LAYOUT_CHECK_H
#define GS_ANALYZER_MODEL_LAYOUT_CHECK_H

#include "analyzer/model/snapshot.h"

/* One pass in the order of addresses, after segments were sorted and blocks have their addresses:
 * order, overlap, gaps, blocks outside, more requested than there is. Each kind of contradiction is
 * warned of with its first place and counted in s->contradictions; blocks out of order are sorted.
 * segment_unordered: a segment that the input put behind one of a higher address though its format
 * wants them to ascend, or NULL. GS_FORMAT: sizes, or their sum, beyond what there can be. */
gs_status gs_layout_check(
	gs_snapshot *s, gs_device *d, const gs_segment *segment_unordered, gs_error *err);

#endif
