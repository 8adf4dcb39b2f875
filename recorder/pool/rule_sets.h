/* Rules of PyTorch's caching allocator, as data and pure functions. Nothing here has state;
 * thread-safe.
 *
 * A rule set is named after the first release known to have it: 2.6, 2.10, 2.12, 2.13. Sets differ
 * in how free blocks of one size are ordered, in bounds and in how settings are read, never in code
 * paths of the pool. */
#ifndef GS_RECORDER_POOL_RULE_SETS_H
#define GS_RECORDER_POOL_RULE_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/pool/settings.h"
#include "schema/status.h"
#include "schema/terms.h"

#define GS_MIN_BLOCK UINT64_C(512)           /* block sizes are multiples of it */
#define GS_SMALL_MAX (UINT64_C(1) << 20)     /* rounded sizes up to here are of the small class */
#define GS_SMALL_SEGMENT (UINT64_C(2) << 20) /* segment (and page) of the small class */
#define GS_LARGE_MIN (UINT64_C(10) << 20)    /* from here on a segment is as large as its request */
#define GS_LARGE_SEGMENT                                                                          \
	(UINT64_C(20) << 20) /* segment (and page) below, unless large_segment_size_mb says otherwise \
						  */
#define GS_LARGE_ROUND \
	(UINT64_C(2) << 20) /* segments of GS_LARGE_MIN and more are multiples of it */
#define GS_REQUEST_MAX (UINT64_C(1) << 60) /* requests from here on are refused at once */

/* What decides between free blocks of one stream and size. */
typedef enum gs_tie { GS_TIE_ADDRESS, GS_TIE_BLOCK, GS_TIE_SEGMENT } gs_tie;

typedef struct gs_rules {
	const char *name; /* "2.6" */
	int level;        /* ascending with the release; settings know since which level they exist */
	gs_tie tie; /* address; creation of the block object; creation of the segment, then address */
	bool list_rest_after; /* the `>` of a roundup list starts after the last key (else at it,
							 overwriting its value) */
	bool bound_inclusive; /* max_split_size_mb and max_non_split_rounding_mb may equal the large
							 segment size */
	bool lenient; /* settings: separators are not enforced, white space of any kind is dropped, keys
					 are applied in two passes */
	bool fraction_below_one; /* a memory fraction of 1.0 is no limit */
	bool private_captures;   /* any private pool in use counts as a capture (events wait, cached
								blocks stay), the first begun wins */
} gs_rules;

extern const gs_rules gs_rules_2_6, gs_rules_2_10, gs_rules_2_12, gs_rules_2_13;
extern const gs_rules *const gs_rules_newest;

/* The rule set of a release: "2.6", "2.3.1", "2.11", "2.15.0+cu128", "v2.9"; older than 2.6
 * gives 2.6, newer than known the newest; "newest" too. NULL when the text is no release. */
const gs_rules *gs_rules_find(const char *release);

/* Block size for a request of bytes > 0 (without looking at limits). */
uint64_t gs_rules_round(const gs_pool_settings *s, uint64_t bytes);
gs_pool_class gs_rules_class(uint64_t rounded);
/* What the driver is asked for when a new segment is needed (not expandable). */
uint64_t gs_rules_segment_size(const gs_pool_settings *s, uint64_t rounded);
/* Page of expandable segments; bytes of address space one reserves on a device of total bytes. */
uint64_t gs_rules_page_size(const gs_pool_settings *s, gs_pool_class pool);
uint64_t gs_rules_reservation(const gs_pool_settings *s, gs_pool_class pool, uint64_t total);
/* May the best-fitting free block of block_size (same pool id, class, stream) serve a rounded
 * request: is it big enough and within the bounds of max_split_size_mb and
 * max_non_split_rounding_mb. The search looks at the smallest fitting block only. */
bool gs_rules_may_serve(const gs_pool_settings *s, uint64_t rounded, uint64_t block_size);
/* Is the rest of a block cut off and kept free. expandable: the allocation may use expandable
 * segments. */
bool gs_rules_should_split(const gs_pool_settings *s, gs_pool_class pool, bool expandable,
	uint64_t rounded, uint64_t block_size);

#endif
