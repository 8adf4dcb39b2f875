/* Pickles of protocols 0 to 5 as Python and PyTorch's C++ write them: opcodes are interpreted,
 * nothing is executed. What would call code (GLOBAL, REDUCE, BUILD, persistent ids, extensions …)
 * is refused. Drives builder.h. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/model/parts.h"
#include "analyzer/read/pytorch/pickle.h"
#include "analyzer/read/pytorch/pickle_probe.h"
#include "analyzer/read/pytorch/pickle_text.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/read/pytorch/builder.h"
#include "schema/bytes.h"

enum { NEWEST_PROTOCOL = 5, MOST_LINE = 64 * 1024, LOOK_AHEAD = 16 };

typedef struct unpickler {
	gs_source *source;
	const unsigned char *p, *end; /* what peek showed */
	const unsigned char *start;
	uint64_t base; /* offset of start */
	gs_torch t;
	gs_error *err;
	gs_sink sink; /* gets what was read, or NULL */
	void *arg;
	gs_status sunk;
	uint64_t opcode_at;
	uint64_t memoized; /* the next index of MEMOIZE */
} unpickler;

static uint64_t offset(const unpickler *u) { return u->base + (uint64_t)(u->p - u->start); }

/* Hands on what was read up to here. */
static void sink(unpickler *u, const unsigned char *to)
{
	if (u->sink && !u->sunk && to > u->start)
		u->sunk = u->sink(u->arg, u->start, (size_t)(to - u->start));
}

/* Shows at least want bytes (≤ 64 KiB) at u->p; false if the file has fewer. */
static bool look_ahead(unpickler *u, size_t want)
{
	if ((size_t)(u->end - u->p) >= want)
		return true;
	sink(u, u->p);
	gs_source_skip(u->source, (size_t)(u->p - u->start));
	size_t n = gs_source_peek(u->source, want, &u->p);
	u->base = gs_source_offset(u->source);
	u->start = u->p;
	u->end = u->p + n;
	return n >= want;
}

static uint64_t ended_at(const unpickler *u) { return u->base + (uint64_t)(u->end - u->start); }

static gs_status ends(unpickler *u)
{
	if (gs_source_status(u->source, u->err))
		return gs_source_status(u->source, NULL);
	return gs_fail(u->err, GS_TRUNCATED, "the pickle ends early, at byte %llu",
		(unsigned long long)ended_at(u));
}

/* The builder's complaint, with the place of the opcode. */
static gs_status complaint(unpickler *u)
{
	return gs_fail(u->err, u->t.error.status, "%s, at byte %llu of the pickle", u->t.error.text,
		(unsigned long long)u->opcode_at);
}

static gs_status skip(unpickler *u, uint64_t n)
{
	while (n) {
		if (!look_ahead(u, 1))
			return ends(u);
		uint64_t have = (uint64_t)(u->end - u->p), take = have < n ? have : n;
		u->p += take;
		n -= take;
	}
	return GS_OK;
}

/* A string of n bytes, Python's bytes too; what is beyond 64 KiB is passed over. */
static gs_status counted_string(unpickler *u, uint64_t n)
{
	uint64_t size = gs_source_file_size(u->source);
	size_t kept = n < MOST_LINE ? (size_t)n : MOST_LINE;
	if (size && n > size &&
		n > 1000 * size) /* packed files may be smaller than what they hold, but not by that much */
		return gs_fail(u->err, GS_TRUNCATED,
			"a string of %llu bytes at byte %llu does not fit in the file", (unsigned long long)n,
			(unsigned long long)u->opcode_at);
	if (!look_ahead(u, kept ? kept : 1) && kept)
		return ends(u);
	if (gs_torch_push_string(&u->t, (const char *)u->p, kept))
		return complaint(u);
	u->p += kept;
	return n > kept ? skip(u, n - kept) : GS_OK;
}

/* Little-endian two's complement of n bytes; beyond 64 bits (one more byte for the sign) it is no
 * size or address. */
