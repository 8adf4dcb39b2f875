#include "analyzer/read/text/speaker.h"

#include <string.h>

#include "analyzer/read/text/ascii.h"

enum { NEAR = 400 /* squeezed characters before i in which its line must begin */ };

typedef struct word {
	const char *p;
	size_t n;
} word;

static size_t count(word w, char c)
{
	size_t times = 0;
	for (size_t i = 0; i < w.n; i++)
		times += w.p[i] == c;
	return times;
}

static bool holds(word w, const char *part) { return memmem(w.p, w.n, part, strlen(part)); }

/* 2024-07-13, 01:58:24.140001:, 2024-05-01T12:33:21Z, and the seconds of newer glogs */
static bool is_time(word w)
{
	bool date = w.n >= 10 && gs_ascii_digits(w.p, w.p + w.n) == 4 &&
		(w.p[4] == '-' || w.p[4] == '/') && w.p[7] == w.p[4];
	return date || (count(w, ':') >= 2 && gs_ascii_digits(w.p, w.p + w.n));
}

/* I, E0501 */
static bool is_level(word w)
{
	static const char *const levels[] = {"INFO", "WARN", "ERROR", "FATAL", "DEBUG"};
	size_t digits = gs_ascii_digits(w.p + 1, w.p + w.n);
	if (memchr("IWEFVD", *w.p, 6) && digits == w.n - 1 && (!digits || digits == 3 || digits == 4))
		return true;
	for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
		if (holds(w, levels[k]))
			return true;
	return false;
}

/* bfc_allocator.cc:1095] */
static bool is_source_position(word w)
{
	return w.p[w.n - 1] == ']' && (holds(w, ".cc:") || holds(w, ".py:"));
}

static bool blank(char c) { return c == ' ' || c == '\t'; }

/* 70889, the thread behind the time of glog, which not every line has */
static bool is_number(word w) { return gs_ascii_digits(w.p, w.p + w.n) == w.n; }

/* The word without what touches it: `[1,0]<stderr>:2024-07-13`, `[1,0]<stderr>:I0000`. */
static word without_stamp(word w)
{
	for (size_t i = 1; i + 10 <= w.n; i++)
		if (is_time((word){w.p + i, 10}) && !gs_ascii_digit(w.p[i - 1]))
			return (word){w.p, i};
	const char *colon = memrchr(w.p, ':', w.n);
	size_t n = colon ? (size_t)(colon - w.p) + 1 : w.n;
	return n < w.n && is_level((word){w.p + n, w.n - n}) ? (word){w.p, n} : w;
}

/* FNV-1a of the words that stay; 0 where none does. */
static uint64_t hash_prefix(const char *p, const char *end, bool numbers)
{
	uint64_t h = UINT64_C(14695981039346656037);
	bool any = false;
	while (p < end) {
		word w = {p, 0};
		while (p < end && !blank(*p))
			p++;
		w.n = (size_t)(p++ - w.p);
		if (!w.n || is_time(w) || is_level(w) || is_source_position(w) ||
			(!numbers && is_number(w)))
			continue;
		w = without_stamp(w);
		for (size_t i = 0; i < w.n; i++)
			h = (h ^ (unsigned char)w.p[i]) * UINT64_C(1099511628211);
		h = (h ^ ' ') * UINT64_C(1099511628211);
		any = true;
	}
	return any ? h : 0;
}

uint64_t gs_text_speaker(const gs_text *t, size_t i)
{
	size_t start = gs_text_line_start(t, i), first = i, least = i > NEAR ? i - NEAR : 0;
	while (first > least && t->at[first - 1] >= start)
		first--;
	if (first == least && first && t->at[first] > start)
		return 0;
	const char *line = t->text + start, *end = t->text + t->at[first];
	uint64_t h = hash_prefix(line, end, false);
	return h ? h : hash_prefix(line, end, true);
}
