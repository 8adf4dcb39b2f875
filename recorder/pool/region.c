/* Regions: what the pool remembers of a stretch of device addresses, whether a segment of its own
 * or an expandable one. */
#include "recorder/pool/pool_internal.h"

gs_region *gs_region_new(gs_pool *p, gs_block_pool *blocks_of, uint64_t address, uint64_t size,
	uint64_t stream, gs_pool_ctx ctx)
{
	gs_region *region = gs_slab_get(&p->regions_slab);
	*region = (gs_region){
		.node = {.address = address},
		.stream = stream,
		.size = size,
		.blocks_of = blocks_of,
		.number = p->next_region++,
		.ctx = ctx,
	};
	region->bins = gs_block_pool_bins(blocks_of, stream);
	gs_set_insert(&p->regions, &region->node);
	return region;
}

void gs_region_drop(gs_pool *p, gs_region *region)
{
	gs_set_erase(&p->regions, &region->node);
	if (region->handles) {
		p->memory.give(p->memory.user, region->handles, region->nhandles * sizeof *region->handles);
		p->extra_bytes -= region->nhandles * sizeof *region->handles;
	}
	gs_slab_put(&p->regions_slab, region);
}

bool gs_region_reserve_handles(gs_pool *p, gs_region *region, uint64_t pages)
{
	if (pages <= region->nhandles)
		return true;
	uint64_t n = region->nhandles ? region->nhandles : 32;
	while (n < pages)
		n *= 2;
	if (n > region->size / region->page)
		n = region->size / region->page;
	uint64_t *handles = p->memory.take(p->memory.user, n * sizeof *handles);
	if (!handles)
		return false;
	for (uint32_t i = 0; i < region->nhandles; i++)
		handles[i] = region->handles[i];
	if (region->handles)
		p->memory.give(p->memory.user, region->handles, region->nhandles * sizeof *handles);
	p->extra_bytes += (n - region->nhandles) * sizeof *handles;
	region->handles = handles;
	region->nhandles = (uint32_t)n;
	return true;
}
