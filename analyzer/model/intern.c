/* Interning: equal strings, frames and stacks get one id. Open-addressing tables hold ids; the
 * columns hold the content. */
#include "analyzer/model/intern.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"

enum { CHUNK = 64 * 1024 };

struct gs_arena {
	struct gs_arena *next;
	size_t used, size;
	char data[];
};

struct gs_intern_table {
	uint32_t mask, count;
	gs_id ids[]; /* 0 is an empty slot */
};

enum { STRINGS, FRAMES, STACKS, STREAMS, POOLS };

/* What a frame is: its first bytes, without what was found out about it. */
enum { FRAME_KEY = offsetof(gs_frame, judged) };

uint32_t gs_hash_bytes(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t h = 0x9e3779b97f4a7c15ull ^ n;
	uint64_t w;
	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	w = 0;
	memcpy(&w, p, n);
	h = (h ^ w) * 0xff51afd7ed558ccdull;
	h ^= h >> 29;
	return (uint32_t)(h ^ (h >> 32));
}

static void *arena_take(gs_snapshot *s, size_t n)
{
	struct gs_arena *a = s->arena;
	if (!a || a->size - a->used < n) {
		size_t size = n > CHUNK / 4 ? n : CHUNK;
		if (size > SIZE_MAX - sizeof *a || !(a = gs_memory_take(sizeof *a + size)))
			return NULL;
		a->used = 0;
		a->size = size;
		if (s->arena && size == n) { /* keep the chunk that has room in front */
			a->next = s->arena->next;
			s->arena->next = a;
		} else {
			a->next = s->arena;
			s->arena = a;
		}
	}
	void *p = a->data + a->used;
	a->used += n;
	return p;
}

