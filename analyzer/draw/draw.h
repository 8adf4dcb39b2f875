/* A small drawing interface: rectangles, areas under a curve and lines of text. The canvas
 * (canvas.h) paints pixels, the SVG (svg.h) writes elements; a test's log of calls is a third, so
 * that a picture's layout is checked without decoding it.
 *
 * Coordinates are pixels from the top left corner; what lies outside the picture is cut off.
 * Colours are 0xRRGGBB. Text is UTF-8; control characters and broken sequences are drawn as "?". */
#ifndef GS_ANALYZER_DRAW_DRAW_H
#define GS_ANALYZER_DRAW_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_draw gs_draw;

/* What lies over a plain colour: a tile of 8 × 8 pixels whose set bits are ink. All patterns of a
 * picture share one grid, so that neighbouring pieces join without a seam. */
typedef enum gs_pattern {
	GS_PLAIN,
	GS_HATCHED, /* thin lines rising to the right */
	GS_FALLING, /* the same, falling */
	GS_DOTTED,
	GS_CHECKED,
	GS_PATTERNS
} gs_pattern;

typedef struct gs_paint {
	uint32_t rgb, ink; /* ink is used by patterns alone */
	gs_pattern pattern;
} gs_paint;

typedef struct gs_draw_ops {
	void (*rect)(gs_draw *d, int x, int y, int w, int h, const gs_paint *paint);
	/* Columns x … x + n - 1, each from row top[i] up to, not including, bottom[i]. */
	void (*area)(
		gs_draw *d, int x, int n, const int *top, const int *bottom, const gs_paint *paint);
	/* y is the top of the line; px the font size. */
	void (*text)(gs_draw *d, int x, int y, int px, uint32_t rgb, const char *text);
	/* Width in pixels that text would take. */
	int (*measure)(gs_draw *d, int px, const char *text);
} gs_draw_ops;

struct gs_draw {
	const gs_draw_ops *ops;
};

/* Whether the pixel at x, y is ink. */
bool gs_pattern_inked(gs_pattern pattern, int x, int y);

/* Rectangles and areas; those without an extent are not drawn. */
static inline void gs_draw_paint(gs_draw *d, int x, int y, int w, int h, const gs_paint *paint)
{
	if (w > 0 && h > 0)
		d->ops->rect(d, x, y, w, h, paint);
}

static inline void gs_draw_rect(gs_draw *d, int x, int y, int w, int h, uint32_t rgb)
{
	gs_draw_paint(d, x, y, w, h, &(gs_paint){.rgb = rgb});
}

static inline void gs_draw_area(
	gs_draw *d, int x, int n, const int *top, const int *bottom, const gs_paint *paint)
{
	if (n > 0)
		d->ops->area(d, x, n, top, bottom, paint);
}

/* The four sides of a rectangle, `thick` pixels wide, drawn inwards; and the same in dashes. */
void gs_draw_frame(gs_draw *d, int x, int y, int w, int h, int thick, uint32_t rgb);

/* A line of dashes, `thick` pixels wide, to the right or down. */
void gs_draw_dashes(gs_draw *d, int x, int y, int length, bool down, int thick, uint32_t rgb);

/* Draws text cut to max_w pixels (with an ellipsis where it is cut) and returns the width taken. */
int gs_draw_text(gs_draw *d, int x, int y, int px, uint32_t rgb, int max_w, const char *text);

/* The same, its right end at x. */
void gs_draw_text_right(
	gs_draw *d, int x, int y, int px, uint32_t rgb, int max_w, const char *text);

/* Draws text in lines of at most max_w pixels, `pitch` apart, at most `most` lines (the last one
 * cut); returns the number of lines. With d's measure alone (draw false) nothing is drawn. */
int gs_draw_lines(gs_draw *d, int x, int y, int px, int pitch, uint32_t rgb, int max_w, int most,
	bool draw, const char *text);

/* Black or white, whichever reads better on the colour. */
uint32_t gs_draw_contrast(uint32_t rgb);

/* The next code point of *text (moved on); '?' for a control character or a broken sequence; 0 at
 * the end. */
uint32_t gs_draw_next_char(const char **text);

#endif