static gs_status long_number(unpickler *u, uint64_t n)
{
	gs_torch_value v = {.type = GS_V_INT};
	if (n > 9) {
		if (gs_torch_push(&u->t, (gs_torch_value){.type = GS_V_OPAQUE}))
			return complaint(u);
		return skip(u, n);
	}
	if (!look_ahead(u, n ? n : 1) && n)
		return ends(u);
	v.u = u->end - u->p >= 8 && n < 8 ? gs_get_le8(u->p) & (((uint64_t)1 << 8 * n) - 1)
									  : gs_get_le(u->p, n < 8 ? n : 8);
	if (n && n < 9 && u->p[n - 1] & 0x80) {
		v.u |= n < 8 ? ~0ull << (8 * n) : 0;
		v.negative = 1;
	}
	if (n == 9 && u->p[8])
		v.type = GS_V_OPAQUE;
	u->p += n;
	return gs_torch_push(&u->t, v) ? complaint(u) : GS_OK;
}

static gs_status real_number(unpickler *u)
{
	gs_torch_value v = {.type = GS_V_FLOAT};
	uint64_t bits = 0;
	if (!look_ahead(u, 8))
		return ends(u);
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | u->p[i];
	memcpy(&v.f, &bits, 8);
	u->p += 8;
	return gs_torch_push(&u->t, v) ? complaint(u) : GS_OK;
}

/* The rest of a line (protocol 0), without its end. */
static gs_status line(unpickler *u, const char **text, size_t *n)
{
	look_ahead(u, MOST_LINE);
	const unsigned char *nl = memchr(u->p, '\n', (size_t)(u->end - u->p));
	if (!nl && u->end - u->p >= MOST_LINE)
		return gs_fail(u->err, GS_LIMIT, "a line longer than %d bytes at byte %llu", MOST_LINE,
			(unsigned long long)u->opcode_at);
	if (!nl)
		return ends(u);
	*text = (const char *)u->p;
	*n = (size_t)(nl - u->p);
	u->p = nl + 1;
	return GS_OK;
}

static gs_status text_memo(unpickler *u, unsigned char op, const char *text, size_t n)
{
	uint64_t index;
	if (!gs_pickle_index(text, n, &index))
		return gs_fail(u->err, GS_FORMAT, "a memo index that is no number at byte %llu",
			(unsigned long long)u->opcode_at);
	bool failed = op == 'p' ? gs_torch_put(&u->t, index, offset(u)) : gs_torch_get(&u->t, index);
	return failed ? complaint(u) : GS_OK;
}

static gs_status text_string(unpickler *u, unsigned char op, const char *text, size_t n)
{
	char *copy = gs_memory_take(2 * n + 1);
	if (!copy)
		return gs_no_memory(u->err);
	size_t length = op == 'V' ? gs_pickle_unescape_unicode(text, n, copy)
							  : gs_pickle_unescape_string(text, n, copy);
	gs_status status = gs_torch_push_string(&u->t, copy, length);
	gs_memory_give(copy);
	return status ? complaint(u) : GS_OK;
}

/* Opcodes of protocol 0, whose argument is the rest of the line. */
static gs_status text_opcode(unpickler *u, unsigned char op)
{
	const char *text = NULL;
	size_t n = 0;
	gs_torch_value v;
	gs_status status = line(u, &text, &n);
	if (status)
		return status;
	if (op == 'p' || op == 'g')
		return text_memo(u, op, text, n);
	if (op == 'V' || op == 'S')
		return text_string(u, op, text, n);
	if (!gs_pickle_number(op, text, n, &v))
		return gs_fail(u->err, GS_FORMAT, "a number that is none at byte %llu",
			(unsigned long long)u->opcode_at);
	return gs_torch_push(&u->t, v) ? complaint(u) : GS_OK;
}

/* GLOBAL's two lines say what would be called. */
static gs_status refuse(unpickler *u, unsigned char op, const char *name)
{
	char what[80] = "";
	look_ahead(u, 160);
	for (size_t i = 0, lines = 0;
		 op == 'c' && i < sizeof what - 1 && u->p + i < u->end && lines < 2; i++) {
		unsigned char c = u->p[i];
		lines += c == '\n';
		what[i] = c == '\n' ? (lines == 1 ? '.' : 0) : c > 32 && c < 127 ? (char)c : '?';
	}
	return gs_fail(u->err, GS_UNSAFE, "the pickle would run code (%s%s%s) at byte %llu: refused",
		name, *what ? " " : "", what, (unsigned long long)u->opcode_at);
}

/* An argument of n little-endian bytes. The loop has looked LOOK_AHEAD bytes ahead unless the file
 * ends before. */
#define ARGUMENT(n)                         \
	do {                                    \
		if (u->end - u->p < (ptrdiff_t)(n)) \
			return ends(u);                 \
		arg = gs_get_le(u->p, (n));         \
		u->p += (n);                        \
	} while (0)
