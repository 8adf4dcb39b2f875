/* Recognises the beginnings of log lines piece by piece: each piece tells its length, 0 where it
 * does not fit. */
#include "analyzer/read/text/prefix.h"

#include <string.h>
#include <strings.h>

#include "analyzer/read/text/ascii.h"

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static int64_t value(const char *p, size_t n)
{
	int64_t v = 0;
	for (size_t i = 0; i < n && i < 12; i++)
		v = v * 10 + (p[i] - '0');
	return v;
}

/* hh:mm:ss with an optional fraction after . or , or : ; adds to *us. */
static size_t clock_time(const char *p, const char *end, int64_t *us)
{
	size_t h = gs_ascii_digits(p, end);
	if (h < 1 || h > 2 || end - p < (ptrdiff_t)h + 6 || p[h] != ':' ||
		gs_ascii_digits(p + h + 1, end) != 2 || p[h + 3] != ':' ||
		gs_ascii_digits(p + h + 4, end) < 2)
		return 0;
	if (gs_ascii_digits(p + h + 4, end) > 2)
		return 0;
	size_t n = h + 6;
	int64_t t = ((value(p, h) * 60 + value(p + h + 1, 2)) * 60 + value(p + h + 4, 2)) * 1000000;
	if (p + n + 1 < end && (p[n] == '.' || p[n] == ',') && gs_ascii_digit(p[n + 1])) {
		size_t f = gs_ascii_digits(p + n + 1, end);
		int64_t fraction = value(p + n + 1, f > 6 ? 6 : f);
		for (size_t i = f; i < 6; i++)
			fraction *= 10;
		t += fraction;
		n += 1 + f;
	}
	*us = t;
	return n;
}

