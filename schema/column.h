/* Columns of unsigned 64-bit values as bytes, in the encodings of FORMAT.md. No memory, no state,
 * thread-safe. */
#ifndef GS_SCHEMA_COLUMN_H
#define GS_SCHEMA_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GS_COLUMN_PAD = 16,      /* readable bytes that must follow what is decoded */
	GS_COLUMN_VALUE_MAX = 10 /* bytes a value may take when encoded */
};

/* Encodes n ≥ 1 numbers in the smallest of the number encodings. Writes at most
 * n * GS_COLUMN_VALUE_MAX bytes at to, returns the end; *encoding and *shift tell what was chosen.
 */
unsigned char *gs_column_encode(
	unsigned char *to, const uint64_t *values, uint32_t n, uint8_t *encoding, uint8_t *shift);

/* Decodes n numbers that take exactly the bytes from `from` to `end`. False when they do not, or
 * when something is not as FORMAT.md wants it. */
bool gs_column_decode(const unsigned char *from, const unsigned char *end, uint8_t encoding,
	uint8_t shift, uint64_t *values, uint32_t n);

/* Decodes n varints and tells where they ended; NULL on damage. */
const unsigned char *gs_column_varints(
	const unsigned char *from, const unsigned char *end, uint64_t *values, uint32_t n);

#endif
