/* Free memory that can go back to the driver, and what stays. */
#include "analyzer/policy/policy.h"
#include "recorder/pool/rule_sets.h"

static bool retry_releases(const gs_policy *policy, const gs_segment *g)
{
	return policy->releases && !g->pool_id.a && !g->pool_id.b;
}

static uint64_t greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* A hole of an expandable run: its whole pages, counted from the run's beginning. */
static void add_pages(gs_free_parts *p, uint64_t base, uint64_t at, uint64_t end, uint64_t page)
{
	uint64_t from = (at - base + page - 1) / page * page, to = (end - base) / page * page;
	if (to <= from) {
		p->largest_left = greater(p->largest_left, end - at);
		return;
	}
	p->whole += to - from;
	p->largest_left = greater(p->largest_left, greater(from - (at - base), end - base - to));
}

gs_free_parts gs_policy_free_parts(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_segment *g)
{
	gs_free_parts p = {0, 0, 0};
	bool releases = retry_releases(policy, g);
	uint64_t page = g->expandable ? gs_rules_page_size(settings, (gs_pool_class)g->pool) : 0;
	for (size_t i = g->first_block; i < g->first_block + g->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		if (b->state != GS_INACTIVE)
			continue;
		p.free += b->size;
		if (releases && page && b->address >= g->address)
			add_pages(&p, g->address, b->address, b->address + b->size, page);
		else if (releases && !g->expandable && g->nblocks == 1)
			p.whole += b->size;
		else
			p.largest_left = greater(p.largest_left, b->size);
	}
	return p;
}

double gs_fragmentation(uint64_t free, uint64_t whole, uint64_t largest_left)
{
	return free ? 1 - ((double)whole + (double)largest_left) / (double)free : -1;
}
