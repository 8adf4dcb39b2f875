/* The largest hole, and the request as a ghost below it. */
#include <stdio.h>

#include "analyzer/picture/map_rows.h"
#include "schema/size.h"

enum { SEEN_LEAST = 2 /* pixels of a hole */ };

/* The request as the heap would show it: rows that wrap as the heap's do, from the hole's column
 * on. Rows of the ghost join, so that its edge runs round the whole of it. */
typedef struct ghost {
	int left, right; /* of the heap's rows */
	int first, last; /* where its first row begins and its last row ends */
	int rows, top;
	bool cut; /* there are more rows than are drawn */
} ghost;

static ghost make_ghost(const gs_map_rows *p, int y, uint64_t column)
{
	const gs_map_view *v = p->v;
	uint64_t row = (uint64_t)v->plan.row_pixels, whole = 1ull << v->plan.shift,
			 n = ((uint64_t)v->figures.request + whole - 1) >> v->plan.shift, end = column + n;
	ghost g = {v->row_x, v->row_x + (int)row, v->row_x + (int)column, 0, v->ghost_rows, y, false};

	g.cut = end > row * (uint64_t)g.rows;
	g.last = g.cut ? g.right : v->row_x + (int)(end - row * (uint64_t)(g.rows - 1));
	return g;
}

static void fill_ghost(const ghost *g, gs_draw *d)
{
	const gs_paint tint = {.rgb = 0xfdf1e6};

	for (int i = 0; i < g->rows; i++) {
		int x = i ? g->left : g->first, end = i + 1 < g->rows ? g->right : g->last;
		gs_draw_paint(d, x, g->top + i * GS_MAP_PITCH, end - x,
			i + 1 < g->rows ? GS_MAP_PITCH : GS_MAP_BODY, &tint);
	}
}

static void outline_ghost(const ghost *g, gs_draw *d)
{
	int last = g->top + (g->rows - 1) * GS_MAP_PITCH, bottom = last + GS_MAP_BODY;
	bool one = g->rows == 1;

	gs_draw_dashes(d, g->first, g->top, (one ? g->last : g->right) - g->first, false, 2, GS_INK);
	gs_draw_dashes(d, g->first, g->top, one ? GS_MAP_BODY : GS_MAP_PITCH, true, 2, GS_INK);
	if (!one) {
		gs_draw_dashes(d, g->left, g->top + GS_MAP_PITCH, g->first - g->left, false, 2, GS_INK);
		gs_draw_dashes(
			d, g->left, g->top + GS_MAP_PITCH, bottom - g->top - GS_MAP_PITCH, true, 2, GS_INK);
		gs_draw_dashes(d, g->right - 2, g->top, (g->cut ? bottom : last) - g->top, true, 2, GS_INK);
		gs_draw_dashes(d, g->last, last, g->right - g->last, false, 2, GS_INK);
	}
	if (g->cut)
		return;
	gs_draw_dashes(d, one ? g->first : g->left, bottom - 2, g->last - (one ? g->first : g->left),
		false, 2, GS_INK);
	gs_draw_dashes(d, g->last - 2, last, GS_MAP_BODY, true, 2, GS_INK);
}

/* In its first row if that has room, else in the second, else beside it. */
static void name_ghost(const ghost *g, const gs_map_rows *p)
{
	char text[120], size[32];
	int width, end = g->rows == 1 ? g->last : g->right;

	snprintf(text, sizeof text, "failed request %s, to the same scale%s",
		gs_size_format(size, sizeof size, (uint64_t)p->v->figures.request),
		g->cut ? " (cut short here)" : "");
	width = p->d->ops->measure(p->d, 11, text) + 12;
	if (end - g->first >= width && g->rows > 1)
		gs_draw_text(p->d, g->first + 8, g->top + 3, 11, GS_INK, width, text);
	else if (g->rows > 1 && (g->rows > 2 ? g->right : g->last) - g->left >= width)
		gs_draw_text(p->d, g->left + 8, g->top + GS_MAP_PITCH + 1, 11, GS_INK, width, text);
	else if (g->right - end >= width)
		gs_draw_text(p->d, end + 6, g->top, 11, GS_INK, width, text);
	else if (g->first - g->left >= width)
		gs_draw_text(p->d, g->first - width, g->top, 11, GS_INK, width, text);
	else
		gs_draw_text(
			p->d, g->first + 6, g->top + GS_MAP_BODY + 1, 11, GS_INK, g->right - g->first, text);
}

