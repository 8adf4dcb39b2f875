/* Characters of a pasted text, with what was done to them on their way undone: UTF-16, colours
 * (ANSI escapes), HTML entities, backslash escapes of JSON and of Python's repr, line ends of all
 * systems. What only looks is made plain: blanks of every width are ' ', full-width letters, digits
 * and punctuation their ASCII ones, curved quotes straight, frames drawn around a text blanks;
 * marks of no width vanish. Everything else stays, as UTF-8. Pure but for the decoder's state. */
#ifndef GS_ANALYZER_READ_TEXT_DECODE_H
#define GS_ANALYZER_READ_TEXT_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GS_DECODE_LOOK = 64, /* bytes ahead that a character may depend on */
	GS_DECODE_GIVES = 4  /* bytes that one character gives at most */
};

typedef struct gs_text_decoder {
	uint8_t wide;  /* 0 bytes, 1 UTF-16 little endian, 2 big endian */
	bool carriage; /* the last character was a carriage return */
} gs_text_decoder;

/* Decodes the character at p, n ≥ 1. Returns the bytes used (at least 1); *gave is how many it
 * gives, 0 for one that vanishes. */
size_t gs_text_decode(
	gs_text_decoder *d, const unsigned char *p, size_t n, char out[GS_DECODE_GIVES], size_t *gave);

#endif