const char *gs_snapshot_text(gs_snapshot *s, const char *text, size_t n)
{
	char *copy = n == SIZE_MAX ? NULL : arena_take(s, n + 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

/* --- tables ------------------------------------------------------------------------------------
 */

static uint32_t hash_of(const gs_snapshot *s, int which, gs_id id)
{
	if (which == STRINGS)
		return s->strings[id].hash;
	if (which == FRAMES)
		return gs_hash_bytes(&s->frames[id], FRAME_KEY);
	if (which == STREAMS)
		return gs_hash_bytes(&s->streams[id - 1], sizeof *s->streams);
	if (which == POOLS)
		return gs_hash_bytes(&s->pools[id - 1], sizeof *s->pools);
	const gs_stack *k = &s->stacks[id];
	return gs_hash_bytes(&s->stack_frames[k->first], k->n * sizeof(gs_id));
}

/* Makes room for one more entry; false when memory is short. */
static bool table_room(gs_snapshot *s, int which)
{
	struct gs_intern_table *old = s->index[which];
	if (old && (uint64_t)(old->count + 1) * 4 <= (uint64_t)(old->mask + 1) * 3)
		return true;
	uint32_t slots = old ? (old->mask + 1) * 2 : 256;
	if (!slots)
		return false;
	struct gs_intern_table *t = gs_memory_zeroed(1, sizeof *t + slots * sizeof *t->ids);
	if (!t)
		return false;
	t->mask = slots - 1;
	for (uint32_t i = 0; old && i <= old->mask; i++) {
		if (!old->ids[i])
			continue;
		uint32_t at = hash_of(s, which, old->ids[i]) & t->mask;
		while (t->ids[at])
			at = (at + 1) & t->mask;
		t->ids[at] = old->ids[i];
		t->count++;
	}
	gs_memory_give(old);
	s->index[which] = t;
	return true;
}

/* Makes room for n more elements of a column whose entry 0 is unused; false when memory is short.
 */
static bool column_room(void *column, uint32_t *cap, uint32_t used, uint32_t n, size_t size)
{
	size_t now = *cap, need = (size_t)used + n;
	if (need >= UINT32_MAX / 2 || !gs_array_reserve(column, &now, need, size))
		return false;
	*cap = (uint32_t)now;
	return true;
}

/* The text as it is and, behind its end, the form to show: whole, each zero byte as \x00. */
static const char *copy_with_zeros(gs_snapshot *s, const char *text, size_t n)
{
	char *both = malloc(5 * n + 2), *out = both;
	const char *copy = NULL;
	if (!both)
		return NULL;
	memcpy(out, text, n);
	out[n] = 0;
	out += n + 1;
	for (size_t i = 0; i < n; i++)
		if (text[i])
			*out++ = text[i];
		else
			out = (char *)memcpy(out, "\\x00", 4) + 4;
	copy = gs_snapshot_text(s, both, (size_t)(out - both));
	free(both);
	return copy;
}

gs_id gs_snapshot_string(gs_snapshot *s, const char *text, size_t n)
{
	if (n >= UINT32_MAX || !table_room(s, STRINGS))
		return 0;
	struct gs_intern_table *t = s->index[STRINGS];
	uint32_t hash = gs_hash_bytes(text, n), at = hash & t->mask;
	for (; t->ids[at]; at = (at + 1) & t->mask) {
		const gs_string *x = &s->strings[t->ids[at]];
		if (x->hash == hash && x->length == n && !memcmp(x->text, text, n))
			return t->ids[at];
	}
	if (!s->nstrings)
		s->nstrings = 1;
	if (!column_room(&s->strings, &s->cap_strings, s->nstrings, 1, sizeof *s->strings))
		return 0;
	const char *copy = n && memchr(text, 0, n) ? copy_with_zeros(s, text, n)
											   : gs_snapshot_text(s, text, n);
	if (!copy)
		return 0;
	if (s->nstrings == 1)
		s->strings[0] = (gs_string){"", 0, 0};
	s->strings[s->nstrings] = (gs_string){copy, (uint32_t)n, hash};
	t->count++;
	return t->ids[at] = s->nstrings++;
}

const char *gs_string_text(const gs_snapshot *s, gs_id id)
{
	if (!id || id >= s->nstrings)
		return "";
	const gs_string *x = &s->strings[id];
	return memchr(x->text, 0, x->length) ? x->text + x->length + 1 : x->text;
}

gs_id gs_snapshot_frame(gs_snapshot *s, gs_id name, gs_id file, int64_t line)
{
	return gs_snapshot_classed_frame(s, name, file, line, 0);
}

gs_id gs_snapshot_classed_frame(
	gs_snapshot *s, gs_id name, gs_id file, int64_t line, uint32_t class)
{
	if (!table_room(s, FRAMES))
		return 0;
	struct gs_intern_table *t = s->index[FRAMES];
	gs_frame f;
	memset(&f, 0, sizeof f); /* compared and hashed byte by byte */
	f.name = name, f.file = file, f.line = line, f.class = class;
	uint32_t at = gs_hash_bytes(&f, FRAME_KEY) & t->mask;
	for (; t->ids[at]; at = (at + 1) & t->mask)
		if (!memcmp(&s->frames[t->ids[at]], &f, FRAME_KEY))
			return t->ids[at];
	if (!s->nframes)
		s->nframes = 1;
	if (!column_room(&s->frames, &s->cap_frames, s->nframes, 1, sizeof *s->frames))
		return 0;
	if (s->nframes == 1)
		s->frames[0] = (gs_frame){.line = GS_NONE};
	s->frames[s->nframes] = f;
	t->count++;
	return t->ids[at] = s->nframes++;
}

static bool is_stack(const gs_snapshot *s, gs_id id, const gs_id *frames, uint32_t n)
{
	if (!id || s->stacks[id].n != n)
		return false;
	return !memcmp(&s->stack_frames[s->stacks[id].first], frames, n * sizeof *frames);
}

gs_id gs_snapshot_stack(gs_snapshot *s, const gs_id *frames, uint32_t n)
{
	if (!n || !table_room(s, STACKS))
		return 0;
	struct gs_intern_table *t = s->index[STACKS];
	if (is_stack(s, s->last_stack, frames, n)) /* a block's events follow each other */
		return s->last_stack;
	uint32_t at = gs_hash_bytes(frames, n * sizeof *frames) & t->mask;
	for (; t->ids[at]; at = (at + 1) & t->mask)
		if (is_stack(s, t->ids[at], frames, n))
			return s->last_stack = t->ids[at];
	if (!s->nstacks)
		s->nstacks = 1;
	if (!column_room(&s->stacks, &s->cap_stacks, s->nstacks, 1, sizeof *s->stacks) ||
		!column_room(
			&s->stack_frames, &s->cap_stack_frames, s->nstack_frames, n, sizeof *s->stack_frames))
		return 0;
	if (s->nstacks == 1)
		s->stacks[0] = (gs_stack){0, 0};
	s->stacks[s->nstacks] = (gs_stack){s->nstack_frames, n};
	memcpy(&s->stack_frames[s->nstack_frames], frames, n * sizeof *frames);
	s->nstack_frames += n;
	t->count++;
	return s->last_stack = t->ids[at] = s->nstacks++;
}

/* --- streams and pools: a handful in honest files, their index + 1 is the table's id --- */

uint32_t gs_snapshot_stream(gs_snapshot *s, uint64_t handle)
{
	if (!table_room(s, STREAMS))
		return UINT32_MAX;
	struct gs_intern_table *t = s->index[STREAMS];
	uint32_t at = gs_hash_bytes(&handle, sizeof handle) & t->mask;
	for (; t->ids[at]; at = (at + 1) & t->mask)
		if (s->streams[t->ids[at] - 1] == handle)
			return t->ids[at] - 1;
	if (s->nstreams >= GS_MOST_STREAMS || !GS_ARRAY_ONE_MORE(s->streams, s->nstreams))
		return UINT32_MAX;
	s->streams[s->nstreams++] = handle;
	t->count++;
	t->ids[at] = s->nstreams;
	return s->nstreams - 1;
}

uint32_t gs_snapshot_pool(gs_snapshot *s, gs_pool_id id)
{
	if (!table_room(s, POOLS))
		return UINT32_MAX;
	struct gs_intern_table *t = s->index[POOLS];
	uint32_t at = gs_hash_bytes(&id, sizeof id) & t->mask;
	for (; t->ids[at]; at = (at + 1) & t->mask)
		if (s->pools[t->ids[at] - 1].a == id.a && s->pools[t->ids[at] - 1].b == id.b)
			return t->ids[at];
	if (s->npools >= GS_MOST_STREAMS || !GS_ARRAY_ONE_MORE(s->pools, s->npools))
		return UINT32_MAX;
	s->pools[s->npools++] = id;
	t->count++;
	return t->ids[at] = s->npools;
}

void gs_intern_release(gs_snapshot *s)
{
	for (struct gs_arena *a = s->arena, *next; a; a = next) {
		next = a->next;
		gs_memory_give(a);
	}
	for (size_t i = 0; i < sizeof s->index / sizeof *s->index; i++)
		gs_memory_give(s->index[i]);
	gs_memory_give(s->strings);
	gs_memory_give(s->frames);
	gs_memory_give(s->stacks);
	gs_memory_give(s->stack_frames);
	gs_memory_give(s->streams);
	gs_memory_give(s->pools);
}
