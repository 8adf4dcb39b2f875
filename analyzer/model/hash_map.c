#include "analyzer/model/hash_map.h"

#include <string.h>

#include "analyzer/model/memory.h"

/* Every bit of the key moves every bit of its home: the finalizer of SplitMix64. Keys that differ
 * in their top bits alone (addresses far apart) would else share one home. */
static size_t home_of(const gs_hash_map *m, uint64_t key)
{
	key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
	return (size_t)(key ^ key >> 31) & (m->cap - 1);
}

/* The key's entry, or the empty one where it belongs. */
static gs_hash_entry *entry_of(const gs_hash_map *m, uint64_t key)
{
	size_t i = home_of(m, key);

	while (m->entries[i].used && m->entries[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->entries[i];
}

static bool enlarge(gs_hash_map *m)
{
	gs_hash_map larger = {NULL, m->cap ? m->cap * 2 : 64, m->n};

	larger.entries = gs_memory_zeroed(larger.cap, sizeof *larger.entries);
	if (!larger.entries)
		return false;
	for (size_t i = 0; i < m->cap; i++)
		if (m->entries[i].used)
			*entry_of(&larger, m->entries[i].key) = m->entries[i];
	gs_memory_give(m->entries);
	*m = larger;
	return true;
}

uint32_t *gs_hash_map_at(gs_hash_map *m, uint64_t key, bool *is_new)
{
	if (m->n * 2 >= m->cap && !enlarge(m))
		return NULL;
	gs_hash_entry *e = entry_of(m, key);
	*is_new = !e->used;
	if (*is_new) {
		*e = (gs_hash_entry){key, 0, 1};
		m->n++;
	}
	return &e->value;
}

bool gs_hash_map_put(gs_hash_map *m, uint64_t key, uint32_t value)
{
	bool is_new;
	uint32_t *at = gs_hash_map_at(m, key, &is_new);

	if (at)
		*at = value;
	return at != NULL;
}

bool gs_hash_map_find(const gs_hash_map *m, uint64_t key, uint32_t *value)
{
	const gs_hash_entry *e = m->cap ? entry_of(m, key) : NULL;

	if (!e || !e->used)
		return false;
	*value = e->value;
	return true;
}

bool gs_hash_map_take(gs_hash_map *m, uint64_t key, uint32_t *value)
{
	size_t mask = m->cap - 1, hole, i;

	if (!gs_hash_map_find(m, key, value))
		return false;
	/* entries behind it move up, so that none is cut off from its home */
	for (hole = i = (size_t)(entry_of(m, key) - m->entries);;) {
		i = (i + 1) & mask;
		if (!m->entries[i].used)
			break;
		if (((i - home_of(m, m->entries[i].key)) & mask) < ((i - hole) & mask))
			continue;
		m->entries[hole] = m->entries[i];
		hole = i;
	}
	m->entries[hole].used = 0;
	m->n--;
	return true;
}

void gs_hash_map_release(gs_hash_map *m)
{
	gs_memory_give(m->entries);
	memset(m, 0, sizeof *m);
}
