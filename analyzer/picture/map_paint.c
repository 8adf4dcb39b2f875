/* Paints the rows of a view. The bytes' own area, GS_MAP_BODY pixels high, is left to the classes'
 * colours alone; outlines and marks keep to the paper between the rows. */
#include <stdio.h>
#include <string.h>

#include "analyzer/picture/map_internal.h"
#include "schema/size.h"

const gs_paint gs_map_lost = {0xfffaf0, 0xd55e00, GS_FALLING};

enum { LOST = GS_CLASSES, PAINTS, UNSEEN_MOST = 32, SEEN_LEAST = 2 /* pixels of a hole */ };

typedef struct painter {
	const gs_map_view *v;
	const gs_palette *palette;
	const gs_layout *l;
	gs_draw *d;
	int y;
	uint64_t pixel;        /* the one being summed */
	uint64_t sum[PAINTS];  /* its bytes by class */
	double carry[PAINTS];  /* what earlier pixels owe a class, in rows of a pixel */
	uint64_t seen[PAINTS]; /* the last pixel that showed a class, + 1 */
	bool dirty;
} painter;

static const gs_paint *paint_of(const painter *p, int class)
{
	return class == LOST ? &gs_map_lost : &p->palette->classes[class].paint;
}

static int row_y(const painter *p, uint64_t row) { return p->y + gs_map_row_top(p->v, (int)row); }

/* from, to: pixels, the second not included. Calls for each row's part. */
typedef void run_paint(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb);

static void each_row(painter *p, uint64_t from, uint64_t to, uint32_t rgb, run_paint *paint)
{
	uint64_t row = (uint64_t)p->v->plan.row_pixels;

	for (uint64_t at = from; at < to;) {
		uint64_t end = (at / row + 1) * row;
		if (end > to)
			end = to;
		paint(p, p->v->row_x + (int)(at % row), row_y(p, at / row), (int)(end - at), at == from,
			end == to, rgb);
		at = end;
	}
}

/* --- bytes -------------------------------------------------------------------------------------
 */

/* Rows of a pixel for a class: what is owed to it, rounded; one at least where it was not to be
 * seen for a while, so that nothing is lost. */
static int rows_for(const painter *p, int class, double owed)
{
	int rows = owed <= 0 ? 0 : owed >= GS_MAP_BODY ? GS_MAP_BODY : (int)(owed + 0.5);
	bool unseen = !p->seen[class] || p->pixel >= p->seen[class] + UNSEEN_MOST;

	return rows ? rows : unseen;
}

/* Takes rows from those who got most beyond what they were owed, until they fit. */
static void fit(const uint64_t sum[PAINTS], const double owed[PAINTS], int rows[PAINTS], int most)
{
	int used = 0;

	for (int i = 0; i < PAINTS; i++)
		used += rows[i];
	for (; used > most; used--) {
		int from = -1;
		for (int i = 0; i < PAINTS; i++)
			if (rows[i] > 1 && (from < 0 || rows[i] - owed[i] > rows[from] - owed[from]))
				from = i;
		for (int i = 0; from < 0 && i < PAINTS; i++) /* more classes than rows */
			from = rows[i] ? i : from;
		rows[from]--;
	}
	for (; used < most; used++) {
		int to = -1;
		for (int i = 0; i < PAINTS; i++)
			if (sum[i] && (to < 0 || owed[i] - rows[i] > owed[to] - rows[to]))
				to = i;
		rows[to]++;
	}
}

/* How the pixel's height is shared. What of it no byte fills (the end of a segment) stays paper. */
static void share(painter *p, int rows[PAINTS])
{
	double whole = (double)(UINT64_C(1) << p->v->plan.shift), owed[PAINTS] = {0}, filled = 0;
	int most;

	for (int i = 0; i < PAINTS; i++) {
		rows[i] = 0;
		if (!p->sum[i])
			continue;
		filled += (double)p->sum[i] / whole;
		owed[i] = (double)p->sum[i] / whole * GS_MAP_BODY + p->carry[i];
		rows[i] = rows_for(p, i, owed[i]);
	}
	most = (int)(filled * GS_MAP_BODY + 0.5);
	fit(p->sum, owed, rows, most < 1 ? 1 : most > GS_MAP_BODY ? GS_MAP_BODY : most);
	for (int i = 0; i < PAINTS; i++) {
		if (p->sum[i])
			p->carry[i] = owed[i] - rows[i];
		if (rows[i])
			p->seen[i] = p->pixel + 1;
	}
}