#define TRY(call)                \
	do {                         \
		if (call)                \
			return complaint(u); \
	} while (0)
#define TRY_WITH(n, call) \
	do {                  \
		ARGUMENT(n);      \
		TRY(call);        \
	} while (0)
#define PUSH(...) TRY(gs_torch_push(t, (gs_torch_value){__VA_ARGS__}))

static gs_status other_opcode(unpickler *u, unsigned char op)
{
	uint64_t arg;
	if (op && strchr("ILFSVpg", op))
		return text_opcode(u, op);
	switch (op) {
	case 0x80: /* PROTO */
		ARGUMENT(1);
		if (arg <= NEWEST_PROTOCOL)
			return GS_OK;
		return gs_fail(u->err, GS_VERSION, "pickle protocol %u is newer than %d", (unsigned)arg,
			NEWEST_PROTOCOL);
	case 0x95: ARGUMENT(8); return GS_OK; /* FRAME: a hint for buffering */
	case '.': return GS_END;
	default: break;
	}
	const char *unsafe = gs_pickle_unsafe(op);
	if (unsafe)
		return refuse(u, op, unsafe);
	return gs_fail(u->err, GS_FORMAT, "opcode 0x%02x is not one of a snapshot's, at byte %llu", op,
		(unsigned long long)u->opcode_at);
}

/* Of the opcodes that come next, the LONG_BINGETs of frames, as long as there is room for them: a
 * stack is a list of such, and most of a pickle is stacks. */
static inline void get_frames(unpickler *u)
{
	enum { OPCODE = 5 };
	gs_torch *t = &u->t;
	const unsigned char *p = u->p;
	size_t n = t->n;
	for (; u->end - p >= OPCODE && *p == 'j' && n < t->cap; p += OPCODE, n++)
		if (!gs_torch_memo_frame(t, gs_get_le(p + 1, 4), &t->stack[n]))
			break;
	u->p = p;
	t->n = n;
}

/* What the opcodes of a snapshot do; a tuple is as good as a list, a set is not looked into. */
static inline gs_status run_opcode(unpickler *u, unsigned char op)
{
	gs_torch *t = &u->t;
	uint64_t arg;
	switch (op) {
	case 'h': TRY_WITH(1, gs_torch_get(t, arg)); break; /* BINGET */
	case 'j':                                           /* LONG_BINGET */
		TRY_WITH(4, gs_torch_get(t, arg));
		get_frames(u);
		break;
	case 'K': TRY_WITH(1, gs_torch_push_int(t, (int64_t)arg)); break; /* BININT1 */
	case 'M': TRY_WITH(2, gs_torch_push_int(t, (int64_t)arg)); break; /* BININT2 */
	case 'J': TRY_WITH(4, gs_torch_push_int(t, (int32_t)arg)); break; /* BININT */
	case 0x8a: ARGUMENT(1); return long_number(u, arg);               /* LONG1 */
	case 0x8b: ARGUMENT(4); return long_number(u, arg);               /* LONG4 */
	case 0x8c:                                                        /* SHORT_BINUNICODE */
	case 'U':                                                         /* SHORT_BINSTRING */
	case 'C': ARGUMENT(1); return counted_string(u, arg);             /* SHORT_BINBYTES */
	case 'X':                                                         /* BINUNICODE */
	case 'T':                                                         /* BINSTRING */
	case 'B': ARGUMENT(4); return counted_string(u, arg);             /* BINBYTES */
	case 0x8d:                                                        /* BINUNICODE8 */
	case 0x8e:                                                        /* BINBYTES8 */
	case 0x96: ARGUMENT(8); return counted_string(u, arg);            /* BYTEARRAY8 */
	case 'G': return real_number(u);                                  /* BINFLOAT */
	case 'N': PUSH(.type = GS_V_NONE); break;
	case 0x88: PUSH(.type = GS_V_BOOL, .u = 1); break;
	case 0x89: PUSH(.type = GS_V_BOOL, .u = 0); break;
	case 0x94: TRY(gs_torch_put(t, u->memoized++, offset(u))); break; /* MEMOIZE */
	case 'q': TRY_WITH(1, gs_torch_put(t, arg, offset(u))); break;    /* BINPUT */
	case 'r': TRY_WITH(4, gs_torch_put(t, arg, offset(u))); break;    /* LONG_BINPUT */
	case '}': TRY(gs_torch_push_dict(t)); break;
	case ']':
	case ')': TRY(gs_torch_push_list(t)); break;
	case '(': TRY(gs_torch_mark(t)); break;
	case 'u': TRY(gs_torch_setitems(t)); break;
	case 's': TRY(gs_torch_setitem(t)); break;
	case 'e': TRY(gs_torch_appends(t)); break;
	case 'a': TRY(gs_torch_append(t)); break;
	case 'd': TRY(gs_torch_mark_to_dict(t)); break;
	case 'l': TRY(gs_torch_mark_to_list(t)); break;
	case 't': TRY(gs_torch_mark_to_tuple(t)); break;
	case 0x85: TRY(gs_torch_tuple(t, 1)); break;
	case 0x86: TRY(gs_torch_tuple(t, 2)); break;
	case 0x87: TRY(gs_torch_tuple(t, 3)); break;
	case 0x8f: PUSH(.type = GS_V_OPAQUE); break; /* EMPTY_SET */
	case 0x90: TRY(gs_torch_pop_mark(t)); break; /* ADDITEMS */
	case 0x91:                                   /* FROZENSET */
		TRY(gs_torch_pop_mark(t));
		PUSH(.type = GS_V_OPAQUE);
		break;
	case '0': TRY(gs_torch_pop(t)); break;
	case '1': TRY(gs_torch_pop_mark(t)); break;
	case '2': TRY(gs_torch_dup(t)); break;
	default: return other_opcode(u, op);
	}
	return GS_OK;
}

