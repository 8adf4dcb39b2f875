/* Little-endian numbers, varints (LEB128, at most 10 bytes) and zigzag, whatever the host's order
 * and the alignment. */
#ifndef GS_SCHEMA_BYTES_H
#define GS_SCHEMA_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The lowest bytes of value, little-endian. */
static inline void gs_put_le(unsigned char *to, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		to[i] = (unsigned char)(value >> 8 * i);
}

/* At most eight bytes; a number of them that the compiler knows is one load. */
static inline uint64_t gs_get_le(const unsigned char *from, size_t bytes)
{
	uint64_t value = 0;
	memcpy(&value, from, bytes);
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	return value;
}

static inline uint64_t gs_get_le8(const unsigned char *from) { return gs_get_le(from, 8); }

/* Signed numbers as unsigned ones that are small where they are near zero; and back. */
static inline uint64_t gs_zigzag(int64_t v) { return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63); }
static inline int64_t gs_unzigzag(uint64_t v) { return (int64_t)(v >> 1 ^ (0 - (v & 1))); }

/* Bytes that gs_put_varint will write. */
static inline unsigned gs_varint_size(uint64_t v)
{
	return ((unsigned)(64 - __builtin_clzll(v | 1)) * 9 + 64) / 64;
}

/* Writes a varint, at most 10 bytes; returns the place behind it. */
static inline unsigned char *gs_put_varint(unsigned char *to, uint64_t v)
{
	while (v >= 128) {
		*to++ = (unsigned char)(v | 128);
		v >>= 7;
	}
	*to++ = (unsigned char)v;
	return to;
}

/* Reads one varint below end; NULL when it does not end there, is longer than 10 bytes or does not
 * fit 64 bits. */
static inline const unsigned char *gs_get_varint(
	const unsigned char *p, const unsigned char *end, uint64_t *value)
{
	uint64_t v = 0;
	for (unsigned shift = 0; p < end && shift < 70; shift += 7) {
		uint64_t byte = *p++;
		if (shift == 63 && byte > 1)
			return NULL;
		v |= (byte & 127) << shift;
		if (byte < 128) {
			*value = v;
			return p;
		}
	}
	return NULL;
}

#endif
