/* What two moments differ in: who holds more, less, newly or no more, and how the layout changed.
 * The moments may be two states of one recording or two files. A holder is a place in the program
 * with a category (meaning.h); those that hold the same bytes in as many blocks have no row. Not
 * thread-safe. */
#ifndef GS_ANALYZER_EXPORT_DIFF_H
#define GS_ANALYZER_EXPORT_DIFF_H

#include "analyzer/meaning/meaning.h"
#include "analyzer/state/moments.h"

/* One device at one moment. */
typedef struct gs_diff_side {
	const gs_snapshot *snapshot;
	const gs_moment *moment; /* NULL: the device is not there */
	const gs_meaning *meaning;
} gs_diff_side;

typedef struct gs_diff_row {
	int32_t device;
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	uint8_t category;
	uint64_t bytes_a, bytes_b, blocks_a, blocks_b;
} gs_diff_row;

/* The layout of one device, before and after. */
typedef struct gs_diff_layout {
	int32_t device;
	bool there_a, there_b;
	gs_totals a, b;
	uint64_t hole_a, hole_b;   /* the largest */
	uint64_t whole_a, whole_b; /* free bytes that the retry gives back to the driver */
} gs_diff_layout;

typedef struct gs_diff {
	gs_diff_row *rows; /* the largest change first */
	size_t n;
	gs_diff_layout *layouts;
	size_t nlayouts;
} gs_diff;

#define GS_DIFF_INIT     \
	{                    \
		NULL, 0, NULL, 0 \
	}

/* Appends what differs on one device, of which one side at least is there; rows stay in order.
 * GS_NO_MEMORY. Release with gs_diff_release in any case. */
gs_status gs_diff_add(gs_diff *d, const gs_diff_side *a, const gs_diff_side *b, gs_error *err);
void gs_diff_release(gs_diff *d);

/* Bytes more (fewer: negative) on the second side. */
int64_t gs_diff_change(const gs_diff_row *row);

/* In sentences: the totals, the largest change, the layout. In malloc'd memory; NULL when memory is
 * short. */
char *gs_diff_summary(const gs_diff *d);

#endif
