/* Paints the rows of one device: blocks by their classes, segment outlines, pinning blocks, the
 * largest hole. */
#ifndef GS_ANALYZER_MAP_PAINT_H
#define GS_ANALYZER_MAP_PAINT_H

#include "analyzer/picture/map_palette.h"
#include "analyzer/picture/map_plan.h"

enum {
	GS_MAP_BODY = 12,              /* height of a row's bytes */
	GS_MAP_PITCH = GS_MAP_BODY + 5 /* and of a row: outline above and below, a mark line, paper */
};

/* x, y: of the first row's first pixel. hole: index of the block to outline as the largest hole,
 * SIZE_MAX for none. */
void gs_map_paint(const gs_map_plan *plan, const gs_map_palette *palette, const gs_layout *l,
	size_t hole, gs_draw *d, int x, int y);

#endif
