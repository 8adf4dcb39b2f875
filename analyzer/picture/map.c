/* The page: title, one panel a device (sentence, totals, bars, rows with their addresses), the
 * legend. */
#include "analyzer/picture/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/picture/map_paint.h"
#include "analyzer/picture/map_palette.h"
#include "analyzer/picture/map_plan.h"
#include "analyzer/picture/map_scale.h"
#include "schema/size.h"

enum {
	MARGIN = 16,
	GUTTER = 112,
	ROW = 1024,
	SIDE = 176,
	WIDTH = MARGIN + GUTTER + ROW + SIDE + MARGIN,
	TITLE = 34,
	PANEL_TITLE = 26,
	LINE = 19,
	CAPTION = 22,
	LEGEND_LINE = 20,
	LEGEND_COLUMN = 430,
	ROWS_ALL = 44,
	ROWS_LEAST = 6
};

typedef struct panel {
	gs_map_panel in;
	gs_map_plan plan;
	gs_map_figures figures;
	gs_totals totals;
} panel;

struct gs_map {
	const gs_snapshot *snapshot;
	gs_map_palette palette;
	panel *panels;
	size_t n;
};

static int panel_height(const panel *p)
{
	int bars = gs_map_bars(&p->figures);

	return PANEL_TITLE + 2 * LINE + (bars ? 8 + bars * GS_MAP_BAR_PITCH : 0) + CAPTION + 8 +
		p->plan.rows * GS_MAP_PITCH + 14;
}

gs_status gs_map_make(gs_map **out, const gs_snapshot *snapshot, const gs_map_panel *panels,
	size_t n, gs_map_color color, gs_error *err)
{
	gs_map *m = calloc(1, sizeof *m);
	int rows = ROWS_ALL / (int)(n ? n : 1);
	gs_status status = GS_OK;

	*out = NULL;
	if (!m || !(m->panels = calloc(n + 1, sizeof *m->panels))) {
		free(m);
		return gs_fail(err, GS_NO_MEMORY, "a map of %zu devices", n);
	}
	m->snapshot = snapshot;
	if (n < 1 || n > GS_MAP_PANELS_MAX)
		status = gs_fail(err, GS_INVALID,
			"a map shows 1 to %d devices, not %zu: choose one with -d", GS_MAP_PANELS_MAX, n);
	for (; m->n < n && !status; m->n++) {
		panel *p = &m->panels[m->n];
		p->in = panels[m->n];
		if (!p->in.layout->nsegments) {
			status = gs_fail(
				err, GS_INVALID, "device %d has no segment to draw", p->in.device->device);
			break;
		}
		gs_layout_totals(p->in.layout, &p->totals);
		status = gs_map_plan_init(
			&p->plan, p->in.layout, ROW, rows < ROWS_LEAST ? ROWS_LEAST : rows, err);
		if (!status)
			status = gs_map_figures_init(&p->figures, &p->in, err);
	}
	if (!status)
		status = gs_map_palette_init(&m->palette, snapshot, panels, n, color, err);
	if (status)
		gs_map_free(m);
	else
		*out = m;
	return status;
}

void gs_map_free(gs_map *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++) {
		gs_map_plan_release(&m->panels[i].plan);
		gs_map_figures_release(&m->panels[i].figures);
	}
	gs_map_palette_release(&m->palette);
	free(m->panels);
	free(m);
}

/* --- legend ------------------------------------------------------------------------------------
 */

static bool class_shown(const gs_map_palette *p, int i)
{
	return i < p->n &&
		(p->classes[i].bytes || i == GS_MAP_FREE || (i == GS_MAP_LIVE && p->color == GS_MAP_STATE));
}

static int legend_entries(const gs_map *m)
{
	int n = 1 + (m->palette.pin_blocks > 0), holes = 0;

	for (int i = 0; i < GS_MAP_CLASSES; i++)
		n += class_shown(&m->palette, i);
	for (size_t k = 0; k < m->n; k++)
		holes |= m->panels[k].figures.holes > 0;
	return n + holes;
}

