/* Paints the rows of a view. The bytes' own area, GS_MAP_BODY pixels high, is left to the classes'
 * colours alone; outlines and marks keep to the paper between the rows. */
#include <stdio.h>
#include <string.h>

#include "analyzer/picture/map_rows.h"
#include "schema/size.h"

const gs_paint gs_map_lost = {0xfffaf0, 0xd55e00, GS_FALLING};

enum { LOST = GS_CLASSES, PAINTS, UNSEEN_MOST = 32 };

typedef struct painter {
	gs_map_rows rows;
	const gs_map_view *v;
	const gs_palette *palette;
	const gs_layout *l;
	gs_draw *d;
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

/* from, to: pixels, the second not included. Calls for each row's part. */
typedef void run_paint(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb);

static void each_row(painter *p, uint64_t from, uint64_t to, uint32_t rgb, run_paint *paint)
{
	uint64_t row = (uint64_t)p->v->plan.row_pixels;

	for (uint64_t at = from; at < to;) {
		uint64_t end = (at / row + 1) * row;
		if (end > to)
			end = to;
		paint(p, p->v->row_x + (int)(at % row), gs_map_rows_y(&p->rows, at / row), (int)(end - at),
			at == from, end == to, rgb);
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
	y = gs_map_rows_y(&p->rows, p->pixel / row);
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
		gs_draw_paint(p->d, p->v->row_x + (int)(at % row), gs_map_rows_y(&p->rows, at / row),
			(int)(end - at), GS_MAP_BODY, paint_of(p, class));
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
			gs_map_clip(s, &p->l->blocks[i], done, &from, &to);
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
		gs_draw_text(p->d, p->v->row_x + (int)(at % row) + 4, gs_map_rows_y(&p->rows, at / row) + 1,
			10, ink, width, name);
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
			gs_map_clip(s, b, done, &from, &to);
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

/* What was not there before: a line below it, in the paper, whatever its colour. */
static void paint_fresh(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	(void)begins, (void)ends;
	gs_draw_rect(p->d, x, y + GS_MAP_BODY + 2, w, 2, rgb);
}

/* Blocks that follow each other have one line, and none is thinner than a pixel. */
static void mark_fresh(painter *p)
{
	uint64_t open = 0, end = 0, from, to;
	for (size_t k = 0; p->v->fresh && k < p->l->nsegments; k++) {
		const gs_segment *s = &p->l->segments[k];
		for (size_t i = s->first_block; i < s->first_block + s->nblocks; i++) {
			if (!p->v->fresh[i])
				continue;
			gs_map_pixels_of(&p->rows, i, 1, &from, &to);
			to += to == from;
			if (from > end) {
				each_row(p, open, end, GS_MAP_FRESH_LINE, paint_fresh);
				open = from;
			}
			end = to > end ? to : end;
		}
	}
	each_row(p, open, end, GS_MAP_FRESH_LINE, paint_fresh);
}

void gs_map_paint(const gs_map_view *v, const gs_palette *palette, gs_draw *d, int y)
{
	painter p = {
		.rows = {v, v->in.layout, d, y}, .v = v, .palette = palette, .l = v->in.layout, .d = d};
	uint64_t from, to;

	paint_blocks(&p);
	outline_segments(&p);
	mark_blocks(&p);
	mark_fresh(&p);
	if (v->evict_blocks) {
		gs_map_pixels_of(&p.rows, v->evict_first, v->evict_blocks, &from, &to);
		gs_map_outline(&p.rows, from, to, GS_MAP_EVICT_LINE);
	}
	for (size_t i = 0; v->emptied && i < p.l->nsegments; i++) {
		if (!v->emptied[i] || !p.l->segments[i].nblocks)
			continue;
		gs_map_pixels_of(
			&p.rows, p.l->segments[i].first_block, p.l->segments[i].nblocks, &from, &to);
		gs_map_outline(&p.rows, from, to, GS_MAP_EVICT_LINE);
	}
	gs_map_name_unusable(&p.rows);
	gs_map_paint_hole(&p.rows);
}
