/* PyTorch 2.0's pages: columns of numbers, a table of strings, and stacks as chains (string, rest)
 * in a suffix table. `trace_data` has one device's events, segments and live blocks; `alloc_data`
 * the allocations drawn over time. Neither names the device: it is called 0. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/pytorch/html.h"
#include "analyzer/read/pytorch/json_stream.h"
#include "analyzer/read/pytorch/pickle_text.h"
#include "analyzer/read/open/reader.h"

/* clang-format off: it never settles on one layout of a list of macro calls */
#define COLUMNS(C)                          \
	C(STRINGS, "string_table", "")          \
	C(SUFFIXES, "suffix_table", "")         \
	C(EV_ACTION, "events", "action")        \
	C(EV_ADDR, "events", "addr")            \
	C(EV_SIZE, "events", "size")            \
	C(EV_STREAM, "events", "stream")        \
	C(EV_FRAMES, "events", "frames")        \
	C(SEG_ADDR, "segments", "addr")         \
	C(SEG_SIZE, "segments", "size")         \
	C(SEG_STREAM, "segments", "stream")     \
	C(BL_ADDR, "blocks", "addr")            \
	C(BL_SIZE, "blocks", "size")            \
	C(BL_REAL, "blocks", "real_size")       \
	C(BL_FRAMES, "blocks", "frames")        \
	C(BL_PENDING, "blocks", "pending_free") \
	C(ACTIONS, "actions", "")               \
	C(EL_SIZE, "elements_size", "")         \
	C(EL_INFO, "elements_info", "")         \
	C(INITIALLY, "initially_allocated", "") \
	C(OLD_SIZE, "elements", "size")         \
	C(OLD_INFO, "elements", "info")
/* clang-format on */

enum {
#define C(id, top, sub) id,
	COLUMNS(C)
#undef C
		NCOLUMNS
};

static const struct {
	const char *top, *sub;
} names[] = {
#define C(id, top, sub) {top, sub},
	COLUMNS(C)
#undef C
};

enum {
	NO_COLUMN = -1,
	MOST_DEPTH = 8,
	MOST_CHAIN = 1024,
	MOST_STEPS = 1 << 24,
	MOST_STREAMS = 4096
};

typedef struct column {
	int64_t *v;
	size_t n, cap;
} column;

typedef struct page {
	gs_snapshot *s;
	unsigned want;
	column c[NCOLUMNS];
	int depth, at; /* at: the column being filled */
	char top[32];
	uint32_t *stack_of_suffix; /* + 1; 0 not yet made */
	uint32_t *frame_of_suffix; /* likewise */
	size_t steps;              /* taken along chains, which may be made to run in circles */
	bool finished;
	gs_error error;
} page;

/* --- parsing -----------------------------------------------------------------------------------
 */

static int fail(page *p, gs_status status, const char *what)
{
	gs_fail(&p->error, status, "%s", what);
	return 0;
}

static int push_number(page *p, int64_t value)
{
	if (p->at == NO_COLUMN)
		return 1;
	column *c = &p->c[p->at];
	if (!GS_ARRAY_RESERVE(c->v, c->cap, c->n + 1))
		return fail(p, GS_NO_MEMORY, "out of memory");
	c->v[c->n++] = value;
	return 1;
}

static int on_null(void *p) { return push_number(p, GS_NONE); }
static int on_boolean(void *p, int value) { return push_number(p, value); }

static int on_number(void *ctx, const char *text, size_t n)
{
	gs_torch_value v;
	if (!gs_pickle_number('L', text, n, &v) || v.type != GS_V_INT)
		v.u = (uint64_t)GS_NONE;
	return push_number(ctx, (int64_t)v.u);
}

static int on_string(void *ctx, const unsigned char *text, size_t n)
{
	page *p = ctx;
	if (p->at != STRINGS)
		return 1;
	gs_id id = gs_snapshot_string(p->s, (const char *)text, n);
	return id ? push_number(p, id) : fail(p, GS_NO_MEMORY, "out of memory");
}

static int on_key(void *ctx, const unsigned char *text, size_t n)
{
	page *p = ctx;
	char key[32] = "";
	if (n < sizeof key)
		memcpy(key, text, n);
	if (p->depth == 1)
		memcpy(p->top, key, sizeof key);
	p->at = NO_COLUMN;
	for (int i = 0; i < NCOLUMNS; i++)
		if (!strcmp(names[i].top, p->top) && !strcmp(names[i].sub, p->depth == 1 ? "" : key))
			p->at = i;
	return 1;
}

