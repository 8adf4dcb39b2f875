/* The margin of a log: what a launcher, a container, a pager or another logger put before every
 * line of it, in front of the prefix that the program itself wrote: `worker-1  | `, `12: `, `Jun  1
 * 10:00:00 host train[7]: `, `{"log":"`.
 *
 * A margin is learned from the lines on which a known record prefix stands behind it (`… I
 * path/file.cc:12]`), and is then found also before lines that have no prefix of their own. Its
 * digits and the width of its blanks may change from line to line. Not thread-safe. */
#ifndef GS_ANALYZER_READ_TEXT_MARGIN_H
#define GS_ANALYZER_READ_TEXT_MARGIN_H

#include <stdbool.h>
#include <stddef.h>

enum { GS_MARGIN_LONGEST = 96, GS_MARGIN_SHAPES = 4 };

typedef struct gs_text_margin {
	struct {
		char text[GS_MARGIN_LONGEST];
		size_t n;
	} shapes[GS_MARGIN_SHAPES]; /* digits as one '0', blanks as one ' '; n 0: none */
	unsigned next;              /* the shape that the next new one takes the place of */
} gs_text_margin;

/* Length of the margin of a line of n bytes, 0 where it has none. Learns. */
size_t gs_text_margin_length(gs_text_margin *m, const char *line, size_t n);

/* Whether the line is a progress bar: it begins with ` 12%|`, `3it [` or `7/99 [`. */
bool gs_text_is_progress(const char *line, size_t n);

#endif
