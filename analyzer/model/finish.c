/* What is left to do when a reader has filled a snapshot: segments by address, blocks that tile
 * them, rows for the out-of-memories of the trace. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/bounds.h"
#include "analyzer/model/layout_check.h"
#include "analyzer/model/memory.h"
#include "analyzer/model/parts.h"
#include "analyzer/model/snapshot.h"

static int by_address(const void *a, const void *b)
{
	const gs_segment *x = a, *y = b;
	if (x->has_address != y->has_address)
		return x->has_address ? -1 : 1;
	if (x->has_address && x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->first_block > y->first_block) - (x->first_block < y->first_block);
}

/* The first segment that stands behind one of a higher address, or NULL. */
static const gs_segment *first_unordered(const gs_layout *l)
{
	for (size_t i = 1; i < l->nsegments; i++)
		if (by_address(&l->segments[i - 1], &l->segments[i]) > 0)
			return &l->segments[i];
	return NULL;
}

/* Sorts segments by address and moves their blocks along. */
static gs_status sort_segments(gs_layout *l)
{
	qsort(l->segments, l->nsegments, sizeof *l->segments, by_address);
	gs_block *moved = gs_memory_take((l->nblocks + 1) * sizeof *moved);
	if (!moved)
		return GS_NO_MEMORY;
	size_t at = 0;
	for (size_t i = 0; i < l->nsegments; i++) {
		gs_segment *g = &l->segments[i];
		memcpy(&moved[at], &l->blocks[g->first_block], g->nblocks * sizeof *moved);
		g->first_block = at;
		at += g->nblocks;
	}
	gs_memory_give(l->blocks);
	l->blocks = moved;
	l->nblocks = at;
	return GS_OK;
}

/* Sorts the segments of one device, sets block addresses and segment indexes, then checks that the
 * layout can be. */
static gs_status finish_layout(gs_snapshot *s, gs_device *d, gs_error *err)
{
	gs_layout *l = &d->captured;
	const gs_segment *unordered = first_unordered(l);
	gs_segment place[2];
	if (unordered) {
		memcpy(place, unordered - 1, sizeof place);
		if (sort_segments(l))
			return gs_no_memory(err);
	}
	for (size_t i = 0; i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		uint64_t sum = 0;
		for (size_t k = g->first_block; k < g->first_block + g->nblocks; k++) {
			gs_block *b = &l->blocks[k];
			b->segment = (uint32_t)i;
			if (!b->address)
				b->address = g->address + sum;
			sum += b->size;
		}
	}
	/* only our own format promises an order of segments */
	bool promised = unordered && s->kind == GS_KIND_GSNAP;
	return gs_layout_check(s, d, promised ? &place[1] : NULL, err);
}

static gs_status add_oom_of_event(gs_snapshot *s, const gs_device *d, size_t idx)
{
	const gs_event *e = &d->trace.events[idx];
	gs_oom *o = gs_snapshot_add_oom(s);
	if (!o)
		return GS_NO_MEMORY;
	o->device = d->device;
	o->idx = (int64_t)idx;
	o->number = gs_event_number(&d->trace, o->idx);
	o->time_us = e->time_us;
	o->requested = (int64_t)e->size;
	o->stream = (int64_t)s->streams[e->stream];
	o->device_free = (int64_t)e->address;
	o->stack = e->stack;
	o->capacity = d->capacity;
	o->allowed = d->allowed;
	if (e->pool) {
		o->has_pool_id = true;
		o->pool_id = s->pools[e->pool - 1];
	}
	return GS_OK;
}

static int by_device_then_idx(const void *a, const void *b)
{
	const gs_oom *x = a, *y = b;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->idx > y->idx) - (x->idx < y->idx);
}

typedef struct failures {
	gs_snapshot *s;
	const gs_device *d;
	const gs_oom *told; /* those of the input, by device and event */
	size_t ntold;
	gs_id tags; /* bits of all that events have */
} failures;

/* Failures among the events that no row tells; whether events have tags. */
static gs_status look_at_events(void *arg, size_t i, size_t end)
{
	failures *x = arg;
	bool host = gs_device_is_host(x->s, x->d);
	gs_status status = GS_OK;
	for (; i < end && !status; i++) {
		gs_oom wanted = {.device = x->d->device, .idx = (int64_t)i};
		x->tags |= gs_event_tag(&x->d->trace.events[i]);
		if (!host && gs_event_action(&x->d->trace.events[i]) == GS_ACTION_OOM &&
			!bsearch(&wanted, x->told, x->ntold, sizeof *x->told, by_device_then_idx))
			status = add_oom_of_event(x->s, x->d, i);
	}
	return status;
}

/* A row for each of them; all events are looked at, and on the way it is seen whether one has a
 * tag. */
static gs_status ooms_of_events(gs_snapshot *s)
{
	size_t old = s->nooms;
	gs_oom *rows = gs_memory_take((old + 1) * sizeof *rows); /* of the input, to be looked up */
	if (!rows)
		return GS_NO_MEMORY;
	if (old)
		memcpy(rows, s->ooms, old * sizeof *rows);
	qsort(rows, old, sizeof *rows, by_device_then_idx);
	gs_status status = GS_OK;
	gs_id tags = 0;
	for (size_t i = 0; i < s->ndevices && !status; i++) {
		const gs_device *d = &s->devices[i];
		failures x = {s, d, rows, old, tags};
		status = gs_in_parts(d->trace.n, look_at_events, &x);
		tags = x.tags;
		for (size_t k = 0; k < d->captured.nblocks; k++)
			tags |= d->captured.blocks[k].tag;
	}
	s->untagged = !tags && !s->excerpt;
	gs_memory_give(rows);
	bool events = s->nooms > old;
	for (size_t i = 0; i < old && !events; i++)
		events = s->ooms[i].idx != GS_NONE;
	if (events && !status)
		qsort(s->ooms, s->nooms, sizeof *s->ooms, by_device_then_idx);
	return status;
}

/* The recorder tells the free bytes of an out-of-memory in its row alone; readers of the trace look
 * for them at the event. */
static void free_of_ooms(gs_snapshot *s)
{
	for (size_t i = 0; i < s->nooms; i++) {
		const gs_oom *o = &s->ooms[i];
		gs_device *d = gs_snapshot_find_device(s, o->device);
		if (!d || o->idx < 0 || (uint64_t)o->idx >= d->trace.n)
			continue;
		gs_event *e = &d->trace.events[o->idx];
		if (gs_event_action(e) == GS_ACTION_OOM && (!e->address || e->address == (uint64_t)GS_NONE))
			e->address = (uint64_t)o->device_free;
	}
}

/* Failures at events that were not read keep their place among the others, not their event. */
static void forget_other_events(gs_snapshot *s)
{
	for (size_t i = 0; s->excerpt && i < s->nooms; i++) {
		const gs_device *d = gs_snapshot_find_device(s, s->ooms[i].device);
		if (!d || s->ooms[i].idx < 0 || s->ooms[i].idx >= (int64_t)d->trace.n)
			s->ooms[i].idx = GS_NONE;
	}
}

gs_status gs_snapshot_finish(gs_snapshot *s, gs_error *err)
{
	if (!s->nstreams && gs_snapshot_stream(s, 0) == UINT32_MAX)
		return gs_no_memory(err);
	gs_snapshot_bound(s);
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_status status = finish_layout(s, &s->devices[i], err);
		if (status)
			return status;
	}
	if (ooms_of_events(s))
		return gs_no_memory(err);
	free_of_ooms(s);
	forget_other_events(s);
	return GS_OK;
}
