/* The stack of values and marks that a decoder drives. */
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/pytorch/object.h"

enum { MOST_STACK = 1 << 20, MOST_STRING = 65536 };

gs_status gs_torch_no_memory(gs_torch *t)
{
	return gs_fail(&t->error, GS_NO_MEMORY, "out of memory");
}

gs_status gs_torch_grow(gs_torch *t)
{
	size_t cap = t->cap ? t->cap * 2 : 1024;
	if (cap > MOST_STACK)
		return gs_fail(&t->error, GS_LIMIT, "more than %d values open at once", MOST_STACK);
	gs_torch_value *grown = gs_memory_resize(t->stack, cap * sizeof *grown);
	if (!grown)
		return gs_torch_no_memory(t);
	t->stack = grown;
	t->cap = cap;
	return GS_OK;
}

gs_status gs_torch_push_string(gs_torch *t, const char *text, size_t n)
{
	gs_id id = gs_snapshot_string(t->s, text, n < MOST_STRING ? n : MOST_STRING);
	return id ? gs_torch_push(t, (gs_torch_value){.type = GS_V_STRING, .id = id})
			  : gs_torch_no_memory(t);
}

gs_status gs_torch_mark(gs_torch *t)
{
	if (t->nmarks == t->cap_marks) {
		size_t cap = t->cap_marks ? t->cap_marks * 2 : 64;
		uint32_t *grown = cap > MOST_STACK ? NULL : gs_memory_resize(t->marks, cap * sizeof *grown);
		if (!grown)
			return cap > MOST_STACK
				? gs_fail(&t->error, GS_LIMIT, "nested deeper than %d", MOST_STACK)
				: gs_torch_no_memory(t);
		t->marks = grown;
		t->cap_marks = cap;
	}
	t->marks[t->nmarks++] = (uint32_t)t->n;
	return GS_OK;
}
