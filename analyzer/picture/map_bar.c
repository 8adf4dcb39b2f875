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

static void add_part(bar *b, const char *name, uint64_t bytes, gs_paint paint)
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

	add_part(&b, "in use", v->totals.reserved - v->totals.free, (gs_paint){0x41506b, 0, GS_PLAIN});
	add_part(&b, "cached, free", v->totals.free, (gs_paint){0xdde6ee, 0, GS_PLAIN});
	if (f->capacity > 0 && (uint64_t)f->capacity > known && f->device_free != GS_NONE)
		add_part(&b, "outside the allocator", (uint64_t)f->capacity - known,
			(gs_paint){0xe9dcc9, 0xb49a74, GS_FALLING});
	else if (f->capacity > 0 && (uint64_t)f->capacity > known)
		add_part(&b, "free or outside the allocator", (uint64_t)f->capacity - known,
			(gs_paint){0xf6f1ea, 0xd2c3ac, GS_FALLING});
	add_part(&b, "free on the device", free_bytes, (gs_paint){0xfefefd, 0, GS_PLAIN});
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

/* The parts' words above them, each as near to its part as the others let it. */
typedef struct labels {
	char text[MOST_PARTS][100];
	int x[MOST_PARTS], w[MOST_PARTS], n;
} labels;

enum { LABEL_GAP = 14 };

/* From left to right no label begins before its part, then from right to left they make room;
 * false: there is none. */
static bool spread(const gs_map_view *v, labels *l)
{
	int from = v->x, limit = v->x + v->width;

	for (int i = 0; i < l->n; i++) {
		l->x[i] = l->x[i] < from ? from : l->x[i];
		from = l->x[i] + l->w[i] + LABEL_GAP;
	}
	for (int i = l->n - 1; i >= 0; i--) {
		l->x[i] = l->x[i] + l->w[i] > limit ? limit - l->w[i] : l->x[i];
		limit = l->x[i] - LABEL_GAP;
	}
	return !l->n || l->x[0] >= v->x;
}

static void add_label(labels *l, gs_draw *d, const part *p, int x)
{
	char size[32];

	snprintf(l->text[l->n], sizeof l->text[l->n], "%s %s", p->name,
		gs_size_format(size, sizeof size, p->bytes));
	l->w[l->n] = d->ops->measure(d, 12, l->text[l->n]);
	l->x[l->n++] = x;
}

/* Where they do not all fit the last are left out: the totals say them. */
static void draw_labels(const gs_map_view *v, gs_draw *d, labels *l, int y)
{
	while (!spread(v, l))
		l->n--;
	for (int i = 0; i < l->n; i++)
		gs_draw_text(d, l->x[i], y, 12, GS_INK, l->w[i] + 2, l->text[i]);
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
	labels l = {.n = 0};

	for (int i = 0; i < b.n; i++) {
		int x = v->x + (int)((double)at / (double)b.total * v->width),
			w = pixels(v, &b, b.parts[i].bytes);
		w = x + w > v->x + v->width || i + 1 == b.n ? v->x + v->width - x : w;
		gs_draw_paint(d, x, y + LABELS, w, BAR, &b.parts[i].paint);
		add_label(&l, d, &b.parts[i], x);
		at += b.parts[i].bytes;
	}
	draw_labels(v, d, &l, y);
	gs_draw_frame(d, v->x, y + LABELS, v->width, BAR, 1, GS_LINE);
	if (v->figures.request > 0)
		draw_request(v, d, &b, y + LABELS + BAR + GAP);
}
