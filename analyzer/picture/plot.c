/* The page: headline, one panel a device (axes, bands, lines, marks, the strip of steps), the
 * legend. */
#include "analyzer/picture/plot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/canvas.h"
#include "schema/size.h"

enum {
	MARGIN = 16,
	AXIS = 84,  /* left of the plot: sizes */
	RIGHT = 96, /* right of it: names of lines */
	HEADLINE = 17,
	HEADLINE_PITCH = 24,
	HEADLINE_LINES = 4,
	SOURCE_LINE = 24,
	TITLE = 24,
	MARKS = 34, /* above the plot: what the peak and failures are */
	PLOT = 340, /* its height */
	STRIP = 18, /* below it: steps */
	TICKS = 20, /* and the axis */
	LEGEND_LINE = 20,
	LEGEND_COLUMN = 540,
	LABELS_MOST = 40
};

enum {
	RESERVED_LINE = 0x111111,
	CAPACITY_LINE = 0xb3261e,
	HOLE_LINE = 0x0b6e99,
	GRID = 0xe6e6e6,
	FAILURE = 0xb3261e
};

typedef struct panel {
	gs_plot_panel in;
	gs_plot_series series;
	int source;
	uint64_t top; /* of the axis */
	bool has_capacity;
	int64_t capacity;
} panel;

struct gs_plot {
	gs_palette palette;
	panel *panels;
	size_t n;
	int width, height, columns, x;
	char headline[512], source[512];
	int headline_lines;
};

/* --- planning ----------------------------------------------------------------------------------
 */

static int64_t capacity_of(const gs_plot_panel *in)
{
	int64_t capacity = in->device->capacity;

	for (size_t i = 0; capacity == GS_NONE && i < in->snapshot->nooms; i++)
		if (in->snapshot->ooms[i].device == in->device->device)
			capacity = in->snapshot->ooms[i].capacity;
	return capacity;
}

/* The capacity belongs to the picture unless it would press the rest flat. */
static void set_top(panel *p)
{
	uint64_t most = p->series.most ? p->series.most : 1;

	p->capacity = capacity_of(&p->in);
	p->has_capacity = p->capacity > 0 && (uint64_t)p->capacity <= most * 2;
	if (p->has_capacity && (uint64_t)p->capacity > most)
		most = (uint64_t)p->capacity;
	p->top = most + most / 20;
}

static gs_status make_palette(gs_plot *p, const gs_plot_options *options, gs_error *err)
{
	gs_palette_moment *moments = calloc(options->n + options->nalso + 1, sizeof *moments);
	gs_status status;

	if (!moments)
		return gs_fail(err, GS_NO_MEMORY, "a plot of %zu devices", options->n);
	for (size_t i = 0; i < options->n; i++)
		moments[i] = (gs_palette_moment){options->panels[i].snapshot, options->panels[i].layout,
			options->panels[i].meaning, false};
	if (options->nalso)
		memcpy(moments + options->n, options->also, options->nalso * sizeof *moments);
	status = gs_palette_init(
		&p->palette, moments, options->n + options->nalso, options->by, true, err);
	free(moments);
	return status;
}

static gs_status make_panels(gs_plot *p, const gs_plot_options *options, gs_error *err)
{
	gs_status status = GS_OK;

	for (size_t i = 0; i < options->n && !status; i++) {
		panel *made = &p->panels[p->n];
		if (!options->panels[i].history->n)
			continue;
		made->in = options->panels[i];
		made->source = gs_palette_source(&p->palette, made->in.snapshot);
		status = gs_plot_series_init(&made->series, made->in.history, made->in.meaning, &p->palette,
			made->source, options->axis, p->columns, err);
		p->n++;
		set_top(made);
	}
	if (!status && !p->n)
		status = gs_fail(
			err, GS_NOT_FOUND, "it has no events: how memory went is not known, only how it was");
	return status;
}

static gs_status write_words(gs_plot *p, const gs_plot_options *options, gs_error *err)
{
	const char *path = options->panels[0].snapshot->path, *slash = path ? strrchr(path, '/') : NULL;
	gs_canvas measure;
	gs_status status = gs_canvas_init(&measure, 1, 1, err);

	if (status)
		return status;
	snprintf(p->headline, sizeof p->headline, "%s", options->headline ? options->headline : "");
	snprintf(p->source, sizeof p->source, "gpusnap plot of %.300s, by %s",
		slash && slash[1] ? slash + 1
			: path        ? path
						  : "a snapshot",
		gs_color_word(options->by));
	p->headline_lines = gs_draw_lines(&measure.draw, 0, 0, HEADLINE, HEADLINE_PITCH, 0,
		p->width - 2 * MARGIN, HEADLINE_LINES, false, p->headline);
	gs_canvas_release(&measure);
	return GS_OK;
}

