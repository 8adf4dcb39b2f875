/* Column encodings. Decoding is what makes reading a large file quick, so eight one-byte values,
 * the common case, are taken at once, and a longer varint is put together without a branch on each
 * byte. */
#include "schema/column.h"

#include "schema/bytes.h"
#include "schema/gsnap_format.h"

#define HIGH_BITS 0x8080808080808080u

/* The distinct values of a column, as long as they are few. */
struct dictionary {
	uint64_t values[GS_GSNAP_DICT_MAX];
	uint32_t n;
	bool full;
	uint8_t slots[4 * GS_GSNAP_DICT_MAX]; /* entry + 1 */
};

static unsigned find_value(struct dictionary *d, uint64_t value)
{
	unsigned slot = (unsigned)(value * 0x9e3779b97f4a7c15u >> 55);
	while (d->slots[slot]) {
		unsigned entry = d->slots[slot] - 1u;
		if (d->values[entry] == value)
			return entry;
		slot = (slot + 1) % (4 * GS_GSNAP_DICT_MAX);
	}
	if (d->n == GS_GSNAP_DICT_MAX) {
		d->full = true;
		return 0;
	}
	d->values[d->n] = value;
	d->slots[slot] = (uint8_t)++d->n;
	return d->n - 1;
}

static size_t dictionary_size(const uint64_t *values, uint32_t n, struct dictionary *d)
{
	memset(d->slots, 0, sizeof d->slots);
	d->n = 0;
	d->full = false;
	for (uint32_t i = 0; i < n && !d->full; i++)
		if (!i || values[i] != values[i - 1])
			find_value(d, values[i]);
	if (d->full)
		return SIZE_MAX;
	size_t size = (size_t)n + gs_varint_size(d->n);
	for (uint32_t i = 0; i < d->n; i++)
		size += gs_varint_size(d->values[i]);
	return size;
}

static uint64_t step_between(uint64_t from, uint64_t to, unsigned shift)
{
	return gs_zigzag((int64_t)(to - from) >> shift);
}

static size_t delta_size(const uint64_t *values, uint32_t n, unsigned shift)
{
	size_t size = gs_varint_size(values[0]);
	for (uint32_t i = 1; i < n; i++)
		size += gs_varint_size(step_between(values[i - 1], values[i], shift));
	return size;
}

static unsigned char *put_dictionary(
	unsigned char *to, const uint64_t *values, uint32_t n, struct dictionary *d)
{
	to = gs_put_varint(to, d->n);
	for (uint32_t i = 0; i < d->n; i++)
		to = gs_put_varint(to, d->values[i]);
	for (uint32_t i = 0; i < n; i++)
		to[i] = (unsigned char)find_value(d, values[i]);
	return to + n;
}

unsigned char *gs_column_encode(
	unsigned char *to, const uint64_t *values, uint32_t n, uint8_t *encoding, uint8_t *shift)
{
	uint64_t differences = 0;
	size_t plain = gs_varint_size(values[0]);
	for (uint32_t i = 1; i < n; i++) {
		differences |= values[i] - values[i - 1];
		plain += gs_varint_size(values[i]);
	}
	*shift = 0;
	if (!differences) {
		*encoding = GS_ENCODING_CONSTANT;
		return gs_put_varint(to, values[0]);
	}
	unsigned low = (unsigned)__builtin_ctzll(differences);
	size_t delta = plain > n ? delta_size(values, n, low) : SIZE_MAX;
	struct dictionary d;
	size_t dictionary = plain > n ? dictionary_size(values, n, &d) : SIZE_MAX;
	if (dictionary < plain && dictionary <= delta) {
		*encoding = GS_ENCODING_DICT;
		return put_dictionary(to, values, n, &d);
	}
	if (delta < plain) {
		*encoding = GS_ENCODING_DELTA;
		*shift = (uint8_t)low;
		to = gs_put_varint(to, values[0]);
		for (uint32_t i = 1; i < n; i++)
			to = gs_put_varint(to, step_between(values[i - 1], values[i], low));
		return to;
	}
	*encoding = GS_ENCODING_VARINT;
	for (uint32_t i = 0; i < n; i++)
		to = gs_put_varint(to, values[i]);
	return to;
}

/* One varint of up to eight bytes from word; *bytes is its length. The continuation bits are
 * squeezed out in three steps. */
static inline uint64_t squeeze(uint64_t word, unsigned *bytes)
{
	uint64_t stop = ~word & HIGH_BITS;
	unsigned bits = (unsigned)__builtin_ctzll(stop) + 1;
	*bytes = bits / 8;
	word &= ~0ull >> (64 - bits);
	word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
	word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
	return (word & 0x000000000fffffffu) | (word & 0x0fffffff00000000u) >> 4;
}

const unsigned char *gs_column_varints(
	const unsigned char *from, const unsigned char *end, uint64_t *values, uint32_t n)
{
	uint32_t i = 0;
	while (i < n) {
		if (from >= end)
			return NULL;
		uint64_t word = gs_get_le8(from);
		if (!(word & HIGH_BITS) && n - i >= 8) {
			for (int k = 0; k < 8; k++)
				values[i + (uint32_t)k] = word >> 8 * k & 255;
			i += 8;
			from += 8;
		} else if (~word & HIGH_BITS) {
			unsigned bytes;
			values[i++] = squeeze(word, &bytes);
			from += bytes;
		} else {
			from = gs_get_varint(from, end, &values[i++]);
			if (!from)
				return NULL;
		}
	}
	return from <= end ? from : NULL;
}

static bool decode_dictionary(
	const unsigned char *from, const unsigned char *end, uint64_t *values, uint32_t n)
{
	uint64_t k = 0, entries[GS_GSNAP_DICT_MAX] = {0};
	from = gs_get_varint(from, end, &k);
	if (!from || !k || k > GS_GSNAP_DICT_MAX)
		return false;
	from = gs_column_varints(from, end, entries, (uint32_t)k);
	if (!from || (size_t)(end - from) != n)
		return false;
	unsigned bad = 0;
	for (uint32_t i = 0; i < n; i++) {
		bad |= from[i] >= k;
		values[i] = entries[from[i] & (GS_GSNAP_DICT_MAX - 1)];
	}
	return !bad;
}

bool gs_column_decode(const unsigned char *from, const unsigned char *end, uint8_t encoding,
	uint8_t shift, uint64_t *values, uint32_t n)
{
	uint64_t one = 0;
	if (encoding != GS_ENCODING_DELTA && shift)
		return false;
	switch (encoding) {
	case GS_ENCODING_CONSTANT:
		if (gs_get_varint(from, end, &one) != end)
			return false;
		for (uint32_t i = 0; i < n; i++)
			values[i] = one;
		return true;
	case GS_ENCODING_VARINT: return gs_column_varints(from, end, values, n) == end;
	case GS_ENCODING_DELTA:
		if (shift > 63 || gs_column_varints(from, end, values, n) != end)
			return false;
		for (uint32_t i = 1; i < n; i++)
			values[i] = values[i - 1] + ((uint64_t)gs_unzigzag(values[i]) << shift);
		return true;
	case GS_ENCODING_DICT: return decode_dictionary(from, end, values, n);
	default: return false;
	}
}