static void flush(painter *p)
{
	uint64_t row = (uint64_t)p->v->plan.row_pixels;
	int x = p->v->row_x + (int)(p->pixel % row), y, rows[PAINTS];

	if (!p->dirty)
		return;
	y = row_y(p, p->pixel / row);
	p->dirty = false;
	share(p, rows);
	memset(p->sum, 0, sizeof p->sum);
	for (int i = 0; i < PAINTS; i++) {
		gs_draw_paint(p->d, x, y, 1, rows[i], paint_of(p, i));
		y += rows[i];
	}
}

static void paint_run(painter *p, uint64_t from, uint64_t to, int class)
{
	uint64_t row = (uint64_t)p->v->plan.row_pixels;

	for (uint64_t at = from; at < to;) {
		uint64_t end = (at / row + 1) * row < to ? (at / row + 1) * row : to;
		gs_draw_paint(p->d, p->v->row_x + (int)(at % row), row_y(p, at / row), (int)(end - at),
			GS_MAP_BODY, paint_of(p, class));
		at = end;
	}
	p->seen[class] = to;
}

static void feed(painter *p, uint64_t at, uint64_t bytes, int class)
{
	unsigned shift = p->v->plan.shift;
	uint64_t whole = 1ull << shift;

	while (bytes) {
		uint64_t pixel = at >> shift, room = whole - (at & (whole - 1)),
				 take = bytes < room ? bytes : room;
		if (pixel != p->pixel)
			flush(p);
		p->pixel = pixel;
		if (take == whole) {
			paint_run(p, pixel, pixel + (bytes >> shift), class);
			take = bytes >> shift << shift;
		} else {
			p->sum[class] += take;
			p->dirty = true;
		}
		at += take;
		bytes -= take;
	}
}

/* The block's bytes within its segment, also where the input contradicts itself: cut to what is
 * left. */
