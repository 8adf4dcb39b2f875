/* A view: title, sums, the device's bar, and the rows with addresses and segments beside them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/picture/map_internal.h"
#include "schema/size.h"

enum { TITLE = 26, LINE = 18 };

const char *gs_map_file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path ? path : "a snapshot";
}

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
		snprintf(file, sizeof file, "%.90s, ", gs_map_file_name(v->in.snapshot->path));
	bool host = gs_device_is_host(v->in.snapshot, v->in.device);
	char number[32] = "pinned memory of the ";
	if (!host)
		snprintf(number, sizeof number, "device %d%s", v->in.device->device, *name ? " " : "");
	snprintf(text, sizeof text, "%s%s%s%.100s, %s %s%s",
		before        ? "Before: "
			: m->both ? "After: "
					  : "",
		file, number, name, v->in.state && !strcmp(v->in.state, "captured") ? "as" : "state",
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
	gs_draw_text_right(d, v->row_x - 8, y + 1, 10, offset ? GS_FAINT : GS_INK, GS_MAP_GUTTER, text);
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
	gs_draw_text(d, v->row_x + v->plan.row_pixels + 8, y + 1, 10, GS_FAINT, GS_MAP_SIDE - 8, text);
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

int gs_map_view_height(const gs_map_view *v)
{
	if (!v->in.layout)
		return TITLE + LINE;
	return TITLE + LINE + gs_map_bar_height(v) + LINE + 6 + gs_map_rows_height(v) + 14;
}

void gs_map_draw_view(const gs_map *m, const gs_map_view *v, bool before, gs_draw *d, int y)
{
	draw_title(m, v, before, d, y);
	y += TITLE;
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
	if (v->width >= GS_MAP_WIDE)
		draw_sides(v, d, y);
}
