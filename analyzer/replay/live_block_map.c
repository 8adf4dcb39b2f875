#include "analyzer/replay/live_block_map.h"

#include <stdlib.h>
#include <string.h>

static size_t home(const gs_live_block_map *m, uint64_t address)
{
	return (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (m->cap - 1);
}

static size_t find_entry(const gs_live_block_map *m, uint64_t address)
{
	size_t i = home(m, address);

	while (m->entries[i].used && m->entries[i].address != address)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static gs_status enlarge(gs_live_block_map *m)
{
	gs_live_block_map larger = {NULL, m->cap ? m->cap * 2 : 1024, m->n};

	larger.entries = calloc(larger.cap, sizeof *larger.entries);
	if (!larger.entries)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < m->cap; i++)
		if (m->entries[i].used)
			larger.entries[find_entry(&larger, m->entries[i].address)] = m->entries[i];
	free(m->entries);
	*m = larger;
	return GS_OK;
}

gs_status gs_live_block_map_put(gs_live_block_map *m, uint64_t address, uint32_t slot)
{
	size_t i;

	if (m->n * 2 >= m->cap && enlarge(m))
		return GS_NO_MEMORY;
	i = find_entry(m, address);
	m->n += !m->entries[i].used;
	m->entries[i].address = address;
	m->entries[i].slot = slot;
	m->entries[i].used = 1;
	return GS_OK;
}

bool gs_live_block_map_find(const gs_live_block_map *m, uint64_t address, uint32_t *slot)
{
	size_t i;

	if (!m->cap)
		return false;
	i = find_entry(m, address);
	*slot = m->entries[i].slot;
	return m->entries[i].used;
}

bool gs_live_block_map_take(gs_live_block_map *m, uint64_t address, uint32_t *slot)
{
	size_t mask = m->cap - 1, hole, i;

	if (!gs_live_block_map_find(m, address, slot))
		return false;
	/* entries behind it move up, so that none is cut off from its home */
	for (hole = i = find_entry(m, address);;) {
		i = (i + 1) & mask;
		if (!m->entries[i].used)
			break;
		if (((i - home(m, m->entries[i].address)) & mask) < ((i - hole) & mask))
			continue;
		m->entries[hole] = m->entries[i];
		hole = i;
	}
	m->entries[hole].used = 0;
	m->n--;
	return true;
}

void gs_live_block_map_release(gs_live_block_map *m)
{
	free(m->entries);
	memset(m, 0, sizeof *m);
}
