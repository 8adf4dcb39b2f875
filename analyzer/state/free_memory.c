/* Free memory by the snapshot's own rules. */
#include "analyzer/state/free_memory.h"

gs_free_rules gs_free_rules_of(const gs_snapshot *s)
{
	gs_free_rules rules = {.policy = gs_policy_of(s)};
	gs_policy_settings(s, &rules.settings, NULL);
	return rules;
}

gs_free_parts gs_free_parts_of(
	const gs_free_rules *rules, const gs_layout *l, const gs_segment *segment)
{
	return gs_policy_free_parts(rules->policy, &rules->settings, l, segment);
}
