/* A rewrite of all requests. */
#include "analyzer/replay/replay_internal.h"

#include <string.h>

static gs_status apply_in_memory(
	gs_replay *r, const gs_replay_rewrite *how, gs_replay_changes *changes, gs_error *err)
{
	gs_rewriter w;
	gs_status status = gs_rewriter_init(&w, r, how, err);
	if (!status)
		status = gs_rewriter_apply(&w, &r->ops, &r->n, &r->cap, r->device->trace.events, true, err);
	*changes = w.changes;
	gs_rewriter_release(&w);
	return status;
}

/* Of a source requests are changed as they are made; what that does is counted by making them. */
static gs_status apply_to_source(
	gs_replay *r, const gs_replay_rewrite *how, gs_replay_changes *changes, gs_error *err)
{
	r->rewrite = how;
	gs_status status = gs_replay_pass(r, true, NULL, NULL, err);
	*changes = r->changes;
	return status;
}

bool gs_replay_rewrites(const gs_replay_rewrite *w)
{
	return w->free_pattern || w->without_tag || w->pad_to || w->nscales;
}

gs_status gs_replay_apply(
	gs_replay *r, const gs_replay_rewrite *how, gs_replay_changes *changes, gs_error *err)
{
	memset(changes, 0, sizeof *changes);
	if (!gs_replay_rewrites(how))
		return GS_OK;
	gs_status status = r->source ? apply_to_source(r, how, changes, err)
								 : apply_in_memory(r, how, changes, err);
	changes->requests += changes->left_out + changes->freed + changes->padded;
	return status;
}
