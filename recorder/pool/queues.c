#include "recorder/pool/queues.h"

enum { LEAST_BUCKETS = 4, LEAST_REACH = 4, CUDA = 1 };

void gs_queues_init(gs_queues *q, const gs_pool_memory *memory, int device)
{
	*q = (gs_queues){ .memory = memory, .device = device };
}

static size_t bytes_of(const gs_queues *q) { return (q->buckets + (size_t)q->reach) * sizeof *q->slots; }

void gs_queues_release(gs_queues *q)
{
	if (q->slots)
		q->memory->give(q->memory->user, q->slots, bytes_of(q));
	q->slots = NULL;
}

/* A stream's hash is its packed form: device type, device number, 48 bits of id. */
static size_t home(const gs_queues *q, uint64_t stream)
{
	uint64_t hash = (uint64_t)CUDA << 56 | (uint64_t)(q->device & 255) << 48 | (stream & ((UINT64_C(1) << 48) - 1));
	return (size_t)((hash * UINT64_C(11400714819323198485)) >> (64 - __builtin_ctzll(q->buckets)));
}

static void swap(gs_event_queue *a, gs_event_queue *b)
{
	gs_event_queue t = *a;
	*a = *b;
	*b = t;
}

static bool place(gs_queues *q, gs_event_queue new);

static bool grow(gs_queues *q)
{
	gs_queues old = *q;
	q->buckets = old.buckets ? old.buckets * 2 : LEAST_BUCKETS;
	q->reach = __builtin_ctzll(q->buckets);
	if (q->reach < LEAST_REACH)
		q->reach = LEAST_REACH;
	q->slots = q->memory->take(q->memory->user, bytes_of(q));
	if (!q->slots) {
		*q = old;
		return false;
	}
	for (size_t i = 0; i < q->buckets + (size_t)q->reach; i++)
		q->slots[i] = (gs_event_queue){ .distance = -1 };
	q->count = 0;
	bool placed = true;
	for (size_t i = 0; i < old.buckets + (size_t)old.reach; i++)
		if (old.slots[i].distance >= 0)
			placed &= place(q, old.slots[i]);
	gs_queues_release(&old);
	return placed;
}

/* Pushes the queues from slot i on further back to make room for `new`, which is `distance` from home; those nearer to their own homes yield. */
static bool push_back(gs_queues *q, gs_event_queue new, size_t i)
{
	size_t first = i;
	swap(&new, &q->slots[i]);
	for (new.distance++, i++;; i++) {
		if (q->slots[i].distance < 0) {
			q->slots[i] = new;
			q->count++;
			return true;
		}
		if (q->slots[i].distance < new.distance)
			swap(&new, &q->slots[i]);
		if (++new.distance == q->reach) {
			swap(&new, &q->slots[first]);
			/* what was to be placed stands at `first` again; place anew what was left over */
			return grow(q) && place(q, new);
		}
	}
}

static bool place(gs_queues *q, gs_event_queue new)
{
	if (!q->buckets && !grow(q))
		return false;
	size_t i = home(q, new.stream);
	for (new.distance = 0; q->slots[i].distance >= new.distance; i++)
		new.distance++;
	if (new.distance == q->reach || q->count + 1 > q->buckets / 2)
		return grow(q) && place(q, new);
	if (q->slots[i].distance >= 0)
		return push_back(q, new, i);
	q->slots[i] = new;
	q->count++;
	return true;
}

static gs_event_queue *find(const gs_queues *q, uint64_t stream)
{
	if (!q->count)
		return NULL;
	size_t i = home(q, stream);
	for (int distance = 0; q->slots[i].distance >= distance; i++, distance++)
		if (q->slots[i].stream == stream)
			return &q->slots[i];
	return NULL;
}

gs_event_queue *gs_queues_get(gs_queues *q, uint64_t stream)
{
	gs_event_queue *found = find(q, stream);
	if (found)
		return found;
	return place(q, (gs_event_queue){ .stream = stream }) ? find(q, stream) : NULL;
}

gs_event_queue *gs_queues_from(const gs_queues *q, size_t *slot)
{
	size_t n = q->count ? q->buckets + (size_t)q->reach : 0;
	for (; *slot < n; ++*slot)
		if (q->slots[*slot].distance >= 0)
			return &q->slots[*slot];
	return NULL;
}

void gs_queues_drop(gs_queues *q, size_t slot)
{
	q->count--;
	q->slots[slot].distance = -1;
	for (size_t i = slot + 1; i < q->buckets + (size_t)q->reach && q->slots[i].distance > 0; i++) {
		q->slots[i - 1] = q->slots[i];
		q->slots[i - 1].distance--;
		q->slots[i].distance = -1;
	}
}
