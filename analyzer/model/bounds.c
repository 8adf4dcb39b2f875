/* Cutting what cannot be. */
#include "analyzer/model/bounds.h"

#include "analyzer/model/parts.h"
#include "schema/size.h"

static bool cut_to(int64_t *figure, int64_t most)
{
	if (*figure <= most)
		return false;
	*figure = most;
	return true;
}

static bool cut_figure(int64_t *figure) { return cut_to(figure, GS_MOST_FIGURE); }

static bool cut_figures(gs_snapshot *s)
{
	bool cut = false;
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_device *d = &s->devices[i];
		int64_t *const all[] = {
			&d->capacity, &d->device_free, &d->allowed, &d->others, &d->reserved, &d->allocated};
		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			cut |= cut_figure(all[k]);
	}
	for (size_t i = 0; i < s->nooms; i++) {
		gs_oom *o = &s->ooms[i];
		int64_t *const all[] = {&o->device_free, &o->capacity, &o->allocated, &o->reserved,
			&o->allowed, &o->told.others, &o->told.own, &o->told.counted, &o->told.private_free,
			&o->told.pool_free, &o->told.pool_largest};
		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			cut |= cut_figure(all[k]);
		cut |= cut_to(&o->requested, GS_MOST_REQUEST);
		cut |= cut_to(&o->needed, GS_MOST_REQUEST);
	}
	for (size_t i = 0; i < s->noutsiders; i++)
		cut |= cut_figure(&s->outsiders[i].bytes);
	return cut;
}

/* A sum that stays at the top instead of wrapping, and how many it is of. */
typedef struct sum {
	uint64_t bytes, n;
} sum;

static void add(sum *x, uint64_t size)
{
	x->bytes = x->bytes > UINT64_MAX - size ? UINT64_MAX : x->bytes + size;
	x->n++;
}

static bool is_failure(const gs_event *e) { return gs_event_action(e) == GS_ACTION_OOM; }

typedef struct events {
	gs_event *events;
	sum *all;
} events;

static gs_status add_events(void *arg, size_t i, size_t end)
{
	const events *x = arg;
	for (; i < end; i++)
		if (!is_failure(&x->events[i]))
			add(x->all, x->events[i].size);
	return GS_OK;
}

static sum add_up(const gs_snapshot *s)
{
	sum all = {0, 0};
	for (size_t i = 0; i < s->ndevices; i++) {
		const gs_device *d = &s->devices[i];
		for (size_t k = 0; k < d->captured.nsegments; k++)
			add(&all, d->captured.segments[k].size);
		for (size_t k = 0; k < d->captured.nblocks; k++)
			add(&all, d->captured.blocks[k].size);
		events x = {d->trace.events, &all};
		gs_in_parts(d->trace.n, add_events, &x);
	}
	return all;
}

static void cut_size(uint64_t *size, uint64_t most) { *size = *size < most ? *size : most; }

static void cut_sizes(gs_snapshot *s, uint64_t most)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_device *d = &s->devices[i];
		for (size_t k = 0; k < d->captured.nsegments; k++)
			cut_size(&d->captured.segments[k].size, most);
		for (size_t k = 0; k < d->captured.nblocks; k++) {
			gs_block *b = &d->captured.blocks[k];
			cut_size(&b->size, most);
			if (b->requested > (int64_t)most)
				b->requested = (int64_t)most;
		}
		for (size_t k = 0; k < d->trace.n; k++)
			if (!is_failure(&d->trace.events[k]))
				cut_size(&d->trace.events[k].size, most);
	}
}

static gs_status cut_requests(void *arg, size_t i, size_t end)
{
	gs_event *all = arg;
	for (; i < end; i++)
		if (is_failure(&all[i]))
			cut_size(&all[i].size, (uint64_t)GS_MOST_REQUEST);
	return GS_OK;
}

void gs_snapshot_bound(gs_snapshot *s)
{
	char text[32];
	sum all = add_up(s);
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_trace *t = &s->devices[i].trace;
		gs_in_parts(t->n, cut_requests, t->events);
	}
	if (cut_figures(s))
		gs_snapshot_warn(s, "a figure is larger than any device: it is taken as %s at most",
			gs_size_format(text, sizeof text, (uint64_t)GS_MOST_FIGURE));
	if (all.bytes <= GS_MOST_SUM)
		return;
	uint64_t most = GS_MOST_SUM / all.n;
	cut_sizes(s, most);
	gs_snapshot_warn(s, "sizes add up to more than any device has: each is taken as %s at most",
		gs_size_format(text, sizeof text, most));
}
