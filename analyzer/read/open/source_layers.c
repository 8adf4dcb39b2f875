/* What is packed: a source over another one, which it unpacks. */
#include "analyzer/read/open/source_internal.h"

#include <string.h>

#include "analyzer/model/memory.h"

enum { MOST_LAYERS = 3 };

bool gs_source_packed(const gs_source *s)
{
	for (; s; s = s->below)
		if (s->unpack && gs_unpack_packing(s->unpack) != GS_PACKING_BASE64)
			return true;
	return false;
}

size_t gs_source_held(const gs_source *s)
{
	size_t held = 0;
	for (; s; s = s->below)
		held += s->unpack ? gs_unpack_held(s->unpack) : 0;
	return held;
}

/* *s keeps its address, so the packed source moves into a new one below it. */
static gs_status unwrap_layer(gs_source *s, gs_packing packing, gs_error *err)
{
	gs_source *below = NULL;
	gs_status status = gs_source_new(&below, err);
	if (status)
		return status;
	*below = *s;
	memset(s, 0, sizeof *s);
	s->fd = -1;
	s->below = below;
	status = gs_unpack_new(packing, gs_source_file_size(below), &s->unpack, err);
	return status ? status : gs_source_take_window(s, err);
}

gs_status gs_source_unwrap(gs_source *s, gs_error *err)
{
	for (int layer = 0; layer < MOST_LAYERS; layer++) {
		const unsigned char *head;
		size_t n = gs_source_peek(s, 4, &head);
		gs_packing packing = gs_packing_of(head, n);
		if (!packing)
			return GS_OK;
		gs_status status = unwrap_layer(s, packing, err);
		if (status)
			return status;
	}
	return gs_fail(err, GS_LIMIT, "packed more than %d times", MOST_LAYERS - 1);
}

gs_status gs_source_unwrap_base64(gs_source *s, gs_error *err)
{
	return unwrap_layer(s, GS_PACKING_BASE64, err);
}

void gs_source_unwrap_undo(gs_source *s)
{
	for (bool done = false; s->below && !done;) {
		gs_source *below = s->below;
		done = gs_unpack_packing(s->unpack) == GS_PACKING_BASE64;
		gs_unpack_free(s->unpack);
		gs_memory_give(s->buf);
		*s = *below;
		gs_memory_give(below);
	}
}
