/* How a snapshot stands among many of one job: which are unlike the others. Thread-safe: what is
 * given is only read. */
#ifndef GS_ANALYZER_DIAGNOSE_STANDING_H
#define GS_ANALYZER_DIAGNOSE_STANDING_H

#include "analyzer/model/place.h"

typedef struct gs_standing {
	const char *verdict;        /* one word, not copied; NULL unknown, or nothing failed */
	int64_t reserved, blocks;   /* bytes of segments; number of blocks; GS_NONE unknown */
	char holder[GS_PLACE_TEXT]; /* the place of most live bytes; "" unknown */
} gs_standing;
#define GS_STANDING_INIT              \
	{                                 \
		NULL, GS_NONE, GS_NONE, { 0 } \
	}

/* What a layout tells; the verdict is left as it is. The holder is found by stacks alone, without
 * what their memory is for: that takes the whole recording, and there may be a thousand. */
void gs_standing_of(const gs_snapshot *s, const gs_layout *l, gs_standing *standing);

/* The same of a device as captured; NULL: the first of the snapshot that has a layout. */
void gs_standing_captured(const gs_snapshot *s, const gs_device *device, gs_standing *standing);

/* In which of these a snapshot is unlike the others, as bits. */
enum { GS_UNLIKE_VERDICT = 1, GS_UNLIKE_RESERVED = 2, GS_UNLIKE_BLOCKS = 4, GS_UNLIKE_HOLDER = 8 };

/* What is usual among them: of numbers the median, of words the one that more than half have.
 * Unknown (NULL, GS_NONE, "") where fewer than GS_STANDINGS_LEAST are known, or no word is usual.
 */
typedef struct gs_usual {
	gs_standing of;
	int64_t reserved_spread, blocks_spread; /* how far from the median is not yet unlike */
} gs_usual;
enum { GS_STANDINGS_LEAST = 8 };

/* unlike gets a byte of bits for each of n. A number is unlike that is farther from the median than
 * five times the usual distance from it (1.4826 × the median of the distances, which of a normal
 * distribution is its deviation), and than a tenth of the median. A word is unlike that is not the
 * usual one, and that at most a tenth of them have. GS_NO_MEMORY. */
gs_status gs_standings_compare(
	const gs_standing *all, size_t n, gs_usual *usual, uint8_t *unlike, gs_error *err);

#endif
