/* Segments with their blocks. */
#include "analyzer/export/pytorch_internal.h"

/* requested_size must stand beside frames; a live block's, if unknown, is the whole block. Inactive
 * blocks say what the file said, or 0, as fresh ones do. */
static void block(gs_pytorch_writer *x, const gs_block *b)
{
	uint64_t requested = b->state == GS_INACTIVE ? b->stale
		: b->requested == GS_NONE                ? b->size
												 : (uint64_t)b->requested;
	gs_pickler_dict(&x->p);
	gs_pytorch_unsigned(x, "address", b->address);
	gs_pytorch_unsigned(x, "size", b->size);
	gs_pytorch_unsigned(x, "requested_size", requested);
	gs_pytorch_key(x, "state");
	const char *state = gs_block_state_text((gs_block_state)b->state);
	gs_pytorch_key(x, state);
	gs_pytorch_more(x, b->more);
	if (b->tag) {
		gs_pytorch_key(x, "user_metadata");
		gs_pytorch_string(x, b->tag);
	}
	gs_pytorch_frames(x, b->stack);
	gs_pickler_dict_end(&x->p);
}

static void segment(
	gs_pytorch_writer *x, const gs_device *d, const gs_layout *l, const gs_segment *g)
{
	uint64_t allocated = 0, active = 0, requested = 0;
	const gs_block *b = l->blocks + g->first_block;
	for (size_t i = 0; i < g->nblocks; i++) {
		allocated += b[i].state == GS_ACTIVE_ALLOCATED ? b[i].size : 0;
		active += b[i].state != GS_INACTIVE ? b[i].size : 0;
		requested += b[i].state == GS_INACTIVE ? 0
			: b[i].requested == GS_NONE        ? b[i].size
											   : (uint64_t)b[i].requested;
	}
	gs_pickler_dict(&x->p);
	gs_pytorch_unsigned(x, "device", (uint64_t)d->device);
	gs_pytorch_unsigned(x, "address", g->address);
	gs_pytorch_unsigned(x, "total_size", g->size);
	gs_pytorch_unsigned(x, "allocated_size", allocated);
	gs_pytorch_unsigned(x, "active_size", active);
	gs_pytorch_unsigned(x, "requested_size", requested);
	gs_pytorch_key(x, "stream");
	gs_pickler_integer(&x->p, (int64_t)g->stream);
	if (g->pool != GS_CLASS_UNKNOWN) {
		gs_pytorch_key(x, "segment_type");
		gs_pytorch_key(x, g->pool == GS_SMALL ? "small" : "large");
	}
	gs_pytorch_pool(x, "segment_pool_id", g->pool_id);
	gs_pytorch_key(x, "is_expandable");
	gs_pickler_boolean(&x->p, g->expandable);
	gs_pytorch_frames(x, g->stack);
	gs_pytorch_key(x, "blocks");
	gs_pickler_list(&x->p);
	for (size_t i = 0; i < g->nblocks; i++)
		block(x, &b[i]);
	gs_pickler_list_end(&x->p);
	gs_pickler_dict_end(&x->p);
}

void gs_pytorch_segments(gs_pytorch_writer *x, bool host)
{
	gs_pytorch_key(x, host ? "host_segments" : "segments");
	gs_pickler_list(&x->p);
	for (size_t i = 0; i < x->s->ndevices; i++) {
		const gs_device *d = &x->s->devices[i];
		const gs_layout *l = d->captured.idx == GS_NONE ? &d->captured : &x->built[i];
		if (gs_device_is_host(x->s, d) == host)
			for (size_t k = 0; k < l->nsegments; k++)
				segment(x, d, l, &l->segments[k]);
	}
	gs_pickler_list_end(&x->p);
}
