/* The page: headline, one panel a device (title, bar, rows with their addresses), the legend. */
#include "analyzer/picture/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/canvas.h"
#include "analyzer/picture/map_internal.h"
#include "schema/size.h"

enum {
	GUTTER = 112, /* addresses, left of the rows */
	SIDE = 150,   /* segments, right of them */
	WIDE = 900,   /* from this width on there is room for both */
	COLUMN_GAP = 24,
	HEADLINE = 17,
	HEADLINE_PITCH = 24,
	HEADLINE_LINES = 4,
	SOURCE_LINE = 20,
	PANEL_TITLE = 26,
	LINE = 18,
	LEGEND_LINE = 20,
	LEGEND_COLUMN = 540,
	ROWS_ALL = 44,
	ROWS_LEAST = 6
};

typedef struct panel {
	gs_map_view now, before;
} panel;

struct gs_map {
	gs_palette palette;
	panel *panels;
	size_t n;
	bool both; /* two moments side by side */
	int width, height;
	char headline[512], source[512];
	int headline_lines;
};

/* --- planning ----------------------------------------------------------------------------------
 */

/* The cheapest eviction, if it is known to be enough: a run of blocks, or some whole segments. */
static gs_status choose_eviction(gs_map_view *v, gs_error *err)
{
	const gs_diagnosis *d = v->in.diagnosis;
	const gs_eviction *e = d && d->nevictions ? &d->evictions[0] : NULL;

	if (!e || !e->sufficient || !e->live_bytes || e->first + e->nblocks > v->in.layout->nblocks)
		return GS_OK;
	v->evict_bytes = e->live_bytes;
	v->evict_first = e->first;
	v->evict_blocks = e->segment == SIZE_MAX ? 0 : e->nblocks;
	if (e->segment != SIZE_MAX || d->ask < 0)
		return GS_OK;
	v->emptied = calloc(v->in.layout->nsegments + 1, sizeof *v->emptied);
	if (!v->emptied ||
		gs_blame_emptied(
			d->policy, v->in.layout, (uint64_t)d->ask, gs_diagnosis_left(d), v->emptied))
		return gs_fail(err, GS_NO_MEMORY, "marking segments");
	return GS_OK;
}

/* The row below which the largest hole's label and the ghost stand, and how many rows it takes;
 * false: more than are drawn. */
static bool place_ghost(gs_map_view *v)
{
	const gs_map_figures *f = &v->figures;
	uint64_t row = (uint64_t)v->plan.row_pixels, first = 0, last = 0, whole = 1ull << v->plan.shift;
	size_t hole = gs_map_usable(f)->largest_at;
	const gs_block *b = hole < v->in.layout->nblocks ? &v->in.layout->blocks[hole] : NULL;

	v->hole_row = v->plan.rows - 1;
	if (b) {
		uint64_t start = v->plan.start[b->segment] +
			(b->address - v->in.layout->segments[b->segment].address);
		first = start >> v->plan.shift;
		last = (start + b->size - 1) >> v->plan.shift;
		v->hole_row = (int)(last / row);
	}
	if (v->hole_row >= v->plan.rows)
		v->hole_row = v->plan.rows - 1;
	uint64_t pixels = f->request > 0 ? ((uint64_t)f->request + whole - 1) >> v->plan.shift : 0,
			 rows = pixels ? (first % row + pixels + row - 1) / row : 0;
	v->ghost_rows = rows > GS_MAP_GHOST_ROWS ? GS_MAP_GHOST_ROWS : (int)rows;
	return rows <= GS_MAP_GHOST_ROWS;
}