static int page_height(const gs_plot *p);

static gs_status make(gs_plot *p, const gs_plot_options *options, gs_error *err)
{
	gs_status status = GS_OK;

	p->width = options->width ? options->width : GS_PLOT_WIDTH;
	if (p->width < GS_PLOT_WIDTH_MIN || p->width > GS_PLOT_WIDTH_MAX)
		return gs_fail(err, GS_LIMIT, "a plot is %d to %d pixels wide, not %d", GS_PLOT_WIDTH_MIN,
			GS_PLOT_WIDTH_MAX, p->width);
	if (!options->n)
		return gs_fail(err, GS_NOT_FOUND, "it has no device to plot");
	p->x = MARGIN + AXIS;
	p->columns = p->width - p->x - (p->width >= 700 ? RIGHT : 8) - MARGIN;
	p->panels = calloc(options->n, sizeof *p->panels);
	if (!p->panels)
		return gs_fail(err, GS_NO_MEMORY, "a plot of %zu devices", options->n);
	status = make_palette(p, options, err);
	if (!status)
		status = make_panels(p, options, err);
	if (!status)
		status = write_words(p, options, err);
	if (!status)
		p->height = page_height(p);
	return status;
}

gs_status gs_plot_make(gs_plot **out, const gs_plot_options *options, gs_error *err)
{
	gs_plot *p = calloc(1, sizeof *p);
	gs_status status;

	*out = NULL;
	if (!p)
		return gs_fail(err, GS_NO_MEMORY, "a plot of %zu devices", options->n);
	status = make(p, options, err);
	if (status)
		gs_plot_free(p);
	else
		*out = p;
	return status;
}

void gs_plot_free(gs_plot *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		gs_plot_series_release(&p->panels[i].series);
	gs_palette_release(&p->palette);
	free(p->panels);
	free(p);
}

/* --- the plot itself ---------------------------------------------------------------------------
 */

typedef struct frame {
	const gs_plot *p;
	const panel *panel;
	gs_draw *d;
	int x, y, w; /* of the plot's area; its height is PLOT */
} frame;

/* The row of a size; PLOT rows stand for top. */
static int row_of(const frame *f, uint64_t bytes)
{
	double rows = (double)bytes / (double)f->panel->top * PLOT;

	return f->y + PLOT - (rows > PLOT ? PLOT : (int)(rows + 0.5));
}

/* A round number of bytes for the lines of the grid: four to eight of them. */
static uint64_t grid_step(uint64_t top)
{
	uint64_t step = 1;

	while (top / step > 8)
		step *= 2;
	return step;
}

static void draw_grid(const frame *f)
{
	uint64_t step = grid_step(f->panel->top);
	char size[32];

	for (uint64_t at = 0; at <= f->panel->top; at += step) {
		int y = row_of(f, at);
		gs_draw_rect(f->d, f->x, y, f->w, 1, GRID);
		gs_draw_text_right(f->d, f->x - 8, y - 8, 11, GS_FAINT, AXIS,
			at ? gs_size_format(size, sizeof size, at) : "0");
	}
}

static void draw_bands(const frame *f)
{
	const gs_plot_series *s = &f->panel->series;
	int *edges = malloc(3 * (size_t)s->n * sizeof *edges), *top = edges,
		*bottom = edges ? edges + s->n : NULL;
	uint64_t *sum = calloc((size_t)s->n, sizeof *sum);

	if (!edges || !sum) {
		free(edges);
		free(sum);
		return;
	}
	for (int i = 0; i < s->n; i++)
		bottom[i] = row_of(f, 0);
	for (int k = GS_CLASSES - 1; k >= GS_CLASS_PENDING; k--) {
		bool any = false;
		if (k == GS_CLASS_UNTOLD)
			continue;
		for (int i = 0; i < s->n; i++) {
			sum[i] += s->columns[i].bands[k];
			top[i] = row_of(f, sum[i]);
			any |= top[i] < bottom[i];
		}
		if (any)
			gs_draw_area(f->d, f->x, s->n, top, bottom, &f->p->palette.classes[k].paint);
		memcpy(bottom, top, (size_t)s->n * sizeof *bottom);
	}
	free(edges);
	free(sum);
}

