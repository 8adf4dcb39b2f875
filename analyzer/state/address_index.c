/* Numbered addresses and sets of them. */
#include "analyzer/state/address_index.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"

uint32_t gs_address_index_add(gs_address_index *p, uint64_t address)
{
	bool is_new;
	uint32_t *number = p->n < UINT32_C(1) << 31 ? gs_hash_map_at(&p->numbers, address, &is_new)
												: NULL;
	if (!number)
		return GS_NO_ADDRESS;
	if (!is_new)
		return *number;
	if (!GS_ARRAY_RESERVE(p->address, p->cap, p->n + (size_t)1))
		return GS_NO_ADDRESS;
	p->address[p->n] = address;
	return *number = p->n++;
}

typedef struct numbered {
	uint64_t address;
	uint32_t number;
} numbered;

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const numbered *)a)->address, y = ((const numbered *)b)->address;
	return (x > y) - (x < y);
}

gs_status gs_address_index_seal(gs_address_index *p, uint32_t **renumber)
{
	numbered *sorted = malloc((p->n + 1) * sizeof *sorted);
	uint32_t *map = malloc((p->n + 1) * sizeof *map);
	if (!sorted || !map) {
		free(sorted);
		free(map);
		return GS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < p->n; i++)
		sorted[i] = (numbered){p->address[i], i};
	qsort(sorted, p->n, sizeof *sorted, by_address);
	for (uint32_t i = 0; i < p->n; i++) {
		p->address[i] = sorted[i].address;
		map[sorted[i].number] = i;
	}
	free(sorted);
	gs_hash_map_release(&p->numbers);
	*renumber = map;
	return GS_OK;
}

uint32_t gs_address_index_find(const gs_address_index *p, uint64_t address)
{
	uint32_t low = 0, high = p->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (p->address[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->n && p->address[low] == address ? low : GS_NO_ADDRESS;
}

void gs_address_index_release(gs_address_index *p)
{
	gs_memory_give(p->address);
	gs_hash_map_release(&p->numbers);
	memset(p, 0, sizeof *p);
}

gs_status gs_address_set_init(gs_address_set *s, uint32_t n)
{
	memset(s, 0, sizeof *s);
	for (uint32_t bits = n ? n : 1;; bits = s->words[s->depth - 1]) {
		uint32_t words = bits / 64 + 1;
		s->words[s->depth] = words;
		s->level[s->depth] = calloc(words, sizeof **s->level);
		if (!s->level[s->depth++]) {
			gs_address_set_release(s);
			return GS_NO_MEMORY;
		}
		if (words == 1)
			return GS_OK;
	}
}

void gs_address_set_release(gs_address_set *s)
{
	for (int k = 0; k < s->depth; k++)
		free(s->level[k]);
	memset(s, 0, sizeof *s);
}

void gs_address_set_add(gs_address_set *s, uint32_t i)
{
	for (int k = 0; k < s->depth; k++, i >>= 6)
		s->level[k][i >> 6] |= UINT64_C(1) << (i & 63);
}

void gs_address_set_remove(gs_address_set *s, uint32_t i)
{
	for (int k = 0; k < s->depth; k++, i >>= 6)
		if (s->level[k][i >> 6] &= ~(UINT64_C(1) << (i & 63)))
			return;
}

static uint32_t lowest_below(const gs_address_set *s, int k, uint32_t i)
{
	for (; k >= 0; k--)
		i = i << 6 | (uint32_t)__builtin_ctzll(s->level[k][i]);
	return i;
}

static uint32_t highest_below(const gs_address_set *s, int k, uint32_t i)
{
	for (; k >= 0; k--)
		i = i << 6 | (63 - (uint32_t)__builtin_clzll(s->level[k][i]));
	return i;
}

uint32_t gs_address_set_next(const gs_address_set *s, uint32_t i)
{
	for (int k = 0; k < s->depth; k++) {
		if (i >> 6 >= s->words[k])
			return GS_NO_ADDRESS;
		uint64_t word = s->level[k][i >> 6] >> (i & 63) << (i & 63);
		if (word)
			return lowest_below(s, k - 1, (i & ~UINT32_C(63)) | (uint32_t)__builtin_ctzll(word));
		i = (i >> 6) + 1;
	}
	return GS_NO_ADDRESS;
}

uint32_t gs_address_set_previous(const gs_address_set *s, uint32_t i)
{
	if (i == GS_NO_ADDRESS)
		return GS_NO_ADDRESS;
	for (int k = 0; k < s->depth; k++) {
		if (i >> 6 >= s->words[k])
			return GS_NO_ADDRESS;
		uint64_t word = s->level[k][i >> 6] << (63 - (i & 63)) >> (63 - (i & 63));
		if (word)
			return highest_below(
				s, k - 1, (i & ~UINT32_C(63)) | (63 - (uint32_t)__builtin_clzll(word)));
		if (i >> 6 == 0)
			return GS_NO_ADDRESS;
		i = (i >> 6) - 1;
	}
	return GS_NO_ADDRESS;
}