/* The class of each block, and what the legend tells of the classes. */
static gs_status classify(gs_map_view *v, const gs_palette *palette, gs_error *err)
{
	const gs_layout *l = v->in.layout;

	v->source = gs_palette_source(palette, v->in.snapshot);
	v->classes = malloc(l->nblocks + 1);
	if (!v->classes)
		return gs_fail(err, GS_NO_MEMORY, "colours of %zu blocks", l->nblocks);
	for (size_t k = 0; k < l->nsegments; k++) {
		const gs_segment *s = &l->segments[k];
		uint64_t told = 0;
		for (size_t i = s->first_block; i < s->first_block + s->nblocks; i++) {
			int class = gs_palette_class(palette, &v->moment, v->source, &l->blocks[i]);
			if (class == GS_CLASS_FREE)
				gs_free_for_add(
					&v->figures.free, (gs_pool_relation)v->figures.relation[k], &l->blocks[i], i);
			if (class == GS_CLASS_FREE && v->figures.relation[k])
				class = GS_CLASS_UNUSABLE;
			v->classes[i] = (uint8_t) class;
			v->bytes[class] += l->blocks[i].size;
			v->blocks[class]++;
			told += l->blocks[i].size;
			v->largest = l->blocks[i].size > v->largest ? l->blocks[i].size : v->largest;
		}
		if (told < s->size)
			v->bytes[GS_CLASS_UNTOLD] += s->size - told;
	}
	return GS_OK;
}

static gs_status begin_view(gs_map_view *v, const gs_map_panel *in, gs_error *err)
{
	v->in = *in;
	v->moment = (gs_palette_moment){in->snapshot, in->layout, in->meaning, false};
	if (!in->layout)
		return GS_OK;
	if (!in->layout->nsegments)
		return gs_fail(err, GS_INVALID, "device %d has no segment to draw", in->device->device);
	gs_layout_totals(in->layout, &v->totals);
	v->rounding = in->diagnosis && in->diagnosis->verdict == GS_STEP_ROUNDING;
	gs_status status = choose_eviction(v, err);
	return status ? status : gs_map_figures_init(&v->figures, in, err);
}

/* A round number of them, so that a row is a round number of bytes. */
static int row_pixels(int room) { return room / 64 * 64; }

/* Plans the rows at 2^least_shift bytes a pixel or more. */
static gs_status plan_rows(
	gs_map_view *v, int pixels, int rows, unsigned least_shift, bool *whole, gs_error *err)
{
	gs_map_plan_release(&v->plan);
	gs_status status = gs_map_plan_init(&v->plan, v->in.layout, pixels, rows, least_shift, err);

	if (!status)
		*whole = place_ghost(v);
	return status;
}

/* Places it between x and x + width; to a coarser scale, if that shows the whole request and leaves
 * the heap some rows. */
static gs_status plan_view(
	gs_map_view *v, int x, int width, int rows, unsigned least_shift, gs_error *err)
{
	bool sides = width >= WIDE, whole = false;
	int pixels = row_pixels(width - (sides ? GUTTER + SIDE : 4));
	unsigned finest;
	gs_status status;

	v->x = x;
	v->width = width;
	v->row_x = x + (sides ? GUTTER : 2);
	if (!v->in.layout)
		return GS_OK;
	status = plan_rows(v, pixels, rows, least_shift, &whole, err);
	finest = v->plan.shift;
	while (!status && !whole &&
		v->totals.reserved >> (v->plan.shift + 1) >= (uint64_t)pixels * ROWS_LEAST)
		status = plan_rows(v, pixels, rows, v->plan.shift + 1, &whole, err);
	if (!status && !whole && v->plan.shift != finest)
		status = plan_rows(v, pixels, rows, least_shift, &whole, err);
	return status;
}

/* Both moments of a device to one scale. */
static gs_status plan_panel(gs_map *m, panel *p, int rows, gs_error *err)
{
	int width = m->width - 2 * GS_MAP_MARGIN, half = (width - COLUMN_GAP) / 2;
	gs_status status;

	if (!m->both)
		return plan_view(&p->now, GS_MAP_MARGIN, width, rows, 0, err);
	status = plan_view(&p->before, GS_MAP_MARGIN, half, rows, 0, err);
	if (!status)
		status = plan_view(&p->now, GS_MAP_MARGIN + half + COLUMN_GAP, half, rows,
			p->before.in.layout ? p->before.plan.shift : 0, err);
	if (!status && p->before.in.layout && p->now.plan.shift > p->before.plan.shift)
		status = plan_view(&p->before, GS_MAP_MARGIN, half, rows, p->now.plan.shift, err);
	return status;
}

