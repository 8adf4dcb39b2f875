/* What of a state's free memory can go back to the driver, by the rules of whatever allocator made
 * the snapshot (gs_policy_free_parts). Only reads; thread-safe. */
#ifndef GS_ANALYZER_STATE_FREE_MEMORY_H
#define GS_ANALYZER_STATE_FREE_MEMORY_H

#include "analyzer/policy/policy.h"

typedef struct gs_free_rules {
	const gs_policy *policy;
	gs_pool_settings settings;
} gs_free_rules;

/* The rules of the snapshot's allocator, with the settings that its run had. */
gs_free_rules gs_free_rules_of(const gs_snapshot *s);

/* Of one segment of the layout; bytes. */
gs_free_parts gs_free_parts_of(
	const gs_free_rules *rules, const gs_layout *l, const gs_segment *segment);

#endif
