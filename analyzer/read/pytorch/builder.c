/* The stack machine of builder.h: filling containers. These are in object.c, the values themselves
 * in value_stack.c, the memo in memo.c; what closed dictionaries mean is in record.c. */
#include "analyzer/read/pytorch/builder.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/pytorch/object.h"

enum {
	PYTHON_BATCH = 1000 /* pairs or items that Python's pickler writes at once: more may follow */
};

static const char *const words[] = {
	"",
#define GS_WORD(name, text) text,
#include "analyzer/read/pytorch/keys.def"
#undef GS_WORD
};

static gs_status malformed(gs_torch *t, const char *what)
{
	return gs_fail(&t->error, GS_FORMAT, "%s", what);
}

gs_status gs_torch_init(gs_torch *t, gs_snapshot *s, unsigned want)
{
	memset(t, 0, sizeof *t);
	t->s = s;
	t->want = want;
	for (gs_id i = 1; i < GS_WORD_COUNT; i++)
		if (gs_snapshot_string(s, words[i], strlen(words[i])) != i)
			return gs_fail(&t->error, GS_STATE, "the snapshot is not empty");
	return gs_torch_grow(t);
}

void gs_torch_release(gs_torch *t)
{
	gs_objects_release(t);
	gs_memory_give(t->stack);
	gs_memory_give(t->marks);
	gs_memory_give(t->memo);
	gs_memory_give(t->pairs);
	gs_memory_give(t->wide);
}

static void discard_above(gs_torch *t, size_t height)
{
	for (size_t i = height; i < t->n; i++)
		gs_torch_discard(t, &t->stack[i]);
	t->n = height;
}

/* --- filling containers ------------------------------------------------------------------------
 */

/* The list whose next element is on top of the stack (nothing but elements already taken lie
 * between); NULL if none. */
static gs_object *enclosing_list(gs_torch *t)
{
	if (!t->nmarks)
		return NULL;
	size_t m = t->marks[t->nmarks - 1], top = t->n - 1;
	if (!m || (top != m && !(top == m + 1 && t->stack[m].type == GS_V_DONE)))
		return NULL;
	return t->stack[m - 1].type == GS_V_LIST ? gs_torch_object(t, &t->stack[m - 1]) : NULL;
}

static gs_status append_dict(
	gs_torch *t, gs_object *list, uint32_t object, const gs_torch_fields *f, gs_record record)
{
	gs_torch_value v = {.type = GS_V_OPAQUE};
	if (record == GS_RECORD_FRAME) {
		if (gs_torch_frame(t, f, &v))
			return t->error.status;
		if (list->holds == GS_HOLDS_NOTHING)
			list->holds = GS_HOLDS_FRAMES;
		gs_id *slot = list->holds == GS_HOLDS_FRAMES ? gs_object_add(t, list, sizeof *slot) : &v.id;
		if (!slot)
			return t->error.status;
		*slot = v.id;
	} else if (gs_torch_append_record(t, list, record, f)) {
		return t->error.status;
	}
	gs_torch_drop(t, object, v);
	return GS_OK;
}

static gs_status append_value(gs_torch *t, gs_object *list, const gs_torch_value *v)
{
	if (v->type == GS_V_DONE)
		return GS_OK;
	if (v->type == GS_V_DICT) {
		const gs_object *d = gs_torch_object(t, v);
		gs_torch_fields f;
		gs_record record = gs_torch_gather(&f, d->items, d->n);
		return append_dict(t, list, v->id, &f, record);
	}
	gs_holds kind = v->type == GS_V_FRAME               ? GS_HOLDS_FRAMES
		: v->type == GS_V_LIST || v->type == GS_V_STACK ? GS_HOLDS_LISTS
														: GS_HOLDS_SCALARS;
	if (list->holds == GS_HOLDS_NOTHING)
		list->holds = (uint8_t)kind;
	if (list->holds != kind || (kind == GS_HOLDS_SCALARS && list->n >= GS_MOST_SCALARS)) {
		t->left_out += gs_holds_rows(list);
		gs_torch_discard(t, v);
		return GS_OK;
	}
	if (kind == GS_HOLDS_FRAMES) {
		gs_id *slot = gs_object_add(t, list, sizeof *slot);
		if (slot)
			*slot = v->id;
		return slot ? GS_OK : t->error.status;
	}
	gs_torch_value *slot = gs_object_add(t, list, sizeof *slot);
	if (slot)
		*slot = *v;
	return slot ? GS_OK : t->error.status;
}

/* As many of n values as are frames and fit without more memory; returns how many (the rest goes
 * one by one). */
