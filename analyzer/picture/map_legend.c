/* The legend: each class with what it holds, and what the lines mean. */
#include <stdio.h>

#include "analyzer/picture/map_internal.h"
#include "schema/size.h"

enum { LEGEND_LINE = 20, LEGEND_COLUMN = 540 };

void gs_map_class_sums(const gs_map *m, int class, bool before, uint64_t *bytes, size_t *blocks)
{
	*bytes = *blocks = 0;
	for (size_t i = 0; i < m->n; i++) {
		const gs_map_view *v = before ? &m->panels[i].before : &m->panels[i].now;
		*bytes += v->bytes[class];
		*blocks += v->blocks[class];
	}
}

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

static void legend_fresh(const gs_map *m, legend *l)
{
	char text[200], all[80];
	uint64_t bytes = 0;
	size_t blocks = 0;

	for (size_t i = 0; i < m->n; i++) {
		bytes += m->panels[i].now.fresh_bytes;
		blocks += m->panels[i].now.fresh_blocks;
	}
	if (!blocks)
		return;
	if (l->d)
		gs_draw_rect(l->d, legend_x(l), legend_y(l) + 12, 24, 2, GS_MAP_FRESH_LINE);
	amount(all, sizeof all, bytes, blocks, "block");
	snprintf(text, sizeof text, "%s: not there before (a line below)", all);
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
	legend_fresh(m, &l);
	if (d) {
		gs_draw_frame(d, legend_x(&l), legend_y(&l), 24, 14, 1, GS_LINE);
	}
	legend_text(&l, "a segment, as taken from the driver");
	return (l.at + l.columns - 1) / l.columns;
}

void gs_map_draw_legend(const gs_map *m, gs_draw *d, int y)
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

int gs_map_legend_height(const gs_map *m) { return 28 + run_legend(m, NULL, 0) * LEGEND_LINE + 12; }
