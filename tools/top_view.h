/* What `gpusnap top` shows of a run: figures of each device at its last recorded moment. */
#ifndef GS_TOOLS_TOP_VIEW_H
#define GS_TOOLS_TOP_VIEW_H

#include "analyzer/meaning/meaning.h"

enum { GS_TOP_ROWS = 64, GS_TOP_SECONDS = 512, GS_TOP_RATE_SECONDS = 5 };

typedef struct gs_top_holder {
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	const char *category; /* for people, constant */
	uint64_t bytes, blocks;
	uint64_t each_step; /* bytes that it grows by in a step; 0: it does not */
} gs_top_holder;

/* Most bytes allocated in each second, the last GS_TOP_SECONDS of them; carried on where a second
 * has no event. */
typedef struct gs_top_series {
	int64_t first, last; /* seconds since 1970; last < first: empty */
	uint64_t most[GS_TOP_SECONDS];
} gs_top_series;

typedef struct gs_top_device {
	int32_t device;
	char name[64];
	int64_t capacity; /* GS_NONE unknown */
	uint64_t allocated, reserved, free, largest;
	uint64_t events;           /* in the file */
	uint64_t peak;             /* most allocated of all that was seen */
	double allocations, bytes; /* a second */
	char step[64];             /* "" none */
	gs_top_holder *holders;
	size_t nholders;
	gs_category_sum *categories;
	size_t ncategories;
	gs_top_series series;
} gs_top_device;

typedef struct gs_top_view {
	char argv[256], host[80];
	int64_t pid;     /* GS_NONE unknown */
	bool ended;      /* the file has its end */
	int64_t last_us; /* of the last event, GS_NONE none */
	gs_top_device *devices;
	size_t n;
} gs_top_view;
#define GS_TOP_VIEW_INIT \
	{                    \
		.pid = GS_NONE   \
	}

/* Takes the figures of s into *view, which keeps what it gathered of that process before (peaks,
 * series). now_us:
 * until when rates are counted. GS_NO_MEMORY. */
gs_status gs_top_view_update(
	gs_top_view *view, const gs_snapshot *s, int64_t now_us, gs_error *err);
/* Nothing is new: the seconds go on, the rates fall. */
void gs_top_view_pass(gs_top_view *view, int64_t now_us);
void gs_top_view_release(gs_top_view *view);

#endif
