/* A picture as SVG: what gs_draw calls draw becomes elements, written at once. Neighbouring
 * rectangles of one paint share a path. Text is written as text, held to the width that the
 * embedded font gives it, so that the layout is the PNG's whatever font the reader's machine has.
 * Not thread-safe. */
#ifndef GS_ANALYZER_DRAW_SVG_H
#define GS_ANALYZER_DRAW_SVG_H

#include "analyzer/draw/draw.h"
#include "analyzer/draw/markup.h"
#include "schema/status.h"

struct gs_font;

enum { GS_SVG_PAINTS = 48 };

typedef struct gs_svg {
	gs_draw draw; /* first: a gs_draw * of a gs_svg is the gs_svg */
	gs_markup markup;
	struct gs_font *font;
	const char *id; /* borrowed; before the names of patterns, so that pictures share a page */
	gs_paint patterns[GS_SVG_PAINTS];
	int npatterns;
	gs_paint paint; /* of the path that is being written */
	bool in_path;
} gs_svg;

/* Writes the head. title: what a screen reader says of it. GS_LIMIT for a side under 1. The stream
 * stays the caller's. */
gs_status gs_svg_init(
	gs_svg *s, FILE *out, int width, int height, const char *id, const char *title, gs_error *err);
/* Writes the end and frees what init made; also after a failed init (then nothing is written). */
void gs_svg_finish(gs_svg *s);

#endif
