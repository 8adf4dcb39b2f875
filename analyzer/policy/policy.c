/* What a policy says about a layout: which free block the search takes, what the driver is asked.
 */
#include "analyzer/policy/policy.h"

#include <string.h>

#include "recorder/pool/rule_sets.h"

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

const gs_policy *gs_policy_of_library(const char *library)
{
	static const char *const pytorch[] = {"pytorch", "gpusnap", "", NULL},
							 *const bfc[] = {"tensorflow", "jax", NULL};
	if (!library || is_one_of(library, pytorch))
		return &gs_policy_pytorch;
	if (is_one_of(library, bfc))
		return &gs_policy_bfc;
	return strcmp(library, "rmm") ? &gs_policy_passthrough : &gs_policy_rmm;
}

const gs_policy *gs_policy_of(const gs_snapshot *s)
{
	if (s->kind == GS_KIND_BFC)
		return &gs_policy_bfc;
	if (s->kind == GS_KIND_RMM)
		return &gs_policy_rmm;
	return s->kind == GS_KIND_PYTORCH ? &gs_policy_pytorch : gs_policy_of_library(s->library);
}

/* --- expandable segments -------------------------------------------------------------------------
 */

static const gs_segment *next_run(
	const gs_policy *policy, const gs_layout *l, const gs_policy_request *r, size_t *at)
{
	for (; *at < l->nsegments; ++*at)
		if (l->segments[*at].expandable && gs_policy_same_pool(policy, &l->segments[*at], r))
			return &l->segments[*at];
	return NULL;
}

static uint64_t edge(const gs_layout *l, const gs_segment *g, bool last)
{
	const gs_block *b = g->nblocks ? &l->blocks[g->first_block + (last ? g->nblocks - 1 : 0)]
								   : NULL;
	return b && b->state == GS_INACTIVE ? b->size : 0;
}

static uint64_t whole_pages(uint64_t bytes, uint64_t page)
{
	return (bytes + page - 1) / page * page;
}

/* Bytes to map for the request, starting at the unmapped bytes behind *run (NULL: those before the
 * first run, from base on): walks over free and unmapped neighbours. False when live blocks come
 * first. */
static bool map_from(const gs_policy *policy, const gs_layout *l, const gs_policy_request *r,
	const gs_segment *run, size_t next, uint64_t page, uint64_t *ask, uint64_t *missing)
{
	uint64_t have = run ? edge(l, run, true) : 0, at = run ? run->address + run->size : r->base;
	*ask = *missing = 0;
	for (; have < r->size; next++) {
		const gs_segment *after = next_run(policy, l, r, &next);
		uint64_t gap = after && after->address > at ? after->address - at : 0,
				 lacking = r->size - have;
		if (!after || gap >= lacking) {
			*missing += lacking;
			*ask += whole_pages(lacking, page);
			return true;
		}
		*missing += gap;
		*ask += gap;
		have += gap + edge(l, after, false);
		if (have < r->size && edge(l, after, false) < after->size)
			return false;
		at = after->address + after->size;
	}
	return true;
}

static uint64_t ask_expandable(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_policy_request *r, uint64_t *missing)
{
	uint64_t page = gs_rules_page_size(settings, r->pool), ask = 0;
	size_t at = 0;
	const gs_segment *run = next_run(policy, l, r, &at);
	if (run && r->base && r->base < run->address &&
		map_from(policy, l, r, NULL, at, page, &ask, missing))
		return ask;
	for (; run; run = next_run(policy, l, r, &at))
		if (map_from(policy, l, r, run, ++at, page, &ask, missing))
			return ask;
	*missing = r->size;
	return whole_pages(r->size, page);
}

uint64_t gs_policy_most_asked(
	const gs_policy *policy, const gs_pool_settings *settings, uint64_t rounded)
{
	if (policy->classes && settings->expandable)
		return whole_pages(rounded, gs_rules_page_size(settings, gs_rules_class(rounded)));
	return policy->segment(settings, rounded);
}

uint64_t gs_policy_ask(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_policy_request *request, uint64_t *missing)
{
	uint64_t unused;
	if (policy->classes && settings->expandable)
		return ask_expandable(policy, settings, l, request, missing ? missing : &unused);
	if (missing)
		*missing = request->size;
	return policy->segment(settings, request->size);
}

/* --- the search ----------------------------------------------------------------------------------
 */

/* The block's own bytes and the unmapped ones right behind it. */
static uint64_t span(
	const gs_policy *policy, const gs_layout *l, const gs_policy_request *r, size_t block)
{
	const gs_block *b = &l->blocks[block];
	const gs_segment *g = &l->segments[b->segment];
	if (b->address + b->size < g->address + g->size)
		return b->size;
	size_t at = b->segment + (size_t)1;
	const gs_segment *after = next_run(policy, l, r, &at);
	return after ? after->address - b->address : UINT64_MAX;
}

/* The free block that follows `after` (SIZE_MAX: begins) in order of size, then address, among
 * those ≥ the request. */
static size_t next_fit(const gs_policy *policy, const gs_layout *l, const gs_policy_request *r,
	size_t after, bool skip_expandable)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < l->nblocks; i++) {
		const gs_block *b = &l->blocks[i];
		const gs_segment *g = &l->segments[b->segment];
		if (b->state != GS_INACTIVE || b->size < r->size || (skip_expandable && g->expandable) ||
			!gs_policy_same_pool(policy, g, r))
			continue;
		if (after != SIZE_MAX &&
			(b->size < l->blocks[after].size || (b->size == l->blocks[after].size && i <= after)))
			continue;
		if (best == SIZE_MAX || b->size < l->blocks[best].size)
			best = i;
	}
	return best;
}

size_t gs_policy_search(const gs_policy *policy, const gs_pool_settings *settings,
	const gs_layout *l, const gs_policy_request *r)
{
	size_t fit = next_fit(policy, l, r, SIZE_MAX, policy->classes && !settings->expandable);
	while (policy->classes && settings->expandable && fit != SIZE_MAX &&
		l->segments[l->blocks[fit].segment].expandable) {
		size_t next = next_fit(policy, l, r, fit, false);
		if (next == SIZE_MAX || span(policy, l, r, next) >= span(policy, l, r, fit))
			break;
		fit = next;
	}
	return fit != SIZE_MAX && policy->serves(settings, r->size, l->blocks[fit].size) ? fit
																					 : SIZE_MAX;
}