static int on_start(void *ctx)
{
	page *p = ctx;
	return ++p->depth <= MOST_DEPTH ? 1 : fail(p, GS_FORMAT, "nested too deep for a page's data");
}

static int on_end(void *ctx)
{
	page *p = ctx;
	p->finished = --p->depth == 0;
	return !p->finished; /* what follows the data is script */
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end,
	.yajl_start_array = on_start,
	.yajl_end_array = on_end,
};

/* --- stacks ------------------------------------------------------------------------------------
 */

static int64_t cell(const page *p, int col, size_t i)
{
	return i < p->c[col].n ? p->c[col].v[i] : GS_NONE;
}

/* "file:line:name"; the first number between colons is the line. Other texts are no frames. */
static gs_id frame_of_text(page *p, const char *text)
{
	for (const char *c = strchr(text, ':'); c; c = strchr(c + 1, ':')) {
		char *end;
		long line = isdigit((unsigned char)c[1]) ? strtol(c + 1, &end, 10) : -1;
		if (line < 0 || *end != ':')
			continue;
		gs_id file = gs_snapshot_string(p->s, text, (size_t)(c - text)),
			  name = gs_snapshot_string(p->s, end + 1, strlen(end + 1));
		return gs_snapshot_frame(p->s, name, file, line);
	}
	return 0;
}

static const char *string_at(const page *p, int64_t i)
{
	return i >= 0 ? gs_string_text(p->s, (gs_id)cell(p, STRINGS, (size_t)i)) : "";
}

/* The next in a chain; -1 at its end. Counts, for a chain may be made to run in a circle. */
static int64_t next_suffix(page *p, int64_t at)
{
	int64_t next = cell(p, SUFFIXES, 2 * (size_t)at + 1);
	if (p->steps++ == MOST_STEPS)
		fail(p, GS_LIMIT, "too many frames in the page");
	return next >= 0 && (uint64_t)next < p->c[SUFFIXES].n / 2 && p->steps <= MOST_STEPS ? next : -1;
}

static gs_id frame_at(page *p, int64_t at)
{
	uint32_t *frame = &p->frame_of_suffix[at];
	if (!*frame)
		*frame = frame_of_text(p, string_at(p, cell(p, SUFFIXES, 2 * (size_t)at))) + 1;
	return *frame - 1;
}

static gs_id stack_of(page *p, int64_t suffix)
{
	gs_id frames[MOST_CHAIN];
	size_t nsuffixes = p->c[SUFFIXES].n / 2;
	uint32_t n = 0;
	if (suffix < 0 || (uint64_t)suffix >= nsuffixes || !(p->want & GS_WANT_STACKS))
		return 0;
	if (!p->stack_of_suffix)
		p->stack_of_suffix = gs_memory_zeroed(nsuffixes, sizeof *p->stack_of_suffix);
	if (!p->frame_of_suffix)
		p->frame_of_suffix = gs_memory_zeroed(nsuffixes, sizeof *p->frame_of_suffix);
	if (!p->stack_of_suffix || !p->frame_of_suffix)
		return 0;
	while (suffix >= 0 && !p->stack_of_suffix[suffix] &&
		!frame_at(p, suffix)) /* an element's title, each its own */
		suffix = next_suffix(p, suffix);
	if (suffix < 0 || p->stack_of_suffix[suffix])
		return suffix < 0 ? 0 : p->stack_of_suffix[suffix] - 1;
	for (int64_t at = suffix; at >= 0 && n < MOST_CHAIN; at = next_suffix(p, at)) {
		gs_id frame = frame_at(p, at);
		if (frame)
			frames[n++] = frame;
	}
	gs_id stack = gs_snapshot_stack(p->s, frames, n);
	p->stack_of_suffix[suffix] = stack + 1;
	return stack;
}

/* --- events ------------------------------------------------------------------------------------
 */

