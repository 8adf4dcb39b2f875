/* Bands and lines of a device's plot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/picture/plot_internal.h"
#include "schema/size.h"

enum {
	RESERVED_LINE = 0x111111,
	CAPACITY_LINE = 0xb3261e,
	HOLE_LINE = 0x0b6e99,
	GRID = 0xe6e6e6,
	FAILURE = 0xb3261e
};

/* NOWHERE: no row; CLEAR: rows between a line and letters; LETTERS: their height with a margin. */
enum { NOWHERE = -100000, CLEAR = 4, LETTERS = 15 };

/* A round number of bytes for the lines of the grid: four to eight of them. */
static uint64_t grid_step(uint64_t top)
{
	uint64_t step = 1;

	while (top / step > 8)
		step *= 2;
	return step;
}

static void draw_grid(const gs_plot_frame *f)
{
	uint64_t step = grid_step(f->row->top);
	char size[32];

	for (uint64_t at = 0; at <= f->row->top; at += step) {
		int y = gs_plot_row_of(f, at);
		gs_draw_rect(f->d, f->x, y, f->w, 1, GRID);
		gs_draw_text_right(f->d, f->x - 8, y - 8, 11, GS_FAINT, GS_PLOT_AXIS,
			at ? gs_size_format(size, sizeof size, at) : "0");
	}
}

static void draw_bands(const gs_plot_frame *f)
{
	const gs_plot_series *s = &f->row->series;
	int *edges = malloc(3 * (size_t)s->n * sizeof *edges), *top = edges,
		*bottom = edges ? edges + s->n : NULL;
	uint64_t *sum = calloc((size_t)s->n, sizeof *sum);

	if (!edges || !sum) {
		free(edges);
		free(sum);
		return;
	}
	for (int i = 0; i < s->n; i++)
		bottom[i] = gs_plot_row_of(f, 0);
	for (int k = GS_CLASSES - 1; k >= GS_CLASS_PENDING; k--) {
		bool any = false;
		if (k == GS_CLASS_UNTOLD && !s->course)
			continue;
		for (int i = 0; i < s->n; i++) {
			sum[i] += s->columns[i].bands[k];
			top[i] = gs_plot_row_of(f, sum[i]);
			any |= top[i] < bottom[i];
		}
		if (any)
			gs_draw_area(f->d, f->x, s->n, top, bottom, &f->p->palette.classes[k].paint);
		memcpy(bottom, top, (size_t)s->n * sizeof *bottom);
	}
	free(edges);
	free(sum);
}

/* A line through y[0 … n - 1], steps joined. */
static void draw_stroke(const gs_plot_frame *f, const int *y, int n, int thick, uint32_t rgb)
{
	int *top = malloc(2 * (size_t)n * sizeof *top), *bottom = top ? top + n : NULL;

	for (int i = 0; top && i < n; i++) {
		int before = i ? y[i - 1] : y[i];
		top[i] = (y[i] < before ? y[i] : before) - thick / 2;
		bottom[i] = (y[i] > before ? y[i] : before) + thick / 2;
	}
	if (top)
		gs_draw_area(f->d, f->x, n, top, bottom, &(gs_paint){.rgb = rgb});
	free(top);
}

/* Two pixels thick, with a light edge where it crosses dark bands. */
static void draw_line(const gs_plot_frame *f, const int *y, int n, uint32_t rgb)
{
	draw_stroke(f, y, n, 4, GS_PAPER);
	draw_stroke(f, y, n, 2, rgb);
}

static void draw_reserved(const gs_plot_frame *f)
{
	const gs_plot_series *s = &f->row->series;
	int *y = malloc((size_t)s->n * sizeof *y);

	for (int i = 0; y && i < s->n; i++)
		y[i] = gs_plot_row_of(f, s->columns[i].reserved);
	if (y)
		draw_line(f, y, s->n, RESERVED_LINE);
	free(y);
}

/* The line of the largest hole: its row in each column. Between samples the last one stands;
 * figures tell of none, and columns without a line get NOWHERE. NULL: memory is short. */
static int *hole_rows(const gs_plot_frame *f, int *from, int *end)
{
	const gs_plot_series *s = &f->row->series;
	int *y = malloc((size_t)s->n * sizeof *y), last = gs_plot_row_of(f, 0);

	*from = 0;
	*end = s->n;
	if (s->course) {
		*from = gs_plot_column_of(s, 0);
		*end = gs_plot_column_of(s, s->history->n - 1) + 1;
	}
	for (int i = 0; y && i < s->n; i++) {
		if (i >= *from && i < *end && s->columns[i].hole != GS_NONE)
			last = gs_plot_row_of(f, (uint64_t)s->columns[i].hole);
		y[i] = i >= *from && i < *end ? last : NOWHERE;
	}
	return y;
}