static int64_t days_since_1970(int64_t y, int64_t m, int64_t d)
{
	y -= m <= 2;
	int64_t era = y / 400, yoe = y - era * 400;
	int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

/* Z or +hh:mm or +hhmm. */
static size_t zone_offset(const char *p, const char *end, int64_t *us, bool *zone)
{
	if (p < end && *p == 'Z') {
		*zone = true;
		return 1;
	}
	if (end - p < 5 || (*p != '+' && *p != '-') || gs_ascii_digits(p + 1, end) < 2)
		return 0;
	size_t colon = p[3] == ':';
	if (end - p < (ptrdiff_t)(5 + colon) || gs_ascii_digits(p + 3 + colon, end) != 2)
		return 0;
	*us = (value(p + 1, 2) * 60 + value(p + 3 + colon, 2)) * 60000000 * (*p == '-' ? -1 : 1);
	*zone = true;
	return 5 + colon;
}

/* yyyy-mm-dd or yyyy/mm/dd, a blank or T or :, a time of day, perhaps a zone. */
static size_t date_time(const char *p, const char *end, int64_t *us, bool *zone)
{
	if (end - p < 10 || gs_ascii_digits(p, end) != 4 || (p[4] != '-' && p[4] != '/') ||
		gs_ascii_digits(p + 5, end) != 2 || p[7] != p[4] || gs_ascii_digits(p + 8, end) != 2)
		return 0;
	int64_t y = value(p, 4), m = value(p + 5, 2), d = value(p + 8, 2);
	if (y < 1970 || y > 2199 || m < 1 || m > 12 || d < 1 || d > 31)
		return 0;
	size_t n = 10;
	int64_t clock = 0, offset = 0;
	if (p + n < end && (p[n] == ' ' || p[n] == 'T' || p[n] == ':' || p[n] == '-')) {
		size_t c = clock_time(p + n + 1, end, &clock);
		if (c) {
			n += 1 + c;
			n += zone_offset(p + n, end, &offset, zone);
		}
	}
	*us = days_since_1970(y, m, d) * 86400000000 + clock - offset;
	return n;
}

/* I0000 00:00:1773083052.386475   70889   (level, date, time, thread; newer ones have the seconds
 * since 1970; PyTorch's month has no zero before it) */
static size_t glog_stamp(const char *p, const char *end, int64_t *us, bool *zone)
{
	size_t date = end - p < 10 || !memchr("IWEFD", *p, 5) ? 0 : gs_ascii_digits(p + 1, end);
	if (date < 3 || date > 4 || p[1 + date] != ' ')
		return 0;
	size_t n = date + 2, c;
	int64_t clock = 0;
	if (end - p > 13 && !memcmp(p + n, "00:00:", 6) && gs_ascii_digits(p + n + 6, end) >= 9) {
		size_t secs = gs_ascii_digits(p + n + 6, end), f = 0;
		int64_t t = value(p + n + 6, secs) * 1000000;
		n += 6 + secs;
		if (p + n < end && p[n] == '.') {
			f = gs_ascii_digits(p + n + 1, end);
			int64_t fraction = value(p + n + 1, f > 6 ? 6 : f);
			for (size_t i = f; i < 6; i++)
				fraction *= 10;
			t += fraction;
			n += 1 + f;
		}
		*us = t;
		*zone = true;
	} else if ((c = clock_time(p + n, end, &clock))) {
		n += c;
	} else {
		return 0;
	}
	while (p + n < end && p[n] == ' ')
		n++;
	return n + gs_ascii_digits(p + n, end);
}

/* mm-dd hh:mm:ss */
static size_t short_date_time(const char *p, const char *end)
{
	int64_t clock;
	if (end - p < 11 || gs_ascii_digits(p, end) != 2 || (p[2] != '-' && p[2] != '/') ||
		gs_ascii_digits(p + 3, end) != 2 || p[5] != ' ')
		return 0;
	size_t c = clock_time(p + 6, end, &clock);
	return c ? 6 + c : 0;
}

static size_t level(const char *p, const char *end)
{
	static const char *const words[] = {
		"WARNING", "CRITICAL", "ERROR", "DEBUG", "FATAL", "INFO", "WARN", "TRACE"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if ((size_t)(end - p) > n && !memcmp(p, words[i], n) && !letter(p[n]) && p[n] != '_')
			return n; /* not the rest of CUDA_ERROR_OUT_OF_MEMORY */
	}
	return 0;
}

/* [Error] or [warning]: a level alone in brackets, in any case. */
static size_t bracketed_level(const char *p, const char *end)
{
	static const char *const words[] = {
		"warning]", "critical]", "error]", "debug]", "fatal]", "info]", "warn]", "trace]"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (*p == '[' && (size_t)(end - p) > n && !strncasecmp(p + 1, words[i], n))
			return n + 1;
	}
	return 0;
}

/* (Process) behind a time: a logger's word for where the line comes from. */
static size_t origin(const char *p, const char *end)
{
	size_t n = 1;
	while (*p == '(' && p + n < end && n < 24 && letter(p[n]))
		n++;
	return n > 3 && p + n + 1 < end && p[n] == ')' && p[n + 1] == ' ' ? n + 1 : 0;
}

/* path/file.cc:123] or file.py:12] — the source position that loggers print; no blanks in it. */
static size_t source_position(const char *p, const char *end)
{
	size_t n = 0, colon = 0;
	while (p + n < end && n < 200 && p[n] != ' ' && p[n] != ']' && p[n] != '[' && p[n] != '(') {
		if (p[n] == ':')
			colon = n;
		n++;
	}
	if (!colon || p + n >= end || p[n] != ']' ||
		gs_ascii_digits(p + colon + 1, end) != n - colon - 1 || n == colon + 1)
		return 0;
	return n + 1;
}

/* [rank0]: [1,0]<stderr>: (Worker pid=7, ip=…) [12:00:00] [stage-0] — a bracket with a rank, a pid
 * or a time in it */
static size_t bracket(const char *p, const char *end, bool *stamped)
{
	if (p >= end || (*p != '[' && *p != '('))
		return 0;
	char close = *p == '[' ? ']' : ')';
	size_t n = 1;
	bool number = false;
	unsigned commas = 0;
	while (p + n < end && n < 80 && p[n] != close) {
		number |= gs_ascii_digit(p[n]);
		commas += p[n] == ',';
		if (p[n] == '[' || p[n] == '(' || p[n] == ';')
			return 0;
		n++;
	}
	if (p + n >= end || p[n] != close)
		return 0;
	const char *in = p + 1, *out = p + n;
	int64_t us = 0;
	bool zone = false;
	bool time = date_time(in, out, &us, &zone) || clock_time(in, out, &us) ||
		glog_stamp(in, out, &us, &zone);
	bool rank = false;
	for (const char *q = in; q + 3 < out; q++)
		rank |= !memcmp(q, "rank", 4) || !memcmp(q, "pid=", 4) || !memcmp(q, "Rank", 4) ||
			!memcmp(q, "tage", 4);
	if (!time && !level(in, out + 1) &&
		!(number && (rank || (*p == '[' && gs_ascii_digit(*in) && commas < 2))))
		return 0;
	*stamped |= time || level(in, out + 1);
	n++;
	if (end - p > (ptrdiff_t)n + 8 &&
		(!memcmp(p + n, "<stderr>", 8) || !memcmp(p + n, "<stdout>", 8)))
		n += 8;
	if (p + n < end && p[n] == ':')
		n++;
	return n;
}

/* 0.12.345.678 E   (llama.cpp: minutes, seconds, milliseconds, microseconds since the start, and
 * the level) */
static size_t elapsed_stamp(const char *p, const char *end)
{
	size_t n = gs_ascii_digits(p, end);
	static const unsigned char wide[] = {2, 3, 3};
	if (!n || n > 4)
		return 0;
	for (size_t i = 0; i < sizeof wide; i++) {
		if (p + n >= end || p[n] != '.' || gs_ascii_digits(p + n + 1, end) != wide[i])
			return 0;
		n += 1 + wide[i];
	}
	if (end - p < (ptrdiff_t)n + 3 || p[n] != ' ' || !memchr("DIWE", p[n + 1], 4) ||
		p[n + 2] != ' ')
		return 0;
	return n + 2;
}

/* Mar  3 04:05:06 node7 train.sh[4242]:   (the system's log; the names may be left out) */
static size_t system_stamp(const char *p, const char *end)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	size_t n = 4, d, month = 0;
	int64_t clock;
	while (month < 12 && (end - p < 16 || memcmp(p, months + month * 3, 3)))
		month++;
	if (month == 12 || p[3] != ' ')
		return 0;
	n += p[n] == ' ';
	d = gs_ascii_digits(p + n, end);
	if (d < 1 || d > 2 || p[n + d] != ' ' || !(d = clock_time(p + n + d + 1, end, &clock) + d))
		return 0;
	n += d + 1;
	const char *colon = memchr(
		p + n, ':', (size_t)(end - p) - n > 100 ? 100 : (size_t)(end - p) - n);
	if (!colon || colon + 1 >= end || colon[1] != ' ' || p[n] != ' ')
		return n;
	size_t blanks = 0;
	for (const char *q = p + n; q < colon; q++)
		blanks += *q == ' ';
	return blanks == 2 && colon[-1] == ']' ? (size_t)(colon - p) + 1 : n;
}

