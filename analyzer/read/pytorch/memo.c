/* The memo of pickles: values that were put aside under a number, packed into 32 bits each. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/pytorch/object.h"

enum { MOST_WIDE = 65536 };

static gs_status grow_memo(gs_torch *t, size_t n)
{
	size_t size = sizeof *t->memo;
	if (n > SIZE_MAX / 2 / size)
		return GS_NO_MEMORY;
	size_t bytes = gs_torch_grown(t, n * size, t->cap_memo * size);
	uint32_t *grown = gs_memory_resize(t->memo, bytes);
	if (!grown)
		return GS_NO_MEMORY;
	t->memo = grown;
	t->cap_memo = bytes / size;
	return GS_OK;
}

static gs_status memo_room(gs_torch *t, uint64_t index, uint64_t most)
{
	if (index < t->nmemo)
		return GS_OK;
	if (index > most || index >= 1u << 31)
		return gs_fail(&t->error, GS_FORMAT, "memo index %llu is beyond what the file can hold",
			(unsigned long long)index);
	if (index >= t->cap_memo && grow_memo(t, (size_t)index + 1))
		return gs_torch_no_memory(t);
	memset(t->memo + t->nmemo, 0, (index + 1 - t->nmemo) * sizeof *t->memo);
	t->nmemo = index + 1;
	return GS_OK;
}

static gs_status widen(gs_torch *t, const gs_torch_value *v, uint32_t *id)
{
	if (t->nwide >= MOST_WIDE)
		return gs_fail(&t->error, GS_LIMIT, "more than %d numbers in the memo", MOST_WIDE);
	if (!GS_ARRAY_ONE_MORE(t->wide, t->nwide))
		return gs_torch_no_memory(t);
	t->wide[t->nwide] = *v;
	*id = t->nwide++;
	return GS_OK;
}

gs_status gs_torch_put(gs_torch *t, uint64_t index, uint64_t most)
{
	size_t base = 0;
	if (gs_torch_top(t, 1, &base) || memo_room(t, index, most))
		return t->error.status;
	const gs_torch_value *v = &t->stack[base];
	uint32_t type = v->type == GS_V_DONE ? GS_V_OPAQUE : v->type, id = v->id;
	uint32_t old = t->memo[index];
	if (old >> GS_MEMO_ID_BITS == GS_V_DICT ||
		old >> GS_MEMO_ID_BITS == GS_V_LIST) { /* its owner must not write here any more */
		gs_object *o = &t->objects[old & ((1u << GS_MEMO_ID_BITS) - 1)];
		o->shared = true;
		o->memo = 0;
	}
	if (gs_torch_value_is_object(v)) {
		gs_object *o = gs_torch_object(t, v);
		o->shared = o->shared || o->memo;
		o->memo = o->memo ? o->memo : (uint32_t)index + 1;
	} else if (type <= GS_V_FLOAT) {
		if (widen(t, v, &id))
			return t->error.status;
		type = GS_V_INT;
	}
	if (id >> GS_MEMO_ID_BITS)
		return gs_fail(&t->error, GS_LIMIT, "more than %d different values", 1 << GS_MEMO_ID_BITS);
	t->memo[index] = type << GS_MEMO_ID_BITS | id;
	return GS_OK;
}

gs_status gs_torch_get_any(gs_torch *t, uint64_t index)
{
	uint32_t m = index < t->nmemo ? t->memo[index] : 0;
	if (!m)
		return gs_fail(&t->error, GS_FORMAT, "memo %llu was never set", (unsigned long long)index);
	gs_torch_value v = {
		.type = (uint8_t)(m >> GS_MEMO_ID_BITS), .id = m & ((1u << GS_MEMO_ID_BITS) - 1)};
	if (gs_torch_value_is_object(&v))
		gs_torch_object(t, &v)->shared = true;
	else if (v.type == GS_V_INT)
		v = t->wide[v.id];
	return gs_torch_push(t, v);
}
