/* Mapped memory by place. */
#include "analyzer/state/mapped_memory.h"

#include <stdlib.h>
#include <string.h>

uint32_t gs_traits_add(gs_traits_table *table, const gs_traits *traits)
{
	if (table->n == table->cap) {
		uint32_t cap = table->cap ? table->cap * 2 : 64;
		gs_traits *all = realloc(table->all, cap * sizeof *all);
		if (!all)
			return UINT32_MAX;
		table->all = all;
		table->cap = cap;
	}
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

gs_status gs_map_init(gs_map *m, const gs_places *places, const gs_traits_table *table)
{
	memset(m, 0, sizeof *m);
	m->places = places;
	m->table = table;
	m->size = malloc((places->n + 1) * sizeof *m->size);
	m->traits = malloc((places->n + 1) * sizeof *m->traits);
	if (m->size && m->traits && !gs_place_set_init(&m->starts, places->n))
		return GS_OK;
	gs_map_release(m);
	return GS_NO_MEMORY;
}

void gs_map_release(gs_map *m)
{
	gs_place_set_release(&m->starts);
	free(m->size);
	free(m->traits);
	memset(m, 0, sizeof *m);
}

uint32_t gs_map_piece(const gs_map *m, uint32_t place)
{
	uint32_t start = gs_place_set_previous(&m->starts, place);
	return start != GS_NO_PLACE && m->places->address[place] < gs_map_end(m, start) ? start
																					: GS_NO_PLACE;
}

static void put(gs_map *m, uint32_t place, uint64_t size, uint32_t traits)
{
	gs_place_set_add(&m->starts, place);
	m->size[place] = size;
	m->traits[place] = traits;
}

/* Takes [from, to) out of the piece at start, which it overlaps; returns the bytes taken. */
static uint64_t cut_piece(gs_map *m, uint32_t start, uint64_t from, uint64_t to)
{
	uint64_t begin = m->places->address[start], end = begin + m->size[start];
	uint64_t left = from > begin ? from : begin, right = to < end ? to : end;
	uint32_t traits = m->traits[start];
	if (left > begin)
		m->size[start] = left - begin;
	else
		gs_place_set_remove(&m->starts, start);
	uint32_t rest = right < end ? gs_places_find(m->places, right) : GS_NO_PLACE;
	if (rest != GS_NO_PLACE)
		put(m, rest, end - right, traits);
	return right - left;
}

uint64_t gs_map_cut(gs_map *m, uint32_t place, uint64_t size, uint32_t *traits)
{
	uint64_t from = m->places->address[place], to = from + size, taken = 0;
	uint32_t start = gs_map_piece(m, place);
	if (start == GS_NO_PLACE)
		start = gs_place_set_next(&m->starts, place);
	while (start != GS_NO_PLACE && m->places->address[start] < to) {
		if (!taken && traits)
			*traits = m->traits[start];
		taken += cut_piece(m, start, from, to);
		start = gs_place_set_next(&m->starts, start + 1);
	}
	return taken;
}

uint64_t gs_map_add(gs_map *m, uint32_t place, uint64_t size, uint32_t traits)
{
	uint64_t was_there = gs_map_cut(m, place, size, NULL);
	const gs_traits *mine = &m->table->all[traits];
	uint32_t after = gs_place_set_next(&m->starts, place);
	if (after != GS_NO_PLACE && m->places->address[after] == m->places->address[place] + size &&
		gs_traits_joinable(mine, &m->table->all[m->traits[after]])) {
		gs_place_set_remove(&m->starts, after);
		size += m->size[after];
	}
	uint32_t before = place ? gs_place_set_previous(&m->starts, place - 1) : GS_NO_PLACE;
	if (before != GS_NO_PLACE && gs_map_end(m, before) == m->places->address[place] &&
		gs_traits_joinable(mine, &m->table->all[m->traits[before]]))
		m->size[before] += size;
	else
		put(m, place, size, traits);
	return was_there;
}
