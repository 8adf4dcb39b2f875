/* What is computed from all events of a device: bytes over time, stacks of many sizes, stacks that only grow. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/store_inner.h"
#include "analyzer/store_weak.h"

enum { SAMPLES = 1024 };

/* --- bytes over time ------------------------------------------------------------------------------ */

/* Events that stand out are kept whatever the step: those of out-of-memories and the peaks. */
static bool stands_out(const gs_history *h, size_t i, const int64_t peaks[2])
{
	return i == 0 || i + 1 == h->n || (int64_t)i == peaks[0] || (int64_t)i == peaks[1] ||
	       gs_event_action(&h->device->trace.events[i]) == GS_ACTION_OOM;
}

static gs_status put_sample(sqlite3_stmt *q, const gs_history *h, size_t i, const gs_gauge *g, gs_error *err)
{
	gs_db_int(q, 3, (int64_t)i);
	gs_db_int(q, 4, h->device->trace.events[i].time_us);
	gs_db_int(q, 5, (int64_t)g->allocated);
	gs_db_int(q, 6, (int64_t)g->reserved);
	return gs_db_do(q, err);
}

static gs_status put_timeline(gs_fill *f, const gs_history *h, gs_error *err)
{
	size_t step = (h->n + SAMPLES - 1) / SAMPLES;
	const int64_t peaks[2] = { gs_history_peak(h, false), gs_history_peak(h, true) };
	sqlite3_stmt *q = NULL;
	gs_gauge g;
	gs_status status = gs_db_prepare(f->store->db, "INSERT INTO main.timeline VALUES (?,?,?,?,?,?)", &q, err);
	if (status)
		return status;
	gs_db_int(q, 1, f->id);
	gs_db_int(q, 2, h->device->device);
	gs_gauge_start(h, &g);
	for (size_t i = 0; i < h->n && !status; i++) {
		gs_gauge_step(h, i, &g);
		if (i % step == 0 || stands_out(h, i, peaks))
			status = put_sample(q, h, i, &g, err);
	}
	sqlite3_finalize(q);
	return status;
}

/* --- stacks of many sizes ------------------------------------------------------------------------- */

typedef struct stack_sizes { uint64_t requests, sizes, min, max; } stack_sizes;

/* Pairs of stack and size met so far, by a 64-bit hash that stands for the pair. */
typedef struct pair_set { uint64_t *slots; size_t mask, used; } pair_set;

static uint64_t hash_pair(uint64_t stack, uint64_t size)
{
	uint64_t h = (stack + 1) * 0x9e3779b97f4a7c15ull ^ size * 0xc2b2ae3d27d4eb4full;
	h ^= h >> 32;
	h *= 0xff51afd7ed558ccdull;
	h ^= h >> 29;
	return h ? h : 1;
}

/* 1 new, 0 known, -1 no memory. */
static int add_pair(pair_set *p, uint64_t h)
{
	if ((p->used + 1) * 4 > (p->mask + 1) * 3 || !p->slots) {
		size_t slots = p->slots ? (p->mask + 1) * 2 : 1024;
		uint64_t *grown = calloc(slots, sizeof *grown);
		if (!grown)
			return -1;
		for (size_t i = 0; p->slots && i <= p->mask; i++)
			if (p->slots[i]) {
				size_t at = p->slots[i] & (slots - 1);
				while (grown[at])
					at = (at + 1) & (slots - 1);
				grown[at] = p->slots[i];
			}
		free(p->slots);
		p->slots = grown;
		p->mask = slots - 1;
	}
	size_t at = h & p->mask;
	for (; p->slots[at]; at = (at + 1) & p->mask)
		if (p->slots[at] == h)
			return 0;
	p->slots[at] = h;
	p->used++;
	return 1;
}

static bool count_sizes(const gs_device *d, stack_sizes *stacks, gs_id nstacks)
{
	pair_set pairs = { NULL, 0, 0 };
	bool good = true;
	for (size_t i = 0; i < d->trace.n && good; i++) {
		const gs_event *e = &d->trace.events[i];
		if (gs_event_action(e) != GS_ACTION_ALLOC || !e->stack || e->stack >= nstacks)
			continue;
		stack_sizes *x = &stacks[e->stack];
		int new = add_pair(&pairs, hash_pair(e->stack, e->size));
		good = new >= 0;
		x->sizes += new > 0;
		x->min = !x->requests || e->size < x->min ? e->size : x->min;
		x->max = e->size > x->max ? e->size : x->max;
		x->requests++;
	}
	free(pairs.slots);
	return good;
}

static gs_status put_sizes(gs_fill *f, const gs_device *d, const stack_sizes *stacks, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(f->store->db, "INSERT INTO main.varying_size VALUES (?,?,?,?,?,?,?)", &q, err);
	for (gs_id i = 1; i < f->s->nstacks && !status; i++) {
		if (stacks[i].sizes < 2)
			continue;
		gs_db_int(q, 1, f->id);
		gs_db_int(q, 2, d->device);
		gs_db_int(q, 3, gs_fill_stack(f, i));
		gs_db_int(q, 4, (int64_t)stacks[i].requests);
		gs_db_int(q, 5, (int64_t)stacks[i].sizes);
		gs_db_int(q, 6, (int64_t)stacks[i].min);
		gs_db_int(q, 7, (int64_t)stacks[i].max);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

static gs_status put_varying_sizes(gs_fill *f, const gs_device *d, gs_error *err)
{
	stack_sizes *stacks = calloc((size_t)f->s->nstacks + 1, sizeof *stacks);
	if (!stacks || !count_sizes(d, stacks, f->s->nstacks)) {
		free(stacks);
		return gs_fail(err, GS_NO_MEMORY, "sizes by stack");
	}
	gs_status status = put_sizes(f, d, stacks, err);
	free(stacks);
	return status;
}

gs_status gs_fill_series(gs_fill *f, const gs_history *h, gs_error *err)
{
	gs_status status = put_timeline(f, h, err);
	return status ? status : put_varying_sizes(f, h->device, err);
}