/* A class's name in the widest stretch where its band is thick enough. */
static void name_band(const frame *f, int class)
{
	const gs_plot_series *s = &f->panel->series;
	const gs_swatch *c = &f->p->palette.classes[class];
	int width = *c->label ? f->d->ops->measure(f->d, 11, c->label) + 10 : 0, from = 0, low = 0,
		high = 0;

	if (!width || c->paint.pattern != GS_PLAIN)
		return;
	for (int i = 0; i < s->n; i++) {
		uint64_t below = 0;
		for (int k = GS_CLASSES - 1; k > class; k--)
			below += s->columns[i].bands[k];
		int bottom = row_of(f, below), top = row_of(f, below + s->columns[i].bands[class]);
		if (i > from && (bottom < low || top > high)) {
			low = bottom < low ? bottom : low;
			high = top > high ? top : high;
		} else if (i == from) {
			low = bottom;
			high = top;
		}
		if (low - high < 15) {
			from = i + 1;
			continue;
		}
		if (i + 1 - from >= width) {
			gs_draw_text(f->d, f->x + from + 5, (low + high) / 2 - 7, 11,
				gs_draw_contrast(c->paint.rgb), width, c->label);
			return;
		}
	}
}

/* A line through y[0 … n - 1], steps joined. */
static void draw_stroke(const frame *f, const int *y, int n, int thick, uint32_t rgb)
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
static void draw_line(const frame *f, const int *y, int n, uint32_t rgb)
{
	draw_stroke(f, y, n, 4, GS_PAPER);
	draw_stroke(f, y, n, 2, rgb);
}

static void draw_reserved(const frame *f)
{
	const gs_plot_series *s = &f->panel->series;
	int *y = malloc((size_t)s->n * sizeof *y);

	for (int i = 0; y && i < s->n; i++)
		y[i] = row_of(f, s->columns[i].reserved);
	if (y)
		draw_line(f, y, s->n, RESERVED_LINE);
	free(y);
}

/* Between samples the last one stands. */
static void draw_holes(const frame *f)
{
	const gs_plot_series *s = &f->panel->series;
	int *y = malloc((size_t)s->n * sizeof *y), last = row_of(f, 0);

	for (int i = 0; y && i < s->n; i++) {
		if (s->columns[i].hole != GS_NONE)
			last = row_of(f, (uint64_t)s->columns[i].hole);
		y[i] = last;
	}
	if (y)
		draw_line(f, y, s->n, HOLE_LINE);
	free(y);
}

/* Names of the lines, right of the plot, kept apart. */
static void name_lines(const frame *f)
{
	const gs_plot_series *s = &f->panel->series;
	int64_t hole = GS_NONE;
	int y[3], order[3] = {0, 1, 2}, n = 2;
	const char *const names[] = {"reserved", "largest hole", "capacity"};
	const uint32_t rgb[] = {RESERVED_LINE, HOLE_LINE, CAPACITY_LINE};

	if (f->p->width < 700)
		return;
	for (int i = 0; i < s->n; i++)
		hole = s->columns[i].hole != GS_NONE ? s->columns[i].hole : hole;
	y[0] = row_of(f, s->columns[s->n - 1].reserved) - 7;
	y[1] = row_of(f, hole > 0 ? (uint64_t)hole : 0) - 7;
	if (f->panel->has_capacity)
		y[n++] = row_of(f, (uint64_t)f->panel->capacity) - 7;
	for (int i = 1; i < n; i++) /* from the top */
		for (int k = i; k > 0 && y[order[k]] < y[order[k - 1]]; k--) {
			int swap = order[k];
			order[k] = order[k - 1];
			order[k - 1] = swap;
		}
	for (int i = 0, least = f->y - 20; i < n; i++) {
		int at = y[order[i]] < least ? least : y[order[i]];
		gs_draw_text(f->d, f->x + f->w + 6, at, 11, rgb[order[i]], RIGHT, names[order[i]]);
		least = at + 14;
	}
}