static gs_status make_palette(gs_map *m, const gs_map_options *options, gs_error *err)
{
	gs_palette_moment *moments = calloc(2 * m->n + options->nalso, sizeof *moments);
	gs_status status;
	size_t n = 0;

	if (!moments)
		return gs_fail(err, GS_NO_MEMORY, "a map of %zu devices", m->n);
	for (size_t i = 0; i < m->n; i++) {
		moments[n++] = m->panels[i].now.moment;
		if (m->panels[i].before.in.layout)
			moments[n++] = m->panels[i].before.moment;
	}
	for (size_t i = 0; i < options->nalso; i++)
		moments[n++] = options->also[i];
	status = gs_palette_init(&m->palette, moments, n, options->color, false, err);
	free(moments);
	for (size_t i = 0; i < m->n && !status; i++) {
		panel *p = &m->panels[i];
		status = classify(&p->now, &m->palette, err);
		if (!status && p->before.in.layout)
			status = classify(&p->before, &m->palette, err);
	}
	return status;
}

static gs_status make_panels(gs_map *m, const gs_map_options *options, gs_error *err)
{
	int rows = ROWS_ALL / (int)options->n;
	gs_status status = GS_OK;

	for (; m->n < options->n && !status; m->n++) {
		panel *p = &m->panels[m->n];
		status = begin_view(&p->now, &options->panels[m->n], err);
		if (!status && m->both)
			status = begin_view(&p->before, &options->before[m->n], err);
	}
	if (!status)
		status = make_palette(m, options, err);
	for (size_t i = 0; i < m->n && !status; i++)
		status = plan_panel(m, &m->panels[i], rows < ROWS_LEAST ? ROWS_LEAST : rows, err);
	return status;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path ? path : "a snapshot";
}

static gs_status write_words(gs_map *m, const gs_map_options *options, gs_error *err)
{
	gs_canvas measure; /* its font alone is used: how many lines the headline takes */
	gs_status status = gs_canvas_init(&measure, 1, 1, err);

	if (status)
		return status;
	snprintf(m->headline, sizeof m->headline, "%s", options->headline ? options->headline : "");
	snprintf(m->source, sizeof m->source, "gpusnap map of %.300s, coloured by %s",
		base_name(options->panels[0].snapshot->path), gs_color_word(options->color));
	m->headline_lines = gs_draw_lines(&measure.draw, 0, 0, HEADLINE, HEADLINE_PITCH, 0,
		m->width - 2 * GS_MAP_MARGIN, HEADLINE_LINES, false, m->headline);
	gs_canvas_release(&measure);
	return GS_OK;
}

static int page_height(const gs_map *m);

gs_status gs_map_make(gs_map **out, const gs_map_options *options, gs_error *err)
{
	gs_map *m = calloc(1, sizeof *m);
	gs_status status = GS_OK;

	*out = NULL;
	if (!m || !(m->panels = calloc(options->n + 1, sizeof *m->panels))) {
		free(m);
		return gs_fail(err, GS_NO_MEMORY, "a map of %zu devices", options->n);
	}
	m->both = options->before != NULL;
	m->width = options->width ? options->width : GS_MAP_WIDTH;
	if (m->width < GS_MAP_WIDTH_MIN || m->width > GS_MAP_WIDTH_MAX)
		status = gs_fail(err, GS_LIMIT, "a map is %d to %d pixels wide, not %d", GS_MAP_WIDTH_MIN,
			GS_MAP_WIDTH_MAX, m->width);
	else if (options->n < 1 || options->n > GS_MAP_PANELS_MAX)
		status = gs_fail(err, GS_INVALID,
			"a map shows 1 to %d devices, not %zu: choose one with -d", GS_MAP_PANELS_MAX,
			options->n);
	if (!status)
		status = make_panels(m, options, err);
	if (!status)
		status = write_words(m, options, err);
	if (status) {
		gs_map_free(m);
		return status;
	}
	m->height = page_height(m);
	*out = m;
	return GS_OK;
}

static void release_view(gs_map_view *v)
{
	gs_map_plan_release(&v->plan);
	gs_map_figures_release(&v->figures);
	free(v->classes);
	free(v->emptied);
}

