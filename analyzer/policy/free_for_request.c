/* Which free memory a request may use. */
#include "analyzer/policy/policy.h"

#include <string.h>

#include "recorder/pool/rule_sets.h"

gs_policy_request gs_policy_request_of(const gs_policy *policy, const gs_oom *oom)
{
	int64_t size = oom->requested >= 0 ? oom->requested : oom->needed;
	gs_policy_request r = {.size = size > 0 ? (uint64_t)size : 0,
		.stream = oom->stream >= 0 ? (uint64_t)oom->stream : 0,
		.pool_id = oom->has_pool_id ? oom->pool_id : (gs_pool_id){0, 0},
		.pool = GS_CLASS_UNKNOWN};
	if (policy->classes && oom->requested > 0)
		r.pool = oom->pool != GS_CLASS_UNKNOWN ? (gs_pool_class)oom->pool : gs_rules_class(r.size);
	return r;
}

gs_pool_relation gs_policy_relation(
	const gs_policy *policy, const gs_segment *g, const gs_policy_request *r)
{
	if (g->pool_id.a != r->pool_id.a || g->pool_id.b != r->pool_id.b)
		return GS_POOL_OTHER_ID;
	if (g->stream != r->stream)
		return GS_POOL_OTHER_STREAM;
	if (policy->classes && g->pool != r->pool && g->pool != GS_CLASS_UNKNOWN &&
		r->pool != GS_CLASS_UNKNOWN)
		return GS_POOL_OTHER_CLASS;
	return GS_POOL_SAME;
}

void gs_free_for_init(gs_free_for *f)
{
	memset(f, 0, sizeof *f);
	for (int i = 0; i < GS_POOL_RELATIONS; i++)
		f->holes[i].largest_at = SIZE_MAX;
}

void gs_free_for_request(
	const gs_policy *policy, const gs_layout *l, const gs_policy_request *r, gs_free_for *f)
{
	gs_free_for_init(f);
	for (size_t k = 0; k < l->nsegments; k++) {
		const gs_segment *g = &l->segments[k];
		gs_pool_relation relation = gs_policy_relation(policy, g, r);
		for (size_t i = g->first_block; i < g->first_block + g->nblocks; i++)
			if (l->blocks[i].state == GS_INACTIVE)
				gs_free_for_add(f, relation, &l->blocks[i], i);
	}
}
