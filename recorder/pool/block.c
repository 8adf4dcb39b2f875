#include "recorder/pool/pool_internal.h"

gs_pool_block *gs_block_new(gs_pool *p, gs_region *region, uint64_t address, uint64_t size)
{
	gs_pool_block *b = gs_slab_get(&p->blocks);
	b->node.stream = region->stream;
	b->node.size = size;
	b->node.address = address;
	b->node.note = 0;
	b->number = p->next_block++;
	b->node.order = p->rules->tie == GS_TIE_BLOCK ? b->number
		: p->rules->tie == GS_TIE_SEGMENT         ? region->number
												  : 0;
	b->prev = b->next = NULL;
	b->region = region;
	b->requested = 0;
	b->ctx = (gs_pool_ctx){0, 0};
	b->events = 0;
	b->searches = 0;
	b->uses = NULL;
	return b;
}

void gs_block_insert_free(gs_pool *p, gs_pool_block *b)
{
	(void)p;
	b->searches = gs_block_pool_of(b)->searches;
	gs_size_bins_insert(b->region->bins, &b->node);
}

void gs_block_insert_unmapped(gs_pool *p, gs_pool_block *b)
{
	(void)p;
	gs_set_insert(&gs_block_pool_of(b)->unmapped, &b->node);
}

void gs_block_link_before(gs_pool_block *b, gs_pool_block *after)
{
	b->prev = after->prev;
	b->next = after;
	after->prev = b;
	if (b->prev)
		b->prev->next = b;
	else
		b->region->first = b;
}

void gs_block_link_after(gs_pool_block *b, gs_pool_block *before)
{
	b->prev = before;
	b->next = before->next;
	before->next = b;
	if (b->next)
		b->next->prev = b;
}

uint64_t gs_block_merge(gs_pool *p, gs_pool_block *b, gs_pool_block *neighbour)
{
	if (!neighbour || (neighbour->node.note & GS_BUSY) ||
		((neighbour->node.note ^ b->node.note) & GS_UNMAPPED))
		return 0;
	if (neighbour->node.note & GS_UNMAPPED)
		gs_set_erase(&gs_block_pool_of(b)->unmapped, &neighbour->node);
	else
		gs_size_bins_erase(b->region->bins, &neighbour->node);
	if (b->prev == neighbour) {
		b->node.address = neighbour->node.address;
		b->prev = neighbour->prev;
		if (b->prev)
			b->prev->next = b;
		else
			b->region->first = b;
	} else {
		b->next = neighbour->next;
		if (b->next)
			b->next->prev = b;
	}
	uint64_t size = neighbour->node.size;
	b->node.size += size;
	gs_slab_put(&p->blocks, neighbour);
	return size;
}

gs_node *gs_block_pool_first(const gs_block_pool *blocks_of)
{
	for (const gs_size_bins *s = blocks_of->free; s; s = s->next)
		if (s->count)
			return gs_size_bins_first(s);
	return NULL;
}

gs_node *gs_block_pool_next(const gs_node *node)
{
	const gs_size_bins *s = ((const gs_pool_block *)node)->region->bins;
	gs_node *n = gs_size_bins_next(s, node);
	for (s = s->next; !n && s; s = s->next)
		n = gs_size_bins_first(s);
	return n;
}

bool gs_block_pool_reserve(gs_pool *p, gs_block_pool *blocks_of, uint64_t stream, uint64_t size)
{
	gs_size_bins **link = &blocks_of->free;
	while (*link && (*link)->stream < stream)
		link = &(*link)->next;
	if (!*link || (*link)->stream != stream) {
		gs_size_bins *new = gs_size_bins_new(&p->memory, stream);
		if (!new)
			return false;
		new->next = *link;
		*link = new;
	}
	return gs_size_bins_reserve(&p->memory, *link, size);
}

void gs_block_pool_release(gs_pool *p, gs_block_pool *blocks_of)
{
	while (blocks_of->free) {
		gs_size_bins *s = blocks_of->free;
		blocks_of->free = s->next;
		gs_size_bins_free(&p->memory, s);
	}
}

void gs_list_push(gs_list *list, gs_pool_block *b)
{
	b->node.child[0] = (gs_node *)list->tail;
	b->node.child[1] = NULL;
	if (list->tail)
		list->tail->node.child[1] = &b->node;
	else
		list->head = b;
	list->tail = b;
}

void gs_list_remove(gs_list *list, gs_pool_block *b)
{
	gs_pool_block *prev = (gs_pool_block *)b->node.child[0],
				  *next = (gs_pool_block *)b->node.child[1];
	if (prev)
		prev->node.child[1] = (gs_node *)next;
	else
		list->head = next;
	if (next)
		next->node.child[0] = (gs_node *)prev;
	else
		list->tail = prev;
}

void gs_pool_tell_block(const gs_pool *p, gs_action action, const gs_pool_block *b)
{
	if (!p->on_action)
		return;
	const gs_block_pool *blocks_of = b->region->blocks_of;
	const gs_pool_action a = {.action = action,
		.pool = blocks_of->class,
		.pool_id = gs_block_pool_id(blocks_of),
		.address = b->node.address,
		.size = b->requested,
		.block = b->node.size,
		.stream = b->node.stream,
		.ctx = b->ctx};
	p->on_action(p->user, &a);
}

void gs_pool_tell(const gs_pool *p, gs_action action, const gs_region *region, uint64_t address,
	uint64_t size, uint64_t stream, gs_pool_ctx ctx)
{
	if (!p->on_action)
		return;
	gs_pool_action a = {
		.action = action, .address = address, .size = size, .stream = stream, .ctx = ctx};
	if (region) {
		a.pool = region->blocks_of->class;
		a.pool_id = gs_block_pool_id(region->blocks_of);
	}
	p->on_action(p->user, &a);
}