static gs_status add_event(page *p, gs_trace *t, gs_action action, uint64_t address, int64_t size,
	int64_t stream, gs_id stack)
{
	gs_event *e = gs_trace_append(t);
	uint32_t index = gs_snapshot_stream(p->s, stream == GS_NONE ? 0 : (uint64_t)stream);
	if (!e || index == UINT32_MAX)
		return gs_fail(&p->error, GS_NO_MEMORY, "out of memory");
	if (index >= MOST_STREAMS)
		return gs_fail(&p->error, GS_LIMIT, "more than %d streams", MOST_STREAMS);
	e->address = address;
	e->size = size == GS_NONE ? 0 : (uint64_t)size;
	e->stream = (uint16_t)index;
	e->stack = stack;
	e->tag_action = action;
	return GS_OK;
}

/* The page folds a free_requested and the free_completed right behind it into "free". */
static gs_status add_events(page *p, gs_trace *t)
{
	for (size_t i = 0; i < p->c[EV_ACTION].n && !p->error.status; i++) {
		const char *word = string_at(p, cell(p, EV_ACTION, i));
		bool both = !strcmp(word, "free");
		gs_action action = both ? GS_ACTION_FREE_REQUESTED : gs_action_parse(word, strlen(word));
		uint64_t address = (uint64_t)cell(p, EV_ADDR, i);
		int64_t size = cell(p, EV_SIZE, i), stream = cell(p, EV_STREAM, i);
		gs_id stack = stack_of(p, cell(p, EV_FRAMES, i));
		add_event(p, t, action, address, size, stream, stack);
		if (both && !p->error.status)
			add_event(p, t, GS_ACTION_FREE_COMPLETED, address, size, stream, stack);
	}
	return p->error.status;
}

/* An element's first line begins with b or s (a segment), its address, and how often that was used
 * before. */
static uint64_t element_address(const char *line, bool *segment)
{
	*segment = line[0] == 's';
	if ((line[0] != 'b' && line[0] != 's') || !isxdigit((unsigned char)line[1]))
		return 0;
	char *end;
	uint64_t address = strtoull(line + 1, &end, 16);
	return *end == '_' ? address : 0;
}

/* `actions` names an element twice: when it comes and when it goes. */
static gs_status add_actions(page *p, gs_trace *t)
{
	int sizes = p->c[EL_SIZE].n ? EL_SIZE : OLD_SIZE, infos = p->c[EL_SIZE].n ? EL_INFO : OLD_INFO;
	size_t n = p->c[sizes].n;
	unsigned char *live = gs_memory_zeroed(n + 1, 1);
	if (!live)
		return gs_fail(&p->error, GS_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < p->c[INITIALLY].n; i++)
		if ((uint64_t)p->c[INITIALLY].v[i] < n)
			live[p->c[INITIALLY].v[i]] = 1;
	for (size_t i = 0; i < p->c[ACTIONS].n && !p->error.status; i++) {
		uint64_t e = (uint64_t)p->c[ACTIONS].v[i];
		if (e >= n)
			continue;
		int64_t info = cell(p, infos, e);
		bool segment;
		uint64_t address = element_address(
			string_at(p, info >= 0 ? cell(p, SUFFIXES, 2 * (size_t)info) : -1), &segment);
		gs_action come = segment ? GS_ACTION_SEGMENT_ALLOC : GS_ACTION_ALLOC,
				  go = segment ? GS_ACTION_SEGMENT_FREE : GS_ACTION_FREE_COMPLETED;
		add_event(p, t, live[e] ? go : come, address ? address : e + 1, cell(p, sizes, e), 0,
			stack_of(p, info));
		live[e] = !live[e];
	}
	gs_memory_give(live);
	return p->error.status;
}

/* --- layout ------------------------------------------------------------------------------------
 */

