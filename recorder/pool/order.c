#include "recorder/pool/order.h"

enum { LEAST_BUCKETS = 4, LEAST_REACH = 4 };

void gs_order_init(gs_order *o, const gs_pool_memory *memory) { *o = (gs_order){.memory = memory}; }

static size_t bytes_of(const gs_order *o)
{
	return (o->buckets + (size_t)o->reach) * sizeof *o->slots;
}

void gs_order_release(gs_order *o)
{
	if (o->slots)
		o->memory->give(o->memory->user, o->slots, bytes_of(o));
	o->slots = NULL;
}

static size_t home(const gs_order *o, uint64_t hash)
{
	return (size_t)((hash * UINT64_C(11400714819323198485)) >> (64 - __builtin_ctzll(o->buckets)));
}

static void swap(gs_order_slot *a, gs_order_slot *b)
{
	gs_order_slot t = *a;
	*a = *b;
	*b = t;
}

static bool place_slot(gs_order *o, gs_order_slot new);

static bool grow(gs_order *o)
{
	gs_order old = *o;
	o->buckets = old.buckets ? old.buckets * 2 : LEAST_BUCKETS;
	o->reach = __builtin_ctzll(o->buckets);
	if (o->reach < LEAST_REACH)
		o->reach = LEAST_REACH;
	o->slots = o->memory->take(o->memory->user, bytes_of(o));
	if (!o->slots) {
		*o = old;
		return false;
	}
	for (size_t i = 0; i < o->buckets + (size_t)o->reach; i++)
		o->slots[i] = (gs_order_slot){.distance = -1};
	o->count = 0;
	bool placed = true;
	for (size_t i = 0; i < old.buckets + (size_t)old.reach; i++)
		if (old.slots[i].distance >= 0)
			placed &= place_slot(o, old.slots[i]);
	gs_order_release(&old);
	return placed;
}

/* Pushes what stands from slot i on further back to make room for `new`, which is `distance` from
 * home; those nearer to their own homes yield. */
static bool push_back(gs_order *o, gs_order_slot new, size_t i)
{
	size_t first = i;
	swap(&new, &o->slots[i]);
	for (new.distance++, i++;; i++) {
		if (o->slots[i].distance < 0) {
			o->slots[i] = new;
			o->count++;
			return true;
		}
		bool yields = o->slots[i].distance < new.distance;
		if (yields)
			swap(&new, &o->slots[i]);
		if (++new.distance == o->reach && !yields) {
			swap(&new, &o->slots[first]);
			/* what was to be placed stands at `first` again; place anew what was left over */
			return grow(o) && place_slot(o, new);
		}
	}
}

static bool place_slot(gs_order *o, gs_order_slot new)
{
	if (!o->buckets && !grow(o))
		return false;
	size_t i = home(o, new.hash);
	for (new.distance = 0; o->slots[i].distance >= new.distance; i++)
		new.distance++;
	if (new.distance == o->reach || o->count + 1 > o->buckets / 2)
		return grow(o) && place_slot(o, new);
	if (o->slots[i].distance >= 0)
		return push_back(o, new, i);
	o->slots[i] = new;
	o->count++;
	return true;
}

static gs_order_slot *find_slot(const gs_order *o, uint64_t hash, uint64_t key)
{
	if (!o->count)
		return NULL;
	size_t i = home(o, hash);
	for (int distance = 0; o->slots[i].distance >= distance; i++, distance++)
		if (o->slots[i].key == key)
			return &o->slots[i];
	return NULL;
}

gs_order_slot *gs_order_get(gs_order *o, uint64_t hash, uint64_t key)
{
	gs_order_slot *found = find_slot(o, hash, key);
	if (found)
		return found;
	return place_slot(o, (gs_order_slot){.hash = hash, .key = key}) ? find_slot(o, hash, key)
																	: NULL;
}

gs_order_slot *gs_order_from(const gs_order *o, size_t *at)
{
	size_t n = o->count ? o->buckets + (size_t)o->reach : 0;
	for (; *at < n; ++*at)
		if (o->slots[*at].distance >= 0)
			return &o->slots[*at];
	return NULL;
}

void gs_order_drop(gs_order *o, size_t at)
{
	o->count--;
	o->slots[at].distance = -1;
	for (size_t i = at + 1; i < o->buckets + (size_t)o->reach && o->slots[i].distance > 0; i++) {
		o->slots[i - 1] = o->slots[i];
		o->slots[i - 1].distance--;
		o->slots[i].distance = -1;
	}
}
