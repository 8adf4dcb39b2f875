#include "analyzer/timeline/keys.h"

#include <stdlib.h>
#include <string.h>

gs_life_key gs_life_key_parse(const char *word)
{
	static const char *const words[] = {
#define GS_LIFE_KEY(name, text) text,
		GS_LIFE_KEYS(GS_LIFE_KEY)
#undef GS_LIFE_KEY
	};
	int key = 0;
	while (key < GS_LIFE_KEY_COUNT && strcmp(words[key], word))
		key++;
	return (gs_life_key)key;
}

static uint32_t size_class(uint64_t size)
{
	return size ? 63 - (uint32_t)__builtin_clzll(size) : 0;
}

uint32_t gs_life_key_of(const gs_timeline *t, uint32_t life, gs_life_key key)
{
	const gs_lives *x = &t->lives;
	switch (key) {
	case GS_LIFE_KEY_HOLDER: return t->holder[life];
	case GS_LIFE_KEY_CATEGORY: return gs_timeline_categorization(t, life).category;
	case GS_LIFE_KEY_STEP: return (uint32_t)(gs_timeline_step_at(t, x->all[life].birth) + 1);
	case GS_LIFE_KEY_STREAM: return gs_life_stream(x, life);
	case GS_LIFE_KEY_POOL: return gs_life_pool(x, life);
	case GS_LIFE_KEY_TAG: return gs_life_block(x, life).tag;
	case GS_LIFE_KEY_SIZE: return size_class(gs_life_size(x, life));
	default: return (uint32_t)(x->all[life].birth + 1);
	}
}

enum { DIGIT = 65536 };

typedef struct keyed {
	uint32_t key, life;
} keyed;

/* One pass of a radix sort by 16 bits of the key: what is equal keeps its order. */
static void sort_by_digit(const keyed *from, keyed *to, size_t n, int shift, size_t *count)
{
	memset(count, 0, (DIGIT + 1) * sizeof *count);
	for (size_t i = 0; i < n; i++)
		count[(from[i].key >> shift & (DIGIT - 1)) + 1]++;
	for (size_t k = 0; k < DIGIT; k++)
		count[k + 1] += count[k];
	for (size_t i = 0; i < n; i++)
		to[count[from[i].key >> shift & (DIGIT - 1)]++] = from[i];
}

gs_status gs_lives_order(
	const gs_timeline *t, gs_life_key key, uint32_t *lives, size_t n, gs_error *err)
{
	if (key == GS_LIFE_KEY_BIRTH)
		return GS_OK;
	size_t *count = malloc((DIGIT + 1) * sizeof *count);
	keyed *a = calloc(n + 1, sizeof *a), *b = malloc((n + 1) * sizeof *b);
	bool taken = count && a && b;
	if (taken) {
		for (size_t i = 0; i < n; i++)
			a[i] = (keyed){gs_life_key_of(t, lives[i], key), lives[i]};
		sort_by_digit(a, b, n, 0, count);
		sort_by_digit(b, a, n, 16, count);
		for (size_t i = 0; i < n; i++)
			lives[i] = a[i].life;
	}
	free(count);
	free(a);
	free(b);
	return taken ? GS_OK : gs_fail(err, GS_NO_MEMORY, "no memory to order %zu blocks", n);
}
