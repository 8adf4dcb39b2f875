/* Writes elements of SVG and HTML: the one place that knows how text and attributes are escaped,
 * so that no name from a file can become markup. Elements are closed by name in the right order;
 * those that HTML leaves empty (br, img, meta, …) close at once.
 *
 * Text is made well-formed on the way: bytes that are no UTF-8 and control characters become
 * U+FFFD, marks that turn the direction of writing too. Nothing fails here: errors of writing are
 * the stream's (ferror). Not thread-safe. */
#ifndef GS_ANALYZER_DRAW_MARKUP_H
#define GS_ANALYZER_DRAW_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { GS_MARKUP_DEPTH = 64 };

typedef struct gs_markup {
	FILE *out;
	const char *open[GS_MARKUP_DEPTH]; /* names of the elements that are open; borrowed */
	int depth;
	bool in_tag; /* the last start tag can still take attributes */
	bool html;   /* empty elements as HTML writes them, else closed as XML does */
} gs_markup;

/* An open document or fragment; nothing is written yet. */
void gs_markup_init(gs_markup *m, FILE *out, bool html);

/* Begins an element; name is a constant. */
void gs_markup_open(gs_markup *m, const char *name);
/* An attribute of the element just begun. */
void gs_markup_attr(gs_markup *m, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Ends the innermost element. */
void gs_markup_close(gs_markup *m);
/* Ends elements until depth are open. */
void gs_markup_close_to(gs_markup *m, int depth);

/* Text inside the innermost element, of any length. */
void gs_markup_text(gs_markup *m, const char *text);
void gs_markup_textf(gs_markup *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An element that holds text alone; class may be NULL. */
void gs_markup_element(gs_markup *m, const char *name, const char *class, const char *text);

/* n bytes as base64, which is plain in attributes and elements. */
void gs_base64_write(FILE *out, const unsigned char *bytes, size_t n);

/* What is markup already: a stylesheet, a script, a picture as data. Never text from a file. */
void gs_markup_raw(gs_markup *m, const char *markup);

#endif
