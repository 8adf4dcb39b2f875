/* The page: headline, one panel a device, the legend. */
#include "analyzer/picture/plot_internal.h"

#include <inttypes.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/canvas.h"
#include "schema/size.h"

enum {
	HEADLINE = 17,
	HEADLINE_PITCH = 24,
	HEADLINE_LINES = 4,
	SOURCE_LINE = 24,
	LEGEND_LINE = 20,
	LEGEND_COLUMN = 540
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
static void set_top(gs_plot_row *p)
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

/* The band of what figures alone tell. */
static void name_untold(gs_swatch *swatch, const gs_trace *t)
{
	*swatch = (gs_swatch){.paint = {.rgb = 0xc9ced6}};
	snprintf(swatch->name, sizeof swatch->name,
		"in use, by whom is not looked at (of events %" PRIu64 " to %" PRIu64 " it is)", t->first,
		t->first + t->n - 1);
	snprintf(swatch->label, sizeof swatch->label, "in use");
}

static gs_status make_panels(gs_plot *p, const gs_plot_options *options, gs_error *err)
{
	gs_status status = GS_OK;

	for (size_t i = 0; i < options->n && !status; i++) {
		gs_plot_row *made = &p->panels[p->n];
		if (!options->panels[i].history->n)
			continue;
		made->in = options->panels[i];
		made->source = gs_palette_source(&p->palette, made->in.snapshot);
		status = gs_plot_series_init(&made->series, made->in.history, made->in.meaning, &p->palette,
			made->source, options->axis, p->columns, err);
		p->n++;
		set_top(made);
		if (made->series.course)
			name_untold(&p->palette.classes[GS_CLASS_UNTOLD], &made->in.device->trace);
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
		p->width - 2 * GS_PLOT_MARGIN, HEADLINE_LINES, false, p->headline);
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
	p->x = GS_PLOT_MARGIN + GS_PLOT_AXIS;
	p->columns = p->width - p->x - (p->width >= 700 ? GS_PLOT_RIGHT : 8) - GS_PLOT_MARGIN;
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

/* --- the page ----------------------------------------------------------------------------------
 */

static int panel_height(void)
{
	return GS_PLOT_TITLE + GS_PLOT_MARKS + GS_PLOT_HEIGHT + GS_PLOT_STRIP + GS_PLOT_TICKS + 10;
}

static int head_height(const gs_plot *p)
{
	return 10 + p->headline_lines * HEADLINE_PITCH + SOURCE_LINE;
}

static uint64_t class_bytes(const gs_plot *p, int class)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < p->n; i++) {
		const gs_plot_row *n = &p->panels[i];
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
	int width = p->width - 2 * GS_PLOT_MARGIN, columns = width / LEGEND_COLUMN, at = 0;

	columns = columns < 1 ? 1 : columns;
	width /= columns;
	for (int i = 0; i < 2 * GS_CLASSES; i++) {
		int class = i % GS_CLASSES;
		if (class < GS_CLASS_PENDING || !ever_shown(p, class) ||
			(class_bytes(p, class) > 0) != (i < GS_CLASSES))
			continue;
		if (d)
			legend_line(p, d, class, GS_PLOT_MARGIN + at % columns * width,
				y + at / columns * LEGEND_LINE, width);
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
	gs_draw_text(d, GS_PLOT_MARGIN, y + 4, 13, GS_INK, p->width - 2 * GS_PLOT_MARGIN, text);
	run_legend(p, d, y + 28);
}

static void draw_panel(const gs_plot *p, const gs_plot_row *of, gs_draw *d, int y)
{
	const char *name = gs_string_text(of->in.snapshot, of->in.device->name);
	gs_plot_frame f = {p, of, d, p->x, y + GS_PLOT_TITLE + GS_PLOT_MARKS, p->columns};
	char title[300];

	snprintf(title, sizeof title, "Device %d%s%.100s, %" PRIu64 " events", of->in.device->device,
		*name ? " " : "", name, gs_plot_events(&of->series));
	gs_draw_rect(d, GS_PLOT_MARGIN, y, p->width - 2 * GS_PLOT_MARGIN, 1, 0xbbbbbb);
	gs_draw_text(d, GS_PLOT_MARGIN, y + 5, 13, GS_INK, p->width - 2 * GS_PLOT_MARGIN, title);
	gs_plot_draw_area(&f);
	gs_plot_draw_marks(&f);
	gs_plot_name_lines(&f);
}

static void draw_picture(const void *plot, gs_draw *d)
{
	const gs_plot *p = plot;
	int y = 10, width = p->width - 2 * GS_PLOT_MARGIN;

	gs_draw_lines(d, GS_PLOT_MARGIN, y, HEADLINE, HEADLINE_PITCH, GS_INK, width, p->headline_lines,
		true, p->headline);
	y += p->headline_lines * HEADLINE_PITCH;
	gs_draw_text(d, GS_PLOT_MARGIN, y, 12, GS_FAINT, width, p->source);
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