/* One opcode; GS_END at STOP. */
static inline gs_status step_opcode(unpickler *u)
{
	if (u->end - u->p < LOOK_AHEAD && !look_ahead(u, LOOK_AHEAD) && u->p == u->end)
		return ends(u);
	u->opcode_at = offset(u);
	return run_opcode(u, *u->p++);
}

static void look_behind(unpickler *u)
{
	while (look_ahead(u, 1) && strchr(" \t\r\n", *u->p) && *u->p)
		u->p++;
	if (look_ahead(u, 1) && *u->p)
		gs_snapshot_warn(u->t.s, "more bytes after the end of the pickle, at byte %llu: not read",
			(unsigned long long)offset(u));
}

static gs_status step_opcodes(void *arg, size_t first, size_t end)
{
	gs_status status = GS_OK;
	for (; !status && first < end; first++)
		status = step_opcode(arg);
	return status;
}

static gs_status run_opcodes(unpickler *u, unsigned want, gs_snapshot *s)
{
	gs_status status = gs_torch_init(&u->t, s, want);
	u->t.source = u->source;
	if (status)
		status = complaint(u);
	while (!status)
		status = gs_in_parts(SIZE_MAX, step_opcodes, u); /* as many as there are */
	if (status == GS_TRUNCATED && !u->sink && gs_torch_keep_whole(&u->t, ended_at(u)))
		return GS_OK;
	if (status == GS_END) {
		status = gs_torch_finish(&u->t) ? complaint(u) : GS_OK;
		sink(u, u->p - 1);
		gs_source_skip(u->source, (size_t)(u->p - u->start));
		u->start = u->p;
		u->sink = NULL;
		u->base = u->opcode_at + 1;
	}
	return status;
}

static gs_status read_pickle(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	unpickler u = {.source = source, .err = err};
	gs_status status = run_opcodes(&u, want, s);
	if (!status && s->complete)
		look_behind(&u);
	gs_torch_release(&u.t);
	return status;
}

gs_status gs_pickle_check(gs_source *source, gs_sink to, void *arg, gs_error *err)
{
	unpickler u = {.source = source, .err = err, .sink = to, .arg = arg};
	const unsigned char *head;
	gs_snapshot s;
	if (gs_source_peek(source, 2, &head) >= 2 && head[0] == 0x80 && head[1] <= NEWEST_PROTOCOL)
		gs_source_skip(source, 2);
	gs_snapshot_init(&s);
	gs_status status = run_opcodes(&u, 0, &s);
	if (!status && u.sunk)
		status = gs_fail(err, u.sunk, "cannot write");
	gs_torch_release(&u.t);
	gs_snapshot_release(&s);
	return status;
}

const gs_reader gs_reader_pickle = {"pickle", gs_pickle_probe, read_pickle};
