/* Digits of texts and logs, whatever the locale. */
#ifndef GS_ANALYZER_READ_TEXT_ASCII_H
#define GS_ANALYZER_READ_TEXT_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool gs_ascii_digit(char c) { return c >= '0' && c <= '9'; }

/* How many digits stand at p, before end. */
static inline size_t gs_ascii_digits(const char *p, const char *end)
{
	size_t n = 0;
	while (p + n < end && gs_ascii_digit(p[n]))
		n++;
	return n;
}

#endif