static void draw_capacity(const frame *f)
{
	char text[100], size[32];

	if (f->panel->has_capacity)
		gs_draw_dashes(
			f->d, f->x, row_of(f, (uint64_t)f->panel->capacity), f->w, false, 2, CAPACITY_LINE);
	else if (f->panel->capacity > 0) {
		snprintf(text, sizeof text, "the device has %s, far above this picture",
			gs_size_format(size, sizeof size, (uint64_t)f->panel->capacity));
		gs_draw_text_right(f->d, f->x + f->w - 4, f->y + 2, 11, CAPACITY_LINE, f->w, text);
	}
}

/* --- marks -------------------------------------------------------------------------------------
 */

/* A word above the plot at a column, where the words before leave room: two lines of them. */
typedef struct labels {
	int right[2];
} labels;

static bool put_label(const frame *f, labels *l, int column, uint32_t rgb, const char *text)
{
	int width = f->d->ops->measure(f->d, 11, text) + 8, x = f->x + column + 4;

	if (x + width > f->x + f->w)
		x = f->x + column - width;
	if (x < f->x)
		x = f->x;
	for (int line = 1; line >= 0; line--)
		if (x > l->right[line]) {
			gs_draw_text(f->d, x, f->y - MARKS + line * 15, 11, rgb, width, text);
			l->right[line] = x + width;
			return true;
		}
	return false;
}

static void draw_peak(const frame *f, labels *l)
{
	const gs_plot_series *s = &f->panel->series;
	char text[120], size[32];
	int column, y;

	if (s->peak < 0)
		return;
	column = gs_plot_column_of(s, (size_t)s->peak);
	y = row_of(f, s->peak_allocated);
	for (int i = 0; i < 5; i++) /* a triangle that points at it */
		gs_draw_rect(f->d, f->x + column - i, y - 4 - i, 2 * i + 1, 1, GS_INK);
	snprintf(text, sizeof text, "peak %s, event %" PRId64,
		gs_size_format(size, sizeof size, s->peak_allocated), s->peak);
	put_label(f, l, column, GS_INK, text);
}

static const gs_oom *oom_of(const gs_plot_panel *in, int64_t idx)
{
	for (size_t i = 0; i < in->snapshot->nooms; i++)
		if (in->snapshot->ooms[i].device == in->device->device && in->snapshot->ooms[i].idx == idx)
			return &in->snapshot->ooms[i];
	return NULL;
}

static void label_failure(const frame *f, labels *l, size_t event, int column)
{
	const gs_oom *oom = oom_of(&f->panel->in, (int64_t)event);
	char text[120], size[32];

	if (oom && oom->requested > 0)
		snprintf(text, sizeof text, "failed: %s asked for",
			gs_size_format(size, sizeof size, (uint64_t)oom->requested));
	else
		snprintf(text, sizeof text, "out of memory");
	put_label(f, l, column, FAILURE, text);
}

/* A line a column that has failures; the first of each is named, as far as there is room. */
static void draw_failures(const frame *f, labels *l)
{
	const gs_plot_series *s = &f->panel->series;
	const gs_trace *t = &f->panel->in.device->trace;
	int named = 0, last = -1;

	for (int i = 0; i < s->n; i++)
		if (s->columns[i].failed)
			gs_draw_rect(f->d, f->x + i - 1, f->y - 4, 2, PLOT + 4, FAILURE);
	for (size_t i = 0; i < t->n && named < LABELS_MOST; i++) {
		if (gs_event_action(&t->events[i]) != GS_ACTION_OOM)
			continue;
		int column = gs_plot_column_of(s, i);
		if (column != last)
			label_failure(f, l, i, column);
		named += column != last;
		last = column;
	}
}

/* The strip below: steps in turn light and dark, named where there is room. */
static void draw_steps(const frame *f)
{
	const gs_meaning *m = f->panel->in.meaning;
	const gs_plot_series *s = &f->panel->series;

	for (size_t i = 0; m && i < m->nsteps; i++) {
		int from = gs_plot_column_of(s, (size_t)m->steps[i].first_idx),
			to = gs_plot_column_of(s, (size_t)m->steps[i].last_idx) + 1;
		gs_draw_rect(
			f->d, f->x + from, f->y + PLOT + 2, to - from, STRIP - 4, i % 2 ? 0xd4dbe3 : 0xe9edf2);
		gs_draw_rect(f->d, f->x + from, f->y + PLOT + 2, 1, STRIP - 4, 0x8a97a6);
		if (to - from > f->d->ops->measure(f->d, 10, m->steps[i].name) + 6)
			gs_draw_text(
				f->d, f->x + from + 4, f->y + PLOT + 3, 10, GS_INK, to - from, m->steps[i].name);
	}
}

