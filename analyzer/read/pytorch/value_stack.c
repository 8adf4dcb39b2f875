/* The stack of values and marks that a decoder drives. */
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/pytorch/object.h"

enum { MOST_STACK = 1 << 20, MOST_STRING = 65536 };

gs_status gs_torch_no_memory(gs_torch *t) { return gs_no_memory(&t->error); }

gs_status gs_torch_grow(gs_torch *t)
{
	if (t->n >= MOST_STACK)
		return gs_fail(&t->error, GS_LIMIT, "more than %d values open at once", MOST_STACK);
	return GS_ARRAY_RESERVE(t->stack, t->cap, t->n + 1) ? GS_OK : gs_torch_no_memory(t);
}

gs_status gs_torch_push_string(gs_torch *t, const char *text, size_t n)
{
	gs_id id = gs_snapshot_string(t->s, text, n < MOST_STRING ? n : MOST_STRING);
	return id ? gs_torch_push(t, (gs_torch_value){.type = GS_V_STRING, .id = id})
			  : gs_torch_no_memory(t);
}

gs_status gs_torch_mark(gs_torch *t)
{
	if (t->nmarks >= MOST_STACK)
		return gs_fail(&t->error, GS_LIMIT, "nested deeper than %d", MOST_STACK);
	if (!GS_ARRAY_RESERVE(t->marks, t->cap_marks, t->nmarks + 1))
		return gs_torch_no_memory(t);
	t->marks[t->nmarks++] = (uint32_t)t->n;
	return GS_OK;
}
