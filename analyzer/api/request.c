#include "analyzer/api/request.h"

#include <inttypes.h>

#include "analyzer/api/put.h"
#include "analyzer/policy/policy.h"

/* The last one of the device that failed there; NULL. */
static const gs_oom *failure_at(const gs_timeline *t, int64_t idx)
{
	const gs_snapshot *s = t->snapshot;
	for (size_t i = s->nooms; i > 0; i--) {
		const gs_oom *oom = &s->ooms[i - 1];
		if (oom->device == t->device->device &&
			(idx == GS_NONE ? t->device->layout_at_oom : oom->idx == idx))
			return oom;
	}
	return NULL;
}

/* Words of gs_pool_relation, in its order. */
static const char *const relations[GS_POOL_RELATIONS] = {
	"same", "other_pool", "other_stream", "other_class"};

static void put_relations(
	const gs_policy *policy, const gs_layout *l, const gs_policy_request *r, FILE *out)
{
	gs_put_key(out, "segments", false);
	fputc('[', out);
	for (size_t i = 0; i < l->nsegments; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "",
			relations[gs_policy_relation(policy, &l->segments[i], r)]);
	fputc(']', out);
}

void gs_put_request(const gs_timeline *t, const gs_layout *l, int64_t idx, FILE *out)
{
	static const char *const classes[] = {"small", "large", NULL};
	const gs_oom *oom = failure_at(t, idx);
	gs_put_key(out, "request", false);
	if (!oom || (oom->requested <= 0 && oom->needed <= 0)) {
		fputs("null", out);
		return;
	}
	const gs_policy *policy = gs_policy_of(t->snapshot);
	gs_policy_request r = gs_policy_request_of(policy, oom);
	fprintf(out,
		"{\"bytes\":%" PRIu64 ",\"stream\":%" PRIu64 ",\"pool_id\":\"%" PRIu64 ",%" PRIu64 "\"",
		r.size, r.stream, r.pool_id.a, r.pool_id.b);
	gs_put_text_member(out, "pool", r.pool <= GS_LARGE ? classes[r.pool] : NULL);
	put_relations(policy, l, &r, out);
	fputc('}', out);
}
