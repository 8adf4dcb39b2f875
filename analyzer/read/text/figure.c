#include "analyzer/read/text/figure.h"

#include <math.h>
#include <string.h>

#include "analyzer/read/text/ascii.h"

static bool letter(char c) { return c >= 'a' && c <= 'z'; }

bool gs_text_is(const gs_text *t, size_t i, const char *phrase)
{
	size_t n = strlen(phrase);
	return i <= t->n && t->n - i >= n && !memcmp(t->s + i, phrase, n);
}

bool gs_text_ends(const gs_text *t, size_t i, const char *phrase)
{
	size_t n = strlen(phrase);
	return i >= n && gs_text_is(t, i - n, phrase);
}

bool gs_text_eat(const gs_text *t, size_t *i, const char *phrase)
{
	if (!gs_text_is(t, *i, phrase))
		return false;
	*i += strlen(phrase);
	return true;
}

size_t gs_text_find(const gs_text *t, size_t from, size_t to, const char *phrase)
{
	if (to > t->n)
		to = t->n;
	if (from >= to)
		return SIZE_MAX;
	const char *p = memmem(t->s + from, to - from, phrase, strlen(phrase));
	return p ? (size_t)(p - t->s) : SIZE_MAX;
}

size_t gs_text_find_last(const gs_text *t, size_t from, size_t to, const char *phrase)
{
	size_t last = SIZE_MAX, i;
	while ((i = gs_text_find(t, from, to, phrase)) != SIZE_MAX) {
		last = i;
		from = i + 1;
	}
	return last;
}

/* Whether the character at i touches the one before it, or was only wrapped away from it. */
static bool joined(const gs_text *t, size_t i)
{
	return i < t->n && (t->gap[i] == GS_GAP_NONE || t->gap[i] == GS_GAP_WRAP);
}

bool gs_text_number(const gs_text *t, size_t *i, uint64_t *value)
{
	size_t j = *i;
	uint64_t v = 0;
	if (j >= t->n || !gs_ascii_digit(t->s[j]))
		return false;
	do {
		uint64_t d = (uint64_t)(t->s[j] - '0');
		v = v > (UINT64_MAX - d) / 10 ? UINT64_MAX : v * 10 + d;
		j++;
	} while (joined(t, j) && gs_ascii_digit(t->s[j]));
	*value = v;
	*i = j;
	return true;
}

bool gs_text_hex(const gs_text *t, size_t *i, uint64_t *value)
{
	size_t j = *i, first;
	uint64_t v = 0;
	if (gs_text_is(t, j, "0x"))
		j += 2;
	for (first = j; j < t->n && (j == first || joined(t, j)) && j - first < 17; j++) {
		char c = t->s[j];
		if (!gs_ascii_digit(c) && !(c >= 'a' && c <= 'f'))
			break;
		v = v << 4 | (uint64_t)(gs_ascii_digit(c) ? c - '0' : c - 'a' + 10);
	}
	if (j == first || j - first > 16)
		return false;
	*value = v;
	*i = j;
	return true;
}

bool gs_text_digit_begins(const gs_text *t, size_t i)
{
	if (i >= t->n || !gs_ascii_digit(t->s[i]))
		return false;
	if (i == 0 || t->gap[i] == GS_GAP_BLANK || t->gap[i] >= GS_GAP_FOLD)
		return true;
	char c = t->s[i - 1];
	size_t run = 0;
	while (
		run < 4 && i + run < t->n && gs_ascii_digit(t->s[i + run]) && (!run || joined(t, i + run)))
		run++;
	if (c == ',' && t->gap[i] == GS_GAP_WRAP && run != 3)
		return true;
	if (gs_ascii_digit(c) || ((c == '.' || c == ',') && i > 1 && gs_ascii_digit(t->s[i - 2])))
		return false;
	return t->gap[i] != GS_GAP_NONE || (!letter(c) && c != '_' && (unsigned char)c < 128) ||
		(unsigned char)c >= 128;
}

static const struct {
	const char *word;
	unsigned char shift;
} units[] = {
	{"bytes", 0},
	{"byte", 0},
	{"kib", 10},
	{"mib", 20},
	{"gib", 30},
	{"tib", 40},
	{"pib", 50},
	{"kb", 10},
	{"mb", 20},
	{"gb", 30},
	{"tb", 40},
	{"pb", 50},
	{"k", 10},
	{"m", 20},
	{"g", 30},
	{"t", 40},
	{"b", 0},
};