static int by_address(const void *a, const void *b)
{
	const gs_segment *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static int block_by_address(const void *a, const void *b)
{
	const gs_block *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static gs_block *live_blocks(page *p)
{
	size_t n = p->c[BL_ADDR].n;
	gs_block *b = gs_memory_zeroed(n + 1, sizeof *b);
	for (size_t i = 0; b && i < n; i++) {
		b[i] = (gs_block){.address = (uint64_t)cell(p, BL_ADDR, i),
			.idx = GS_NONE,
			.requested = cell(p, BL_REAL, i)};
		b[i].size = cell(p, BL_SIZE, i) < 0 ? 0 : (uint64_t)cell(p, BL_SIZE, i);
		b[i].state = cell(p, BL_PENDING, i) == 1 ? GS_ACTIVE_PENDING_FREE : GS_ACTIVE_ALLOCATED;
		b[i].stack = stack_of(p, cell(p, BL_FRAMES, i));
	}
	if (b)
		qsort(b, n, sizeof *b, block_by_address);
	return b;
}

/* The page leaves holes out: they are what lies between live blocks. */
static void lay_out(page *p, gs_layout *l, const gs_block *live)
{
	size_t n = p->c[BL_ADDR].n, k = 0;
	for (size_t i = 0; i < l->nsegments; i++) {
		gs_segment *g = &l->segments[i];
		uint64_t at = g->address, end = g->address + g->size;
		g->first_block = l->nblocks;
		while (k < n && live[k].address < at)
			k++;
		for (; k < n && live[k].address < end; at = live[k].address + live[k].size, k++) {
			if (live[k].address > at)
				l->blocks[l->nblocks++] = (gs_block){.address = at,
					.size = live[k].address - at,
					.requested = GS_NONE,
					.idx = GS_NONE,
					.state = GS_INACTIVE};
			l->blocks[l->nblocks++] = live[k];
		}
		if (at < end)
			l->blocks[l->nblocks++] = (gs_block){.address = at,
				.size = end - at,
				.requested = GS_NONE,
				.idx = GS_NONE,
				.state = GS_INACTIVE};
		g->nblocks = l->nblocks - g->first_block;
	}
}

static gs_status add_layout(page *p, gs_layout *l)
{
	size_t n = p->c[SEG_ADDR].n, nblocks = p->c[BL_ADDR].n;
	gs_block *live = live_blocks(p);
	l->segments = gs_memory_zeroed(n + 1, sizeof *l->segments);
	l->blocks = gs_memory_zeroed(n + 2 * nblocks + 1, sizeof *l->blocks);
	if (!live || !l->segments || !l->blocks) {
		gs_memory_give(live);
		return gs_fail(&p->error, GS_NO_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		gs_segment *g = &l->segments[i];
		g->address = (uint64_t)cell(p, SEG_ADDR, i);
		g->size = cell(p, SEG_SIZE, i) < 0 ? 0 : (uint64_t)cell(p, SEG_SIZE, i);
		g->stream = cell(p, SEG_STREAM, i) == GS_NONE ? 0 : (uint64_t)cell(p, SEG_STREAM, i);
		g->pool = g->size == 2 << 20 ? GS_SMALL : GS_LARGE; /* the sizes of 2.0's rules */
		g->has_address = true;
	}
	qsort(l->segments, n, sizeof *l->segments, by_address);
	l->nsegments = n;
	lay_out(p, l, live);
	gs_memory_give(live);
	return p->error.status;
}

static gs_status build(page *p)
{
	bool trace = p->c[EV_ACTION].n || p->c[SEG_ADDR].n;
	p->s->kind = GS_KIND_PYTORCH;
	p->s->library = "pytorch";
	p->s->tool = "PyTorch";
	p->s->release_min = p->s->release_max = "2.0";
	if (!trace && !p->c[ACTIONS].n)
		return GS_OK;
	gs_device *d = gs_snapshot_device(p->s, 0);
	if (!d)
		return gs_fail(&p->error, GS_NO_MEMORY, "out of memory");
	d->has_layout = trace;
	if (trace && add_layout(p, &d->captured))
		return p->error.status;
	if (!(p->want & GS_WANT_EVENTS)) {
		p->s->events_skipped = p->c[EV_ACTION].n || p->c[ACTIONS].n;
		return GS_OK;
	}
	return trace ? add_events(p, &d->trace) : add_actions(p, &d->trace);
}

gs_status gs_html_columns(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	page p = {.s = s, .want = want, .at = NO_COLUMN};
	gs_status status = gs_json_stream(source, &callbacks, &p, false, &p.error, err);
	if (!status && !p.finished)
		status = gs_fail(err, GS_FORMAT, "the page's data is no JSON object");
	if (!status && build(&p))
		status = gs_fail(err, p.error.status, "%s", p.error.text);
	for (int i = 0; i < NCOLUMNS; i++)
		gs_memory_give(p.c[i].v);
	gs_memory_give(p.stack_of_suffix);
	gs_memory_give(p.frame_of_suffix);
	return status;
}
