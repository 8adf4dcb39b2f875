#include "analyzer/picture/map_paint.h"

#include <stdio.h>
#include <string.h>

#include "schema/size.h"

typedef struct painter {
	const gs_map_plan *plan;
	const gs_map_palette *palette;
	const gs_layout *l;
	gs_draw *d;
	int x, y;
	uint64_t pixel; /* the one being summed */
	uint64_t sum[GS_MAP_CLASSES];
	bool dirty;
	uint64_t marked; /* the last pixel that got a pin mark, + 1 */
} painter;

/* from, to: pixels, the second not included. Calls for each row's part. */
typedef void run_paint(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb);

static void each_row(painter *p, uint64_t from, uint64_t to, uint32_t rgb, run_paint *paint)
{
	uint64_t row = (uint64_t)p->plan->row_pixels;

	for (uint64_t at = from; at < to;) {
		uint64_t end = (at / row + 1) * row;
		if (end > to)
			end = to;
		paint(p, p->x + (int)(at % row), p->y + (int)(at / row) * GS_MAP_PITCH, (int)(end - at),
			at == from, end == to, rgb);
		at = end;
	}
}

static void paint_body(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	(void)begins, (void)ends;
	gs_draw_rect(p->d, x, y, w, GS_MAP_BODY, rgb);
}

/* Heights for the classes that share a pixel: in proportion, one at least for each that is there.
 */
static void share(const uint64_t sum[GS_MAP_CLASSES], int heights[GS_MAP_CLASSES])
{
	double total = 0;
	int used = 0, largest = 0;

	for (int i = 0; i < GS_MAP_CLASSES; i++)
		total += (double)sum[i];
	for (int i = 0; i < GS_MAP_CLASSES; i++) {
		heights[i] = sum[i] ? (int)((double)sum[i] * GS_MAP_BODY / total) : 0;
		if (sum[i] && !heights[i])
			heights[i] = 1;
		used += heights[i];
		largest = sum[i] > sum[largest] ? i : largest;
	}
	heights[largest] += GS_MAP_BODY - used;
	for (int i = 0; heights[largest] < 1; i++) { /* many small ones: they give way in turn */
		int from = i % GS_MAP_CLASSES;
		if (from != largest && heights[from] > 1) {
			heights[from]--;
			heights[largest]++;
		}
	}
}

static void flush(painter *p)
{
	uint64_t row = (uint64_t)p->plan->row_pixels;
	int x = p->x + (int)(p->pixel % row), y = p->y + (int)(p->pixel / row) * GS_MAP_PITCH,
		heights[GS_MAP_CLASSES];

	if (!p->dirty)
		return;
	p->dirty = false;
	share(p->sum, heights);
	memset(p->sum, 0, sizeof p->sum);
	for (int i = 0; i < GS_MAP_CLASSES; i++) {
		gs_draw_rect(p->d, x, y, 1, heights[i], p->palette->classes[i].rgb);
		y += heights[i];
	}
}

