/* Containers under construction: made, filled, and given back for the next. */
#include "analyzer/read/pytorch/object.h"

#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/model/want.h"
#include "analyzer/read/open/source.h"

enum {
	MOST_OBJECTS = 100000,
	KEPT_BYTES = 4096,
	LARGE_LIST = 1 << 20,
	LEAST_SHARE = 64,
	SPARE_BYTES = 128
};

static void free_contents(gs_object *o)
{
	if (o->in_use == GS_V_LIST && o->holds == GS_HOLDS_SEGMENTS)
		for (size_t i = 0; i < o->n; i++)
			gs_memory_give(((gs_raw_segment *)o->items)[i].blocks);
	if (o->bytes > KEPT_BYTES) {
		gs_memory_give(o->items);
		o->items = NULL;
		o->bytes = 0;
	}
	o->n = 0;
}

void gs_objects_release(gs_torch *t)
{
	for (uint32_t i = 0; i < t->nobjects; i++) {
		free_contents(&t->objects[i]);
		gs_memory_give(t->objects[i].items);
	}
	gs_memory_give(t->objects);
}

gs_status gs_object_new(gs_torch *t, gs_torch_value_type type, uint32_t *out)
{
	uint32_t i = t->free_objects;
	if (t->live_objects >= MOST_OBJECTS)
		return gs_fail(&t->error, GS_LIMIT, "more than %d containers open at once", MOST_OBJECTS);
	if (i) {
		t->free_objects = t->objects[i].next;
	} else {
		if (t->nobjects == t->cap_objects) {
			uint32_t cap = t->cap_objects ? t->cap_objects * 2 : 64;
			gs_object *grown = gs_memory_resize(t->objects, cap * sizeof *grown);
			if (!grown)
				return gs_torch_no_memory(t);
			memset(grown + t->cap_objects, 0, (cap - t->cap_objects) * sizeof *grown);
			t->objects = grown;
			t->cap_objects = cap;
		}
		if (!t->nobjects)
			t->nobjects = 1; /* 0 ends the free list */
		i = t->nobjects++;
	}
	gs_object *o = &t->objects[i];
	o->in_use = (uint8_t)type;
	o->holds = GS_HOLDS_NOTHING;
	o->shared = false;
	o->memo = 0;
	o->n = 0;
	o->stack = 0;
	t->live_objects++;
	*out = i;
	return GS_OK;
}

static gs_status push_object(gs_torch *t, gs_torch_value_type type)
{
	uint32_t i;
	if (gs_object_new(t, type, &i))
		return t->error.status;
	return gs_torch_push(t, (gs_torch_value){.type = (uint8_t)type, .id = i});
}

gs_status gs_torch_push_dict(gs_torch *t) { return push_object(t, GS_V_DICT); }
gs_status gs_torch_push_list(gs_torch *t) { return push_object(t, GS_V_LIST); }

size_t gs_torch_grown(const gs_torch *t, size_t used, size_t had)
{
	size_t bytes = had + had / 2 + SPARE_BYTES;
	uint64_t at = t->source ? gs_source_offset(t->source) : 0;
	uint64_t all = t->source ? gs_source_file_size(t->source) : 0;
	bytes = bytes < used ? used : bytes;
	if (used < LARGE_LIST || at < all / LEAST_SHARE + 1 || at >= all || gs_source_packed(t->source))
		return bytes;
	double share = (double)used * (double)all / (double)at, least = (double)used * 1.0625;
	share = share * 1.08 > least ? share * 1.08 : least;
	return share < (double)(SIZE_MAX / 2) && gs_memory_allows((size_t)share) ? (size_t)share
																			 : bytes;
}

void *gs_object_add(gs_torch *t, gs_object *o, size_t size)
{
	if (!o->in_use) { /* given back as a part of itself: what it held would have no owner */
		gs_fail(&t->error, GS_FORMAT, "a container that holds itself");
		return NULL;
	}
	if ((o->n + 1) * size > o->bytes) {
		size_t bytes = gs_torch_grown(t, (o->n + 1) * size, o->bytes);
		void *grown = gs_memory_resize(o->items, bytes);
		if (!grown) {
			gs_torch_no_memory(t);
			return NULL;
		}
		o->items = grown;
		o->bytes = bytes;
	}
	return (char *)o->items + o->n++ * size;
}

static bool holds_values(const gs_object *o)
{
	return o->in_use == GS_V_DICT || o->holds == GS_HOLDS_SCALARS || o->holds == GS_HOLDS_LISTS;
}

static void memo_becomes(gs_torch *t, gs_object *o, const gs_torch_value *v)
{
	if (o->memo)
		t->memo[o->memo - 1] = (uint32_t)v->type << GS_MEMO_ID_BITS | v->id;
	o->memo = 0;
}

void gs_torch_drop(gs_torch *t, uint32_t object, gs_torch_value v)
{
	static const gs_torch_value opaque = {.type = GS_V_OPAQUE};
	uint32_t waiting = 0;
	if (t->objects[object].shared || !t->objects[object].in_use)
		return;
	memo_becomes(t, &t->objects[object], &v);
	t->objects[object].next = 0;
	waiting = object;
	while (waiting) {
		gs_object *o = &t->objects[waiting];
		uint32_t at = waiting;
		waiting = o->next;
		const gs_torch_value *items = o->items;
		for (size_t i = 0; holds_values(o) && i < o->n; i++) {
			gs_object *inner = gs_torch_value_is_object(&items[i]) ? &t->objects[items[i].id]
																   : NULL;
			if (!inner || inner->shared || !inner->in_use)
				continue;
			memo_becomes(t, inner, &opaque);
			inner->next = waiting;
			waiting = items[i].id;
		}
		free_contents(o);
		o->in_use = 0;
		o->next = t->free_objects;
		t->free_objects = at;
		t->live_objects--;
	}
}

void gs_torch_discard(gs_torch *t, const gs_torch_value *v)
{
	if (v->type == GS_V_LIST &&
		(gs_torch_object(t, v)->holds == GS_HOLDS_FRAMES ||
			gs_torch_object(t, v)->holds == GS_HOLDS_NOTHING))
		gs_torch_stack_of(t, v);
	else if (gs_torch_value_is_object(v))
		gs_torch_drop(t, v->id, (gs_torch_value){.type = GS_V_OPAQUE});
}

gs_id gs_torch_stack_of(gs_torch *t, const gs_torch_value *v)
{
	if (v->type == GS_V_STACK)
		return v->id;
	if (v->type != GS_V_LIST)
		return 0;
	gs_object *o = gs_torch_object(t, v);
	if (!o->in_use)
		return 0;
	if (o->holds == GS_HOLDS_FRAMES && !o->stack && t->want & GS_WANT_STACKS && o->n < UINT32_MAX)
		o->stack = gs_snapshot_stack(t->s, o->items, (uint32_t)o->n);
	gs_id stack = o->stack;
	gs_torch_drop(t, v->id, (gs_torch_value){.type = GS_V_STACK, .id = stack});
	return stack;
}

bool gs_torch_pool_of(gs_torch *t, const gs_torch_value *v, gs_pool_id *out)
{
	if (v->type == GS_V_PAIR) {
		*out = t->pairs[v->id];
		return true;
	}
	if (v->type != GS_V_LIST)
		return false;
	const gs_object *o = gs_torch_object(t, v);
	const gs_torch_value *items = o->items;
	if (o->holds != GS_HOLDS_SCALARS || o->n != 2 || items[0].type != GS_V_INT ||
		items[1].type != GS_V_INT)
		return false;
	*out = (gs_pool_id){items[0].u, items[1].u};
	return true;
}
