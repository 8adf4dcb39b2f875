/* The events that frees wait for: asked whether they passed, or waited for. */
#include "recorder/pool/pool_internal.h"

static gs_status insert_deferred(gs_pool *p)
{
	while (p->deferred.head) {
		gs_pool_block *b = p->deferred.head;
		gs_list_remove(&p->deferred, b);
		b->node.note &= ~(uint32_t)GS_DEFERRED;
		gs_status status = gs_pool_order_uses(p, b);
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
		if (only && gs_block_pool_of(e->block)->owner != only) {
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
		if (!only || gs_block_pool_of(b)->owner == only)
			gs_pool_complete(p, b);
	}
	return status;
}
