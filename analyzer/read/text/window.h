/* A sliding window over a log or a pasted text, in the form in which sentences are found however
 * they were treated.
 *
 * The window holds two forms. `text` is the input decoded (decode.h), line ends as '\n'. `s`
 * is that text squeezed: lower case, no white space, the margin of the log (margin.h) and the
 * prefixes of its lines (time stamps, levels, ranks, quote marks) left out. A phrase is looked for
 * in `s`, so it does not matter at which column a line was wrapped, also inside a word. `gap` says
 * what stood before each squeezed character, so that a number ends where a blank ended it and goes
 * on where a full line was only wrapped.
 *
 * Positions in `s` are indexes; they become invalid with the next gs_text_next. Memory is bounded
 * (about 3 MiB) whatever the input. Not thread-safe. */
#ifndef GS_ANALYZER_READ_TEXT_WINDOW_H
#define GS_ANALYZER_READ_TEXT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/read/open/source.h"
#include "analyzer/read/text/decode.h"
#include "analyzer/read/text/margin.h"

/* What stood before a squeezed character. */
enum gs_gap {
	GS_GAP_NONE,  /* nothing: the characters touch */
	GS_GAP_BLANK, /* white space inside a line */
	GS_GAP_WRAP,  /* the end of a long line, with nothing that marks the next one as a line of its
					 own */
	GS_GAP_FOLD, /* the same, but longer lines are near: it was folded between words, numbers do not
					go on behind it */
	GS_GAP_LINE  /* the end of a line: a short one, or the next has a log prefix, or an empty line
					stands between */
};

enum {
	GS_TEXT_AHEAD = 12288, /* squeezed characters that follow every position before `ready`, if the
							  input has them */
	GS_TEXT_BEHIND =
		2048 /* squeezed characters kept before the position from which the window goes on */
};

/* What was asked for last, so that a long line is not looked through again for each sentence in it.
 */
typedef struct gs_text_mark {
	size_t at;              /* in text */
	uint64_t line;          /* that holds it */
	size_t start, start_to; /* a line's first index, and up to where it is known to reach */
} gs_text_mark;

typedef struct gs_text {
	/* the window */
	char *text; /* decoded */
	size_t ntext;
	char *s; /* squeezed */
	uint8_t *gap;
	uint32_t *at; /* index in text of each squeezed character */
	size_t n;
	size_t ready;  /* positions below it have their look-ahead */
	uint64_t base; /* squeezed characters dropped before s[0]: base + i is a position in the whole
					  input */
	uint64_t line; /* number of the line (from 1) of text[0] */
	bool end;      /* the input ends with this window */
	/* private */
	gs_source *source;
	size_t done; /* decoded characters already squeezed */
	gs_text_decoder decoder;
	bool begun, open; /* open: the line at `done` began before it (only its prefix was looked at) */
	size_t width;     /* of the line being squeezed */
	size_t bar;       /* column of the bar that continues the margin on the line before, 0 none */
	gs_text_margin margin;
	uint8_t next_gap;
	gs_text_mark *counted;
} gs_text;

#define GS_TEXT_INIT \
	{                \
		0            \
	}

/* Takes the source (not owned) at its current position. Release in any case. */
gs_status gs_text_open(gs_text *t, gs_source *source, gs_error *err);
void gs_text_release(gs_text *t);

/* Moves on: what is before position from (less GS_TEXT_BEHIND) is dropped, the window filled again.
 * *shift is by how much positions became smaller. Errors of the source are returned. */
gs_status gs_text_next(gs_text *t, size_t from, size_t *shift, gs_error *err);

/* Number of the line that holds squeezed position i. */
uint64_t gs_text_line(const gs_text *t, size_t i);

/* First index in text of the line that holds squeezed position i. */
size_t gs_text_line_start(const gs_text *t, size_t i);

#endif
