/* The request that failed at a moment, as JSON. */
#include "analyzer/api/request.h"

#include <inttypes.h>

#include "analyzer/api/put.h"
#include "analyzer/diagnose/serving.h"

static void put_relations(
	const gs_snapshot *s, const gs_layout *l, const gs_failed_request *r, FILE *out)
{
	gs_put_key(out, "segments", false);
	fputc('[', out);
	for (size_t i = 0; i < l->nsegments; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", gs_failed_request_relation(s, r, &l->segments[i]));
	fputc(']', out);
}

void gs_put_request(const gs_timeline *t, const gs_layout *l, int64_t idx, FILE *out)
{
	gs_failed_request r = gs_failed_request_at(t->snapshot, t->device, idx);
	gs_put_key(out, "request", false);
	if (!r.oom) {
		fputs("null", out);
		return;
	}
	fprintf(out,
		"{\"bytes\":%" PRIu64 ",\"stream\":%" PRIu64 ",\"pool_id\":\"%" PRIu64 ",%" PRIu64 "\"",
		r.bytes, r.stream, r.pool_id.a, r.pool_id.b);
	gs_put_text_member(out, "pool", r.pool);
	put_relations(t->snapshot, l, &r, out);
	fputc('}', out);
}
