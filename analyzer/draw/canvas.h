/* A picture in memory: 24-bit pixels that gs_draw calls paint, written as PNG. The canvas owns its
 * pixels and its font until gs_canvas_release. Not thread-safe. */
#ifndef GS_ANALYZER_DRAW_CANVAS_H
#define GS_ANALYZER_DRAW_CANVAS_H

#include <stdio.h>

#include "analyzer/draw/draw.h"
#include "schema/status.h"

struct gs_font;

typedef struct gs_canvas {
	gs_draw draw; /* first: a gs_draw * of a canvas is the canvas */
	int width, height;
	unsigned char *pixels; /* width × height × 3, rows from the top */
	struct gs_font *font;
} gs_canvas;

enum { GS_CANVAS_SIDE_MAX = 16384 };

/* Makes a white picture. GS_LIMIT for a side of 0 or over GS_CANVAS_SIDE_MAX, GS_NO_MEMORY. */
gs_status gs_canvas_init(gs_canvas *c, int width, int height, gs_error *err);
void gs_canvas_release(gs_canvas *c);

/* The colour of a pixel inside the picture. */
uint32_t gs_canvas_pixel(const gs_canvas *c, int x, int y);

/* Writes the picture as PNG; the stream stays the caller's. GS_IO. */
gs_status gs_canvas_write_png(const gs_canvas *c, FILE *out, gs_error *err);

#endif
