/* Mapped memory of a device by place: segments, and of expandable ones the contiguous mapped runs.
 * Neighbouring runs of one reservation are joined when added; cutting leaves what is left on both
 * sides. */
#ifndef GS_ANALYZER_STATE_MAP_H
#define GS_ANALYZER_STATE_MAP_H

#include "analyzer/model/snapshot.h"
#include "analyzer/state/address_index.h"

/* What is true of every byte of a piece. */
typedef struct gs_traits {
	uint64_t stream;
	gs_pool_id pool_id;
	gs_id stack;
	uint8_t pool; /* gs_pool_class */
	bool expandable;
	bool pool_guessed; /* nothing told the class: the size did */
	bool id_guessed;   /* nothing told the pool id */
} gs_traits;

typedef struct gs_traits_table {
	gs_traits *all;
	uint32_t n, cap;
} gs_traits_table;

/* Number of the new entry; UINT32_MAX when memory is short. */
uint32_t gs_traits_add(gs_traits_table *table, const gs_traits *traits);
bool gs_traits_joinable(const gs_traits *a, const gs_traits *b);

typedef struct gs_map {
	const gs_places *places;
	const gs_traits_table *table;
	gs_place_set starts;
	uint64_t *size;   /* by place */
	uint32_t *traits; /* by place */
} gs_map;

gs_status gs_map_init(gs_map *m, const gs_places *places, const gs_traits_table *table);
void gs_map_release(gs_map *m);

/* The place where the piece that holds this place begins, or GS_NO_PLACE. */
uint32_t gs_map_piece(const gs_map *m, uint32_t place);
static inline uint64_t gs_map_end(const gs_map *m, uint32_t start)
{
	return m->places->address[start] + m->size[start];
}

/* [place's address, + size), whose end is a place too. cut returns the bytes that were there and,
 * in *traits (if any were), whose. add first cuts whatever is there and returns how much that was.
 */
uint64_t gs_map_cut(gs_map *m, uint32_t place, uint64_t size, uint32_t *traits);
uint64_t gs_map_add(gs_map *m, uint32_t place, uint64_t size, uint32_t traits);

#endif
