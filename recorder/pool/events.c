/* Uses of blocks in other streams, and the events that frees wait for. */
#include "recorder/pool/state.h"

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

/* Puts a block's uses into the order in which PyTorch keeps such a set: it becomes the order of new
 * queues. */
static gs_status order_uses(gs_pool *p, gs_pool_block *b)
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
	gs_status ordered = order_uses(p, b);
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

static gs_status insert_deferred(gs_pool *p)
{
	while (p->deferred.head) {
		gs_pool_block *b = p->deferred.head;
		gs_list_remove(&p->deferred, b);
		b->node.note &= ~(uint32_t)GS_DEFERRED;
		gs_status status = order_uses(p, b);
		gs_pool_drop_uses(p, b, true);
		if (!status)
			status = gs_pool_insert_events(p, b);
		if (status)
			return status;
		if (!(b->node.note & GS_EVENTS))
			gs_block_complete_free(p, b);
	}
	return GS_OK;
}

/* One event of a block has passed. */
static void passed(gs_pool *p, gs_event_entry *e)
{
	gs_pool_block *b = e->block;
	p->ops->event_release(p->device, e->event);
	gs_slab_put(&p->small_slab, e);
	if (--b->events == 0) {
		b->node.note &= ~(uint32_t)GS_EVENTS;
		if (!(b->node.note & GS_BUSY))
			gs_block_complete_free(p, b);
	}
}

/* Completes what is ready in a queue. */
static gs_status poll_queue(gs_pool *p, gs_order_slot *q)
{
	for (gs_event_entry *e; (e = q->first);) {
		bool ready = false;
		gs_status status = p->ops->event_query(p->device, e->event, &ready);
		if (status || !ready)
			return status;
		q->first = e->next;
		passed(p, e);
	}
	return GS_OK;
}

gs_status gs_pool_poll(gs_pool *p)
{
	gs_status status = insert_deferred(p);
	gs_order_slot *q;
	for (size_t at = 0; !status && (q = gs_order_from(&p->queues, &at));) {
		status = poll_queue(p, q);
		if (q->first)
			at++;
		else
			gs_order_drop(&p->queues, at);
	}
	return status;
}

gs_status gs_pool_process_events(gs_pool *p)
{
	return gs_pool_is_capturing(p, true, 0) ? GS_OK : gs_pool_poll(p);
}

/* Waits for the events of a queue, all or those of one private pool's blocks. */
static gs_status wait_queue(gs_pool *p, gs_order_slot *q, const gs_private *only)
{
	gs_event_entry *last = NULL;
	for (gs_event_entry *e = q->first, *next; e; e = next) {
		next = e->next;
		if (only && gs_block_room(e->block)->owner != only) {
			last = e;
			continue;
		}
		gs_status status = p->ops->event_sync(p->device, e->event);
		if (status)
			return status;
		if (last)
			last->next = next;
		else
			q->first = next;
		if (q->last == e)
			q->last = last;
		passed(p, e);
	}
	return GS_OK;
}

gs_status gs_pool_synchronise(gs_pool *p, const gs_private *only)
{
	p->syncs++;
	gs_status status = insert_deferred(p);
	gs_order_slot *q;
	for (size_t at = 0; !status && (q = gs_order_from(&p->queues, &at));) {
		status = wait_queue(p, q, only);
		if (q->first)
			at++;
		else
			gs_order_drop(&p->queues, at);
	}
	for (gs_pool_block *b = p->manual.head, *next; b && !status; b = next) {
		next = (gs_pool_block *)b->node.child[1];
		if (!only || gs_block_room(b)->owner == only)
			gs_pool_complete(p, b);
	}
	return status;
}
