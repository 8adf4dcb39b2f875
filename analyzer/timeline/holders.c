/* The holder of every life. Lives of one key have one holder, and holders that read alike are one.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/hash_map.h"
#include "analyzer/model/intern.h"
#include "analyzer/model/parts.h"
#include "analyzer/timeline/timeline.h"

typedef struct namer {
	gs_timeline *t;
	gs_hash_map keys[2]; /* by stack and more, of before and not: holder */
	gs_hash_map names;   /* by hash of how it reads: holder */
} namer;

static bool add_holder(gs_timeline *t, const char *where, const char *called_by)
{
	gs_timeline_holder h = {strdup(where), strdup(called_by)};
	if (!h.where || !h.called_by || !GS_ARRAY_ONE_MORE(t->holders, t->nholders)) {
		free(h.where);
		free(h.called_by);
		return false;
	}
	t->holders[t->nholders++] = h;
	return true;
}

static bool reads_as(const gs_timeline_holder *h, const char *where, const char *called_by)
{
	return !strcmp(h->where, where) && !strcmp(h->called_by, called_by);
}

/* The number of the holder that reads so; another one of the same hash has the next key. */
static gs_status holder_of_name(
	namer *x, const char *where, const char *called_by, uint32_t *holder)
{
	uint64_t key = (uint64_t)gs_hash_bytes(where, strlen(where)) << 32 |
		gs_hash_bytes(called_by, strlen(called_by));
	bool is_new;
	uint32_t *at;
	do
		at = gs_hash_map_at(&x->names, key++, &is_new);
	while (at && !is_new && !reads_as(&x->t->holders[*at], where, called_by));
	if (!at || (is_new && !add_holder(x->t, where, called_by)))
		return GS_NO_MEMORY;
	if (is_new)
		*at = (uint32_t)x->t->nholders - 1;
	*holder = *at;
	return GS_OK;
}

static gs_status name_life(namer *x, uint32_t life)
{
	gs_block b = gs_life_block(&x->t->lives, life);
	gs_holder_key key = gs_meaning_holder_key(x->t->meaning, &b);
	bool is_new;
	uint32_t *holder = gs_hash_map_at(
		&x->keys[key.before], (uint64_t)key.stack << 32 | key.more, &is_new);
	if (!holder)
		return GS_NO_MEMORY;
	if (is_new) {
		char where[GS_PLACE_TEXT] = "", called_by[GS_PLACE_TEXT] = "";
		gs_meaning_holder_name(x->t->meaning, key, where, called_by);
		if (holder_of_name(x, where, called_by, holder))
			return GS_NO_MEMORY;
	}
	x->t->holder[life] = *holder;
	return GS_OK;
}

static gs_status name_lives(void *arg, size_t i, size_t end)
{
	gs_status status = GS_OK;
	for (; i < end && !status; i++)
		status = name_life(arg, (uint32_t)i);
	return status;
}

gs_status gs_timeline_name_holders(gs_timeline *t)
{
	namer x = {.t = t};
	t->holder = malloc(((size_t)t->lives.n + 1) * sizeof *t->holder);
	if (!t->holder)
		return GS_NO_MEMORY;
	gs_status status = gs_in_parts(t->lives.n, name_lives, &x);
	gs_hash_map_release(&x.keys[0]);
	gs_hash_map_release(&x.keys[1]);
	gs_hash_map_release(&x.names);
	return status;
}