static size_t append_frames(gs_object *list, const gs_torch_value *v, size_t n)
{
	if (!n || !list->items || (list->holds != GS_HOLDS_FRAMES && list->holds != GS_HOLDS_NOTHING) ||
		v->type != GS_V_FRAME)
		return 0;
	size_t room = list->bytes / sizeof(gs_id) - list->n, i;
	gs_id *to = (gs_id *)list->items + list->n;
	for (i = 0; i < n && i < room && v[i].type == GS_V_FRAME; i++)
		to[i] = v[i].id;
	if (i)
		list->holds = GS_HOLDS_FRAMES;
	list->n += i;
	return i;
}

/* The container below height base with its n values above; NULL (error set) if there is none. */
static gs_torch_value *container_below(gs_torch *t, size_t base)
{
	size_t floor = t->nmarks ? t->marks[t->nmarks - 1] : 0;
	if (base <= floor || base > t->n) {
		malformed(t, "values without a container");
		return NULL;
	}
	return &t->stack[base - 1];
}

static gs_status keep_pairs(gs_torch *t, gs_object *dict, const gs_torch_value *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		gs_torch_value *slot = gs_object_add(t, dict, sizeof *slot);
		if (!slot)
			return t->error.status;
		*slot = pairs[i];
	}
	return GS_OK;
}

/* A dictionary that came whole and whose place is known becomes a row at once. */
static gs_status close_dict(gs_torch *t, size_t base)
{
	gs_torch_value *at = &t->stack[base - 1];
	const gs_torch_value *pairs = &t->stack[base];
	size_t n = t->n - base;
	gs_torch_fields f;
	gs_record record = gs_torch_gather(&f, pairs, n);
	t->n = base;
	if (record == GS_RECORD_FRAME) {
		gs_torch_value v;
		if (gs_torch_frame(t, &f, &v))
			return t->error.status;
		gs_torch_drop(t, at->id, v);
		*at = v;
		return GS_OK;
	}
	gs_object *list = enclosing_list(t);
	if (!list)
		return keep_pairs(t, gs_torch_object(t, at), pairs, n);
	if (append_dict(t, list, at->id, &f, record))
		return t->error.status;
	if (t->n - 1 > t->marks[t->nmarks - 1])
		t->n--;
	t->stack[t->n - 1] = (gs_torch_value){.type = GS_V_DONE};
	return GS_OK;
}

/* whole: the pairs were written in one go, as all of a dictionary, so that it can be closed. */
static gs_status set_above(gs_torch *t, size_t base, bool whole)
{
	gs_torch_value *dict = container_below(t, base);
	if (!dict)
		return t->error.status;
	if ((t->n - base) % 2)
		return malformed(t, "a dictionary key without a value");
	if (dict->type == GS_V_DICT) {
		gs_object *o = gs_torch_object(t, dict);
		if (whole && !o->n && !o->shared && t->n - base != 2 * PYTHON_BATCH)
			return close_dict(t, base);
		gs_status status = keep_pairs(t, o, &t->stack[base], t->n - base);
		t->n = base;
		return status;
	}
	if (dict->type != GS_V_OPAQUE && dict->type != GS_V_DONE && dict->type != GS_V_FRAME)
		return malformed(t, "items for what is no dictionary");
	discard_above(t, base);
	return GS_OK;
}

static gs_status append_above(gs_torch *t, size_t base)
{
	gs_torch_value *list = container_below(t, base);
	if (!list)
		return t->error.status;
	if (list->type == GS_V_LIST) {
		gs_object *o = gs_torch_object(t, list);
		size_t i = base + append_frames(o, &t->stack[base], t->n - base);
		for (; i < t->n; i++)
			if (append_value(t, o, &t->stack[i]))
				return t->error.status;
		t->n = base;
		return GS_OK;
	}
	if (list->type != GS_V_OPAQUE && list->type != GS_V_STACK)
		return malformed(t, "items for what is no list");
	discard_above(t, base);
	return GS_OK;
}

static gs_status pop_to_mark(gs_torch *t, size_t *base)
{
	if (!t->nmarks)
		return malformed(t, "no mark is set");
	*base = t->marks[--t->nmarks];
	return GS_OK;
}

gs_status gs_torch_top(gs_torch *t, size_t n, size_t *base)
{
	size_t floor = t->nmarks ? t->marks[t->nmarks - 1] : 0;
	if (t->n < n || t->n - n < floor)
		return malformed(t, "too few values on the stack");
	*base = t->n - n;
	return GS_OK;
}