static int legend_height(const gs_map *m)
{
	int columns = (WIDTH - 2 * MARGIN) / LEGEND_COLUMN;

	return 26 + (legend_entries(m) + columns - 1) / columns * LEGEND_LINE + MARGIN;
}

typedef struct legend {
	gs_draw *d;
	int x, y;
} legend;

static void legend_text(legend *l, const char *text)
{
	gs_draw_text(l->d, l->x + 30, l->y, 12, GS_MAP_INK, LEGEND_COLUMN - 44, text);
	l->x += LEGEND_COLUMN;
	if (l->x + LEGEND_COLUMN > WIDTH) {
		l->x = MARGIN;
		l->y += LEGEND_LINE;
	}
}

static void legend_class(legend *l, const gs_map_class *c, const char *unit)
{
	char text[320], size[32];

	gs_draw_rect(l->d, l->x, l->y + 1, 22, 13, c->rgb);
	gs_draw_frame(l->d, l->x, l->y + 1, 22, 13, 1, GS_MAP_SEGMENT_LINE);
	gs_size_format(size, sizeof size, c->bytes);
	if (c->blocks)
		snprintf(text, sizeof text, "%s in %zu %s%s: %s", size, c->blocks, unit,
			c->blocks == 1 ? "" : "s", c->name);
	else
		snprintf(text, sizeof text, "%s: %s", size, c->name);
	legend_text(l, text);
}

static void draw_legend(const gs_map *m, gs_draw *d, int y)
{
	const gs_map_palette *p = &m->palette;
	legend l = {d, MARGIN, y + 26};
	char text[320], size[32];
	bool holes = false, failed = false;

	snprintf(text, sizeof text,
		p->color == GS_MAP_STATE ? "Legend" : "Legend: allocated blocks by %s",
		p->color == GS_MAP_STACK
			? "the stack that allocated them (its first frame of the user's own)"
			: gs_map_color_text(p->color));
	gs_draw_text(d, MARGIN, y + 4, 13, GS_MAP_INK, WIDTH, text);
	for (int i = GS_MAP_LIVE; i < GS_MAP_CLASSES; i++)
		if (class_shown(p, i))
			legend_class(&l, &p->classes[i], "block");
	for (int i = 0; i < GS_MAP_LIVE; i++)
		if (class_shown(p, i))
			legend_class(&l, &p->classes[i], i == GS_MAP_FREE ? "hole" : "block");
	if (p->pin_blocks) {
		gs_draw_frame(d, l.x, l.y + 1, 22, 13, 2, GS_MAP_PIN_LINE);
		snprintf(text, sizeof text, "%s in %zu block%s: pinning, in partly free segments",
			gs_size_format(size, sizeof size, p->pin_bytes), p->pin_blocks,
			p->pin_blocks == 1 ? "" : "s");
		legend_text(&l, text);
	}
	for (size_t k = 0; k < m->n; k++) {
		holes |= m->panels[k].figures.holes > 0;
		failed |= m->panels[k].in.oom != NULL;
	}
	if (holes) {
		gs_draw_frame(d, l.x, l.y + 1, 22, 13, 2, GS_MAP_HOLE_LINE);
		legend_text(
			&l, failed ? "the largest hole that the request could have used" : "the largest hole");
	}
	gs_draw_frame(d, l.x, l.y + 1, 22, 13, 1, GS_MAP_SEGMENT_LINE);
	legend_text(&l, "a segment, as taken from the driver");
}

/* --- a panel -----------------------------------------------------------------------------------
 */

static void count_text(char *buf, size_t cap, size_t n, const char *unit)
{
	snprintf(buf, cap, "%zu %s%s", n, unit, n == 1 ? "" : "s");
}