void gs_map_free(gs_map *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++) {
		release_view(&m->panels[i].now);
		release_view(&m->panels[i].before);
	}
	gs_palette_release(&m->palette);
	free(m->panels);
	free(m);
}

void gs_map_class_sums(const gs_map *m, int class, bool before, uint64_t *bytes, size_t *blocks)
{
	*bytes = *blocks = 0;
	for (size_t i = 0; i < m->n; i++) {
		const gs_map_view *v = before ? &m->panels[i].before : &m->panels[i].now;
		*bytes += v->bytes[class];
		*blocks += v->blocks[class];
	}
}

/* --- legend ------------------------------------------------------------------------------------
 */

typedef struct legend {
	gs_draw *d; /* NULL: only counts the lines */
	int x, y, width, columns, at;
} legend;

static legend begin_legend(const gs_map *m, gs_draw *d, int y)
{
	int width = m->width - 2 * GS_MAP_MARGIN, columns = width / LEGEND_COLUMN;

	columns = columns < 1 ? 1 : columns;
	return (legend){d, GS_MAP_MARGIN, y, width / columns, columns, 0};
}

static int legend_x(const legend *l) { return l->x + l->at % l->columns * l->width; }
static int legend_y(const legend *l) { return l->y + l->at / l->columns * LEGEND_LINE; }

static void legend_text(legend *l, const char *text)
{
	if (l->d)
		gs_draw_text(l->d, legend_x(l) + 32, legend_y(l), 12, GS_INK, l->width - 40, text);
	l->at++;
}

static void amount(char *buf, size_t cap, uint64_t bytes, size_t blocks, const char *unit)
{
	char size[32];

	gs_size_format(size, sizeof size, bytes);
	if (blocks)
		snprintf(buf, cap, "%s in %zu %s%s", size, blocks, unit, blocks == 1 ? "" : "s");
	else
		snprintf(buf, cap, "%s", size);
}

/* Why free memory is not for the request: "40 MiB of another stream, …". */
static void unusable_reason(const gs_map *m, char *buf, size_t cap)
{
	const gs_oom *oom = m->panels[0].now.in.oom;
	char size[32];
	int n = 0;

	*buf = 0;
	for (int relation = GS_POOL_SAME + 1; relation < GS_POOL_RELATIONS; relation++) {
		uint64_t bytes = 0;
		for (size_t i = 0; i < m->n; i++)
			bytes += m->panels[i].now.figures.free.holes[relation].bytes;
		if (bytes && n < (int)cap)
			n += snprintf(buf + n, cap - (size_t)n, "%s%s %s", n ? ", " : "",
				gs_size_format(size, sizeof size, bytes),
				gs_map_reason((gs_pool_relation)relation, oom));
	}
}

static void legend_class(const gs_map *m, legend *l, int class)
{
	const gs_swatch *c = &m->palette.classes[class];
	bool free_memory = class == GS_CLASS_FREE || class == GS_CLASS_UNUSABLE;
	const char *unit = free_memory ? "hole" : "block";
	char text[900], now[80], then[80] = "", why[200] = "", size[32];
	uint64_t bytes, bytes_before;
	size_t blocks, blocks_before;

	gs_map_class_sums(m, class, false, &bytes, &blocks);
	gs_map_class_sums(m, class, true, &bytes_before, &blocks_before);
	if (!bytes && !bytes_before)
		return;
	amount(now, sizeof now, bytes, blocks, unit);
	if (m->both)
		snprintf(then, sizeof then, "%s → ", gs_size_format(size, sizeof size, bytes_before));
	if (class == GS_CLASS_UNUSABLE)
		unusable_reason(m, why, sizeof why);
	snprintf(text, sizeof text, "%s%s: %s%s%s", then, now, c->name, *why ? ": " : "", why);
	if (l->d) {
		gs_draw_paint(l->d, legend_x(l), legend_y(l), 24, 14, &c->paint);
		gs_draw_frame(l->d, legend_x(l), legend_y(l), 24, 14, 1, GS_LINE);
	}
	legend_text(l, text);
}

