/* Inside of the torch builder: containers under construction. See builder.h. */
#ifndef GS_ANALYZER_READ_PYTORCH_OBJECT_H
#define GS_ANALYZER_READ_PYTORCH_OBJECT_H

#include "analyzer/read/pytorch/builder.h"

/* What a list holds is decided by its first element. */
typedef enum gs_holds {
	GS_HOLDS_NOTHING,
	GS_HOLDS_SCALARS,
	GS_HOLDS_FRAMES,
	GS_HOLDS_BLOCKS,
	GS_HOLDS_HISTORY,
	GS_HOLDS_SEGMENTS,
	GS_HOLDS_EVENTS,
	GS_HOLDS_NOTES,
	GS_HOLDS_LISTS,
	GS_HOLDS_OTHER
} gs_holds;

enum { GS_MOST_SCALARS = 64 }; /* of a list of plain values as many are kept */

typedef struct gs_object {
	uint8_t in_use; /* GS_V_DICT, GS_V_LIST, or 0 */
	uint8_t holds;
	bool shared;     /* reachable twice: never freed early */
	uint32_t memo;   /* slot + 1 */
	uint32_t next;   /* in the list of free objects */
	size_t n, bytes; /* elements; size of items */
	void *items; /* DICT: pairs of gs_torch_value; SCALARS, LISTS: gs_torch_value; FRAMES: gs_id;
			NOTES: gs_annotation; HISTORY, BLOCKS: gs_block; SEGMENTS: gs_raw_segment;
			EVENTS: gs_event */
	gs_id stack; /* FRAMES, SCALARS …: what it became as a stack, if that is known */
} gs_object;

typedef struct gs_raw_segment {
	gs_segment g;
	int64_t device;
	gs_block *blocks; /* owned */
} gs_raw_segment;

/* The container that a value of one of these types is. It moves when another is made. */
static inline gs_object *gs_torch_object(gs_torch *t, const gs_torch_value *v)
{
	return &t->objects[v->id];
}

static inline bool gs_torch_value_is_object(const gs_torch_value *v)
{
	return v->type == GS_V_DICT || v->type == GS_V_LIST;
}

/* The n values on top belong together, none of them below the last mark: the height below them. */
gs_status gs_torch_top(gs_torch *t, size_t n, size_t *base);

/* An empty container, and all of them given back. */
gs_status gs_object_new(gs_torch *t, gs_torch_value_type type, uint32_t *out);
void gs_objects_release(gs_torch *t);

/* Bytes to make an array of that needs so many and has too few: half as many again; of a large one,
 * which would be held twice for a moment, what its share of the file so far says that it will need,
 * and some more: what is not written costs nothing, and growing again would copy all of it. */
size_t gs_torch_grown(const gs_torch *t, size_t used, size_t had);

/* Room for one more element of size bytes; NULL when memory is short (error set). */
void *gs_object_add(gs_torch *t, gs_object *o, size_t size);

/* Frees an object, unless something else may reach it; what the memo knows of it becomes v. */
void gs_torch_drop(gs_torch *t, uint32_t object, gs_torch_value v);

/* Whether a list of such records must not silently lose an entry. */
static inline bool gs_holds_rows(const gs_object *o)
{
	return o->holds == GS_HOLDS_EVENTS || o->holds == GS_HOLDS_BLOCKS ||
		o->holds == GS_HOLDS_SEGMENTS;
}

/* Takes a value out of use (its object, if it has one, is freed). */
void gs_torch_discard(gs_torch *t, const gs_torch_value *v);

/* record.c: a closed dictionary (pairs: key, value, key, value …) becomes what its keys say.
 */
typedef enum gs_record {
	GS_RECORD_OTHER,
	GS_RECORD_EVENT,
	GS_RECORD_FRAME,
	GS_RECORD_SEGMENT,
	GS_RECORD_BLOCK,
	GS_RECORD_HISTORY,
	GS_RECORD_NOTE
} gs_record;
/* Its values by key: those that stay where they are among the pairs, and of the words have tells
 * (bit by word). */
typedef struct gs_torch_fields {
	const gs_torch_value *pairs;
	size_t n;
	uint64_t have;
	const gs_torch_value *at[64];
} gs_torch_fields;
gs_record gs_torch_gather(gs_torch_fields *f, const gs_torch_value *pairs, size_t n);
gs_status gs_torch_frame(gs_torch *t, const gs_torch_fields *f, gs_torch_value *out);
/* Appends the record to the list (which must hold such records or nothing). */
gs_status gs_torch_append_record(
	gs_torch *t, gs_object *list, gs_record record, const gs_torch_fields *f);

/* The stack that a value is (a list of frames, or what became of one); 0 if none. The list is used
 * up. */
gs_id gs_torch_stack_of(gs_torch *t, const gs_torch_value *v);

/* unknown_keys.c: the members of a record but those of the words in placed, as JSON (see
 * gs_event.more); 0 when there are none, or they cannot be kept. */
gs_status gs_torch_unknown_keys(
	gs_torch *t, const gs_torch_value *pairs, size_t n, uint64_t placed, gs_id *out);

/* The pool id that a pair or a list of two integers is. */
bool gs_torch_pool_of(gs_torch *t, const gs_torch_value *v, gs_pool_id *out);

/* GS_NO_MEMORY, in t->error. */
gs_status gs_torch_no_memory(gs_torch *t);

#endif