/* The rows between which a class's band lies in a column. */
static void rows_of_band(const gs_plot_frame *f, int class, int column, int *high, int *low)
{
	const uint64_t *bands = f->row->series.columns[column].bands;
	uint64_t below = 0;
	for (int k = GS_CLASSES - 1; k > class; k--)
		below += bands[k];
	*low = gs_plot_row_of(f, below);
	*high = gs_plot_row_of(f, below + bands[class]);
}

/* Leaves of them what lies above, or below, the line of the holes, which may jump here. */
static void keep_off_line(const int *line, int column, bool above, int *high, int *low)
{
	int before = column && line[column - 1] != NOWHERE ? line[column - 1] : line[column];
	int first = before < line[column] ? before : line[column];
	int last = before < line[column] ? line[column] : before;
	if (line[column] == NOWHERE || last + CLEAR < *high || first - CLEAR > *low)
		return;
	if (above)
		*low = first - CLEAR;
	else
		*high = last + CLEAR;
}

/* A class's name in the first stretch where its band is thick enough on one side of the line of the
 * holes; false: there is none. */
static bool name_band(const gs_plot_frame *f, int class, const int *line, bool above)
{
	const gs_plot_series *s = &f->row->series;
	const gs_swatch *c = &f->p->palette.classes[class];
	int width = *c->label ? f->d->ops->measure(f->d, 11, c->label) + 10 : 0, from = 0, low = 0,
		high = 0;

	if (!width || c->paint.pattern != GS_PLAIN)
		return false;
	for (int i = 0; i < s->n; i++) {
		int top, bottom;
		rows_of_band(f, class, i, &top, &bottom);
		keep_off_line(line, i, above, &top, &bottom);
		low = i == from || bottom < low ? bottom : low;
		high = i == from || top > high ? top : high;
		if (low - high < LETTERS) {
			from = i + 1;
			continue;
		}
		if (i + 1 - from >= width) {
			gs_draw_text(f->d, f->x + from + 5, (low + high) / 2 - 7, 11,
				gs_draw_contrast(c->paint.rgb), width, c->label);
			return true;
		}
	}
	return false;
}

/* Names of the lines, right of the plot, kept apart. */
void gs_plot_name_lines(const gs_plot_frame *f)
{
	const gs_plot_series *s = &f->row->series;
	int64_t hole = GS_NONE;
	int y[3], order[3] = {0, 1, 2}, n = 2;
	const char *const names[] = {"reserved", "largest hole", "capacity"};
	const uint32_t rgb[] = {RESERVED_LINE, HOLE_LINE, CAPACITY_LINE};

	if (f->p->width < 700)
		return;
	for (int i = 0; i < s->n; i++)
		hole = s->columns[i].hole != GS_NONE ? s->columns[i].hole : hole;
	y[0] = gs_plot_row_of(f, s->columns[s->n - 1].reserved) - 7;
	y[1] = gs_plot_row_of(f, hole > 0 ? (uint64_t)hole : 0) - 7;
	if (f->row->has_capacity)
		y[n++] = gs_plot_row_of(f, (uint64_t)f->row->capacity) - 7;
	for (int i = 1; i < n; i++) /* from the top */
		for (int k = i; k > 0 && y[order[k]] < y[order[k - 1]]; k--) {
			int swap = order[k];
			order[k] = order[k - 1];
			order[k - 1] = swap;
		}
	for (int i = 0, least = f->y - 20; i < n; i++) {
		int at = y[order[i]] < least ? least : y[order[i]];
		gs_draw_text(f->d, f->x + f->w + 6, at, 11, rgb[order[i]], GS_PLOT_RIGHT, names[order[i]]);
		least = at + 14;
	}
}

static void draw_capacity(const gs_plot_frame *f)
{
	char text[100], size[32];

	if (f->row->has_capacity)
		gs_draw_dashes(f->d, f->x, gs_plot_row_of(f, (uint64_t)f->row->capacity), f->w, false, 2,
			CAPACITY_LINE);
	else if (f->row->capacity > 0) {
		snprintf(text, sizeof text, "the device has %s, far above this picture",
			gs_size_format(size, sizeof size, (uint64_t)f->row->capacity));
		gs_draw_text_right(f->d, f->x + f->w - 4, f->y + 2, 11, CAPACITY_LINE, f->w, text);
	}
}

void gs_plot_draw_area(const gs_plot_frame *f)
{
	int from, end, *holes = hole_rows(f, &from, &end);
	gs_plot_frame part = *f;

	draw_grid(f);
	draw_bands(f);
	draw_capacity(f);
	draw_reserved(f);
	part.x += from;
	if (holes)
		draw_line(&part, holes + from, end - from, HOLE_LINE);
	for (int k = GS_CLASS_LIVE; holes && k < GS_CLASSES; k++)
		if (!name_band(f, k, holes, true))
			name_band(f, k, holes, false);
	free(holes);
}
