/* Text put together without stdio, locale or heap, for the dump path. */
#ifndef GS_RECORDER_DUMP_TEXT_H
#define GS_RECORDER_DUMP_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A text in a buffer of the caller's: always terminated; what does not fit is cut. */
typedef struct gs_line {
	char *at;
	size_t n, cap; /* cap ≥ 1 counts the terminating NUL */
} gs_line;

#define GS_LINE(buffer)             \
	{                               \
		(buffer), 0, sizeof(buffer) \
	}

void gs_line_text(gs_line *l, const char *text); /* NULL: nothing */
void gs_line_bytes(gs_line *l, const char *text, size_t n);
void gs_line_char(gs_line *l, char c);
void gs_line_number(
	gs_line *l, uint64_t value, unsigned digits); /* decimal, at least that many digits */
void gs_line_signed(gs_line *l, int64_t value);
/* 20261231T235959Z for seconds since 1970 (UTC, proleptic Gregorian calendar). */
void gs_line_utc(gs_line *l, int64_t seconds);

#endif
