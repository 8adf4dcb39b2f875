#include "recorder/pool/size_bins.h"

#include <string.h>

enum { GRAIN = 9 }; /* sizes are multiples of 512 */

typedef struct place {
	unsigned octave, bin;
} place;

static place place_of(uint64_t size)
{
	uint64_t n = size >> GRAIN;
	if (n < GS_SIZE_BINS)
		return (place){0, (unsigned)n};
	unsigned log = 63 - (unsigned)__builtin_clzll(n);
	return (place){
		log - GS_SIZE_BIN_BITS + 1, (unsigned)(n >> (log - GS_SIZE_BIN_BITS)) & (GS_SIZE_BINS - 1)};
}

gs_size_bins *gs_size_bins_new(const gs_pool_memory *memory, uint64_t stream)
{
	gs_size_bins *s = memory->take(memory->user, sizeof *s);
	if (s) {
		memset(s, 0, sizeof *s);
		s->stream = stream;
	}
	return s;
}

void gs_size_bins_free(const gs_pool_memory *memory, gs_size_bins *s)
{
	for (int i = 0; i < GS_OCTAVES; i++)
		if (s->octave[i])
			memory->give(memory->user, s->octave[i], sizeof *s->octave[i]);
	memory->give(memory->user, s, sizeof *s);
}

size_t gs_size_bins_bytes(const gs_size_bins *s)
{
	size_t n = sizeof *s;
	for (int i = 0; i < GS_OCTAVES; i++)
		n += s->octave[i] ? sizeof *s->octave[i] : 0;
	return n;
}

bool gs_size_bins_reserve(const gs_pool_memory *memory, gs_size_bins *s, uint64_t size)
{
	for (unsigned i = 0, last = place_of(size).octave; i <= last && i < GS_OCTAVES; i++) {
		if (s->octave[i])
			continue;
		s->octave[i] = memory->take(memory->user, sizeof *s->octave[i]);
		if (!s->octave[i])
			return false;
		memset(s->octave[i], 0, sizeof *s->octave[i]);
	}
	return true;
}

void gs_size_bins_insert(gs_size_bins *s, gs_node *node)
{
	place at = place_of(node->size);
	gs_octave *o = s->octave[at.octave];
	s->count++;
	if (!o->root[at.bin]) {
		gs_node_alone(node);
		o->root[at.bin] = node;
		o->used[at.bin / 64] |= UINT64_C(1) << at.bin % 64;
		s->used |= UINT64_C(1) << at.octave;
		return;
	}
	gs_set set = {.root = o->root[at.bin]};
	gs_set_insert(&set, node);
	o->root[at.bin] = set.root;
}

static bool is_empty(const gs_octave *o)
{
	uint64_t any = 0;
	for (int i = 0; i < GS_SIZE_BINS / 64; i++)
		any |= o->used[i];
	return !any;
}

void gs_size_bins_erase(gs_size_bins *s, gs_node *node)
{
	place at = place_of(node->size);
	gs_octave *o = s->octave[at.octave];
	s->count--;
	if (!gs_node_is_alone(node)) {
		gs_set set = {.root = o->root[at.bin]};
		gs_set_erase(&set, node);
		o->root[at.bin] = set.root;
		return;
	}
	o->root[at.bin] = NULL;
	o->used[at.bin / 64] &= ~(UINT64_C(1) << at.bin % 64);
	if (is_empty(o))
		s->used &= ~(UINT64_C(1) << at.octave);
}

void gs_size_bins_rekey(gs_size_bins *s, gs_node *node, uint64_t size, uint64_t address)
{
	place old = place_of(node->size), new = place_of(size);
	if (old.octave == new.octave && old.bin == new.bin) {
		gs_octave *o = s->octave[old.octave];
		gs_set set = {.root = o->root[old.bin]};
		gs_set_rekey(&set, node, size, address);
		o->root[old.bin] = set.root;
		return;
	}
	gs_size_bins_erase(s, node);
	node->size = size;
	node->address = address;
	gs_size_bins_insert(s, node);
}

static gs_node *lowest_of(const gs_octave *o, unsigned word, uint64_t bits)
{
	gs_node *n = o->root[word * 64 + (unsigned)__builtin_ctzll(bits)];
	while (n->child[0])
		n = n->child[0];
	return n;
}