static size_t stamp(const char *p, const char *end, int64_t *us, bool *zone)
{
	int64_t clock;
	size_t n = date_time(p, end, us, zone);
	if (!n)
		n = glog_stamp(p, end, us, zone);
	if (!n)
		n = short_date_time(p, end);
	if (!n)
		n = clock_time(p, end, &clock);
	if (!n)
		n = elapsed_stamp(p, end);
	if (!n)
		n = system_stamp(p, end);
	return n;
}

/* Of Python's logging: the logger's name behind a time, ended by a bar or a dash as the time was (`
 * - trainer - `). */
static size_t logger(const char *line, const char *p, const char *end)
{
	size_t n = 0;
	if (p - line < 2 || p[-1] != ' ' || (p[-2] != '-' && p[-2] != '|'))
		return 0;
	while (p + n < end && n < 64 &&
		(letter(p[n]) || gs_ascii_digit(p[n]) || p[n] == '_' || p[n] == '.'))
		n++;
	return n && end - p > (ptrdiff_t)n + 3 && p[n] == ' ' && p[n + 1] == p[-2] && p[n + 2] == ' '
		? n
		: 0;
}

/* Of a container's log: the name of a service and its number before a bar (`worker-1  | `). */
static size_t service(const char *p, const char *end)
{
	size_t n = 0, number;
	while (p + n < end && n < 64 &&
		(letter(p[n]) || gs_ascii_digit(p[n]) || p[n] == '_' || p[n] == '-' || p[n] == '.'))
		n++;
	for (number = 0; number < n && gs_ascii_digit(p[n - 1 - number]); number++)
		;
	if (!number || n < number + 2 || (p[n - 1 - number] != '-' && p[n - 1 - number] != '_'))
		return 0;
	while (p + n < end && p[n] == ' ')
		n++;
	return p + n + 1 < end && p[n] == '|' && p[n + 1] == ' ' ? n + 2 : 0;
}

