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
	COLUMN_GAP = 24,
	HEADLINE = 17,
	HEADLINE_PITCH = 24,
	HEADLINE_LINES = 4,
	SOURCE_LINE = 20,
	ROWS_ALL = 44,
	ROWS_LEAST = 6
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
	gs_status status = gs_map_plan_init(
		&v->plan, v->in.layout, pixels, rows, least_shift, v->least_flow, err);

	if (!status)
		*whole = place_ghost(v);
	return status;
}

/* Places it between x and x + width; to a coarser scale, if that shows the whole request and leaves
 * the heap some rows. */
static gs_status plan_view(
	gs_map_view *v, int x, int width, int rows, unsigned least_shift, gs_error *err)
{
	bool sides = width >= GS_MAP_WIDE, whole = false;
	int pixels = row_pixels(width - (sides ? GS_MAP_GUTTER + GS_MAP_SIDE : 4));
	unsigned finest;
	gs_status status;

	v->x = x;
	v->width = width;
	v->row_x = x + (sides ? GS_MAP_GUTTER : 2);
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
static gs_status plan_pair(gs_map_pair *p, int width, int rows, unsigned least_shift, gs_error *err)
{
	int half = (width - COLUMN_GAP) / 2;
	gs_status status = plan_view(&p->before, GS_MAP_MARGIN, half, rows, least_shift, err);
	if (!status)
		status = plan_view(&p->now, GS_MAP_MARGIN + half + COLUMN_GAP, half, rows,
			p->before.in.layout ? p->before.plan.shift : 0, err);
	if (!status && p->before.in.layout && p->now.plan.shift > p->before.plan.shift)
		status = plan_view(&p->before, GS_MAP_MARGIN, half, rows, p->now.plan.shift, err);
	return status;
}

/* And, where they came out otherwise, again by one rule: the looser of the two. */
static gs_status plan_panel(gs_map *m, gs_map_pair *p, int rows, gs_error *err)
{
	int width = m->width - 2 * GS_MAP_MARGIN;
	gs_status status;

	if (!m->both)
		return plan_view(&p->now, GS_MAP_MARGIN, width, rows, 0, err);
	status = plan_pair(p, width, rows, 0, err);
	if (status || !p->before.in.layout || p->before.plan.flow == p->now.plan.flow)
		return status;
	p->before.least_flow = p->now.least_flow = p->before.plan.flow > p->now.plan.flow
		? p->before.plan.flow
		: p->now.plan.flow;
	return plan_pair(p, width, rows, p->now.plan.shift, err);
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
		gs_map_pair *p = &m->panels[i];
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
		gs_map_pair *p = &m->panels[m->n];
		status = begin_view(&p->now, &options->panels[m->n], err);
		if (!status && m->both)
			status = begin_view(&p->before, &options->before[m->n], err);
		if (!status && m->both)
			status = gs_map_find_fresh(&p->now, &p->before, err);
	}
	if (!status)
		status = make_palette(m, options, err);
	for (size_t i = 0; i < m->n && !status; i++)
		status = plan_panel(m, &m->panels[i], rows < ROWS_LEAST ? ROWS_LEAST : rows, err);
	return status;
}

static gs_status write_words(gs_map *m, const gs_map_options *options, gs_error *err)
{
	gs_canvas measure; /* its font alone is used: how many lines the headline takes */
	gs_status status = gs_canvas_init(&measure, 1, 1, err);

	if (status)
		return status;
	snprintf(m->headline, sizeof m->headline, "%s", options->headline ? options->headline : "");
	snprintf(m->source, sizeof m->source, "gpusnap map of %.300s, coloured by %s",
		gs_map_file_name(options->panels[0].snapshot->path), gs_color_word(options->color));
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
	free(v->fresh);
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

/* --- the page ----------------------------------------------------------------------------------
 */

static int panel_height(const gs_map *m, const gs_map_pair *p)
{
	int now = gs_map_view_height(&p->now), before = m->both ? gs_map_view_height(&p->before) : 0;

	return now > before ? now : before;
}

static int head_height(const gs_map *m)
{
	return 10 + m->headline_lines * HEADLINE_PITCH + SOURCE_LINE + 4;
}

static int page_height(const gs_map *m)
{
	int h = head_height(m) + gs_map_legend_height(m);

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
		const gs_map_pair *p = &m->panels[i];
		gs_map_draw_view(m, &p->now, false, d, y);
		if (m->both)
			gs_map_draw_view(m, &p->before, true, d, y);
		y += panel_height(m, p);
	}
	gs_map_draw_legend(m, d, y);
}

static void draw_picture(const void *map, gs_draw *d) { gs_map_draw(map, d); }

gs_picture gs_map_picture(const gs_map *m)
{
	return (gs_picture){
		m->width, m->height, *m->headline ? m->headline : "Map of the heap", draw_picture, m};
}