static void legend_rounding(const gs_map *m, legend *l)
{
	char text[200], size[32];

	if (!m->panels[0].now.rounding)
		return;
	if (l->d)
		gs_draw_paint(l->d, legend_x(l), legend_y(l), 24, 14, &gs_map_lost);
	snprintf(text, sizeof text, "%s of these blocks: added by rounding, used by nobody",
		gs_size_format(size, sizeof size, m->panels[0].now.totals.rounding));
	legend_text(l, text);
}

static void legend_eviction(const gs_map *m, legend *l)
{
	const gs_map_view *v = &m->panels[0].now;
	char text[200], size[32];

	if (!v->evict_blocks && !v->emptied)
		return;
	if (l->d)
		gs_draw_frame(l->d, legend_x(l), legend_y(l), 24, 14, 2, GS_MAP_EVICT_LINE);
	snprintf(text, sizeof text,
		v->emptied
			? "without the %s in use in these segments the request would have fit (cheapest eviction)"
			: "without these %s the request would have fit (cheapest eviction)",
		gs_size_format(size, sizeof size, v->evict_bytes));
	legend_text(l, text);
}

/* Draws it, or counts its lines (d NULL); returns the lines. */
static int run_legend(const gs_map *m, gs_draw *d, int y)
{
	legend l = begin_legend(m, d, y);

	for (int i = GS_CLASS_LIVE; i < GS_CLASSES; i++)
		legend_class(m, &l, i);
	for (int i = 0; i < GS_CLASS_LIVE; i++)
		legend_class(m, &l, i);
	legend_rounding(m, &l);
	legend_eviction(m, &l);
	if (d) {
		gs_draw_frame(d, legend_x(&l), legend_y(&l), 24, 14, 1, GS_LINE);
	}
	legend_text(&l, "a segment, as taken from the driver");
	return (l.at + l.columns - 1) / l.columns;
}

static void draw_legend(const gs_map *m, gs_draw *d, int y)
{
	static const char *const titles[GS_COLORS] = {
		[GS_COLOR_HOLDER] = "Who holds what is in use",
		[GS_COLOR_CATEGORY] = "What the memory in use is for",
		[GS_COLOR_STATE] = "Legend",
		[GS_COLOR_TAG] = "Memory in use by tag",
		[GS_COLOR_STREAM] = "Memory in use by stream",
		[GS_COLOR_AGE] = "Memory in use by age",
		[GS_COLOR_SIZE] = "Memory in use by the block's size",
	};
	char text[300], all[48] = "";

	if (m->n > 2)
		snprintf(all, sizeof all, ", all %zu devices", m->n);
	else if (m->n == 2)
		snprintf(all, sizeof all, ", both devices");
	snprintf(text, sizeof text, "%s%s%s%s%s", titles[m->palette.color], all,
		*m->palette.remark ? " (nothing to tell apart: " : "", m->palette.remark,
		*m->palette.remark ? ")" : "");
	gs_draw_text(d, GS_MAP_MARGIN, y + 4, 13, GS_INK, m->width - 2 * GS_MAP_MARGIN, text);
	run_legend(m, d, y + 28);
}

/* --- a panel -----------------------------------------------------------------------------------
 */

static void count_text(char *buf, size_t cap, size_t n, const char *unit)
{
	snprintf(buf, cap, "%zu %s%s", n, unit, n == 1 ? "" : "s");
}

static void draw_totals(const gs_map_view *v, gs_draw *d, int y)
{
	const gs_totals *t = &v->totals;
	char text[500], a[32], b[32], c[32], segments[48], holes[48], free[100];
	int n;

	count_text(segments, sizeof segments, t->segments, "segment");
	count_text(holes, sizeof holes, t->free_blocks, "hole");
	if (t->free)
		snprintf(free, sizeof free, "%s free in %s", gs_size_format(c, sizeof c, t->free), holes);
	else
		snprintf(free, sizeof free, "nothing free");
	n = snprintf(text, sizeof text, "%s reserved in %s: %s allocated, %s",
		gs_size_format(a, sizeof a, t->reserved), segments,
		gs_size_format(b, sizeof b, t->allocated), free);
	if (t->pending)
		n += snprintf(text + n, sizeof text - (size_t)n, ", %s waiting for other streams",
			gs_size_format(a, sizeof a, t->pending));
	if (t->rounding)
		n += snprintf(text + n, sizeof text - (size_t)n, ", %s lost to rounding",
			gs_size_format(a, sizeof a, t->rounding));
	if (!v->in.layout->exact)
		snprintf(text + n, sizeof text - (size_t)n, " (not exact: %.120s)",
			v->in.layout->note[0] ? v->in.layout->note : "rebuilt with bounds");
	gs_draw_text(d, v->x, y, 12, GS_FAINT, v->width, text);
}

