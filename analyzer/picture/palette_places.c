/* Classes of holders and tags: the largest have a swatch each. */
#include "analyzer/picture/palette_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/frames.h"
#include "analyzer/model/hash_map.h"
#include "analyzer/model/intern.h"
#include "analyzer/model/memory.h"

static const gs_paint nobody = {0xc9d3de, 0x5b6f86, GS_HATCHED};

/* Stacks (or tags) that read alike are one holder, also those of two snapshots. */
typedef struct place {
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	uint64_t bytes, beside; /* beside: of moments that rank behind */
	int class;
} place;

typedef struct places {
	place *all;
	size_t n, cap;
	gs_hash_map by_text; /* by hash of how it reads: number */
	uint32_t *of[2];     /* by source and id: number + 1; 0 not asked about */
} places;

static uint64_t hash_place(const place *p)
{
	return (uint64_t)gs_hash_bytes(p->where, strlen(p->where)) << 32 |
		gs_hash_bytes(p->called_by, strlen(p->called_by));
}

static bool read_alike(const place *a, const place *b)
{
	return !strcmp(a->where, b->where) && !strcmp(a->called_by, b->called_by);
}

/* The number of a place, added when new; UINT32_MAX when memory is short. Another one of the same
 * hash has the next key. */
static uint32_t find_place(places *all, const place *p)
{
	uint64_t key = hash_place(p);
	bool is_new;
	uint32_t *number;

	do
		number = gs_hash_map_at(&all->by_text, key++, &is_new);
	while (number && !is_new && !read_alike(&all->all[*number], p));
	if (!number || (is_new && !GS_ARRAY_RESERVE(all->all, all->cap, all->n + 1)))
		return UINT32_MAX;
	if (is_new) {
		*number = (uint32_t)all->n;
		all->all[all->n++] = *p;
	}
	return *number;
}

/* How an id reads; an empty text where it names nobody. */
static void read_place(const gs_palette *p, const gs_snapshot *s, gs_id id, place *out)
{
	*out = (place){.class = GS_CLASS_OTHERS};
	if (p->color == GS_COLOR_TAG)
		snprintf(out->where, sizeof out->where, "%.190s", gs_string_text(s, id));
	else if (!gs_stack_place(s, id, out->where, out->called_by))
		out->where[0] = out->called_by[0] = 0;
	if (!*out->where)
		out->class = GS_CLASS_NOBODY;
}

static bool add_id(
	const gs_palette *p, places *all, int source, size_t id, bool beside, uint64_t bytes)
{
	place read;

	if (!all->of[source][id]) {
		read_place(p, p->sources[source].snapshot, (gs_id)id, &read);
		uint32_t number = find_place(all, &read);
		if (number == UINT32_MAX)
			return false;
		all->of[source][id] = number + 1;
	}
	place *at = &all->all[all->of[source][id] - 1];
	*(beside ? &at->beside : &at->bytes) += bytes;
	return true;
}

/* What the moments hold of each place; whole: also of the ids that hold nothing. */
static bool find_places(
	const gs_palette *p, places *all, const gs_palette_moment *moments, size_t n, bool whole)
{
	for (int k = 0; k < p->nsources; k++) {
		all->of[k] = calloc(p->sources[k].nids, sizeof *all->of[k]);
		if (!all->of[k])
			return false;
		for (size_t id = 0; whole && id < p->sources[k].nids; id++)
			if (!add_id(p, all, k, id, false, 0))
				return false;
	}
	for (size_t k = 0; k < n; k++) {
		int source = gs_palette_source(p, moments[k].snapshot);
		for (size_t i = 0; i < moments[k].layout->nblocks; i++) {
			const gs_block *b = &moments[k].layout->blocks[i];
			gs_id id = gs_palette_id(p->color, b->stack, b->tag);
			if (b->state == GS_INACTIVE)
				continue;
			id = id < p->sources[source].nids ? id : 0;
			if (!add_id(p, all, source, id, moments[k].beside, b->size))
				return false;
		}
	}
	return true;
}

static void name_place(gs_palette *p, int slot, const place *holder)
{
	gs_swatch *c = gs_palette_set_named(p, slot);

	snprintf(c->name, sizeof c->name, *holder->called_by ? "%s ← %s" : "%s", holder->where,
		holder->called_by);
	gs_palette_label(c, holder->where);
}

static bool ranks_before(const place *a, const place *b)
{
	return a->bytes > b->bytes || (a->bytes == b->bytes && a->beside > b->beside);
}

static void name_places(gs_palette *p, places *all)
{
	uint64_t told = 0, untold = 0;

	for (int slot = 0; slot < GS_CLASS_NAMED; slot++) {
		place *best = NULL;
		for (size_t i = 0; i < all->n; i++)
			if (all->all[i].class == GS_CLASS_OTHERS && (all->all[i].bytes || all->all[i].beside) &&
				(!best || ranks_before(&all->all[i], best)))
				best = &all->all[i];
		if (!best)
			break;
		best->class = GS_CLASS_LIVE + slot;
		name_place(p, slot, best);
	}
	for (size_t i = 0; i < all->n; i++)
		*(all->all[i].class == GS_CLASS_NOBODY ? &untold : &told) += all->all[i].bytes +
			all->all[i].beside;
	if (untold && !told)
		snprintf(p->remark, sizeof p->remark,
			p->color == GS_COLOR_TAG ? "no allocation has a tag" : "no stack was recorded");
}

gs_status gs_palette_make_places(
	gs_palette *p, const gs_palette_moment *moments, size_t n, bool whole, gs_error *err)
{
	bool holders = p->color == GS_COLOR_HOLDER;
	places all = {0};
	gs_status status = GS_OK;

	for (int k = 0; k < p->nsources; k++) {
		const gs_snapshot *s = p->sources[k].snapshot;
		p->sources[k].nids = (size_t)(holders ? s->nstacks : s->nstrings) + 1;
		p->sources[k].by_id = malloc(p->sources[k].nids);
		if (!p->sources[k].by_id)
			status = gs_fail(err, GS_NO_MEMORY, "colours of %zu ids", p->sources[k].nids);
	}
	if (!status && !find_places(p, &all, moments, n, whole))
		status = gs_fail(err, GS_NO_MEMORY, "sums of holders");
	if (!status)
		name_places(p, &all);
	for (int k = 0; k < p->nsources && !status; k++)
		for (size_t id = 0; id < p->sources[k].nids; id++)
			p->sources[k].by_id[id] =
				(uint8_t)(all.of[k][id] ? all.all[all.of[k][id] - 1].class : GS_CLASS_OTHERS);
	gs_memory_give(all.all);
	gs_hash_map_release(&all.by_text);
	free(all.of[0]);
	free(all.of[1]);
	snprintf(gs_palette_set(p, GS_CLASS_NOBODY, nobody)->name, sizeof p->classes->name, "%s",
		holders ? "no stack recorded" : "no tag");
	gs_palette_set_others(p, holders ? "other holders" : "other tags");
	return status;
}
