/* Building a snapshot from the nested dictionaries and lists that PyTorch writes, whatever their
 * encoding (pickle, JSON).
 *
 * A decoder drives a gs_torch like a stack machine, in the pickle's own terms: values are pushed, a
 * mark is set, setitems and appends fold what lies above the mark into the container below it.
 * Dictionaries become rows of the snapshot as soon as they are closed and are never kept, so memory
 * is bounded by the rows, not by the file's objects.
 *
 * Every call returns a status; the text is in gs_torch.error (without an offset: the decoder adds
 * it). Not thread-safe. */
#ifndef GS_ANALYZER_READ_PYTORCH_BUILDER_H
#define GS_ANALYZER_READ_PYTORCH_BUILDER_H

#include "analyzer/model/snapshot.h"
#include "analyzer/read/open/source.h"

/* Numbers of the words of keys.def, which are also their string ids. */
enum {
	GS_WORD_NONE,
#define GS_WORD(name, text) GS_WORD_##name,
#include "analyzer/read/pytorch/keys.def"
#undef GS_WORD
	GS_WORD_COUNT
};

typedef enum gs_torch_value_type {
	GS_V_NONE,
	GS_V_BOOL,
	GS_V_INT,
	GS_V_FLOAT,
	GS_V_STRING, /* id: string */
	GS_V_PAIR,   /* id: index in pairs (a tuple of two integers) */
	GS_V_STACK,  /* id: stack; what a list of frames becomes */
	GS_V_FRAME,  /* id: frame */
	GS_V_DICT,
	GS_V_LIST,   /* id: index in objects */
	GS_V_OPAQUE, /* a value that nothing here needs */
	GS_V_DONE    /* a dictionary already in the list below */
} gs_torch_value_type;

typedef struct gs_torch_value {
	uint8_t type;
	uint8_t negative; /* of GS_V_INT: u holds an int64_t below zero */
	uint32_t id;
	union {
		uint64_t u;
		double f;
	};
} gs_torch_value;

struct gs_object;

typedef struct gs_torch {
	gs_snapshot *s;
	unsigned want;
	const gs_source *source; /* that is read, so that what will come can be estimated; NULL */
	gs_torch_value *stack;
	size_t n, cap;
	uint32_t *marks; /* stack heights */
	size_t nmarks, cap_marks;
	uint32_t *memo; /* type << GS_MEMO_ID_BITS | id; 0 is empty */
	size_t nmemo, cap_memo;
	struct gs_object *objects;
	uint32_t nobjects, cap_objects, free_objects, live_objects;
	gs_pool_id *pairs;
	uint32_t npairs;
	gs_torch_value *wide; /* memoised numbers */
	uint32_t nwide;
	uint64_t event_keys; /* bits of the keys that events had */
	bool events_dropped;
	uint64_t
		left_out; /* entries of lists of segments, blocks or events that are none, or came before */
	uint32_t stream; /* index of the stream seen last */
	struct {
		uint32_t n;
		gs_id member[8], more;
	} more[16]; /* texts of members made lately: keys and values by string */
	gs_error error;
} gs_torch;

/* The snapshot must be empty. release frees what was not handed over. */
gs_status gs_torch_init(gs_torch *t, gs_snapshot *s, unsigned want);
void gs_torch_release(gs_torch *t);

/* Room for one more value on the stack, and the pushing of one. GS_NO_MEMORY, GS_LIMIT. */
gs_status gs_torch_grow(gs_torch *t);

static inline gs_status gs_torch_push(gs_torch *t, gs_torch_value v)
{
	if (t->n == t->cap && gs_torch_grow(t))
		return t->error.status;
	t->stack[t->n++] = v;
	return GS_OK;
}

static inline gs_status gs_torch_push_int(gs_torch *t, int64_t i)
{
	return gs_torch_push(
		t, (gs_torch_value){.type = GS_V_INT, .negative = i < 0, .u = (uint64_t)i});
}

/* A string of n bytes; longer than 64 KiB it is cut. */
gs_status gs_torch_push_string(gs_torch *t, const char *text, size_t n);

/* An empty container; a mark at the stack's height. */
gs_status gs_torch_push_dict(gs_torch *t);
gs_status gs_torch_push_list(gs_torch *t);
gs_status gs_torch_mark(gs_torch *t);

/* Above the mark: pairs for the dictionary, items for the list just below it; the container stays
 * on top. */
gs_status gs_torch_setitems(gs_torch *t);
gs_status gs_torch_appends(gs_torch *t);
/* The same with one pair, one item, and no mark. */
gs_status gs_torch_setitem(gs_torch *t);
gs_status gs_torch_append(gs_torch *t);
/* A new container of what lies above the mark. */
gs_status gs_torch_mark_to_dict(gs_torch *t);
gs_status gs_torch_mark_to_list(gs_torch *t);
/* A tuple of the n top values, or of those above the mark. */
gs_status gs_torch_tuple(gs_torch *t, size_t n);
gs_status gs_torch_mark_to_tuple(gs_torch *t);
/* Drops the top value; what lies above the mark, and the mark; pushes the top value again. */
gs_status gs_torch_pop(gs_torch *t);
gs_status gs_torch_pop_mark(gs_torch *t);
gs_status gs_torch_dup(gs_torch *t);

/* The memo: put remembers the top value under an index, get pushes it again. most bounds the index
 * (a memo entry costs at least a byte of the file). An index without an entry is GS_FORMAT. */
gs_status gs_torch_put(gs_torch *t, uint64_t index, uint64_t most);
gs_status gs_torch_get_any(gs_torch *t, uint64_t index);

enum { GS_MEMO_ID_BITS = 28 };

/* Whether a frame is memoised there; it is *out then. */
static inline bool gs_torch_memo_frame(const gs_torch *t, uint64_t index, gs_torch_value *out)
{
	uint32_t m = index < t->nmemo ? t->memo[index] : 0;
	if (m >> GS_MEMO_ID_BITS != GS_V_FRAME)
		return false;
	*out = (gs_torch_value){.type = GS_V_FRAME, .id = m & ((1u << GS_MEMO_ID_BITS) - 1)};
	return true;
}

/* The frequent ones at once. */
static inline gs_status gs_torch_get(gs_torch *t, uint64_t index)
{
	uint32_t m = index < t->nmemo ? t->memo[index] : 0, type = m >> GS_MEMO_ID_BITS;
	if (type == GS_V_FRAME || type == GS_V_STRING || type == GS_V_STACK)
		return gs_torch_push(
			t, (gs_torch_value){.type = (uint8_t)type, .id = m & ((1u << GS_MEMO_ID_BITS) - 1)});
	return gs_torch_get_any(t, index);
}

/* The value on top is the whole: moves its rows into the snapshot. */
gs_status gs_torch_finish(gs_torch *t);

/* The input ended early, at byte `cut_at`. Where the root is a dictionary whose segments are whole,
 * moves what is whole into the snapshot, marks that as cut, and returns true. The trace that was
 * cut goes: its newest events are missing, and the segments are what they led to. */
bool gs_torch_keep_whole(gs_torch *t, uint64_t cut_at);

#endif
