/* What failed at a moment, by the rules of its allocator. */
#include "analyzer/diagnose/serving.h"

#include "analyzer/policy/policy.h"

static const gs_oom *failure_at(const gs_snapshot *s, const gs_device *device, int64_t idx)
{
	for (size_t i = s->nooms; i > 0; i--) {
		const gs_oom *oom = &s->ooms[i - 1];
		if (oom->device == device->device &&
			(idx == GS_NONE ? device->layout_at_oom : oom->idx == idx))
			return oom->requested > 0 || oom->needed > 0 ? oom : NULL;
	}
	return NULL;
}

gs_failed_request gs_failed_request_at(const gs_snapshot *s, const gs_device *device, int64_t idx)
{
	const gs_oom *oom = failure_at(s, device, idx);
	if (!oom)
		return (gs_failed_request){0};
	gs_policy_request r = gs_policy_request_of(gs_policy_of(s), oom);
	return (gs_failed_request){.oom = oom,
		.bytes = r.size,
		.stream = r.stream,
		.pool_id = r.pool_id,
		.pool = r.pool == GS_SMALL ? "small"
			: r.pool == GS_LARGE   ? "large"
								   : NULL};
}

const char *gs_failed_request_relation(
	const gs_snapshot *s, const gs_failed_request *request, const gs_segment *segment)
{
	static const char *const words[GS_POOL_RELATIONS] = {
		"same", "other_pool", "other_stream", "other_class"};
	const gs_policy *policy = gs_policy_of(s);
	gs_policy_request r = gs_policy_request_of(policy, request->oom);
	return words[gs_policy_relation(policy, segment, &r)];
}