static void clip(
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

/* Bytes at the block's end that rounding added, where they are to be shown. */
static uint64_t lost_bytes(const painter *p, const gs_block *b)
{
	if (!p->v->rounding || b->state == GS_INACTIVE || b->requested < 0 ||
		(uint64_t)b->requested > b->size)
		return 0;
	return b->size - (uint64_t)b->requested;
}

static void paint_block(painter *p, uint64_t at, uint64_t bytes, size_t i)
{
	uint64_t lost = lost_bytes(p, &p->l->blocks[i]);

	lost = lost < bytes ? lost : bytes;
	feed(p, at, bytes - lost, p->v->classes[i]);
	feed(p, at + bytes - lost, lost, LOST);
}

static void paint_blocks(painter *p)
{
	for (size_t k = 0; k < p->l->nsegments; k++) {
		const gs_segment *s = &p->l->segments[k];
		uint64_t base = p->v->plan.start[k], done = 0, from, to;
		for (size_t i = s->first_block; i < s->first_block + s->nblocks; i++) {
			clip(s, &p->l->blocks[i], done, &from, &to);
			feed(p, base + done, from - done, GS_CLASS_UNTOLD);
			paint_block(p, base + from, to - from, i);
			done = to;
		}
		feed(p, base + done, s->size - done, GS_CLASS_UNTOLD);
	}
	flush(p);
}

/* --- segments ----------------------------------------------------------------------------------
 */

static void paint_packed_line(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	(void)begins, (void)ends;
	gs_draw_rect(p->d, x, y - 1, w, 1, rgb);
	gs_draw_rect(p->d, x, y + GS_MAP_BODY, w, 1, rgb);
}

static void paint_segment(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	paint_packed_line(p, x, y, w, begins, ends, rgb);
	if (begins)
		gs_draw_rect(p->d, x - 1, y - 1, 1, GS_MAP_BODY + 2, rgb);
	if (ends)
		gs_draw_rect(p->d, x + w, y - 1, 1, GS_MAP_BODY + 2, rgb);
}

/* Where there are no gaps the beginning is a tick above and below. */
static void paint_packed_segment(
	painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	paint_packed_line(p, x, y, w, begins, ends, rgb);
	if (begins)
		gs_draw_rect(p->d, x, y - 3, 1, 3, rgb);
}

static void outline_segments(painter *p)
{
	const gs_map_plan *plan = &p->v->plan;
	uint64_t whole = 1ull << plan->shift, drawn = 0;

	for (size_t k = 0; k < p->l->nsegments; k++) {
		uint64_t size = p->l->segments[k].size, from = plan->start[k] >> plan->shift;
		uint64_t to = (plan->start[k] + (size ? size : 1) + whole - 1) >> plan->shift;
		if (plan->flow != GS_MAP_PACKED)
			each_row(p, from, to, GS_LINE, paint_segment);
		else if (to - from >= 4)
			each_row(p, from, to, GS_LINE, paint_packed_segment);
		else if (to > drawn)
			each_row(p, from > drawn ? from : drawn, to, GS_LINE, paint_packed_line);
		drawn = to > drawn ? to : drawn;
	}
}

/* --- blocks ------------------------------------------------------------------------------------
 */

/* Where a block begins: a gap in the lines above and below. */
static void paint_notch(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	(void)w, (void)ends;
	if (!begins)
		return;
	gs_draw_rect(p->d, x, y - 1, 1, 1, rgb);
	gs_draw_rect(p->d, x, y + GS_MAP_BODY, 1, 1, rgb);
}

/* Its name, whole or short, once, in the first part of it that has room. */
static bool name_in(painter *p, uint64_t from, uint64_t to, const char *name, uint32_t ink)
{
	uint64_t row = (uint64_t)p->v->plan.row_pixels;
	int width = p->d->ops->measure(p->d, 10, name) + 8;

	for (uint64_t at = from; at < to; at = (at / row + 1) * row) {
		uint64_t end = (at / row + 1) * row < to ? (at / row + 1) * row : to;
		if ((uint64_t)width > end - at)
			continue;
		gs_draw_text(
			p->d, p->v->row_x + (int)(at % row) + 4, row_y(p, at / row) + 1, 10, ink, width, name);
		return true;
	}
	return false;
}

static void name_block(painter *p, uint64_t from, uint64_t to, const gs_swatch *swatch)
{
	uint32_t ink = gs_draw_contrast(swatch->paint.rgb);

	if (*swatch->label && swatch->paint.pattern == GS_PLAIN && to >= from + 40 &&
		!name_in(p, from, to, swatch->name, ink))
		name_in(p, from, to, swatch->label, ink);
}

static void mark_blocks(painter *p)
{
	unsigned shift = p->v->plan.shift;
	uint64_t whole = 1ull << shift;

	if (p->v->largest >> shift < 4)
		return;
	for (size_t k = 0; k < p->l->nsegments; k++) {
		const gs_segment *s = &p->l->segments[k];
		uint64_t base = p->v->plan.start[k], done = 0, from, to;
		for (size_t i = s->first_block; i < s->first_block + s->nblocks; i++) {
			const gs_block *b = &p->l->blocks[i];
			clip(s, b, done, &from, &to);
			done = to;
			uint64_t first = (base + from + whole - 1) >> shift, end = (base + to) >> shift;
			if (to == from || end < first + 4)
				continue;
			if (from)
				each_row(p, first, end, GS_PAPER, paint_notch);
			if (b->state == GS_ACTIVE_ALLOCATED)
				name_block(p, first, end, &p->palette->classes[p->v->classes[i]]);
		}
	}
}

/* --- outlines ----------------------------------------------------------------------------------
 */

/* The part of a run of pixels that lies in a row: [x0, x1); none: x0 == x1. */
typedef struct span {
	int x0, x1;
} span;

static span span_in(const painter *p, uint64_t from, uint64_t to, uint64_t row)
{
	uint64_t n = (uint64_t)p->v->plan.row_pixels, begin = row * n, end = begin + n;

	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	if (begin >= end)
		return (span){0, 0};
	int x0 = p->v->row_x + (int)(begin - row * n);
	return (span){x0, x0 + (int)(end - begin)};
}

static void edge(const painter *p, int x0, int x1, int y, uint32_t rgb)
{
	if (x1 > x0)
		gs_draw_rect(p->d, x0, y, x1 - x0, 2, rgb);
}

/* One line round all the rows of a run of pixels: none between two rows where both are of it. */
static void outline(const painter *p, uint64_t from, uint64_t to, uint32_t rgb)
{
	uint64_t n = (uint64_t)p->v->plan.row_pixels, first = from / n, last = (to - 1) / n;

	for (uint64_t row = first; row <= last; row++) {
		span s = span_in(p, from, to, row), above = {0, 0}, below = {0, 0};
		int y = row_y(p, row);
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

/* The pixels of neighbouring blocks of one segment. */
static void pixels_of(
	const painter *p, size_t first, size_t n, uint64_t *from_pixel, uint64_t *to_pixel)
{
	const gs_block *b = &p->l->blocks[first], *last = b + n - 1;
	const gs_segment *s = &p->l->segments[b->segment];
	uint64_t from, to, start = p->v->plan.start[b->segment], whole = 1ull << p->v->plan.shift;

	clip(s, b, 0, &from, &to);
	*from_pixel = (start + from) >> p->v->plan.shift;
	clip(s, last, 0, &from, &to);
	*to_pixel = (start + to + whole - 1) >> p->v->plan.shift;
}

/* The request as the heap would show it: rows that wrap as the heap's do, from the hole's column
 * on. Rows of the ghost join, so that its edge runs round the whole of it. */
typedef struct ghost {
	int left, right; /* of the heap's rows */
	int first, last; /* where its first row begins and its last row ends */
	int rows, top;
	bool cut; /* there are more rows than are drawn */
} ghost;

static ghost make_ghost(const painter *p, int y, uint64_t column)
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
static void name_ghost(const ghost *g, const painter *p)
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

static void paint_ghost(painter *p, int y, uint64_t column)
{
	ghost g = make_ghost(p, y, column);

	fill_ghost(&g, p->d);
	outline_ghost(&g, p->d);
	name_ghost(&g, p);
}

static void caption_hole(painter *p, uint64_t from, uint64_t to, int y)
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
static void paint_hole(painter *p)
{
	size_t hole = gs_map_usable(&p->v->figures)->largest_at;
	uint64_t from = 0, to = 1, row = (uint64_t)p->v->plan.row_pixels;
	int y = row_y(p, (uint64_t)p->v->hole_row) + GS_MAP_PITCH;

	if (hole < p->l->nblocks) {
		pixels_of(p, hole, 1, &from, &to);
		outline(p, from, to, GS_MAP_HOLE_LINE);
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
static void name_unusable(painter *p)
{
	gs_pool_relation relation = largest_unusable(&p->v->figures.free);
	const gs_holes *holes = &p->v->figures.free.holes[relation];
	uint64_t from, to, row = (uint64_t)p->v->plan.row_pixels;
	char text[120], size[32];
	int width;

	if (relation == GS_POOL_SAME)
		return;
	pixels_of(p, holes->largest_at, 1, &from, &to);
	snprintf(text, sizeof text, "%s free, but %s",
		gs_size_format(size, sizeof size, holes->largest), gs_map_reason(relation, p->v->in.oom));
	width = p->d->ops->measure(p->d, 10, text) + 10;
	for (uint64_t at = from; at < to; at = (at / row + 1) * row) {
		uint64_t end = (at / row + 1) * row < to ? (at / row + 1) * row : to;
		int x = p->v->row_x + (int)(at % row) + 6, y = row_y(p, at / row);
		if ((uint64_t)width + 12 > end - at)
			continue;
		gs_draw_rect(p->d, x, y, width, GS_MAP_BODY, GS_PAPER);
		gs_draw_text(p->d, x + 5, y + 1, 10, GS_INK, width, text);
		return;
	}
}

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

void gs_map_paint(const gs_map_view *v, const gs_palette *palette, gs_draw *d, int y)
{
	painter p = {.v = v, .palette = palette, .l = v->in.layout, .d = d, .y = y};
	uint64_t from, to;

	paint_blocks(&p);
	outline_segments(&p);
	mark_blocks(&p);
	if (v->evict_blocks) {
		pixels_of(&p, v->evict_first, v->evict_blocks, &from, &to);
		outline(&p, from, to, GS_MAP_EVICT_LINE);
	}
	for (size_t i = 0; v->emptied && i < p.l->nsegments; i++) {
		if (!v->emptied[i] || !p.l->segments[i].nblocks)
			continue;
		pixels_of(&p, p.l->segments[i].first_block, p.l->segments[i].nblocks, &from, &to);
		outline(&p, from, to, GS_MAP_EVICT_LINE);
	}
	name_unusable(&p);
	paint_hole(&p);
}
