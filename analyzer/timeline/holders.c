/* The holder of every life. Lives of one key have one holder, and holders that read alike are one:
 * two hash tables, of keys and of names. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/intern.h"
#include "analyzer/timeline/timeline.h"

typedef struct slot {
	gs_holder_key key;
	uint32_t holder; /* + 1; 0: the slot is free */
} slot;

typedef struct namer {
	gs_timeline *t;
	slot *keys;
	uint32_t nkeys, cap_keys; /* cap: a power of two, half of it used at most */
	uint32_t *names;          /* holder + 1 */
	uint32_t cap_names;
} namer;

static uint32_t hash_key(const gs_holder_key *k)
{
	uint64_t mixed = ((uint64_t)k->stack << 32 | k->more) * 2 + k->before;
	return (uint32_t)((mixed * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static slot *find_key(const namer *x, const gs_holder_key *k)
{
	uint32_t at = hash_key(k) & (x->cap_keys - 1);
	for (; x->keys[at].holder; at = (at + 1) & (x->cap_keys - 1))
		if (x->keys[at].key.stack == k->stack && x->keys[at].key.more == k->more &&
			x->keys[at].key.before == k->before)
			break;
	return &x->keys[at];
}

static gs_status grow_keys(namer *x)
{
	namer larger = *x;
	larger.cap_keys = x->cap_keys ? x->cap_keys * 2 : 1024;
	larger.keys = calloc(larger.cap_keys, sizeof *larger.keys);
	if (!larger.keys)
		return GS_NO_MEMORY;
	for (uint32_t i = 0; i < x->cap_keys; i++)
		if (x->keys[i].holder)
			*find_key(&larger, &x->keys[i].key) = x->keys[i];
	free(x->keys);
	*x = larger;
	return GS_OK;
}

static uint32_t hash_name(const char *where, const char *called_by)
{
	return gs_hash_bytes(where, strlen(where)) * 31 + gs_hash_bytes(called_by, strlen(called_by));
}

static uint32_t *find_name(const namer *x, const char *where, const char *called_by)
{
	uint32_t at = hash_name(where, called_by) & (x->cap_names - 1);
	for (; x->names[at]; at = (at + 1) & (x->cap_names - 1)) {
		const gs_timeline_holder *h = &x->t->holders[x->names[at] - 1];
		if (!strcmp(h->where, where) && !strcmp(h->called_by, called_by))
			break;
	}
	return &x->names[at];
}

static gs_status grow_names(namer *x)
{
	free(x->names);
	x->cap_names = x->cap_names ? x->cap_names * 2 : 1024;
	x->names = calloc(x->cap_names, sizeof *x->names);
	if (!x->names)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < x->t->nholders; i++)
		*find_name(x, x->t->holders[i].where, x->t->holders[i].called_by) = (uint32_t)i + 1;
	return GS_OK;
}

/* Adds a holder; 0 when memory is short, else its number + 1. */
static uint32_t add_holder(gs_timeline *t, const char *where, const char *called_by)
{
	gs_timeline_holder h = {strdup(where), strdup(called_by)};
	if (!h.where || !h.called_by || !GS_ARRAY_ONE_MORE(t->holders, t->nholders)) {
		free(h.where);
		free(h.called_by);
		return 0;
	}
	t->holders[t->nholders++] = h;
	return (uint32_t)t->nholders;
}

static uint32_t holder_of_key(namer *x, gs_holder_key key)
{
	char where[GS_PLACE_TEXT] = "", called_by[GS_PLACE_TEXT] = "";
	if (x->t->nholders >= x->cap_names / 2 && grow_names(x))
		return 0;
	gs_meaning_holder_name(&x->t->meaning, key, where, called_by);
	uint32_t *name = find_name(x, where, called_by);
	if (!*name)
		*name = add_holder(x->t, where, called_by);
	return *name;
}

static gs_status name_life(namer *x, uint32_t life)
{
	gs_block b = gs_life_block(&x->t->lives, life);
	gs_holder_key key = gs_meaning_holder_key(&x->t->meaning, &b);
	if (x->nkeys >= x->cap_keys / 2 && grow_keys(x))
		return GS_NO_MEMORY;
	slot *s = find_key(x, &key);
	if (!s->holder) {
		*s = (slot){key, holder_of_key(x, key)};
		x->nkeys++;
		if (!s->holder)
			return GS_NO_MEMORY;
	}
	x->t->holder[life] = s->holder - 1;
	return GS_OK;
}

gs_status gs_timeline_name_holders(gs_timeline *t)
{
	namer x = {.t = t};
	gs_status status = GS_OK;
	t->holder = malloc(((size_t)t->lives.n + 1) * sizeof *t->holder);
	if (!t->holder)
		return GS_NO_MEMORY;
	for (uint32_t life = 0; life < t->lives.n && !status; life++)
		status = name_life(&x, life);
	free(x.keys);
	free(x.names);
	return status;
}
