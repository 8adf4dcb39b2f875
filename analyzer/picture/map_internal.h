/* What the files of the map share: a view is one device at one moment, planned. */
#ifndef GS_ANALYZER_PICTURE_MAP_INTERNAL_H
#define GS_ANALYZER_PICTURE_MAP_INTERNAL_H

#include "analyzer/picture/map.h"
#include "analyzer/picture/map_plan.h"
#include "analyzer/policy/policy.h"

/* What the failed request could have used (of all pools where none failed), and what it is measured
 * against: the verdict's own figures. */
typedef struct gs_map_figures {
	gs_free_for free;
	uint8_t *relation; /* by segment: gs_pool_relation to the request */
	int64_t request;   /* GS_NONE: none */
	int64_t device_free, capacity;
} gs_map_figures;
static inline const gs_holes *gs_map_usable(const gs_map_figures *f)
{
	return &f->free.holes[GS_POOL_SAME];
}

typedef struct gs_map_view {
	gs_map_panel in; /* layout NULL: nothing to show */
	gs_palette_moment moment;
	int source; /* of the palette */
	gs_map_plan plan;
	gs_map_figures figures;
	gs_totals totals;
	bool rounding;    /* is the verdict: what rounding costs is shown on each block */
	uint8_t *classes; /* by block */
	uint64_t largest; /* block */
	uint64_t bytes[GS_CLASSES];
	size_t blocks[GS_CLASSES];
	uint64_t evict_bytes;
	size_t evict_first, evict_blocks; /* the cheapest eviction; 0 blocks: none, or: */
	bool *emptied;                    /* by segment: it is these, whole; NULL not */
	bool *fresh; /* by block: in use, and not at the moment before; NULL: nothing to compare with */
	uint64_t fresh_bytes;
	size_t fresh_blocks;
	/* where it stands */
	gs_map_flow least_flow; /* both moments of a device are laid out by one rule */
	int x, width;           /* of all of it */
	int row_x;              /* of a row's first pixel */
	int ghost_rows; /* rows below the largest hole that the request takes, at most GHOST_ROWS */
	int hole_row;   /* after which the label and the ghost come; -1: before all rows */
} gs_map_view;

/* A panel of the picture: a device now and, of two moments, before. */
typedef struct gs_map_pair {
	gs_map_view now, before;
} gs_map_pair;

struct gs_map {
	gs_palette palette;
	gs_map_pair *panels;
	size_t n;
	bool both; /* two moments side by side */
	int width, height;
	char headline[512], source[512];
	int headline_lines;
};

enum {
	GS_MAP_MARGIN = 16,
	GS_MAP_BODY = 14,               /* height of a row's bytes */
	GS_MAP_PITCH = GS_MAP_BODY + 6, /* and of a row: outlines above and below, paper */
	GS_MAP_CAPTION = 20,            /* the line that names the largest hole */
	GS_MAP_GHOST_ROWS = 12,
	GS_MAP_GUTTER = 112,          /* addresses, left of the rows */
	GS_MAP_SIDE = 150,            /* segments, right of them */
	GS_MAP_WIDE = 900,            /* from this width on there is room for both */
	GS_MAP_FRESH_LINE = 0x000000, /* two pixels in the paper below a block */
	GS_MAP_EVICT_LINE = 0x0057ff,
	GS_MAP_HOLE_LINE = 0x000000
};
extern const gs_paint gs_map_lost; /* what rounding costs */

/* Without holes yet: they are counted one by one (gs_free_for_add), while the blocks are looked at
 * for their colours. */
gs_status gs_map_figures_init(gs_map_figures *f, const gs_map_panel *panel, gs_error *err);
/* Marks what now has in use and before had not. */
gs_status gs_map_find_fresh(gs_map_view *now, const gs_map_view *before, gs_error *err);
/* "of another stream", of memory that is not for the request. */
const char *gs_map_reason(gs_pool_relation relation, const gs_oom *oom);
void gs_map_figures_release(gs_map_figures *f);

/* The rows' height in all, label and ghost included; top of a row below the first one's. */
int gs_map_rows_height(const gs_map_view *v);
int gs_map_row_top(const gs_map_view *v, int row);

/* A view with all that belongs to it; y: its top. before: it is the earlier one of two moments. */
int gs_map_view_height(const gs_map_view *v);
void gs_map_draw_view(const gs_map *m, const gs_map_view *v, bool before, gs_draw *d, int y);
/* A path without its folders. */
const char *gs_map_file_name(const char *path);

/* What the colours and lines mean, below the rows; y: its top. */
int gs_map_legend_height(const gs_map *m);
void gs_map_draw_legend(const gs_map *m, gs_draw *d, int y);

/* Blocks, outlines, names, the largest hole and the request; y: the first row's. */
void gs_map_paint(const gs_map_view *v, const gs_palette *palette, gs_draw *d, int y);

/* The device's use in one bar, and the failed request to the same scale. */
int gs_map_bar_height(const gs_map_view *v);
void gs_map_draw_bar(const gs_map_view *v, gs_draw *d, int y);

#endif