static void draw_totals(const panel *p, gs_draw *d, int y)
{
	const gs_totals *t = &p->totals;
	char text[400], a[32], b[32], c[32], segments[48], blocks[48], holes[48];
	int n;

	count_text(segments, sizeof segments, t->segments, "segment");
	count_text(blocks, sizeof blocks, t->blocks, "block");
	count_text(holes, sizeof holes, t->free_blocks, "hole");
	n = snprintf(text, sizeof text, "Reserved %s in %s, %s: allocated %s, free %s in %s",
		gs_size_format(a, sizeof a, t->reserved), segments, blocks,
		gs_size_format(b, sizeof b, t->allocated), gs_size_format(c, sizeof c, t->free), holes);
	if (t->pending)
		n += snprintf(text + n, sizeof text - (size_t)n, ", waiting for other streams %s",
			gs_size_format(a, sizeof a, t->pending));
	if (t->rounding)
		n += snprintf(text + n, sizeof text - (size_t)n, "; lost to rounding %s",
			gs_size_format(a, sizeof a, t->rounding));
	if (p->figures.capacity != GS_NONE)
		n += snprintf(text + n, sizeof text - (size_t)n, "; device of %s",
			gs_size_format(a, sizeof a, (uint64_t)p->figures.capacity));
	if (!p->in.layout->exact)
		snprintf(text + n, sizeof text - (size_t)n, " (not exact: %.120s)",
			p->in.layout->note[0] ? p->in.layout->note : "rebuilt with bounds");
	gs_draw_text(d, MARGIN, y, 12, GS_MAP_INK, WIDTH - 2 * MARGIN, text);
}

static void draw_title(const gs_map *m, const panel *p, gs_draw *d, int y)
{
	char text[400], moment[64] = "";
	const char *name = gs_string_text(m->snapshot, p->in.device->name);

	if (p->in.layout->idx != GS_NONE)
		snprintf(moment, sizeof moment, ", after event %" PRId64, p->in.layout->idx);
	snprintf(text, sizeof text, "Device %d%s%.100s · state: %s%s", p->in.device->device,
		*name ? " · " : "", name, p->in.state ? p->in.state : "captured", moment);
	gs_draw_rect(d, MARGIN, y, WIDTH - 2 * MARGIN, 1, GS_MAP_FAINT);
	gs_draw_text(d, MARGIN, y + 6, 14, GS_MAP_INK, WIDTH - 2 * MARGIN, text);
}

static void draw_caption(const panel *p, gs_draw *d, int y)
{
	char text[240], pixel[32], row[32];
	static const char *const flows[] = {
		[GS_MAP_OWN_ROWS] = "each segment begins a row",
		[GS_MAP_FLOWING] = "segments follow each other by address",
		[GS_MAP_PACKED] = "segments follow each other by address, several in a pixel",
	};

	snprintf(text, sizeof text,
		"The heap: one pixel is %s, a row %s; %s; blocks thinner than a pixel share its height",
		gs_size_format(pixel, sizeof pixel, 1ull << p->plan.shift),
		gs_size_format(row, sizeof row, (uint64_t)ROW << p->plan.shift), flows[p->plan.flow]);
	gs_draw_text(d, MARGIN + GUTTER, y, 12, GS_MAP_FAINT, ROW + SIDE, text);
}

/* Left of a row: the address of its first byte (of the segment that begins it, or in whose middle
 * it is). */
static void draw_address(const gs_segment *s, uint64_t offset, gs_draw *d, int y)
{
	char text[40];

	if (s->has_address)
		snprintf(text, sizeof text, "0x%" PRIx64, s->address + offset);
	else
		snprintf(text, sizeof text, offset ? "" : "no address");
	gs_draw_text_right(
		d, MARGIN + GUTTER - 8, y, 10, offset ? GS_MAP_FAINT : GS_MAP_INK, GUTTER, text);
}

