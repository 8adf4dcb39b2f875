/* The device in one bar: what is in use, cached, free, and held outside the allocator; below it the
 * failed request, to the same scale. */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/picture/map_internal.h"
#include "schema/size.h"

enum { BAR = 18, LABELS = 18, GAP = 5, MOST_PARTS = 5 };

typedef struct part {
	const char *name;
	uint64_t bytes;
	gs_paint paint;
} part;

typedef struct bar {
	part parts[MOST_PARTS];
	int n;
	uint64_t total;
} bar;

static void add(bar *b, const char *name, uint64_t bytes, gs_paint paint)
{
	if (!bytes)
		return;
	b->parts[b->n++] = (part){name, bytes, paint};
	b->total += bytes;
}

static bar make_bar(const gs_map_view *v)
{
	const gs_map_figures *f = &v->figures;
	uint64_t free_bytes = f->device_free > 0 ? (uint64_t)f->device_free : 0,
			 known = v->totals.reserved + free_bytes;
	bar b = {.n = 0};

	add(&b, "in use", v->totals.reserved - v->totals.free, (gs_paint){0x41506b, 0, GS_PLAIN});
	add(&b, "cached, free", v->totals.free, (gs_paint){0xdde6ee, 0, GS_PLAIN});
	if (f->capacity > 0 && (uint64_t)f->capacity > known && f->device_free != GS_NONE)
		add(&b, "outside the allocator", (uint64_t)f->capacity - known,
			(gs_paint){0xe9dcc9, 0xb49a74, GS_FALLING});
	else if (f->capacity > 0 && (uint64_t)f->capacity > known)
		add(&b, "free or outside the allocator", (uint64_t)f->capacity - known,
			(gs_paint){0xf6f1ea, 0xd2c3ac, GS_FALLING});
	add(&b, "free on the device", free_bytes, (gs_paint){0xfefefd, 0, GS_PLAIN});
	return b;
}

int gs_map_bar_height(const gs_map_view *v)
{
	return LABELS + BAR + GAP + (v->figures.request > 0 ? BAR + GAP : 0) + 4;
}

static int pixels(const gs_map_view *v, const bar *b, uint64_t bytes)
{
	double w = (double)bytes / (double)(b->total ? b->total : 1) * v->width;

	return w > v->width ? v->width : w < 1 ? 1 : (int)(w + 0.5);
}

/* A part's words above it, where the words before leave room; the rest is said by the totals. */
static void label_part(const gs_map_view *v, gs_draw *d, const part *p, int x, int *from, int y)
{
	char text[100], size[32];
	int w, right = v->x + v->width;

	snprintf(text, sizeof text, "%s %s", p->name, gs_size_format(size, sizeof size, p->bytes));
	w = d->ops->measure(d, 12, text);
	if (x < *from)
		x = *from;
	if (x + w > right)
		x = right - w;
	if (x < *from)
		return;
	gs_draw_text(d, x, y, 12, GS_INK, w + 2, text);
	*from = x + w + 14;
}

static void draw_request(const gs_map_view *v, gs_draw *d, const bar *b, int y)
{
	char text[100], size[32];
	int w = pixels(v, b, (uint64_t)v->figures.request), text_w;

	snprintf(text, sizeof text, "failed request %s",
		gs_size_format(size, sizeof size, (uint64_t)v->figures.request));
	gs_draw_rect(d, v->x, y, w, BAR, GS_INK);
	if ((uint64_t)v->figures.request > b->total) /* longer than the device: torn off */
		for (int i = 0; i < 2; i++)
			gs_draw_rect(d, v->x + w - 16 + 6 * i, y, 3, BAR, GS_PAPER);
	text_w = d->ops->measure(d, 12, text);
	if (w + 8 + text_w <= v->width)
		gs_draw_text(d, v->x + w + 8, y + 2, 12, GS_INK, text_w + 2, text);
	else
		gs_draw_text(d, v->x + 6, y + 2, 12, GS_PAPER, w - 8, text);
}

void gs_map_draw_bar(const gs_map_view *v, gs_draw *d, int y)
{
	bar b = make_bar(v);
	uint64_t at = 0;
	int from = v->x;

	for (int i = 0; i < b.n; i++) {
		int x = v->x + (int)((double)at / (double)b.total * v->width),
			w = pixels(v, &b, b.parts[i].bytes);
		w = x + w > v->x + v->width || i + 1 == b.n ? v->x + v->width - x : w;
		gs_draw_paint(d, x, y + LABELS, w, BAR, &b.parts[i].paint);
		label_part(v, d, &b.parts[i], x, &from, y);
		at += b.parts[i].bytes;
	}
	gs_draw_frame(d, v->x, y + LABELS, v->width, BAR, 1, GS_LINE);
	if (v->figures.request > 0)
		draw_request(v, d, &b, y + LABELS + BAR + GAP);
}