gs_status gs_torch_setitems(gs_torch *t)
{
	size_t base = 0;
	return pop_to_mark(t, &base) ? t->error.status : set_above(t, base, true);
}

gs_status gs_torch_appends(gs_torch *t)
{
	size_t base = 0;
	return pop_to_mark(t, &base) ? t->error.status : append_above(t, base);
}

gs_status gs_torch_setitem(gs_torch *t)
{
	size_t base = 0;
	return gs_torch_top(t, 2, &base) ? t->error.status : set_above(t, base, false);
}

gs_status gs_torch_append(gs_torch *t)
{
	size_t base = 0;
	return gs_torch_top(t, 1, &base) ? t->error.status : append_above(t, base);
}

/* A new container of what lies above height base. */
static gs_status container_of(gs_torch *t, size_t base, gs_torch_value_type type)
{
	uint32_t i;
	if (gs_object_new(t, type, &i))
		return t->error.status;
	gs_object *o = &t->objects[i];
	if (type == GS_V_DICT) {
		if ((t->n - base) % 2)
			return malformed(t, "a dictionary key without a value");
		if (keep_pairs(t, o, &t->stack[base], t->n - base))
			return t->error.status;
	} else {
		for (size_t k = base; k < t->n; k++)
			if (append_value(t, o, &t->stack[k]))
				return t->error.status;
	}
	t->n = base;
	return gs_torch_push(t, (gs_torch_value){.type = (uint8_t)type, .id = i});
}

static gs_status mark_to(gs_torch *t, gs_torch_value_type type)
{
	size_t base = 0;
	return pop_to_mark(t, &base) ? t->error.status : container_of(t, base, type);
}

gs_status gs_torch_mark_to_dict(gs_torch *t) { return mark_to(t, GS_V_DICT); }
gs_status gs_torch_mark_to_list(gs_torch *t) { return mark_to(t, GS_V_LIST); }

static gs_status pair_of(gs_torch *t, gs_pool_id id, gs_torch_value *out)
{
	enum { FEW = 64, MOST_PAIRS = 1 << 20 };
	for (uint32_t i = 0; i < t->npairs && i < FEW; i++) {
		if (t->pairs[i].a == id.a && t->pairs[i].b == id.b) {
			*out = (gs_torch_value){.type = GS_V_PAIR, .id = i};
			return GS_OK;
		}
	}
	if (t->npairs >= MOST_PAIRS)
		return gs_fail(&t->error, GS_LIMIT, "more than %d pairs", MOST_PAIRS);
	if (!GS_ARRAY_ONE_MORE(t->pairs, t->npairs))
		return gs_torch_no_memory(t);
	t->pairs[t->npairs] = id;
	*out = (gs_torch_value){.type = GS_V_PAIR, .id = t->npairs++};
	return GS_OK;
}

/* A pair of integers, or as good as a list. */
static gs_status tuple_above(gs_torch *t, size_t base)
{
	const gs_torch_value *v = t->stack + base;
	gs_torch_value pair;
	if (t->n - base != 2 || v[0].type != GS_V_INT || v[1].type != GS_V_INT)
		return container_of(t, base, GS_V_LIST);
	if (pair_of(t, (gs_pool_id){v[0].u, v[1].u}, &pair))
		return t->error.status;
	t->n = base;
	return gs_torch_push(t, pair);
}

gs_status gs_torch_tuple(gs_torch *t, size_t n)
{
	size_t base = 0;
	return gs_torch_top(t, n, &base) ? t->error.status : tuple_above(t, base);
}

gs_status gs_torch_mark_to_tuple(gs_torch *t)
{
	size_t base = 0;
	return pop_to_mark(t, &base) ? t->error.status : tuple_above(t, base);
}

gs_status gs_torch_pop(gs_torch *t)
{
	size_t base = 0;
	if (t->nmarks && t->marks[t->nmarks - 1] == t->n) { /* the mark is what is on top */
		t->nmarks--;
		return GS_OK;
	}
	if (gs_torch_top(t, 1, &base))
		return t->error.status;
	discard_above(t, base);
	return GS_OK;
}

gs_status gs_torch_pop_mark(gs_torch *t)
{
	size_t base = 0;
	if (pop_to_mark(t, &base))
		return t->error.status;
	discard_above(t, base);
	return GS_OK;
}

gs_status gs_torch_dup(gs_torch *t)
{
	size_t base = 0;
	if (gs_torch_top(t, 1, &base))
		return t->error.status;
	if (gs_torch_value_is_object(&t->stack[base]))
		gs_torch_object(t, &t->stack[base])->shared = true;
	return gs_torch_push(t, t->stack[base]);
}
