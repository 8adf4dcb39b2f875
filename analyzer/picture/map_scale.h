/* The figures above a device's map, and the bars that show request and holes on one scale. */
#ifndef GS_ANALYZER_MAP_SCALE_H
#define GS_ANALYZER_MAP_SCALE_H

#include "analyzer/picture/map.h"

enum { GS_MAP_BARS = 4, GS_MAP_BAR_PITCH = 19 };

/* What the request was measured against: the free blocks of its pool, stream and class; of all
 * pools where no request failed. */
typedef struct gs_map_figures {
	uint64_t free, largest;
	size_t holes;
	size_t hole;     /* index of the largest, SIZE_MAX for none */
	int64_t request; /* GS_NONE: none */
	int64_t needed;
	int64_t device_free, capacity;
	size_t *biggest; /* the holes' indexes, largest first, at most GS_MAP_HOLES_SHOWN */
	size_t nbiggest;
	uint64_t shown; /* bytes of those */
} gs_map_figures;

enum { GS_MAP_HOLES_SHOWN = 256 };

gs_status gs_map_figures_init(gs_map_figures *f, const gs_map_panel *panel, gs_error *err);
void gs_map_figures_release(gs_map_figures *f);

/* One sentence: "request 2.0 GiB (large pool, stream 0) failed: free 2.0 GiB in 4 holes, largest
 * 512.0 MiB; …". */
void gs_map_figures_text(const gs_map_figures *f, const gs_map_panel *panel, char *buf, size_t cap);

/* Bars drawn, and their number beforehand. */
int gs_map_bars(const gs_map_figures *f);
void gs_map_draw_bars(const gs_map_figures *f, const gs_layout *l, gs_draw *d, int x, int y, int w);

#endif