static void feed(painter *p, uint64_t at, uint64_t bytes, int class)
{
	unsigned shift = p->plan->shift;
	uint64_t whole = 1ull << shift;

	while (bytes) {
		uint64_t pixel = at >> shift, room = whole - (at & (whole - 1)),
				 take = bytes < room ? bytes : room;
		if (pixel != p->pixel)
			flush(p);
		p->pixel = pixel;
		if (take == whole) {
			uint64_t n = bytes >> shift;
			each_row(p, pixel, pixel + n, p->palette->classes[class].rgb, paint_body);
			take = n << shift;
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

static void paint_blocks(painter *p)
{
	for (size_t k = 0; k < p->l->nsegments; k++) {
		const gs_segment *s = &p->l->segments[k];
		uint64_t base = p->plan->start[k], done = 0, from, to;
		for (size_t i = s->first_block; i < s->first_block + s->nblocks; i++) {
			clip(s, &p->l->blocks[i], done, &from, &to);
			feed(p, base + done, from - done, GS_MAP_UNTOLD);
			feed(p, base + from, to - from,
				gs_map_palette_class(p->palette, p->l, &p->l->blocks[i]));
			done = to;
		}
		feed(p, base + done, s->size - done, GS_MAP_UNTOLD);
	}
	flush(p);
}

static void paint_segment(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	gs_draw_rect(p->d, x, y - 1, w, 1, rgb);
	gs_draw_rect(p->d, x, y + GS_MAP_BODY, w, 1, rgb);
	if (begins)
		gs_draw_rect(p->d, x - 1, y - 1, 1, GS_MAP_BODY + 2, rgb);
	if (ends)
		gs_draw_rect(p->d, x + w, y - 1, 1, GS_MAP_BODY + 2, rgb);
}

/* Where there are no gaps: the lines above and below, and the start if the segment is wide enough
 * to spare a pixel. */
static void paint_packed_line(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	(void)begins, (void)ends;
	paint_segment(p, x, y, w, false, false, rgb);
}

static void paint_packed_segment(
	painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	paint_packed_line(p, x, y, w, begins, ends, rgb);
	if (begins)
		gs_draw_rect(p->d, x, y, 1, GS_MAP_BODY, rgb);
}

static void outline_segments(painter *p)
{
	unsigned shift = p->plan->shift;
	uint64_t whole = 1ull << shift, drawn = 0;

	for (size_t k = 0; k < p->l->nsegments; k++) {
		uint64_t size = p->l->segments[k].size, from = p->plan->start[k] >> shift;
		uint64_t to = (p->plan->start[k] + (size ? size : 1) + whole - 1) >> shift;
		if (p->plan->flow != GS_MAP_PACKED)
			each_row(p, from, to, GS_MAP_SEGMENT_LINE, paint_segment);
		else if (to - from >= 4)
			each_row(p, from, to, GS_MAP_SEGMENT_LINE, paint_packed_segment);
		else if (to > drawn)
			each_row(p, from > drawn ? from : drawn, to, GS_MAP_SEGMENT_LINE, paint_packed_line);
		drawn = to > drawn ? to : drawn;
	}
}

static void paint_edge(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	(void)w, (void)ends;
	if (begins)
		gs_draw_rect(p->d, x, y, 1, GS_MAP_BODY, rgb);
}

static void paint_thin_frame(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	gs_draw_rect(p->d, x, y, w, 2, rgb);
	gs_draw_rect(p->d, x, y + GS_MAP_BODY - 2, w, 2, rgb);
	if (begins)
		gs_draw_rect(p->d, x, y, 2, GS_MAP_BODY, rgb);
	if (ends)
		gs_draw_rect(p->d, x + w - 2, y, 2, GS_MAP_BODY, rgb);
}

static void paint_mark(painter *p, int x, int y, int w, bool begins, bool ends, uint32_t rgb)
{
	(void)begins, (void)ends;
	gs_draw_rect(p->d, x, y + GS_MAP_BODY + 1, w, 2, rgb);
}

/* Pinning: a frame where the block is wide enough for one, else a mark below its pixels. */
static void outline_pin(painter *p, uint64_t from, uint64_t to, uint64_t first, uint64_t last)
{
	if (to >= from + 6) {
		each_row(p, from, to, GS_MAP_PIN_LINE, paint_thin_frame);
		return;
	}
	if (first < p->marked)
		first = p->marked;
	if (first <= last) {
		each_row(p, first, last + 1, GS_MAP_PIN_LINE, paint_mark);
		p->marked = last + 1;
	}
}

static void outline_blocks(painter *p)
{
	unsigned shift = p->plan->shift;
	uint64_t whole = 1ull << shift;

	for (size_t k = 0; k < p->l->nsegments; k++) {
		const gs_segment *s = &p->l->segments[k];
		bool part_free = gs_map_part_free(p->l, s);
		uint64_t base = p->plan->start[k], done = 0, from, to;
		for (size_t i = s->first_block; i < s->first_block + s->nblocks; i++) {
			const gs_block *b = &p->l->blocks[i];
			clip(s, b, done, &from, &to);
			done = to;
			if (b->state == GS_INACTIVE || to == from)
				continue;
			uint64_t first = (base + from + whole - 1) >> shift, end = (base + to) >> shift;
			if (from && end >= first + 4)
				each_row(p, first, end, GS_MAP_PAPER, paint_edge);
			if (part_free)
				outline_pin(p, first, end, (base + from) >> shift, (base + to - 1) >> shift);
		}
	}
}

/* The hole that the request was measured against: a frame, and its name where there is room. */
static void outline_hole(painter *p, size_t hole)
{
	unsigned shift = p->plan->shift;
	uint64_t row = (uint64_t)p->plan->row_pixels, from, to;
	const gs_block *b = &p->l->blocks[hole];
	const gs_segment *s = &p->l->segments[b->segment];
	char text[64], size[32];
	int width;

	clip(s, b, 0, &from, &to);
	from = (p->plan->start[b->segment] + from) >> shift;
	to = (p->plan->start[b->segment] + to + (1ull << shift) - 1) >> shift;
	each_row(p, from, to, GS_MAP_HOLE_LINE, paint_thin_frame);
	snprintf(text, sizeof text, "largest hole %s", gs_size_format(size, sizeof size, b->size));
	width = p->d->ops->measure(p->d, 9, text) + 8;
	for (uint64_t at = from; at < to; at = (at / row + 1) * row) {
		uint64_t end = (at / row + 1) * row < to ? (at / row + 1) * row : to;
		if ((uint64_t)width > end - at)
			continue;
		int x = p->x + (int)(at % row) + ((int)(end - at) - width) / 2,
			y = p->y + (int)(at / row) * GS_MAP_PITCH;
		gs_draw_rect(p->d, x, y, width, GS_MAP_BODY, GS_MAP_HOLE_LINE);
		gs_draw_text(p->d, x + 4, y, 9, GS_MAP_PAPER, width, text);
		break;
	}
}

void gs_map_paint(const gs_map_plan *plan, const gs_map_palette *palette, const gs_layout *l,
	size_t hole, gs_draw *d, int x, int y)
{
	painter p = {.plan = plan, .palette = palette, .l = l, .d = d, .x = x, .y = y};

	paint_blocks(&p);
	outline_segments(&p);
	outline_blocks(&p);
	if (hole < l->nblocks)
		outline_hole(&p, hole);
}
