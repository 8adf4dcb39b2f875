/* Mapped memory by address number. */
#include "analyzer/state/mapped_memory.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"

uint32_t gs_traits_add(gs_traits_table *table, const gs_traits *traits)
{
	if (!GS_ARRAY_RESERVE(table->all, table->cap, (size_t)table->n + 1))
		return UINT32_MAX;
	table->all[table->n] = *traits;
	return table->n++;
}

bool gs_traits_joinable(const gs_traits *a, const gs_traits *b)
{
	return a->expandable && b->expandable && a->stream == b->stream &&
		(a->pool == b->pool || a->pool_guessed || b->pool_guessed) &&
		((a->pool_id.a == b->pool_id.a && a->pool_id.b == b->pool_id.b) || a->id_guessed ||
			b->id_guessed);
}

gs_status gs_mapped_memory_init(
	gs_mapped_memory *m, const gs_address_index *addresses, const gs_traits_table *table)
{
	memset(m, 0, sizeof *m);
	m->addresses = addresses;
	m->table = table;
	m->size = malloc((addresses->n + 1) * sizeof *m->size);
	m->traits = malloc((addresses->n + 1) * sizeof *m->traits);
	if (m->size && m->traits && !gs_address_set_init(&m->starts, addresses->n))
		return GS_OK;
	gs_mapped_memory_release(m);
	return GS_NO_MEMORY;
}

void gs_mapped_memory_release(gs_mapped_memory *m)
{
	gs_address_set_release(&m->starts);
	free(m->size);
	free(m->traits);
	memset(m, 0, sizeof *m);
}

uint32_t gs_mapped_memory_piece(const gs_mapped_memory *m, uint32_t number)
{
	uint32_t start = gs_address_set_previous(&m->starts, number);
	return start != GS_NO_ADDRESS && m->addresses->address[number] < gs_mapped_memory_end(m, start)
		? start
		: GS_NO_ADDRESS;
}

static void put_piece(gs_mapped_memory *m, uint32_t number, uint64_t size, uint32_t traits)
{
	gs_address_set_add(&m->starts, number);
	m->size[number] = size;
	m->traits[number] = traits;
}

/* Takes [from, to) out of the piece at start, which it overlaps; returns the bytes taken. */
static uint64_t cut_piece(gs_mapped_memory *m, uint32_t start, uint64_t from, uint64_t to)
{
	uint64_t begin = m->addresses->address[start], end = begin + m->size[start];
	uint64_t left = from > begin ? from : begin, right = to < end ? to : end;
	uint32_t traits = m->traits[start];
	if (left > begin)
		m->size[start] = left - begin;
	else
		gs_address_set_remove(&m->starts, start);
	uint32_t rest = right < end ? gs_address_index_find(m->addresses, right) : GS_NO_ADDRESS;
	if (rest != GS_NO_ADDRESS)
		put_piece(m, rest, end - right, traits);
	return right - left;
}

uint64_t gs_mapped_memory_cut(gs_mapped_memory *m, uint32_t number, uint64_t size, uint32_t *traits)
{
	uint64_t from = m->addresses->address[number], to = from + size, taken = 0;
	uint32_t start = gs_mapped_memory_piece(m, number);
	if (start == GS_NO_ADDRESS)
		start = gs_address_set_next(&m->starts, number);
	while (start != GS_NO_ADDRESS && m->addresses->address[start] < to) {
		if (!taken && traits)
			*traits = m->traits[start];
		taken += cut_piece(m, start, from, to);
		start = gs_address_set_next(&m->starts, start + 1);
	}
	return taken;
}

uint64_t gs_mapped_memory_add(gs_mapped_memory *m, uint32_t number, uint64_t size, uint32_t traits)
{
	uint64_t was_there = gs_mapped_memory_cut(m, number, size, NULL);
	const gs_traits *mine = &m->table->all[traits];
	uint32_t after = gs_address_set_next(&m->starts, number);
	if (after != GS_NO_ADDRESS &&
		m->addresses->address[after] == m->addresses->address[number] + size &&
		gs_traits_joinable(mine, &m->table->all[m->traits[after]])) {
		gs_address_set_remove(&m->starts, after);
		size += m->size[after];
	}
	uint32_t before = number ? gs_address_set_previous(&m->starts, number - 1) : GS_NO_ADDRESS;
	if (before != GS_NO_ADDRESS &&
		gs_mapped_memory_end(m, before) == m->addresses->address[number] &&
		gs_traits_joinable(mine, &m->table->all[m->traits[before]]))
		m->size[before] += size;
	else
		put_piece(m, number, size, traits);
	return was_there;
}