/* Which stream a container wrote to, and whether the line is whole. */
static size_t stream(const char *p, const char *end)
{
	if (end - p < 10 || (memcmp(p, "stderr ", 7) && memcmp(p, "stdout ", 7)) ||
		(p[7] != 'F' && p[7] != 'P') || p[8] != ' ')
		return 0;
	return 9;
}

/* One piece of a prefix at p, or 0. after: some stamped piece came before (then more forms are
 * accepted). */
static size_t one_piece(const char *line, const char *p, const char *end, bool *stamped)
{
	int64_t us;
	bool zone;
	size_t n;
	if (*p == ' ' || *p == '\t' || *p == '>')
		return 1;
	if ((n = stamp(p, end, &us, &zone)) || (n = level(p, end))) {
		*stamped = true;
		return n;
	}
	if ((n = bracketed_level(p, end))) {
		*stamped = true;
		return n;
	}
	if (end - p > 8 && memchr("IWEFV", *p, 5) && p[1] == ' ' && (n = source_position(p + 2, end))) {
		*stamped = true;
		return n + 2;
	}
	if ((n = bracket(p, end, stamped)))
		return n;
	if (!*stamped)
		return 0;
	if (*p == ':' || *p == '|' || *p == '-' || *p == ',')
		return 1;
	if ((n = stream(p, end)) || (n = origin(p, end)) || (n = logger(line, p, end)))
		return n;
	return source_position(p, end);
}

size_t gs_text_prefix(const char *line, size_t n, bool *stamped)
{
	const char *end = line + n,
			   *p = line +
		(n > 4 && !memcmp(line, "E   ", 4) ? 4 : service(line, end)); /* pytest's; a container's */
	*stamped = false;
	while (p < end) {
		size_t step = one_piece(line, p, end, stamped);
		if (!step)
			break;
		p += step;
	}
	return (size_t)(p - line);
}

int64_t gs_text_time(const char *line, size_t n, bool *zone)
{
	const char *end = line + n, *p = line + service(line, end);
	bool stamped = false;
	*zone = false;
	while (p < end) {
		int64_t us = 0;
		const char *q = *p == '[' ? p + 1 : p;
		if (date_time(q, end, &us, zone))
			return us;
		if (glog_stamp(q, end, &us, zone))
			return *zone ? us : INT64_MIN;
		size_t step = one_piece(line, p, end, &stamped);
		if (!step)
			break;
		p += step;
	}
	return INT64_MIN;
}
