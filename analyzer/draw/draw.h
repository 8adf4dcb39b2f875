/* A small drawing interface: rectangles and lines of text. The canvas (canvas.h) is one
 * implementation; a test's log of calls is another, so that a picture's layout is checked without
 * decoding it.
 *
 * Coordinates are pixels from the top left corner; what lies outside the picture is cut off.
 * Colours are 0xRRGGBB. Text is UTF-8; control characters and broken sequences are drawn as "?". */
#ifndef GS_ANALYZER_DRAW_DRAW_H
#define GS_ANALYZER_DRAW_DRAW_H

#include <stddef.h>
#include <stdint.h>

typedef struct gs_draw gs_draw;

typedef struct gs_draw_ops {
	void (*rect)(gs_draw *d, int x, int y, int w, int h, uint32_t rgb);
	/* y is the top of the line; px the font size. */
	void (*text)(gs_draw *d, int x, int y, int px, uint32_t rgb, const char *text);
	/* Width in pixels that text would take. */
	int (*measure)(gs_draw *d, int px, const char *text);
} gs_draw_ops;

struct gs_draw {
	const gs_draw_ops *ops;
};

static inline void gs_draw_rect(gs_draw *d, int x, int y, int w, int h, uint32_t rgb)
{
	if (w > 0 && h > 0)
		d->ops->rect(d, x, y, w, h, rgb);
}

/* The four sides of a rectangle, `thick` pixels wide, drawn inwards. */
void gs_draw_frame(gs_draw *d, int x, int y, int w, int h, int thick, uint32_t rgb);

/* Draws text cut to max_w pixels (with an ellipsis where it is cut) and returns the width taken. */
int gs_draw_text(gs_draw *d, int x, int y, int px, uint32_t rgb, int max_w, const char *text);

/* The same, its right end at x. */
void gs_draw_text_right(
	gs_draw *d, int x, int y, int px, uint32_t rgb, int max_w, const char *text);

/* The next code point of *text (moved on); '?' for a control character or a broken sequence; 0 at
 * the end. */
uint32_t gs_draw_next_char(const char **text);

#endif
