/* Mapped memory of a device by address number: segments, and of expandable ones the contiguous
 * mapped runs. Neighbouring runs of one reservation are joined when added; cutting leaves what is
 * left on both sides. */
#ifndef GS_ANALYZER_STATE_MAPPED_MEMORY_H
#define GS_ANALYZER_STATE_MAPPED_MEMORY_H

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
	uint32_t n;
	size_t cap;
} gs_traits_table;

/* Number of the new entry; UINT32_MAX when memory is short. */
uint32_t gs_traits_add(gs_traits_table *table, const gs_traits *traits);
/* Whether neighbouring pieces of these traits are one. */
bool gs_traits_joinable(const gs_traits *a, const gs_traits *b);

typedef struct gs_mapped_memory {
	const gs_address_index *addresses;
	const gs_traits_table *table;
	gs_address_set starts;
	uint64_t *size;   /* by address number */
	uint32_t *traits; /* by address number */
} gs_mapped_memory;

/* Nothing is mapped; both tables must outlive it. GS_NO_MEMORY; release in any case. */
gs_status gs_mapped_memory_init(
	gs_mapped_memory *m, const gs_address_index *addresses, const gs_traits_table *table);
void gs_mapped_memory_release(gs_mapped_memory *m);

/* The address where the piece that holds this address begins, or GS_NO_ADDRESS. */
uint32_t gs_mapped_memory_piece(const gs_mapped_memory *m, uint32_t number);
static inline uint64_t gs_mapped_memory_end(const gs_mapped_memory *m, uint32_t start)
{
	return m->addresses->address[start] + m->size[start];
}

/* [the number's address, + size), whose end is numbered too. cut returns the bytes that were there
 * and, in *traits (if any were), whose. add first cuts whatever is there and returns how much that
 * was.
 */
uint64_t gs_mapped_memory_cut(
	gs_mapped_memory *m, uint32_t number, uint64_t size, uint32_t *traits);
uint64_t gs_mapped_memory_add(gs_mapped_memory *m, uint32_t number, uint64_t size, uint32_t traits);

#endif
