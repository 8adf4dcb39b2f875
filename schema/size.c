/* Parsing and printing of byte counts. */
#include "schema/size.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	uint64_t bytes;
} units[] = {
	{"", 1},
	{"B", 1},
	{"K", 1ull << 10},
	{"KiB", 1ull << 10},
	{"M", 1ull << 20},
	{"MiB", 1ull << 20},
	{"G", 1ull << 30},
	{"GiB", 1ull << 30},
	{"T", 1ull << 40},
	{"TiB", 1ull << 40},
	{"KB", 1000ull},
	{"MB", 1000000ull},
	{"GB", 1000000000ull},
	{"TB", 1000000000000ull},
};

gs_status gs_size_parse(const char *text, uint64_t *bytes, gs_error *err)
{
	const char *p = text;
	long double value = 0, scale = 1;
	int digits = 0;

	for (; isdigit((unsigned char)*p); p++, digits++)
		value = value * 10 + (*p - '0');
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++, digits++)
			value += (*p - '0') * (scale /= 10);
	if (digits) {
		if (*p == ' ')
			p++;
		for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
			if (strcasecmp(p, units[i].name))
				continue;
			value *= units[i].bytes;
			if (value >= 9223372036854775808.0L)
				return gs_fail(err, GS_INVALID, "size \"%.40s\" is too large", text);
			*bytes = (uint64_t)(value + 0.5L);
			return GS_OK;
		}
	}
	return gs_fail(err, GS_INVALID,
		"\"%.40s\" is not a size (digits, then B, KiB, MiB, GiB, TiB, KB, MB, GB or TB)", text);
}

enum { KIB, MIB, GIB, EIB = 5, MOST_EXTRA = 6 };

/* With extra digits beyond the three; 0 extra writes whole KiB and MiB without decimals. */
static char *format_size(char *buf, size_t cap, uint64_t bytes, int extra)
{
	static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes / 1024;
	int unit = KIB, decimals;

	if (bytes < 1024) {
		snprintf(buf, cap, "%d B", (int)bytes);
		return buf;
	}
	for (; value >= 1023.5 && unit < EIB; unit++)
		value /= 1024;
	decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	if (unit < GIB && bytes % (UINT64_C(1) << (10 * (unit + 1))) == 0)
		decimals = 0;
	else
		decimals += extra;
	snprintf(buf, cap, "%.*f %s", decimals, value, names[unit]);
	return buf;
}

char *gs_size_format(char *buf, size_t cap, uint64_t bytes)
{
	return format_size(buf, cap, bytes, 0);
}

char *gs_size_format_beside(char *buf, size_t cap, uint64_t bytes, uint64_t other)
{
	char beside[48];

	for (int extra = 0; extra <= MOST_EXTRA; extra++) {
		format_size(buf, cap, bytes, extra);
		format_size(beside, sizeof beside, other, extra);
		if (bytes == other || strcmp(buf, beside))
			return buf;
	}
	return buf;
}
