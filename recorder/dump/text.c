/* Appending to a fixed buffer. */
#include "recorder/dump/text.h"

#include <string.h>

void gs_line_bytes(gs_line *l, const char *text, size_t n)
{
	if (n > l->cap - 1 - l->n)
		n = l->cap - 1 - l->n;
	memcpy(l->at + l->n, text, n);
	l->n += n;
	l->at[l->n] = 0;
}

void gs_line_text(gs_line *l, const char *text)
{
	if (text)
		gs_line_bytes(l, text, strlen(text));
}

void gs_line_char(gs_line *l, char c) { gs_line_bytes(l, &c, 1); }

void gs_line_number(gs_line *l, uint64_t value, unsigned digits)
{
	char buffer[24];
	size_t at = sizeof buffer;
	do {
		buffer[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (sizeof buffer - at < digits && at)
		buffer[--at] = '0';
	gs_line_bytes(l, buffer + at, sizeof buffer - at);
}

void gs_line_signed(gs_line *l, int64_t value)
{
	if (value < 0)
		gs_line_char(l, '-');
	gs_line_number(l, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

void gs_line_utc(gs_line *l, int64_t seconds)
{
	int64_t days = seconds / 86400, rest = seconds % 86400;
	if (rest < 0) {
		rest += 86400;
		days--;
	}
	/* days since 0000-03-01, so that a leap day ends its year; eras of 400 years have 146097 days
	 */
	days += 719468;
	int64_t era = (days >= 0 ? days : days - 146096) / 146097;
	int64_t day = days - era * 146097;
	int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	day -= 365 * year + year / 4 - year / 100;
	int64_t month = (5 * day + 2) / 153;
	day -= (153 * month + 2) / 5;
	month += month < 10 ? 3 : -9;
	year += era * 400 + (month <= 2);

	gs_line_number(l, (uint64_t)year, 4);
	gs_line_number(l, (uint64_t)month, 2);
	gs_line_number(l, (uint64_t)day + 1, 2);
	gs_line_char(l, 'T');
	gs_line_number(l, (uint64_t)rest / 3600, 2);
	gs_line_number(l, (uint64_t)rest / 60 % 60, 2);
	gs_line_number(l, (uint64_t)rest % 60, 2);
	gs_line_char(l, 'Z');
}
