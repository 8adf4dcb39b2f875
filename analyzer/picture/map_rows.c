/* Where blocks and rows lie, and lines round them. */
#include "analyzer/picture/map_rows.h"

int gs_map_row_top(const gs_map_view *v, int row)
{
	int extra = (gs_map_usable(&v->figures)->n || v->in.oom ? GS_MAP_CAPTION : 0) +
		(v->ghost_rows ? v->ghost_rows * GS_MAP_PITCH + 12 : 0);

	return row * GS_MAP_PITCH + (row > v->hole_row ? extra : 0);
}

int gs_map_rows_height(const gs_map_view *v)
{
	return gs_map_row_top(v, v->plan.rows > v->hole_row ? v->plan.rows : v->hole_row + 1);
}

void gs_map_clip(
	const gs_segment *s, const gs_block *b, uint64_t done, uint64_t *from, uint64_t *to)
{
	uint64_t offset = b->address - s->address;

	if (offset > s->size)
		offset = s->size;
	*from = offset > done ? offset : done;
	*to = b->size > s->size - offset ? s->size : offset + b->size;
	if (*to < *from)
		*to = *from;
}

/* The part of a run of pixels that lies in a row: [x0, x1); none: x0 == x1. */
typedef struct span {
	int x0, x1;
} span;

static span span_in(const gs_map_rows *p, uint64_t from, uint64_t to, uint64_t row)
{
	uint64_t n = (uint64_t)p->v->plan.row_pixels, begin = row * n, end = begin + n;

	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	if (begin >= end)
		return (span){0, 0};
	int x0 = p->v->row_x + (int)(begin - row * n);
	return (span){x0, x0 + (int)(end - begin)};
}

static void edge(const gs_map_rows *p, int x0, int x1, int y, uint32_t rgb)
{
	if (x1 > x0)
		gs_draw_rect(p->d, x0, y, x1 - x0, 2, rgb);
}

/* One line round all the rows of a run of pixels: none between two rows where both are of it. */
void gs_map_outline(const gs_map_rows *p, uint64_t from, uint64_t to, uint32_t rgb)
{
	uint64_t n = (uint64_t)p->v->plan.row_pixels, first = from / n, last = (to - 1) / n;

	for (uint64_t row = first; row <= last; row++) {
		span s = span_in(p, from, to, row), above = {0, 0}, below = {0, 0};
		int y = gs_map_rows_y(p, row);
		if (row > first)
			above = span_in(p, from, to, row - 1);
		if (row < last)
			below = span_in(p, from, to, row + 1);
		bool from_above = above.x0 < s.x1 && row > first, on_below = below.x1 > s.x0;
		int up = from_above ? GS_MAP_PITCH - GS_MAP_BODY - 2 : 2; /* to the end of its edge */
		/* the row above ends at the right, the one below begins at the left */
		edge(p, s.x0, from_above ? above.x0 : s.x1, y - 2, rgb);
		edge(p, on_below ? below.x1 : s.x0, s.x1, y + GS_MAP_BODY, rgb);
		gs_draw_rect(p->d, s.x0 - 2, y - 2, 2, on_below ? GS_MAP_PITCH : GS_MAP_BODY + 4, rgb);
		gs_draw_rect(p->d, s.x1, y - up, 2, GS_MAP_BODY + 2 + up, rgb);
	}
}

void gs_map_pixels_of(
	const gs_map_rows *p, size_t first, size_t n, uint64_t *from_pixel, uint64_t *to_pixel)
{
	const gs_block *b = &p->l->blocks[first], *last = b + n - 1;
	const gs_segment *s = &p->l->segments[b->segment];
	uint64_t from, to, start = p->v->plan.start[b->segment], whole = 1ull << p->v->plan.shift;

	gs_map_clip(s, b, 0, &from, &to);
	*from_pixel = (start + from) >> p->v->plan.shift;
	gs_map_clip(s, last, 0, &from, &to);
	*to_pixel = (start + to + whole - 1) >> p->v->plan.shift;
}