static void draw_title(const gs_map *m, const gs_map_view *v, bool before, gs_draw *d, int y)
{
	char text[400], moment[64] = "", file[100] = "";
	const char *name = gs_string_text(v->in.snapshot, v->in.device->name);

	if (v->in.layout && v->in.layout->idx != GS_NONE)
		snprintf(moment, sizeof moment, ", after event %" PRId64,
			gs_event_number(&v->in.device->trace, v->in.layout->idx));
	if (before && v->in.snapshot != m->panels[0].now.in.snapshot)
		snprintf(file, sizeof file, "%.90s, ", base_name(v->in.snapshot->path));
	snprintf(text, sizeof text, "%s%sdevice %d%s%.100s, %s %s%s",
		before        ? "Before: "
			: m->both ? "After: "
					  : "",
		file, v->in.device->device, *name ? " " : "", name,
		v->in.state && !strcmp(v->in.state, "captured") ? "as" : "state",
		v->in.state ? v->in.state : "captured", moment);
	if (text[0] == 'd')
		text[0] = 'D';
	gs_draw_rect(d, v->x, y, v->width, 1, 0xbbbbbb);
	gs_draw_text(d, v->x, y + 6, 13, GS_INK, v->width, text);
}

static void draw_caption(const gs_map_view *v, gs_draw *d, int y)
{
	char text[240], pixel[32], row[32];
	static const char *const flows[] = {
		[GS_MAP_OWN_ROWS] = "each segment begins a row",
		[GS_MAP_FLOWING] = "segments follow each other by address",
		[GS_MAP_PACKED] = "segments follow each other by address, several in a pixel",
	};

	snprintf(text, sizeof text, "The heap: one pixel is %s, a row %s; %s",
		gs_size_format(pixel, sizeof pixel, 1ull << v->plan.shift),
		gs_size_format(row, sizeof row, (uint64_t)v->plan.row_pixels << v->plan.shift),
		flows[v->plan.flow]);
	gs_draw_text(d, v->row_x, y, 11, GS_FAINT, v->x + v->width - v->row_x, text);
}

/* Left of a row: the address of its first byte (of the segment that begins it, or in whose middle
 * it is). */
static void draw_address(
	const gs_map_view *v, const gs_segment *s, uint64_t offset, gs_draw *d, int y)
{
	char text[40];

	if (s->has_address)
		snprintf(text, sizeof text, "0x%" PRIx64, s->address + offset);
	else
		snprintf(text, sizeof text, offset ? "" : "no address");
	gs_draw_text_right(d, v->row_x - 8, y + 1, 10, offset ? GS_FAINT : GS_INK, GUTTER, text);
}

/* Right of a row: the first segment that begins in it, and how many more do. What sets it apart
 * from others comes first, since the end of a long line is cut. */
static void draw_side(const gs_map_view *v, const gs_segment *s, size_t count, gs_draw *d, int y)
{
	char text[160], size[32], more[32] = "", pool[64] = "", stream[32] = "";

	if (count > 1)
		snprintf(more, sizeof more, "  + %zu more", count - 1);
	if (s->pool_id.a || s->pool_id.b)
		snprintf(pool, sizeof pool, "pool %" PRIu64 ",%" PRIu64 " ", s->pool_id.a, s->pool_id.b);
	if (s->stream)
		snprintf(stream, sizeof stream, "stream %" PRIu64 " ", s->stream);
	snprintf(text, sizeof text, "%s%s%s%s%s%s", pool, stream,
		gs_size_format(size, sizeof size, s->size),
		s->pool == GS_SMALL       ? " small"
			: s->pool == GS_LARGE ? " large"
								  : "",
		s->expandable ? " expandable" : "", more);
	gs_draw_text(d, v->row_x + v->plan.row_pixels + 8, y + 1, 10, GS_FAINT, SIDE - 8, text);
}

