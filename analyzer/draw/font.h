/* Glyphs of the embedded font, rendered by FreeType at a few sizes and kept. Not thread-safe; one
 * gs_font a picture. */
#ifndef GS_ANALYZER_DRAW_FONT_H
#define GS_ANALYZER_DRAW_FONT_H

#include <stdint.h>

#include "schema/status.h"

typedef struct gs_font gs_font;

typedef struct gs_glyph {
	int w, h;      /* of the bitmap */
	int left, top; /* from the pen on the base line: right, up */
	int advance;
	unsigned char *cover; /* w × h, 0 none to 255 full */
} gs_glyph;

/* The font that was embedded at build. GS_NO_MEMORY, GS_UNSUPPORTED where FreeType does not take
 * it.
 */
gs_status gs_font_open(gs_font **out, gs_error *err);
void gs_font_close(gs_font *f); /* accepts NULL */

/* A glyph of a code point at a size of px pixels; NULL when the font cannot give one. It lives
 * until the next call for a character beyond Latin-1, at least. */
const gs_glyph *gs_font_glyph(gs_font *f, int px, uint32_t character);

/* Pixels from the top of a line to its base line. */
int gs_font_ascent(gs_font *f, int px);

/* Width of a line of UTF-8 text in pixels. */
int gs_font_measure(gs_font *f, int px, const char *text);

#endif
