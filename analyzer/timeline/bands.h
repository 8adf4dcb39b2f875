/* Memory over time as bands of blocks, for one view of it: a stretch of the axis by columns of
 * pixels, a range of bytes by rows.
 *
 * A column shows one moment, the one with most allocated that it has, and the blocks that live then
 * on top of each other in a chosen order. Blocks at least a row high are pieces of their own;
 * neighbours below that are merged until they make a row. What a moment does not show, because it
 * was born and died between two of them, is counted. So nothing in view is dropped, and what a view
 * costs is bounded by its pixels and by the events and the lives in it. */
#ifndef GS_ANALYZER_TIMELINE_BANDS_H
#define GS_ANALYZER_TIMELINE_BANDS_H

#include "analyzer/timeline/keys.h"

enum { GS_BANDS_MOST = 16384 }; /* columns, rows */

typedef struct gs_bands_ask {
	bool timed;        /* from and to are microseconds since 1970, else events */
	double from, to;   /* column c shows [from + c × (to − from) / columns, … c + 1) */
	int columns, rows; /* rows 0: columns alone, without pieces */
	double low, high;  /* bytes from the bottom of the pile that rows show */
	gs_life_key order; /* from the bottom up */
	gs_life_key key;   /* what merged blocks are told by */
} gs_bands_ask;

typedef struct gs_column_of_bands {
	int64_t idx;        /* the moment shown: after this event, -1 before the first */
	uint64_t allocated; /* then, which is the most in the column */
	uint64_t pending;   /* then: freed, still waiting for a stream */
	uint64_t least;     /* the least allocated */
	uint64_t reserved;  /* the most reserved */
	uint32_t failed;    /* requests that failed in it */
	uint32_t passed;    /* blocks in no moment shown that died in it, or in the last live on */
	uint64_t passed_bytes;
} gs_column_of_bands;

typedef struct gs_band {
	uint16_t first, last; /* columns; last is the one behind */
	float bottom, height; /* in rows from low upwards; what reaches out of view is cut near it */
	uint32_t life;        /* the block; of several one with the leading key */
	uint32_t count;       /* how many blocks, 1: a block by itself */
	uint32_t key;         /* of several the one with most bytes, where one has the half */
	uint32_t from, to;    /* the first and the last of its blocks in the order: private */
} gs_band;

typedef struct gs_bands {
	gs_column_of_bands *columns;
	int ncolumns;
	gs_band *pieces; /* a column's from the bottom up, columns ascending by where pieces begin */
	size_t npieces, cap;
} gs_bands;

#define GS_BANDS_INIT \
	{                 \
		0             \
	}

/* GS_INVALID: a view without extent, or one larger than GS_BANDS_MOST; GS_NO_MEMORY. Release in any
 * case. */
gs_status gs_bands_init(gs_bands *b, const gs_timeline *t, const gs_bands_ask *ask, gs_error *err);
void gs_bands_release(gs_bands *b);

/* The block at so many bytes from the bottom of the pile after event idx; *bottom gets where it
 * begins. GS_NO_LIFE where the pile is lower. */
gs_status gs_bands_find(const gs_timeline *t, gs_life_key order, int64_t idx, double bytes,
	uint32_t *life, uint64_t *bottom, gs_error *err);

#endif
