/* memcmp by words: that of zig's C library, and of WASI's, compares byte by byte, which is seen
 * where stacks are told apart. */
#include <stdint.h>
#include <string.h>

static uint64_t word_at(const unsigned char *p)
{
	uint64_t word;
	__builtin_memcpy(&word, p, sizeof word);
	return word;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;
	for (; n >= 8 && word_at(x) == word_at(y); n -= 8) {
		x += 8;
		y += 8;
	}
	for (; n && *x == *y; n--) {
		x++;
		y++;
	}
	return n ? *x - *y : 0;
}