/* The lowest bin in use above a place. */
static gs_node *lowest_above(const gs_size_bins *s, place at)
{
	uint64_t octaves = s->used >> at.octave;
	if (octaves & 1) {
		const gs_octave *o = s->octave[at.octave];
		unsigned w = at.bin / 64;
		uint64_t bits = o->used[w] & (~UINT64_C(1) << at.bin % 64);
		while (!bits && ++w < GS_SIZE_BINS / 64)
			bits = o->used[w];
		if (bits)
			return lowest_of(o, w, bits);
	}
	if (!(octaves >>= 1))
		return NULL;
	const gs_octave *o = s->octave[at.octave + 1 + (unsigned)__builtin_ctzll(octaves)];
	unsigned w = 0;
	while (!o->used[w])
		w++;
	return lowest_of(o, w, o->used[w]);
}

/* The highest bin in use below a place. */
static gs_node *highest_below(const gs_size_bins *s, place at)
{
	uint64_t octaves = s->used & ((UINT64_C(2) << at.octave) - 1);
	while (octaves) {
		unsigned octave = 63 - (unsigned)__builtin_clzll(octaves);
		const gs_octave *o = s->octave[octave];
		unsigned limit = octave == at.octave ? at.bin : GS_SIZE_BINS;
		for (unsigned w = (limit + 63) / 64; w-- > 0;) {
			uint64_t bits = o->used[w];
			if (limit < (w + 1) * 64)
				bits &= (UINT64_C(1) << limit % 64) - 1;
			if (bits)
				return gs_set_last(
					&(gs_set){.root = o->root[w * 64 + 63 - (unsigned)__builtin_clzll(bits)]});
		}
		octaves &= ~(UINT64_C(1) << octave);
	}
	return NULL;
}

static gs_set bin_at(const gs_size_bins *s, place at)
{
	const gs_octave *o = s->octave[at.octave];
	return (gs_set){.root = o ? o->root[at.bin] : NULL};
}

static gs_node *at_least(const gs_size_bins *s, place at, uint64_t size)
{
	const gs_octave *o = s->octave[at.octave];
	gs_node *n = o ? o->root[at.bin] : NULL, *best = NULL;
	while (n) { /* all are of one stream */
		bool fits = n->size >= size;
		if (fits)
			best = n;
		n = n->child[!fits];
	}
	return best ? best : lowest_above(s, at);
}

gs_node *gs_size_bins_at_least(const gs_size_bins *s, uint64_t size)
{
	place at = place_of(size);
	return at.octave < GS_OCTAVES ? at_least(s, at, size) : NULL;
}

gs_node *gs_size_bins_before(const gs_size_bins *s, uint64_t size)
{
	place at = place_of(size);
	if (at.octave >= GS_OCTAVES)
		return highest_below(s, (place){GS_OCTAVES - 1, GS_SIZE_BINS});
	gs_set set = bin_at(s, at);
	gs_node *n = gs_set_before(&set, s->stream, size);
	return n ? n : highest_below(s, at);
}

gs_node *gs_size_bins_first(const gs_size_bins *s)
{
	return s->count ? at_least(s, (place){0, 0}, 0) : NULL;
}

gs_node *gs_size_bins_next(const gs_size_bins *s, const gs_node *node)
{
	gs_node *n = gs_set_next(node);
	return n ? n : lowest_above(s, place_of(node->size));
}

gs_node *gs_size_bins_prev(const gs_size_bins *s, const gs_node *node)
{
	gs_node *n = gs_set_prev(node);
	return n ? n : highest_below(s, place_of(node->size));
}

bool gs_size_bins_are_sound(const gs_size_bins *s)
{
	size_t count = 0;
	for (unsigned i = 0; i < GS_OCTAVES; i++) {
		const gs_octave *o = s->octave[i];
		if (!o ? s->used >> i & 1 : is_empty(o) == (s->used >> i & 1))
			return false;
		for (unsigned k = 0; o && k < GS_SIZE_BINS; k++) {
			gs_set set = {.root = o->root[k]};
			for (const gs_node *n = gs_set_first(&set); n; n = gs_set_next(n), set.count++)
				if (place_of(n->size).octave != i || place_of(n->size).bin != k ||
					n->stream != s->stream)
					return false;
			count += set.count;
			if (!gs_set_is_sound(&set) || (set.root != NULL) != (o->used[k / 64] >> k % 64 & 1))
				return false;
		}
	}
	return count == s->count;
}
