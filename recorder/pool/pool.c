/* A pool's life and settings. */
#include "recorder/pool/pool.h"

#include <string.h>

#include "recorder/pool/pool_internal.h"

enum { BIG_CHUNK = 64 << 10, SMALL_CHUNK = 8 << 10 };

static size_t padded(size_t n) { return (n + 15) & ~(size_t)15; }

static size_t small_object(void)
{
	size_t n = sizeof(gs_use);
	n = n > sizeof(gs_event_entry) ? n : sizeof(gs_event_entry);
	return padded(n > sizeof(gs_diversion) ? n : sizeof(gs_diversion));
}

static void set_up(gs_pool *p, const gs_pool_config *config)
{
	memset(p, 0, sizeof *p);
	p->ops = config->ops;
	p->device = config->device;
	p->number = config->number;
	p->flags = config->flags;
	p->memory = config->memory;
	p->rules = config->rules ? config->rules : gs_rules_newest;
	p->on_action = config->on_action;
	p->user = config->user;
	p->allowed = UINT64_MAX;
	gs_pool_settings_init(&p->settings);
	p->regions.by_place = true;
	for (int c = 0; c < 2; c++)
		p->block_pools[c] = (gs_block_pool){
			.unmapped = {.by_place = true}, .class = (gs_pool_class)c};
	gs_index_init(&p->index, &p->memory);
	gs_order_init(&p->queues, &p->memory);
	gs_order_init(&p->unused, &p->memory);
	gs_slab_init(&p->blocks, &p->memory, padded(sizeof(gs_pool_block)), BIG_CHUNK);
	gs_slab_init(&p->regions_slab, &p->memory, padded(sizeof(gs_region)), SMALL_CHUNK);
	gs_slab_init(&p->small_slab, &p->memory, small_object(), SMALL_CHUNK);
	gs_slab_init(&p->privates_slab, &p->memory, padded(sizeof(gs_private)), SMALL_CHUNK);
}

gs_status gs_pool_init(gs_pool **pool, const gs_pool_config *config, gs_error *err)
{
	gs_pool *p = config->memory.take(config->memory.user, sizeof *p);
	if (!p)
		return gs_fail(err, GS_NO_MEMORY, "no memory for a pool");
	set_up(p, config);
	uint64_t unused;
	gs_status status = p->ops->mem_info(p->device, &unused, &p->capacity);
	if (status)
		gs_fail(err, status, "the device did not tell its memory");
	else if (config->settings && *config->settings)
		status = gs_pool_configure(p, config->settings, err);
	if (status) {
		config->memory.give(config->memory.user, p, sizeof *p);
		return status;
	}
	if (p->settings.memory_fraction < 1)
		gs_pool_set_fraction(p, p->settings.memory_fraction, NULL);
	p->split_at_start = (int64_t)p->settings.max_split;
	*pool = p;
	return GS_OK;
}

void gs_pool_release(gs_pool *p)
{
	if (!p)
		return;
	const gs_order_slot *q;
	for (size_t at = 0; (q = gs_order_from(&p->queues, &at)); at++)
		for (const gs_event_entry *e = q->first; e; e = e->next)
			p->ops->event_release(p->device, e->event);
	for (gs_node *n = gs_set_first(&p->regions); n; n = gs_set_next(n)) {
		gs_region *region = (gs_region *)n;
		if (region->handles)
			p->memory.give(
				p->memory.user, region->handles, region->nhandles * sizeof *region->handles);
	}
	for (gs_private *own = p->privates; own; own = own->next)
		for (int c = 0; c < 2; c++)
			gs_block_pool_release(p, &own->block_pools[c]);
	for (int c = 0; c < 2; c++)
		gs_block_pool_release(p, &p->block_pools[c]);
	gs_order_release(&p->queues);
	gs_order_release(&p->unused);
	gs_index_release(&p->index);
	gs_slab_release(&p->blocks);
	gs_slab_release(&p->regions_slab);
	gs_slab_release(&p->small_slab);
	gs_slab_release(&p->privates_slab);
	gs_pool_memory memory = p->memory;
	memory.give(memory.user, p, sizeof *p);
}

static void give_back_region(gs_pool *p, const gs_region *region)
{
	if (!region->page) {
		p->ops->mem_free(p->device, region->node.address, region->size);
		return;
	}
	for (const gs_pool_block *b = region->first; b;) {
		uint64_t begin = b->node.address, bytes = 0;
		for (; b && !(b->node.note & GS_UNMAPPED); b = b->next)
			bytes += b->node.size;
		if (bytes)
			p->ops->unmap(p->device, begin, region->page, (uint32_t)(bytes / region->page),
				region->handles + (begin - region->node.address) / region->page);
		if (b)
			b = b->next;
	}
	p->ops->unreserve(p->device, region->node.address, region->size);
}

void gs_pool_give_back(gs_pool *p)
{
	for (const gs_node *n = gs_set_first(&p->regions); n; n = gs_set_next(n))
		give_back_region(p, (const gs_region *)n);
}

gs_status gs_pool_configure(gs_pool *p, const char *text, gs_error *err)
{
	return gs_pool_settings_parse(&p->settings, p->rules, text, err);
}

const gs_pool_settings *gs_pool_get_settings(const gs_pool *p) { return &p->settings; }
const char *gs_pool_rules_name(const gs_pool *p) { return p->rules->name; }

gs_status gs_pool_set_fraction(gs_pool *p, double fraction, gs_error *err)
{
	if (!(fraction >= 0 && fraction <= 1))
		return gs_fail(err, GS_INVALID, "Invalid fraction value: %g. Allowed range: 0~1", fraction);
	bool limits = fraction < 1 || !p->rules->fraction_below_one;
	p->allowed = limits ? (uint64_t)(fraction * (double)p->capacity) : UINT64_MAX;
	return GS_OK;
}

void gs_pool_set_allowed(gs_pool *p, uint64_t bytes) { p->allowed = bytes; }
uint64_t gs_pool_allowed(const gs_pool *p) { return p->allowed; }
const gs_pool_oom *gs_pool_last_oom(const gs_pool *p) { return p->had_oom ? &p->oom : NULL; }