/* Addresses and segments beside the rows. */
static void draw_sides(const gs_map_view *v, gs_draw *d, int y)
{
	const gs_layout *l = v->in.layout;
	uint64_t row_bytes = (uint64_t)v->plan.row_pixels << v->plan.shift;
	size_t k = 0;

	for (int row = 0; row < v->plan.rows; row++) {
		uint64_t from = (uint64_t)row * row_bytes, to = from + row_bytes;
		int top = y + gs_map_row_top(v, row);
		while (k + 1 < l->nsegments &&
			v->plan.start[k] + (l->segments[k].size ? l->segments[k].size : 1) <= from)
			k++;
		draw_address(
			v, &l->segments[k], v->plan.start[k] < from ? from - v->plan.start[k] : 0, d, top);
		size_t first = v->plan.start[k] < from ? k + 1 : k, end = first;
		while (end < l->nsegments && v->plan.start[end] < to)
			end++;
		if (end > first)
			draw_side(v, &l->segments[first], end - first, d, top);
	}
}

static int view_height(const gs_map_view *v)
{
	if (!v->in.layout)
		return PANEL_TITLE + LINE;
	return PANEL_TITLE + LINE + gs_map_bar_height(v) + LINE + 6 + gs_map_rows_height(v) + 14;
}

static void draw_view(const gs_map *m, const gs_map_view *v, bool before, gs_draw *d, int y)
{
	draw_title(m, v, before, d, y);
	y += PANEL_TITLE;
	if (!v->in.layout) {
		gs_draw_text(d, v->x, y, 12, GS_FAINT, v->width, "nothing is known of it at that moment");
		return;
	}
	draw_totals(v, d, y);
	y += LINE;
	gs_map_draw_bar(v, d, y);
	y += gs_map_bar_height(v);
	draw_caption(v, d, y);
	y += LINE + 6;
	gs_map_paint(v, &m->palette, d, y);
	if (v->width >= WIDE)
		draw_sides(v, d, y);
}

/* --- the page ----------------------------------------------------------------------------------
 */

static int panel_height(const gs_map *m, const panel *p)
{
	int now = view_height(&p->now), before = m->both ? view_height(&p->before) : 0;

	return now > before ? now : before;
}

static int head_height(const gs_map *m)
{
	return 10 + m->headline_lines * HEADLINE_PITCH + SOURCE_LINE + 4;
}

static int page_height(const gs_map *m)
{
	int h = head_height(m) + 28 + run_legend(m, NULL, 0) * LEGEND_LINE + 12;

	for (size_t i = 0; i < m->n; i++)
		h += panel_height(m, &m->panels[i]);
	return h;
}

int gs_map_width(const gs_map *m) { return m->width; }
int gs_map_height(const gs_map *m) { return m->height; }

void gs_map_draw(const gs_map *m, gs_draw *d)
{
	int y = 10, width = m->width - 2 * GS_MAP_MARGIN;

	gs_draw_lines(d, GS_MAP_MARGIN, y, HEADLINE, HEADLINE_PITCH, GS_INK, width, m->headline_lines,
		true, m->headline);
	y += m->headline_lines * HEADLINE_PITCH;
	gs_draw_text(d, GS_MAP_MARGIN, y, 12, GS_FAINT, width, m->source);
	y = head_height(m);
	for (size_t i = 0; i < m->n; i++) {
		const panel *p = &m->panels[i];
		draw_view(m, &p->now, false, d, y);
		if (m->both)
			draw_view(m, &p->before, true, d, y);
		y += panel_height(m, p);
	}
	draw_legend(m, d, y);
}

static void draw_picture(const void *map, gs_draw *d) { gs_map_draw(map, d); }

gs_picture gs_map_picture(const gs_map *m)
{
	return (gs_picture){
		m->width, m->height, *m->headline ? m->headline : "Map of the heap", draw_picture, m};
}
