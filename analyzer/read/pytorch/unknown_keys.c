/* What records say beyond the model: kept as JSON, so that an export has it again. Nearly all
 * records of a file say the same few things. */
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/read/pytorch/value_json.h"
#include "analyzer/read/pytorch/object.h"

enum { MOST_MEMBERS = 4, NOT_SIMPLE = MOST_MEMBERS + 1 };

static bool is_placed(const gs_torch_value *key, uint64_t placed)
{
	return key->type != GS_V_STRING || (key->id < GS_WORD_COUNT && placed >> key->id & 1);
}

/* A stack that is none: an empty list, which may have been used up already. */
static bool is_empty_stack(const gs_torch_value *key, const gs_torch_value *v)
{
	return key->id == GS_WORD_FRAMES && (v->type == GS_V_LIST || v->type == GS_V_STACK);
}

/* Keys and values as ids, where there are few and all values are strings; returns how many members,
 * or NOT_SIMPLE. */
static uint32_t simple_members(
	const gs_torch_value *pairs, size_t n, uint64_t placed, gs_id member[2 * MOST_MEMBERS])
{
	uint32_t found = 0;
	for (size_t i = 0; i + 1 < n; i += 2) {
		if (is_placed(&pairs[i], placed))
			continue;
		bool empty = is_empty_stack(&pairs[i], &pairs[i + 1]);
		if (found == MOST_MEMBERS || (pairs[i + 1].type != GS_V_STRING && !empty))
			return NOT_SIMPLE;
		member[2 * found] = pairs[i].id;
		member[2 * found++ + 1] = empty ? 0 : pairs[i + 1].id;
	}
	return found;
}

static gs_status make_text(
	gs_torch *t, const gs_torch_value *pairs, size_t n, uint64_t placed, gs_id *out)
{
	static const gs_torch_value empty = {.type = GS_V_STACK};
	gs_torch_text x = {.most = GS_MOST_MORE};
	gs_status status = GS_OK;
	for (size_t i = 0; i + 1 < n; i += 2)
		if (!is_placed(&pairs[i], placed))
			gs_torch_json_member(t, &x, pairs[i].id,
				is_empty_stack(&pairs[i], &pairs[i + 1]) ? &empty : &pairs[i + 1]);
	gs_torch_text_add(&x, "}", 1);
	if (!x.failed && !(*out = gs_snapshot_string(t->s, x.data, x.n)))
		status = gs_torch_no_memory(t);
	gs_memory_give(x.data);
	return status;
}

gs_status gs_torch_unknown_keys(
	gs_torch *t, const gs_torch_value *pairs, size_t n, uint64_t placed, gs_id *out)
{
	gs_id member[2 * MOST_MEMBERS] = {0};
	uint32_t found = simple_members(pairs, n, placed, member);
	*out = 0;
	if (!found || !(t->want & GS_WANT_STACKS))
		return GS_OK;
	if (found == NOT_SIMPLE)
		return make_text(t, pairs, n, placed, out);
	uint32_t hash = found;
	for (uint32_t i = 0; i < 2 * found; i++)
		hash = hash * 31 + member[i];
	size_t at = hash % (sizeof t->more / sizeof *t->more);
	if (t->more[at].n != found || memcmp(t->more[at].member, member, sizeof member)) {
		if (make_text(t, pairs, n, placed, &t->more[at].more)) {
			t->more[at].n = 0;
			return t->error.status;
		}
		t->more[at].n = found;
		memcpy(t->more[at].member, member, sizeof member);
	}
	*out = t->more[at].more;
	return GS_OK;
}