/* Right of a row: the first segment that begins in it, and how many more do. */
static void draw_side(const gs_segment *s, size_t count, gs_draw *d, int y)
{
	char text[160], size[32], more[32] = "", pool[64] = "", stream[32] = "";

	if (count > 1)
		snprintf(more, sizeof more, "  + %zu more", count - 1);
	if (s->pool_id.a || s->pool_id.b)
		snprintf(pool, sizeof pool, " pool %" PRIu64 ",%" PRIu64, s->pool_id.a, s->pool_id.b);
	if (s->stream)
		snprintf(stream, sizeof stream, s->stream < 10 ? " stream %" PRIu64 : " stream 0x%" PRIx64,
			s->stream);
	snprintf(text, sizeof text, "%s%s%s%s%s%s", gs_size_format(size, sizeof size, s->size),
		s->pool == GS_SMALL       ? " small"
			: s->pool == GS_LARGE ? " large"
								  : "",
		s->expandable ? " expandable" : "", pool, stream, more);
	gs_draw_text(d, MARGIN + GUTTER + ROW + 8, y, 10, GS_MAP_FAINT, SIDE - 8, text);
}

/* Addresses and segments beside the rows. */
static void draw_sides(const panel *p, gs_draw *d, int y)
{
	const gs_layout *l = p->in.layout;
	uint64_t row_bytes = (uint64_t)ROW << p->plan.shift;
	size_t k = 0;

	for (int row = 0; row < p->plan.rows; row++, y += GS_MAP_PITCH) {
		uint64_t from = (uint64_t)row * row_bytes, to = from + row_bytes;
		while (k + 1 < l->nsegments &&
			p->plan.start[k] + (l->segments[k].size ? l->segments[k].size : 1) <= from)
			k++;
		draw_address(&l->segments[k], p->plan.start[k] < from ? from - p->plan.start[k] : 0, d, y);
		size_t first = p->plan.start[k] < from ? k + 1 : k, end = first;
		while (end < l->nsegments && p->plan.start[end] < to)
			end++;
		if (end > first)
			draw_side(&l->segments[first], end - first, d, y);
	}
}

static void draw_panel(const gs_map *m, const panel *p, gs_draw *d, int y)
{
	char text[400];

	draw_title(m, p, d, y);
	y += PANEL_TITLE;
	gs_map_figures_text(&p->figures, &p->in, text, sizeof text);
	text[0] = (char)(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 32 : text[0]);
	gs_draw_text(d, MARGIN, y, 13, GS_MAP_INK, WIDTH - 2 * MARGIN, text);
	draw_totals(p, d, y + LINE);
	y += 2 * LINE;
	if (gs_map_bars(&p->figures)) {
		gs_map_draw_bars(&p->figures, p->in.layout, d, MARGIN, y + 8, WIDTH - 2 * MARGIN);
		y += 8 + gs_map_bars(&p->figures) * GS_MAP_BAR_PITCH;
	}
	draw_caption(p, d, y + 4);
	y += CAPTION + 8;
	gs_map_paint(&p->plan, &m->palette, p->in.layout, p->figures.hole, d, MARGIN + GUTTER, y);
	draw_sides(p, d, y);
}

/* --- the page ----------------------------------------------------------------------------------
 */

int gs_map_width(const gs_map *m)
{
	(void)m;
	return WIDTH;
}

int gs_map_height(const gs_map *m)
{
	int h = TITLE + legend_height(m);

	for (size_t i = 0; i < m->n; i++)
		h += panel_height(&m->panels[i]);
	return h;
}

void gs_map_draw(const gs_map *m, gs_draw *d)
{
	const char *path = m->snapshot->path ? m->snapshot->path : "a snapshot",
			   *slash = strrchr(path, '/');
	char title[400];
	int y = TITLE;

	snprintf(title, sizeof title, "gpusnap map of %.300s · coloured by %s",
		slash && slash[1] ? slash + 1 : path, gs_map_color_text(m->palette.color));
	gs_draw_text(d, MARGIN, 8, 16, GS_MAP_INK, WIDTH - 2 * MARGIN, title);
	for (size_t i = 0; i < m->n; i++) {
		draw_panel(m, &m->panels[i], d, y);
		y += panel_height(&m->panels[i]);
	}
	draw_legend(m, d, y);
}

static void draw_picture(const void *map, gs_draw *d) { gs_map_draw(map, d); }

gs_picture gs_map_picture(const gs_map *m)
{
	return (gs_picture){gs_map_width(m), gs_map_height(m), "Map of the heap", draw_picture, m};
}
