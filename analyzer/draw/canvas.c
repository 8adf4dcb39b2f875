#include "analyzer/draw/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/font.h"

static void put_pixel(unsigned char *pixel, uint32_t rgb)
{
	pixel[0] = (unsigned char)(rgb >> 16);
	pixel[1] = (unsigned char)(rgb >> 8);
	pixel[2] = (unsigned char)rgb;
}

static unsigned char *pixel_at(const gs_canvas *c, int x, int y)
{
	return c->pixels + ((size_t)y * (size_t)c->width + (size_t)x) * 3;
}

static void paint_pattern(gs_canvas *c, int x, int y, int right, int bottom, const gs_paint *paint)
{
	for (int row = y; row < bottom; row++)
		for (int col = x; col < right; col++)
			put_pixel(pixel_at(c, col, row),
				gs_pattern_inked(paint->pattern, col, row) ? paint->ink : paint->rgb);
}

static void paint_plain(gs_canvas *c, int x, int y, int right, int bottom, uint32_t rgb)
{
	unsigned char *first = pixel_at(c, x, y);
	size_t n = (size_t)(right - x) * 3;

	for (size_t i = 0; i < n; i += 3)
		put_pixel(first + i, rgb);
	for (int row = y + 1; row < bottom; row++)
		memcpy(first + (size_t)(row - y) * (size_t)c->width * 3, first, n);
}

static void paint_rect(gs_draw *d, int x, int y, int w, int h, const gs_paint *paint)
{
	gs_canvas *c = (gs_canvas *)d;
	int right = w > c->width - x ? c->width : x + w, bottom = h > c->height - y ? c->height : y + h;

	x = x < 0 ? 0 : x;
	y = y < 0 ? 0 : y;
	if (x >= right || y >= bottom)
		return;
	if (paint->pattern == GS_PLAIN)
		paint_plain(c, x, y, right, bottom, paint->rgb);
	else
		paint_pattern(c, x, y, right, bottom, paint);
}

static void paint_area(
	gs_draw *d, int x, int n, const int *top, const int *bottom, const gs_paint *paint)
{
	for (int i = 0; i < n; i++)
		if (bottom[i] > top[i])
			paint_rect(d, x + i, top[i], 1, bottom[i] - top[i], paint);
}

static void blend(unsigned char *pixel, uint32_t rgb, unsigned cover)
{
	for (int i = 0; i < 3; i++) {
		unsigned ink = rgb >> (16 - 8 * i) & 255;
		pixel[i] = (unsigned char)((pixel[i] * (255 - cover) + ink * cover + 127) / 255);
	}
}

static void paint_glyph(gs_canvas *c, const gs_glyph *g, int x, int y, uint32_t rgb)
{
	for (int row = 0; row < g->h; row++) {
		int py = y + row;
		if (py < 0 || py >= c->height)
			continue;
		for (int col = 0; col < g->w; col++) {
			int px = x + col;
			unsigned cover = g->cover[row * g->w + col];
			if (cover && px >= 0 && px < c->width)
				blend(c->pixels + ((size_t)py * (size_t)c->width + (size_t)px) * 3, rgb, cover);
		}
	}
}

static void paint_text(gs_draw *d, int x, int y, int px, uint32_t rgb, const char *text)
{
	gs_canvas *c = (gs_canvas *)d;
	int base = y + gs_font_ascent(c->font, px);

	for (uint32_t ch = gs_draw_next_char(&text); ch; ch = gs_draw_next_char(&text)) {
		const gs_glyph *g = gs_font_glyph(c->font, px, ch);
		if (!g)
			continue;
		paint_glyph(c, g, x + g->left, base - g->top, rgb);
		x += g->advance;
	}
}

static int measure(gs_draw *d, int px, const char *text)
{
	return gs_font_measure(((gs_canvas *)d)->font, px, text);
}

static const gs_draw_ops canvas_ops = {paint_rect, paint_area, paint_text, measure};

gs_status gs_canvas_init(gs_canvas *c, int width, int height, gs_error *err)
{
	size_t n;

	memset(c, 0, sizeof *c);
	if (width < 1 || height < 1 || width > GS_CANVAS_SIDE_MAX || height > GS_CANVAS_SIDE_MAX)
		return gs_fail(err, GS_LIMIT, "a picture of %d × %d pixels", width, height);
	n = (size_t)width * (size_t)height * 3;
	c->draw.ops = &canvas_ops;
	c->width = width;
	c->height = height;
	c->pixels = malloc(n);
	if (!c->pixels)
		return gs_fail(err, GS_NO_MEMORY, "a picture of %d × %d pixels", width, height);
	memset(c->pixels, 255, n);
	gs_status status = gs_font_open(&c->font, err);
	if (status)
		gs_canvas_release(c);
	return status;
}

void gs_canvas_release(gs_canvas *c)
{
	gs_font_close(c->font);
	free(c->pixels);
	memset(c, 0, sizeof *c);
}

uint32_t gs_canvas_pixel(const gs_canvas *c, int x, int y)
{
	const unsigned char *p = c->pixels + ((size_t)y * (size_t)c->width + (size_t)x) * 3;

	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}
