/* Text made harmless for a terminal and one line. No state, thread-safe. */
#ifndef GS_SCHEMA_PRINTABLE_H
#define GS_SCHEMA_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

/* Copies text with control characters (C0, DEL, C1) and bytes that are no UTF-8 as \xNN, so that
 * what a file holds cannot steer a terminal; a tab becomes a blank. Cut to cap. Returns buf. */
char *gs_printable(char *buf, size_t cap, const char *text);

/* Length of the well-formed UTF-8 sequence at p (1 to 4, at most n bytes), 0 when there is none. */
size_t gs_utf8_length(const char *p, size_t n);

/* Whether the sequence of len bytes at p is a control character (C0, DEL, C1), turns the direction
 * of writing, ends a line or cannot be seen: what must not reach a terminal or a page raw. */
int gs_utf8_steers(const char *p, size_t len);

/* The code point of the sequence of len bytes (gs_utf8_length) at p. */
uint32_t gs_utf8_decode(const char *p, size_t len);

/* Columns that n bytes of UTF-8 take on a terminal (a code point one, combining marks none, East
 * Asian wide ones two). */
size_t gs_utf8_width(const char *p, size_t n);

#endif