/* Annotations as ticks on top of the strip; their names where the steps leave it empty. */
static void draw_annotations(const frame *f)
{
	const gs_plot_panel *in = &f->panel->in;
	bool steps = in->meaning && in->meaning->nsteps;
	int right = 0;

	for (size_t i = 0; i < in->snapshot->nannotations; i++) {
		const gs_annotation *a = &in->snapshot->annotations[i];
		const char *name = gs_string_text(in->snapshot, a->name);
		if (a->device != in->device->device || a->time_us == GS_NONE)
			continue;
		int column = gs_plot_column_time(&f->panel->series, a->time_us), x = f->x + column,
			width = f->d->ops->measure(f->d, 10, name) + 8;
		if (column < 0)
			return;
		gs_draw_rect(f->d, x, f->y + PLOT - 3, 1, 7, 0x5d6b7a);
		if (steps || x <= right || x + width > f->x + f->w)
			continue;
		gs_draw_text(f->d, x + 3, f->y + PLOT + 3, 10, GS_FAINT, width, name);
		right = x + width;
	}
}

static void time_text(char *buf, size_t cap, double seconds)
{
	if (seconds >= 600)
		snprintf(buf, cap, "%.0f min", seconds / 60);
	else if (seconds >= 1)
		snprintf(buf, cap, "%.3g s", seconds);
	else if (seconds >= 1e-3 || seconds <= 0)
		snprintf(buf, cap, "%.3g ms", seconds * 1000);
	else
		snprintf(buf, cap, "%.3g µs", seconds * 1e6);
}

static void draw_axis(const frame *f)
{
	const gs_plot_series *s = &f->panel->series;
	int n = f->w / 180, y = f->y + PLOT + STRIP;
	char text[60];

	n = n < 1 ? 1 : n;
	for (int i = 0; i <= n; i++) {
		double part = (double)i / n, value = (double)(s->end - s->begin) * part;
		int x = f->x + (int)(part * (f->w - 1));
		if (s->timed)
			time_text(text, sizeof text, value / 1e6);
		else
			snprintf(text, sizeof text, i ? "%.0f" : "event %.0f", value);
		gs_draw_rect(f->d, x, y - 1, 1, 4, GS_FAINT);
		if (i == n)
			gs_draw_text_right(f->d, f->x + f->w, y + 3, 11, GS_FAINT, 120, text);
		else
			gs_draw_text(f->d, x + 3, y + 3, 11, GS_FAINT, 120, text);
	}
	gs_draw_rect(f->d, f->x, f->y + PLOT, f->w, 1, GS_LINE);
}

static void draw_panel(const gs_plot *p, const panel *of, gs_draw *d, int y)
{
	const char *name = gs_string_text(of->in.snapshot, of->in.device->name);
	frame f = {p, of, d, p->x, y + TITLE + MARKS, p->columns};
	labels l = {{0, 0}};
	char title[300];

	snprintf(title, sizeof title, "Device %d%s%.100s, %zu events", of->in.device->device,
		*name ? " " : "", name, of->series.history->n);
	gs_draw_rect(d, MARGIN, y, p->width - 2 * MARGIN, 1, 0xbbbbbb);
	gs_draw_text(d, MARGIN, y + 5, 13, GS_INK, p->width - 2 * MARGIN, title);
	draw_grid(&f);
	draw_bands(&f);
	for (int k = GS_CLASS_LIVE; k < GS_CLASSES; k++)
		name_band(&f, k);
	draw_capacity(&f);
	draw_reserved(&f);
	draw_holes(&f);
	draw_failures(&f, &l);
	draw_peak(&f, &l);
	draw_axis(&f);
	draw_steps(&f);
	draw_annotations(&f);
	name_lines(&f);
}

/* --- the page ----------------------------------------------------------------------------------
 */

static int panel_height(void) { return TITLE + MARKS + PLOT + STRIP + TICKS + 10; }

static int head_height(const gs_plot *p)
{
	return 10 + p->headline_lines * HEADLINE_PITCH + SOURCE_LINE;
}

