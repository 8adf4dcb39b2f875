/* Where each segment lies in the rows of a map: bytes a pixel, order, gaps. */
#ifndef GS_ANALYZER_PICTURE_MAP_PLAN_H
#define GS_ANALYZER_PICTURE_MAP_PLAN_H

#include "analyzer/model/snapshot.h"

typedef enum gs_map_flow {
	GS_MAP_OWN_ROWS, /* each segment begins a row */
	GS_MAP_FLOWING,  /* segments follow each other, a gap between them */
	GS_MAP_PACKED    /* too many for gaps: bytes follow bytes, a pixel may hold several segments */
} gs_map_flow;

typedef struct gs_map_plan {
	unsigned shift; /* a pixel is 2^shift bytes */
	gs_map_flow flow;
	int row_pixels, rows;
	uint64_t *start; /* position of each segment's first byte; its pixel is start >> shift */
} gs_map_plan;

enum { GS_MAP_SHIFT_MIN = 9, GS_MAP_GAP = 3 };

/* The finest plan that needs at most max_rows rows and whose pixels are 2^least_shift bytes or
 * more; of the flows from least_flow on. GS_LIMIT for 2^62 bytes or more. */
gs_status gs_map_plan_init(gs_map_plan *p, const gs_layout *l, int row_pixels, int max_rows,
	unsigned least_shift, gs_map_flow least_flow, gs_error *err);
void gs_map_plan_release(gs_map_plan *p);

#endif
