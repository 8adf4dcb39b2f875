#include "recorder/pool/index.h"

#include <string.h>

enum { FIRST_CAP = 256 };

void gs_index_init(gs_index *index, const gs_pool_memory *memory)
{
	*index = (gs_index){.memory = memory};
}

void gs_index_release(gs_index *index)
{
	if (index->entries)
		index->memory->give(
			index->memory->user, index->entries, index->cap * sizeof *index->entries);
}

/* Addresses are multiples of 512: the product's high bits spread them. */
static size_t home(const gs_index *index, uint64_t address)
{
	return (size_t)(((address >> 9) * UINT64_C(0x9e3779b97f4a7c15)) >> index->shift);
}

void gs_index_add(gs_index *index, uint64_t address, struct gs_pool_block *block)
{
	size_t i = home(index, address), mask = index->cap - 1;
	while (index->entries[i].address)
		i = (i + 1) & mask;
	index->entries[i] = (gs_index_entry){address, block};
	index->count++;
}

bool gs_index_grow(gs_index *index)
{
	gs_index old = *index;
	size_t cap = old.cap ? old.cap * 2 : FIRST_CAP;
	gs_index_entry *entries = old.memory->take(old.memory->user, cap * sizeof *entries);
	if (!entries)
		return false;
	memset(entries, 0, cap * sizeof *entries);
	*index = (gs_index){.memory = old.memory,
		.entries = entries,
		.cap = cap,
		.shift = 64 - (unsigned)__builtin_ctzll(cap)};
	for (size_t i = 0; i < old.cap; i++)
		if (old.entries[i].address)
			gs_index_add(index, old.entries[i].address, old.entries[i].block);
	gs_index_release(&old);
	return true;
}

static size_t locate(const gs_index *index, uint64_t address)
{
	if (!index->cap || !address)
		return SIZE_MAX;
	size_t i = home(index, address), mask = index->cap - 1;
	for (; index->entries[i].address; i = (i + 1) & mask)
		if (index->entries[i].address == address)
			return i;
	return SIZE_MAX;
}

struct gs_pool_block *gs_index_find(const gs_index *index, uint64_t address)
{
	size_t i = locate(index, address);
	return i == SIZE_MAX ? NULL : index->entries[i].block;
}

struct gs_pool_block *gs_index_take(gs_index *index, uint64_t address)
{
	size_t i = locate(index, address), mask = index->cap - 1;
	if (i == SIZE_MAX)
		return NULL;
	struct gs_pool_block *block = index->entries[i].block;
	/* close the gap: move back what would no longer be found */
	for (size_t j = (i + 1) & mask; index->entries[j].address; j = (j + 1) & mask) {
		size_t h = home(index, index->entries[j].address);
		if (((j - h) & mask) >= ((j - i) & mask)) {
			index->entries[i] = index->entries[j];
			i = j;
		}
	}
	index->entries[i] = (gs_index_entry){0, NULL};
	index->count--;
	return block;
}
