#include "analyzer/diagnose/standing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- of one ----------------------------------------------------------------------------------- */

typedef struct sum {
	gs_id stack;
	uint64_t bytes;
} sum;

static int by_stack(const void *a, const void *b)
{
	const sum *x = a, *y = b;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

/* Adds live bytes up by stack; returns how many stacks there are. */
static size_t sum_stacks(const gs_layout *l, sum *sums)
{
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < l->nblocks; i++)
		if (l->blocks[i].state != GS_INACTIVE)
			sums[n++] = (sum){l->blocks[i].stack, l->blocks[i].size};
	if (n)
		qsort(sums, n, sizeof *sums, by_stack);
	for (size_t i = 0; i < n; i++)
		if (kept && sums[kept - 1].stack == sums[i].stack)
			sums[kept - 1].bytes += sums[i].bytes;
		else
			sums[kept++] = sums[i];
	return kept;
}

typedef struct place {
	char where[GS_PLACE_TEXT];
	uint64_t bytes;
} place;

enum { MOST_PLACES = 64 };

/* Different stacks may lead to one place. Of very many places the largest stacks' are looked at. */
static int by_bytes(const void *a, const void *b)
{
	const sum *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return by_stack(a, b);
}

static void add_place(place *places, size_t *n, const char *where, uint64_t bytes)
{
	size_t i = 0;
	while (i < *n && strcmp(places[i].where, where))
		i++;
	if (i == *n && *n == MOST_PLACES)
		return;
	if (i == *n) {
		memcpy(places[i].where, where, sizeof places[i].where);
		places[i].bytes = 0;
		(*n)++;
	}
	places[i].bytes += bytes;
}

static void find_holder(const gs_snapshot *s, const sum *sums, size_t n, char *holder)
{
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	place *places = calloc(MOST_PLACES, sizeof *places);
	size_t nplaces = 0, best = 0;
	for (size_t i = 0; places && i < n && i < 4 * MOST_PLACES; i++)
		if (gs_stack_place(s, sums[i].stack, where, called_by))
			add_place(places, &nplaces, where, sums[i].bytes);
	for (size_t i = 1; i < nplaces; i++)
		if (places[i].bytes > places[best].bytes)
			best = i;
	if (nplaces)
		memcpy(holder, places[best].where, GS_PLACE_TEXT);
	free(places);
}

void gs_standing_of(const gs_snapshot *s, const gs_layout *l, gs_standing *standing)
{
	gs_totals t;
	gs_layout_totals(l, &t);
	standing->reserved = (int64_t)t.reserved;
	if (!gs_layout_counted(s, l))
		return;
	standing->blocks = (int64_t)t.blocks;
	sum *sums = malloc((l->nblocks + 1) * sizeof *sums);
	if (!sums)
		return;
	size_t n = sum_stacks(l, sums);
	qsort(sums, n, sizeof *sums, by_bytes);
	find_holder(s, sums, n, standing->holder);
	free(sums);
}

void gs_standing_captured(const gs_snapshot *s, const gs_device *device, gs_standing *standing)
{
	for (size_t i = 0; !device && i < s->ndevices; i++)
		if (s->devices[i].has_layout)
			device = &s->devices[i];
	if (device && device->has_layout)
		gs_standing_of(s, &device->captured, standing);
}

/* --- of many ---------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, by_value);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static int64_t number_of(const gs_standing *s, int bit)
{
	return bit == GS_UNLIKE_RESERVED ? s->reserved : s->blocks;
}

static const char *word_of(const gs_standing *s, int bit)
{
	if (bit == GS_UNLIKE_VERDICT)
		return s->verdict;
	return *s->holder ? s->holder : NULL;
}

static void compare_numbers(const gs_standing *all, size_t n, int bit, double *values,
	int64_t *usual, int64_t *spread, uint8_t *unlike)
{
	size_t known = 0;
	for (size_t i = 0; i < n; i++)
		if (number_of(&all[i], bit) != GS_NONE)
			values[known++] = (double)number_of(&all[i], bit);
	if (known < GS_STANDINGS_LEAST)
		return;
	double middle = median(values, known);
	for (size_t i = 0; i < known; i++)
		values[i] = fabs(values[i] - middle);
	double far = fmax(5 * 1.4826 * median(values, known), middle / 10);
	*usual = (int64_t)llround(middle);
	*spread = (int64_t)llround(far);
	for (size_t i = 0; i < n; i++) {
		int64_t number = number_of(&all[i], bit);
		if (number != GS_NONE && fabs((double)number - middle) > far)
			unlike[i] |= (uint8_t)bit;
	}
}

static int by_word(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* words: sorted. How many are that word. */
static size_t count_word(const char **words, size_t n, const char *word)
{
	size_t low = 0, high = n, count = 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(words[middle], word) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + count < n && !strcmp(words[low + count], word))
		count++;
	return count;
}

/* What more than half are is in the middle when they are sorted. */
static const char *compare_words(
	const gs_standing *all, size_t n, int bit, const char **words, uint8_t *unlike)
{
	size_t known = 0;
	for (size_t i = 0; i < n; i++)
		if (word_of(&all[i], bit))
			words[known++] = word_of(&all[i], bit);
	if (known < GS_STANDINGS_LEAST)
		return NULL;
	qsort(words, known, sizeof *words, by_word);
	const char *usual = words[known / 2];
	if (2 * count_word(words, known, usual) <= known)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const char *word = word_of(&all[i], bit);
		size_t most = known / 10 ? known / 10 : 1;
		if (word && strcmp(word, usual) && count_word(words, known, word) <= most)
			unlike[i] |= (uint8_t)bit;
	}
	return usual;
}

gs_status gs_standings_compare(
	const gs_standing *all, size_t n, gs_usual *usual, uint8_t *unlike, gs_error *err)
{
	double *values = malloc((n + 1) * sizeof *values);
	const char **words = malloc((n + 1) * sizeof *words), *holder = NULL;
	*usual = (gs_usual){GS_STANDING_INIT, GS_NONE, GS_NONE};
	memset(unlike, 0, n);
	if (values && words) {
		compare_numbers(all, n, GS_UNLIKE_RESERVED, values, &usual->of.reserved,
			&usual->reserved_spread, unlike);
		compare_numbers(
			all, n, GS_UNLIKE_BLOCKS, values, &usual->of.blocks, &usual->blocks_spread, unlike);
		usual->of.verdict = compare_words(all, n, GS_UNLIKE_VERDICT, words, unlike);
		holder = compare_words(all, n, GS_UNLIKE_HOLDER, words, unlike);
	}
	if (holder)
		memcpy(usual->of.holder, holder, sizeof usual->of.holder);
	gs_status status = values && words ? GS_OK : gs_fail(err, GS_NO_MEMORY, "%zu snapshots", n);
	free(values);
	free(words);
	return status;
}
