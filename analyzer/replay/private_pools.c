#include "analyzer/replay/private_pools.h"

#include <stdlib.h>
#include <string.h>

static bool is_private(const gs_segment *s)
{
	return (s->pool_id.a || s->pool_id.b) && s->has_address;
}

enum { POOLS_MAX = 1024 }; /* of segments; what a file has beyond is taken for the default pool */

static uint32_t index_of(gs_replay_pools *p, gs_pool_id id, uint32_t first)
{
	for (uint32_t i = p->n; i-- > 0;)
		if (p->ids[i].a == id.a && p->ids[i].b == id.b)
			return i + 1;
	if (p->n >= first + POOLS_MAX)
		return 0;
	p->ids[p->n++] = id;
	return p->n;
}

/* The last event that made a segment says since when the range is that pool's. */
void gs_replay_pools_see(gs_replay_pools *p, const gs_event *e, int64_t i)
{
	size_t low = 0, high = p->nranges;
	if (!high || gs_event_action(e) != GS_ACTION_SEGMENT_ALLOC)
		return;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (p->ranges[middle].from < e->address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < p->nranges && p->ranges[low].from == e->address)
		p->ranges[low].since = i;
}

gs_status gs_replay_pools_init(gs_replay_pools *p, const gs_device *d)
{
	size_t count = 0;

	memset(p, 0, sizeof *p);
	for (size_t k = 0; k < d->captured.nsegments; k++)
		count += is_private(&d->captured.segments[k]);
	p->ranges = malloc((count + 1) * sizeof *p->ranges);
	if (!p->ranges)
		return GS_NO_MEMORY;
	for (size_t k = 0; k < d->captured.nsegments; k++) {
		const gs_segment *g = &d->captured.segments[k];
		if (is_private(g))
			p->ranges[p->nranges++] = (struct gs_private_range){
				g->address, g->address + g->size, -1, g->pool_id, 0};
	}
	return GS_OK;
}

gs_status gs_replay_pools_number(gs_replay_pools *p, const gs_snapshot *s)
{
	p->ids = malloc((s->npools + p->nranges + 1) * sizeof *p->ids);
	if (!p->ids)
		return GS_NO_MEMORY;
	if (s->npools)
		memcpy(p->ids, s->pools, s->npools * sizeof *p->ids);
	p->n = s->npools;
	for (size_t k = 0; k < p->nranges; k++)
		p->ranges[k].pool = index_of(p, p->ranges[k].id, s->npools);
	return GS_OK;
}

void gs_replay_pools_release(gs_replay_pools *p)
{
	free(p->ids);
	free(p->ranges);
	memset(p, 0, sizeof *p);
}

uint32_t gs_replay_pools_find(const gs_replay_pools *p, const gs_event *e, int64_t i)
{
	size_t low = 0, high = p->nranges;

	if (e->pool || !p->nranges)
		return e->pool;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (p->ranges[middle].to <= e->address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < p->nranges && p->ranges[low].from <= e->address && p->ranges[low].since < i)
		return p->ranges[low].pool;
	return 0;
}
