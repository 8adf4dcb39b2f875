/* Private pools: graph captures and MemPools. Few, so lists do. */
#include "recorder/pool/pool_internal.h"

gs_private *gs_private_find(const gs_pool *p, gs_pool_id id)
{
	for (gs_private *q = p->privates; q; q = q->next)
		if (q->id.a == id.a && q->id.b == id.b)
			return q;
	return NULL;
}

gs_status gs_pool_hold_private(gs_pool *p, gs_pool_id id)
{
	if (!id.a && !id.b)
		return GS_INVALID;
	gs_private *q = gs_private_find(p, id);
	if (q && !q->users)
		return GS_STATE;
	if (q) {
		q->users++;
		return GS_OK;
	}
	if (!gs_slab_reserve(&p->privates_slab, 1))
		return GS_NO_MEMORY;
	q = gs_slab_get(&p->privates_slab);
	*q = (gs_private){.id = id, .users = 1};
	for (int c = 0; c < 2; c++)
		q->block_pools[c] = (gs_block_pool){
			.unmapped = {.by_place = true}, .owner = q, .class = (gs_pool_class)c};
	gs_private **link = &p->privates;
	while (*link)
		link = &(*link)->next;
	*link = q;
	return GS_OK;
}

/* PyTorch's hash of a pool id. */
static uint64_t hash_of(gs_pool_id id) { return id.a ? id.a : id.b; }

gs_status gs_pool_drop_private(gs_pool *p, gs_pool_id id)
{
	gs_private *q = gs_private_find(p, id);
	if (!q)
		return GS_NOT_FOUND;
	if (!q->users)
		return GS_STATE;
	if (q->users == 1) {
		gs_order_slot *slot = gs_order_get(&p->unused, hash_of(id), (uintptr_t)q);
		if (!slot)
			return GS_NO_MEMORY;
		slot->first = q;
	}
	q->users--;
	return GS_OK;
}

static bool owns_regions(const gs_pool *p, const gs_private *q)
{
	for (const gs_node *n = gs_set_first(&p->regions); n; n = gs_set_next(n))
		if (((const gs_region *)n)->blocks_of->owner == q)
			return true;
	return false;
}

bool gs_private_forget(gs_pool *p, gs_private *q)
{
	if (q->allocations || owns_regions(p, q))
		return false;
	gs_private **link = &p->privates;
	while (*link != q)
		link = &(*link)->next;
	*link = q->next;
	size_t at = 0;
	const gs_order_slot *slot;
	while ((slot = gs_order_from(&p->unused, &at)) && slot->first != q)
		at++;
	if (slot)
		gs_order_drop(&p->unused, at);
	gs_block_pool_release(p, &q->block_pools[GS_SMALL]);
	gs_block_pool_release(p, &q->block_pools[GS_LARGE]);
	gs_slab_put(&p->privates_slab, q);
	return true;
}

gs_status gs_pool_begin_private(
	gs_pool *p, gs_pool_id id, gs_pool_filter *filter, void *user, bool capture)
{
	for (const gs_diversion *d = p->diversions; d; d = d->next)
		if (d->target->id.a == id.a && d->target->id.b == id.b)
			return GS_STATE;
	if (!gs_slab_reserve(&p->small_slab, 1))
		return GS_NO_MEMORY;
	gs_status status = gs_pool_hold_private(p, id);
	if (status)
		return status;
	gs_diversion *d = gs_slab_get(&p->small_slab);
	*d = (gs_diversion){.next = p->diversions,
		.target = gs_private_find(p, id),
		.filter = filter,
		.user = user,
		.capture = capture};
	p->diversions = d;
	return GS_OK;
}

gs_status gs_pool_end_private(gs_pool *p, gs_pool_id id)
{
	for (gs_diversion **link = &p->diversions; *link; link = &(*link)->next) {
		gs_diversion *d = *link;
		if (d->target->id.a != id.a || d->target->id.b != id.b)
			continue;
		*link = d->next;
		gs_slab_put(&p->small_slab, d);
		return GS_OK;
	}
	return GS_NOT_FOUND;
}

gs_block_pool *gs_block_pool_for(gs_pool *p, uint64_t rounded, uint64_t stream)
{
	gs_pool_class c = gs_rules_class(rounded);
	gs_private *found = NULL;
	for (const gs_diversion *d = p->diversions; d; d = d->next) {
		if (d->filter && !d->filter(d->user, stream))
			continue;
		found = d->target;
		if (!p->rules->private_captures) /* else the first begun, the last in the list, wins */
			break;
	}
	return found ? &found->block_pools[c] : &p->block_pools[c];
}
