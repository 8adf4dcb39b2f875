/* The rows of a view as its three painters see them: map_paint.c has bytes, segments and blocks,
 * map_rows.c where rows lie and lines round runs of pixels, map_hole.c the largest hole and the
 * request. */
#ifndef GS_ANALYZER_PICTURE_MAP_ROWS_H
#define GS_ANALYZER_PICTURE_MAP_ROWS_H

#include "analyzer/picture/map_internal.h"

typedef struct gs_map_rows {
	const gs_map_view *v;
	const gs_layout *l;
	gs_draw *d;
	int y; /* of the first row */
} gs_map_rows;

static inline int gs_map_rows_y(const gs_map_rows *r, uint64_t row)
{
	return r->y + gs_map_row_top(r->v, (int)row);
}

/* The bytes of a block within its segment, behind `done`, where another one ended: cut to what is
 * left where the input contradicts itself. */
void gs_map_clip(
	const gs_segment *s, const gs_block *b, uint64_t done, uint64_t *from, uint64_t *to);
/* The pixels of n neighbouring blocks of one segment. */
void gs_map_pixels_of(
	const gs_map_rows *r, size_t first, size_t n, uint64_t *from_pixel, uint64_t *to_pixel);
/* One line round all the rows of a run of pixels. */
void gs_map_outline(const gs_map_rows *r, uint64_t from, uint64_t to, uint32_t rgb);

/* Below the largest hole its label and the request; without a hole the request at the end. */
void gs_map_paint_hole(const gs_map_rows *r);
/* The largest piece that is free but not for the request says so. */
void gs_map_name_unusable(const gs_map_rows *r);

#endif
