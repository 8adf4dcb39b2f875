/* PyTorch's rules: those of the pool itself. */
#include "analyzer/policy/policy.h"
#include "recorder/pool/rule_sets.h"

static uint64_t round_up(const gs_pool_settings *settings, uint64_t bytes)
{
	return bytes ? gs_rules_round(settings, bytes) : 0;
}

static bool splits(
	const gs_pool_settings *settings, gs_pool_class pool, uint64_t rounded, uint64_t block)
{
	return gs_rules_should_split(settings, pool, settings->expandable, rounded, block);
}

const gs_policy gs_policy_pytorch = {
	.name = "pytorch",
	.classes = true,
	.caches = true,
	.releases = true,
	.limit_step = true,
	.round = round_up,
	.segment = gs_rules_segment_size,
	.splits = splits,
	.serves = gs_rules_may_serve,
};
