/* Uses of blocks in other streams, and the events put behind them when the block is freed. */
#include "recorder/pool/pool_internal.h"

bool gs_pool_is_capturing(const gs_pool *p, bool any_stream, uint64_t stream)
{
	for (const gs_diversion *d = p->diversions; d; d = d->next)
		if (p->rules->private_captures ||
			(d->capture && (any_stream || !d->filter || d->filter(d->user, stream))))
			return true;
	return false;
}

void gs_pool_drop_uses(gs_pool *p, gs_pool_block *b, bool captured_only)
{
	for (gs_use **link = &b->uses; *link;) {
		gs_use *u = *link;
		if (captured_only && !u->captured) {
			link = &u->next;
			continue;
		}
		*link = u->next;
		gs_slab_put(&p->small_slab, u);
	}
	if (!b->uses)
		b->node.note &= ~(uint32_t)GS_USES;
}

gs_status gs_pool_order_uses(gs_pool *p, gs_pool_block *b)
{
	if (!b->uses || !b->uses->next)
		return GS_OK;
	gs_order order;
	gs_order_init(&order, &p->memory);
	gs_status status = GS_OK;
	for (gs_use *u = b->uses; u && !status; u = u->next) {
		uint64_t hash = gs_order_of_stream(p->number, u->stream);
		gs_order_slot *slot = gs_order_get(&order, hash, hash);
		if (slot)
			slot->first = u;
		else
			status = GS_NO_MEMORY;
	}
	gs_use **link = &b->uses;
	const gs_order_slot *slot;
	for (size_t at = 0; !status && (slot = gs_order_from(&order, &at)); at++) {
		*link = slot->first;
		link = &(*link)->next;
	}
	if (!status)
		*link = NULL;
	gs_order_release(&order);
	return status;
}

gs_status gs_pool_record_stream_block(gs_pool *p, gs_pool_block *b, uint64_t stream)
{
	if (!(b->node.note & GS_ALLOCATED))
		return GS_NOT_FOUND;
	if (stream == b->node.stream || !p->ops->event_record)
		return GS_OK;
	gs_use **link = &b->uses;
	while (*link && (*link)->stream != stream)
		link = &(*link)->next;
	if (!*link) {
		if (!gs_slab_reserve(&p->small_slab, 1))
			return GS_NO_MEMORY;
		*link = gs_slab_get(&p->small_slab);
		**link = (gs_use){.stream = stream};
		b->node.note |= GS_USES;
	}
	gs_use *u = *link;
	u->captured |= gs_pool_is_capturing(p, true, 0);
	gs_pool_tell(
		p, GS_ACTION_RECORD_STREAM, b->region, b->node.address, b->requested, stream, b->ctx);
	return GS_OK;
}

gs_status gs_pool_record_stream(gs_pool *p, uint64_t address, uint64_t stream)
{
	if (p->flags & GS_POOL_NO_INDEX)
		return GS_STATE;
	gs_pool_block *b = gs_index_find(&p->index, address);
	return b ? gs_pool_record_stream_block(p, b, stream) : GS_NOT_FOUND;
}

/* Puts one event behind the block's use in a stream. */
static gs_status insert_event(gs_pool *p, gs_pool_block *b, uint64_t stream)
{
	uint64_t hash = gs_order_of_stream(p->number, stream);
	gs_order_slot *q = gs_order_get(&p->queues, hash, hash);
	if (!q || !gs_slab_reserve(&p->small_slab, 1))
		return GS_NO_MEMORY;
	uint64_t event;
	gs_status status = p->ops->event_record(p->device, stream, &event);
	if (status)
		return status;
	gs_event_entry *e = gs_slab_get(&p->small_slab);
	*e = (gs_event_entry){.event = event, .block = b};
	if (q->first)
		((gs_event_entry *)q->last)->next = e;
	else
		q->first = e;
	q->last = e;
	b->events++;
	b->node.note |= GS_EVENTS;
	return GS_OK;
}

gs_status gs_pool_insert_events(gs_pool *p, gs_pool_block *b)
{
	gs_status ordered = gs_pool_order_uses(p, b);
	if (ordered)
		return ordered;
	while (b->uses) {
		gs_status status = insert_event(p, b, b->uses->stream);
		if (status) /* the block keeps the use and so stays out of circulation: never handed out too
					   early */
			return status;
		gs_use *u = b->uses;
		b->uses = u->next;
		gs_slab_put(&p->small_slab, u);
	}
	b->node.note &= ~(uint32_t)GS_USES;
	return GS_OK;
}
