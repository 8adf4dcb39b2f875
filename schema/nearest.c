#include "schema/nearest.h"

#include <stdbool.h>
#include <string.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Levenshtein's distance with transpositions, by three rows of its table. */
size_t gs_edit_distance(const char *a, const char *b)
{
	enum { MAX = 48 };
	size_t n = strlen(a), m = strlen(b), row[3][MAX + 1];
	if (n > MAX || m > MAX)
		return MAX;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return row[n % 3][m];
}

const char *gs_nearest_word(const char *typed, const char *const *words)
{
	const char *best = NULL;
	size_t nearest = 1 + strlen(typed) / 2;
	for (; *words; words++) {
		bool begins = *typed && !strncmp(typed, *words, strlen(typed));
		size_t d = begins ? 0 : gs_edit_distance(typed, *words);
		if (d < nearest) {
			nearest = d;
			best = *words;
		}
	}
	return best;
}
