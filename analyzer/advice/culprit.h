/* Whose memory it is that a failure turns on: facts that the answer tells and the advice uses. All
 * only read the diagnosis. */
#ifndef GS_ANALYZER_ADVICE_CULPRIT_H
#define GS_ANALYZER_ADVICE_CULPRIT_H

#include "analyzer/diagnose/diagnose.h"

/* Whether what live blocks keep from going back is anything beside the failed request. */
bool gs_pinning_matters(const gs_diagnosis *d);

/* The segment of the largest free block under another pool id (other_pool), or of the request's
 * under another stream; NULL none. */
const gs_segment *gs_foreign_hole(const gs_diagnosis *d, bool other_pool);

/* The stack whose blocks lose most to rounding; *lost gets the bytes, 0 where none loses any.
 * GS_NO_MEMORY. */
gs_status gs_worst_rounded(const gs_diagnosis *d, gs_id *worst, uint64_t *lost);

/* Whether most of what is free lies in small-pool segments, where the large request that failed
 * cannot have it. */
bool gs_free_is_small(const gs_diagnosis *d);

/* Whether the failed request alone is more than its device has at all or, where nobody knows how
 * much that is, more than any device has: nothing that could be freed would have saved it. */
bool gs_request_exceeds_device(const gs_diagnosis *d);

/* Whether a shortage is so large beside what this process holds that others on the device are the
 * likelier cause, where nothing tells what they hold and a device could have had that much. */
bool gs_look_outside_first(const gs_diagnosis *d);

/* Whether what grows is enough of what is allocated to be told of first, by its name; not beside a
 * request that no freeing would have saved. */
bool gs_growth_matters(const gs_diagnosis *d);

/* What grows at the place of growth i: rows that read alike are one. False: an earlier row is of
 * this place, and has told it. */
bool gs_growth_of_place(const gs_diagnosis *d, size_t i, gs_growth *all);

/* Bytes that all growing stacks together take in a step; 0 where nothing grows by steps. */
uint64_t gs_growth_each_step(const gs_diagnosis *d);

/* Whether growth, not the places of the free memory, is what ends the run: the free bytes would
 * hold the failed request in one piece, but what they leave then does not last another step. */
bool gs_growth_decides(const gs_diagnosis *d);

/* Whether the peak was another moment than this one, and more was in use. */
bool gs_peak_is_apart(const gs_diagnosis *d);

/* Whether what is told is how the recording ended: nothing failed, and no other state was asked
 * for. */
bool gs_tells_the_end(const gs_diagnosis *d);

/* Whether a recording asks for nothing to be changed: all of it is there, nothing failed, asked
 * again or grows, and little more is reserved than its peak needed. */
bool gs_nothing_to_change(const gs_diagnosis *d);

#endif