/* The unit at *i, if what follows does not make it the beginning of a word. */
static bool unit_at(const gs_text *t, size_t *i, unsigned *shift)
{
	for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
		size_t n = strlen(units[u].word), j = *i + n;
		if (!gs_text_is(t, *i, units[u].word))
			continue;
		if (n < 3 && j < t->n && t->gap[j] == GS_GAP_NONE &&
			(letter(t->s[j]) || t->s[j] == '/' || t->s[j] == '_'))
			continue;
		*shift = units[u].shift;
		*i = j;
		return true;
	}
	return false;
}

/* The same, or folded away from it where that ends no number. */
static bool goes_on(const gs_text *t, size_t i, bool folds)
{
	return joined(t, i) || (folds && i < t->n && t->gap[i] == GS_GAP_FOLD);
}

/* Digits of the whole part, with commas between groups of three; returns whether a comma was seen.
 */
static long double whole(const gs_text *t, size_t *i, bool folds)
{
	long double v = 0;
	size_t j = *i;
	for (;;) {
		while (j < t->n && gs_ascii_digit(t->s[j]) && (j == *i || goes_on(t, j, folds)))
			v = v * 10 + (t->s[j++] - '0');
		if (j + 3 < t->n && t->s[j] == ',' && goes_on(t, j, folds) && gs_ascii_digit(t->s[j + 1]) &&
			gs_ascii_digit(t->s[j + 2]) && gs_ascii_digit(t->s[j + 3]) &&
			goes_on(t, j + 1, folds) &&
			(j + 4 >= t->n || !gs_ascii_digit(t->s[j + 4]) || !goes_on(t, j + 4, folds)))
			j++;
		else
			break;
	}
	*i = j;
	return v;
}

/* A number at *i, not yet multiplied, and its unit; *i moves behind both. */
static bool number_and_unit(
	const gs_text *t, size_t *i, long double *number, unsigned *shift, bool *unit, bool folds)
{
	size_t j = *i;
	*shift = 0;
	if (j >= t->n || !gs_ascii_digit(t->s[j]))
		return false;
	long double v = whole(t, &j, folds);
	if (j + 1 < t->n && (t->s[j] == '.' || t->s[j] == ',') && goes_on(t, j, folds) &&
		gs_ascii_digit(t->s[j + 1]) && goes_on(t, j + 1, folds)) {
		long double scale = 1;
		for (j++; j < t->n && gs_ascii_digit(t->s[j]) && goes_on(t, j, folds); j++)
			v += (t->s[j] - '0') * (scale /= 10);
	}
	*unit = unit_at(t, &j, shift);
	*number = v;
	*i = j;
	return true;
}

static int64_t bytes_of(long double number, unsigned shift)
{
	long double v = roundl(ldexpl(number, (int)shift));
	return v >= 9223372036854775807.0L ? INT64_MAX : (int64_t)v;
}

static bool size(const gs_text *t, size_t *i, int64_t *bytes, bool *unit, bool folds)
{
	long double number;
	unsigned shift;
	bool has;
	if (!number_and_unit(t, i, &number, &shift, &has, folds))
		return false;
	if (unit)
		*unit = has;
	*bytes = bytes_of(number, shift);
	return true;
}

bool gs_text_size(const gs_text *t, size_t *i, int64_t *bytes, bool *unit)
{
	return size(t, i, bytes, unit, false);
}

bool gs_text_size_folded(const gs_text *t, size_t *i, int64_t *bytes, bool *unit)
{
	return size(t, i, bytes, unit, true);
}

bool gs_text_size_of(const gs_text *t, size_t *i, int64_t *part, int64_t *all)
{
	long double a, b;
	unsigned a_shift, b_shift;
	bool a_unit, b_unit;
	size_t j = *i;
	if (!number_and_unit(t, &j, &a, &a_shift, &a_unit, false) || !gs_text_eat(t, &j, "/") ||
		!number_and_unit(t, &j, &b, &b_shift, &b_unit, false))
		return false;
	*part = bytes_of(a, a_unit ? a_shift : b_shift);
	*all = bytes_of(b, b_shift);
	*i = j;
	return true;
}