static void paint_ghost(const gs_map_rows *p, int y, uint64_t column)
{
	ghost g = make_ghost(p, y, column);

	fill_ghost(&g, p->d);
	outline_ghost(&g, p->d);
	name_ghost(&g, p);
}

static void caption_hole(const gs_map_rows *p, uint64_t from, uint64_t to, int y)
{
	uint64_t row = (uint64_t)p->v->plan.row_pixels;
	char text[160], size[32];
	int x = p->v->row_x + (int)((to - 1) / row == from / row ? from % row : 0), width,
		right = p->v->row_x + (int)row;

	snprintf(text, sizeof text, "largest hole%s %s%s",
		p->v->in.oom ? " that it could have used:" : "",
		gs_size_format(size, sizeof size, gs_map_usable(&p->v->figures)->largest),
		gs_map_usable(&p->v->figures)->largest >> p->v->plan.shift < SEEN_LEAST
			? ", too small to draw"
			: "");
	width = p->d->ops->measure(p->d, 11, text) + 12;
	gs_draw_rect(p->d, x, y - 3, 2, GS_MAP_CAPTION - 4, GS_MAP_HOLE_LINE);
	if (x + width > right)
		gs_draw_text_right(p->d, x - 6, y + 1, 11, GS_INK, width, text);
	else
		gs_draw_text(p->d, x + 6, y + 1, 11, GS_INK, width, text);
}

/* Below the largest hole: its label and the request; without a hole the request at the end. */
void gs_map_paint_hole(const gs_map_rows *p)
{
	size_t hole = gs_map_usable(&p->v->figures)->largest_at;
	uint64_t from = 0, to = 1, row = (uint64_t)p->v->plan.row_pixels;
	int y = gs_map_rows_y(p, (uint64_t)p->v->hole_row) + GS_MAP_PITCH;

	if (hole < p->l->nblocks) {
		gs_map_pixels_of(p, hole, 1, &from, &to);
		gs_map_outline(p, from, to, GS_MAP_HOLE_LINE);
		caption_hole(p, from, to, y);
	} else if (p->v->in.oom) {
		gs_draw_text(p->d, p->v->row_x, y + 1, 11, GS_INK, (int)row,
			"there is no hole at all that the request could have used");
	}
	if (p->v->ghost_rows)
		paint_ghost(p, y + GS_MAP_CAPTION, from % row);
}

/* How the largest piece that is free but not for the request lies to it; GS_POOL_SAME: there is
 * none. */
static gs_pool_relation largest_unusable(const gs_free_for *f)
{
	int found = GS_POOL_SAME;
	for (int r = GS_POOL_SAME + 1; r < GS_POOL_RELATIONS; r++)
		if (f->holes[r].n &&
			(found == GS_POOL_SAME || f->holes[r].largest > f->holes[found].largest))
			found = r;
	return (gs_pool_relation)found;
}

/* It says so, in the first of its rows that has
 * room. */
void gs_map_name_unusable(const gs_map_rows *p)
{
	gs_pool_relation relation = largest_unusable(&p->v->figures.free);
	const gs_holes *holes = &p->v->figures.free.holes[relation];
	uint64_t from, to, row = (uint64_t)p->v->plan.row_pixels;
	char text[120], size[32];
	int width;

	if (relation == GS_POOL_SAME)
		return;
	gs_map_pixels_of(p, holes->largest_at, 1, &from, &to);
	snprintf(text, sizeof text, "%s free, but %s",
		gs_size_format(size, sizeof size, holes->largest), gs_map_reason(relation, p->v->in.oom));
	width = p->d->ops->measure(p->d, 10, text) + 10;
	for (uint64_t at = from; at < to; at = (at / row + 1) * row) {
		uint64_t end = (at / row + 1) * row < to ? (at / row + 1) * row : to;
		int x = p->v->row_x + (int)(at % row) + 6, y = gs_map_rows_y(p, at / row);
		if ((uint64_t)width + 12 > end - at)
			continue;
		gs_draw_rect(p->d, x, y, width, GS_MAP_BODY, GS_PAPER);
		gs_draw_text(p->d, x + 5, y + 1, 10, GS_INK, width, text);
		return;
	}
}
