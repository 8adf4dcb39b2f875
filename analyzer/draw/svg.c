#include "analyzer/draw/svg.h"

#include <string.h>

#include "analyzer/draw/font.h"

static void end_path(gs_svg *s)
{
	if (!s->in_path)
		return;
	fputc('"', s->markup.out);
	gs_markup_close(&s->markup);
	s->in_path = false;
}

static bool same_paint(const gs_paint *a, const gs_paint *b)
{
	return a->rgb == b->rgb && a->pattern == b->pattern &&
		(a->pattern == GS_PLAIN || a->ink == b->ink);
}

/* The tile's ink, row by row, runs of set bits joined. */
static void write_tile(gs_markup *m, const gs_paint *paint)
{
	gs_markup_open(m, "path");
	gs_markup_attr(m, "fill", "#%06x", paint->ink);
	fputs(" d=\"", m->out);
	for (int y = 0; y < 8; y++)
		for (int x = 0; x < 8; x++)
			if (gs_pattern_inked(paint->pattern, x, y))
				fprintf(m->out, "M%d %dh1v1h-1z", x, y);
	fputc('"', m->out);
	gs_markup_close(m);
}

static void define_pattern(gs_svg *s, const gs_paint *paint, int number)
{
	gs_markup *m = &s->markup;

	gs_markup_open(m, "pattern");
	gs_markup_attr(m, "id", "%s-%d", s->id, number);
	gs_markup_attr(m, "width", "8");
	gs_markup_attr(m, "height", "8");
	gs_markup_attr(m, "patternUnits", "userSpaceOnUse");
	gs_markup_open(m, "rect");
	gs_markup_attr(m, "width", "8");
	gs_markup_attr(m, "height", "8");
	gs_markup_attr(m, "fill", "#%06x", paint->rgb);
	gs_markup_close(m);
	write_tile(m, paint);
	gs_markup_close(m);
}

/* The number of a paint's pattern, defined when new; -1 when there are too many. */
static int pattern_of(gs_svg *s, const gs_paint *paint)
{
	for (int i = 0; i < s->npatterns; i++)
		if (same_paint(&s->patterns[i], paint))
			return i;
	if (s->npatterns == GS_SVG_PAINTS)
		return -1;
	s->patterns[s->npatterns] = *paint;
	define_pattern(s, paint, s->npatterns);
	return s->npatterns++;
}

static void begin_path(gs_svg *s, const gs_paint *paint)
{
	int pattern = -1;

	if (s->in_path && same_paint(&s->paint, paint))
		return;
	end_path(s);
	if (paint->pattern != GS_PLAIN)
		pattern = pattern_of(s, paint);
	gs_markup_open(&s->markup, "path");
	if (pattern >= 0)
		gs_markup_attr(&s->markup, "fill", "url(#%s-%d)", s->id, pattern);
	else
		gs_markup_attr(&s->markup, "fill", "#%06x", paint->rgb);
	fputs(" d=\"", s->markup.out);
	s->paint = *paint;
	s->in_path = true;
}

static void write_rect(gs_draw *d, int x, int y, int w, int h, const gs_paint *paint)
{
	gs_svg *s = (gs_svg *)d;

	begin_path(s, paint);
	fprintf(s->markup.out, "M%d %dh%dv%dh-%dz", x, y, w, h, w);
}

/* One side of an area as steps. */
static void write_steps(FILE *out, const int *edge, int from, int to, int by)
{
	int run = 0, last = edge[from];

	for (int i = from; i != to; i += by) {
		if (edge[i] != last) {
			fprintf(out, "h%dv%d", run * by, edge[i] - last);
			run = 0;
		}
		last = edge[i];
		run++;
	}
	fprintf(out, "h%d", run * by);
}

static void write_area(
	gs_draw *d, int x, int n, const int *top, const int *bottom, const gs_paint *paint)
{
	gs_svg *s = (gs_svg *)d;

	begin_path(s, paint);
	for (int i = 0; i < n;) {
		int end = i;
		while (end < n && bottom[end] > top[end])
			end++;
		if (end == i) {
			i++;
			continue;
		}
		fprintf(s->markup.out, "M%d %d", x + i, top[i]);
		write_steps(s->markup.out, top, i, end, 1);
		fprintf(s->markup.out, "V%d", bottom[end - 1]);
		write_steps(s->markup.out, bottom, end - 1, i - 1, -1);
		fputc('z', s->markup.out);
		i = end;
	}
}

static void write_text(gs_draw *d, int x, int y, int px, uint32_t rgb, const char *text)
{
	gs_svg *s = (gs_svg *)d;
	gs_markup *m = &s->markup;

	if (!*text)
		return;
	end_path(s);
	gs_markup_open(m, "text");
	gs_markup_attr(m, "x", "%d", x);
	gs_markup_attr(m, "y", "%d", y + gs_font_ascent(s->font, px));
	gs_markup_attr(m, "font-size", "%d", px);
	gs_markup_attr(m, "fill", "#%06x", rgb);
	gs_markup_attr(m, "textLength", "%d", gs_font_measure(s->font, px, text));
	gs_markup_attr(m, "lengthAdjust", "spacingAndGlyphs");
	gs_markup_text(m, text);
	gs_markup_close(m);
}

static int measure(gs_draw *d, int px, const char *text)
{
	return gs_font_measure(((gs_svg *)d)->font, px, text);
}

static const gs_draw_ops svg_ops = {write_rect, write_area, write_text, measure};

gs_status gs_svg_init(
	gs_svg *s, FILE *out, int width, int height, const char *id, const char *title, gs_error *err)
{
	gs_markup *m = &s->markup;
	gs_status status;

	memset(s, 0, sizeof *s);
	if (width < 1 || height < 1)
		return gs_fail(err, GS_LIMIT, "a picture of %d × %d pixels", width, height);
	status = gs_font_open(&s->font, err);
	if (status)
		return status;
	s->draw.ops = &svg_ops;
	s->id = id;
	gs_markup_init(m, out, false);
	gs_markup_open(m, "svg");
	gs_markup_attr(m, "xmlns", "http://www.w3.org/2000/svg");
	gs_markup_attr(m, "viewBox", "0 0 %d %d", width, height);
	gs_markup_attr(m, "width", "%d", width);
	gs_markup_attr(m, "height", "%d", height);
	gs_markup_attr(m, "role", "img");
	gs_markup_attr(m, "font-family", "DejaVu Sans, Verdana, sans-serif");
	gs_markup_attr(m, "shape-rendering", "crispEdges");
	gs_markup_attr(m, "style", "white-space:pre");
	gs_markup_element(m, "title", NULL, title);
	gs_draw_rect(&s->draw, 0, 0, width, height, 0xffffff);
	return GS_OK;
}

void gs_svg_finish(gs_svg *s)
{
	if (s->markup.out) {
		end_path(s);
		gs_markup_close_to(&s->markup, 0);
		fputc('\n', s->markup.out);
	}
	gs_font_close(s->font);
	memset(s, 0, sizeof *s);
}