static uint64_t class_bytes(const gs_plot *p, int class)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < p->n; i++) {
		const panel *n = &p->panels[i];
		gs_palette_moment moment = {n->in.snapshot, n->in.layout, n->in.meaning, false};
		for (size_t k = 0; k < n->in.layout->nblocks; k++)
			if (gs_palette_class(&p->palette, &moment, n->source, &n->in.layout->blocks[k]) ==
				class)
				bytes += n->in.layout->blocks[k].size;
	}
	return bytes;
}

static bool ever_shown(const gs_plot *p, int class)
{
	for (size_t i = 0; i < p->n; i++)
		for (int k = 0; k < p->panels[i].series.n; k++)
			if (p->panels[i].series.columns[k].bands[class])
				return true;
	return false;
}

/* A class's line in the legend; one that held nothing then is there for its band's colour alone. */
static void legend_line(const gs_plot *p, gs_draw *d, int class, int x, int y, int width)
{
	const gs_swatch *c = &p->palette.classes[class];
	uint64_t bytes = class_bytes(p, class);
	char text[600], size[32];

	gs_draw_paint(d, x, y, 24, 14, &c->paint);
	gs_draw_frame(d, x, y, 24, 14, 1, GS_LINE);
	snprintf(text, sizeof text, "%s: %s",
		bytes ? gs_size_format(size, sizeof size, bytes) : "at other times", c->name);
	gs_draw_text(d, x + 32, y, 12, GS_INK, width - 40, text);
}

/* Draws it, or counts its lines (d NULL); what was in use comes first. */
static int run_legend(const gs_plot *p, gs_draw *d, int y)
{
	int width = p->width - 2 * MARGIN, columns = width / LEGEND_COLUMN, at = 0;

	columns = columns < 1 ? 1 : columns;
	width /= columns;
	for (int i = 0; i < 2 * GS_CLASSES; i++) {
		int class = i % GS_CLASSES;
		if (class < GS_CLASS_PENDING || class == GS_CLASS_UNTOLD || !ever_shown(p, class) ||
			(class_bytes(p, class) > 0) != (i < GS_CLASSES))
			continue;
		if (d)
			legend_line(
				p, d, class, MARGIN + at % columns * width, y + at / columns * LEGEND_LINE, width);
		at++;
	}
	return (at + columns - 1) / columns;
}

static int page_height(const gs_plot *p)
{
	return head_height(p) + (int)p->n * panel_height() + 28 + run_legend(p, NULL, 0) * LEGEND_LINE +
		12;
}

/* Which devices the legend's sums are of, and at which moments. */
static void say_devices(const gs_plot *p, char *buf, size_t cap)
{
	const char *moment = p->panels[0].in.moment, *other = NULL;

	for (size_t i = 1; i < p->n; i++)
		other = strcmp(p->panels[i].in.moment, moment) ? p->panels[i].in.moment : other;
	*buf = 0;
	if (other)
		snprintf(buf, cap, ", other devices %s", other);
	else if (p->n == 2)
		snprintf(buf, cap, ", both devices");
	else if (p->n > 2)
		snprintf(buf, cap, ", all %zu devices", p->n);
}

static void draw_legend(const gs_plot *p, gs_draw *d, int y)
{
	char text[300], devices[64];

	say_devices(p, devices, sizeof devices);
	snprintf(text, sizeof text, "In use %s%s%s%s%s", p->panels[0].in.moment, devices,
		*p->palette.remark ? " (nothing to tell apart: " : "", p->palette.remark,
		*p->palette.remark ? ")" : "");
	gs_draw_text(d, MARGIN, y + 4, 13, GS_INK, p->width - 2 * MARGIN, text);
	run_legend(p, d, y + 28);
}

static void draw_picture(const void *plot, gs_draw *d)
{
	const gs_plot *p = plot;
	int y = 10, width = p->width - 2 * MARGIN;

	gs_draw_lines(d, MARGIN, y, HEADLINE, HEADLINE_PITCH, GS_INK, width, p->headline_lines, true,
		p->headline);
	y += p->headline_lines * HEADLINE_PITCH;
	gs_draw_text(d, MARGIN, y, 12, GS_FAINT, width, p->source);
	y = head_height(p);
	for (size_t i = 0; i < p->n; i++, y += panel_height())
		draw_panel(p, &p->panels[i], d, y);
	draw_legend(p, d, y);
}

gs_picture gs_plot_picture(const gs_plot *p)
{
	return (gs_picture){
		p->width, p->height, *p->headline ? p->headline : "Memory over time", draw_picture, p};
}
