/* Reader of RMM's CSV logs: a replay of what was allocated, freed and refused.
 *
 * The log tells what callers asked of RMM, not what RMM asked of the driver, so an allocation is a
 * segment of its own with one block, of the size asked for: `segment_alloc` and `alloc`, later
 * `free_requested`, `free_completed` and `segment_free`. What is still allocated at the end is the
 * captured layout. A failed allocation is an `oom` event and row. The size of a free is not
 * believed where the allocation is in the log (old releases wrote 0). A free of a pointer that the
 * log did not allocate (it began later) is kept as events with the printed size, or left out when
 * that is 0. An allocation at a pointer that is still in use ends the earlier one (its free was not
 * logged). Times have no date, so events have no time. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/hash_map.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/read/logs/rmm_rows.h"
#include "analyzer/read/logs/log.h"

enum { LONGEST_LINE = 4096 };

typedef struct odd {
	size_t lines, first_line;
} odd;

typedef struct replay {
	gs_snapshot *s;
	gs_device *d;      /* of the row before */
	gs_hash_map *live; /* by number of the device: address → the alloc event in its trace */
	size_t nlive, cap_live;
	size_t line;
	uint64_t failures;
	odd damaged, unknown, doubled;
} replay;

/* --- live allocations --- */

static gs_hash_map *live_of(replay *r, uint32_t device)
{
	if (!GS_ARRAY_RESERVE(r->live, r->cap_live, device + (size_t)1))
		return NULL;
	for (; r->nlive <= device; r->nlive++)
		r->live[r->nlive] = (gs_hash_map){0};
	return &r->live[device];
}

/* --- events --- */

static gs_event *event(replay *r, gs_action action, uint64_t address, uint64_t size,
	uint32_t stream, uint32_t pool, gs_id stack)
{
	gs_event *e = gs_trace_append(&r->d->trace);
	if (!e)
		return NULL;
	*e = (gs_event){.address = address,
		.size = size,
		.time_us = GS_NONE,
		.stream = stream,
		.pool = pool,
		.stack = stack,
		.tag_action = action};
	return e;
}

static gs_status freed(
	replay *r, uint64_t address, uint64_t size, uint32_t stream, uint32_t pool, gs_id stack)
{
	return event(r, GS_ACTION_FREE_REQUESTED, address, size, stream, pool, stack) &&
			event(r, GS_ACTION_FREE_COMPLETED, address, size, stream, pool, stack) &&
			event(r, GS_ACTION_SEGMENT_FREE, address, size, stream, pool, 0)
		? GS_OK
		: GS_NO_MEMORY;
}

static void note_line(replay *r, odd *o)
{
	if (!o->lines++)
		o->first_line = r->line;
}

/* "file.py:12" as a stack of one frame. */
static gs_id stack_of(gs_snapshot *s, const gs_rmm_row *row)
{
	const char *p = row->location, *end = p + row->location_length, *colon = end;
	int64_t line = 0;
	while (colon > p && colon[-1] >= '0' && colon[-1] <= '9')
		colon--;
	if (colon <= p + 1 || colon == end || colon[-1] != ':' || end - colon > 9)
		return 0;
	for (const char *c = colon; c < end; c++)
		line = line * 10 + (*c - '0');
	gs_id file = gs_snapshot_string(s, p, (size_t)(colon - 1 - p)),
		  name = gs_snapshot_string(s, "?", 1);
	gs_id frame = file && name ? gs_snapshot_frame(s, name, file, line) : 0;
	return frame ? gs_snapshot_stack(s, &frame, 1) : 0;
}

static gs_status free_live(replay *r, uint32_t at)
{
	gs_event e = r->d->trace.events[at];
	return freed(r, e.address, e.size, e.stream, e.pool, e.stack);
}

static gs_status allocate(replay *r, const gs_rmm_row *row, uint32_t stream, uint32_t pool)
{
	gs_hash_map *live = live_of(r, row->device);
	gs_id stack = stack_of(r->s, row);
	uint32_t at;
	if (!live || r->d->trace.n >= UINT32_MAX - 8)
		return GS_NO_MEMORY;
	if (gs_hash_map_take(live, row->pointer, &at)) {
		note_line(r, &r->doubled);
		if (free_live(r, at))
			return GS_NO_MEMORY;
	}
	if (!row->size)
		return GS_OK;
	return event(r, GS_ACTION_SEGMENT_ALLOC, row->pointer, row->size, stream, pool, stack) &&
			event(r, GS_ACTION_ALLOC, row->pointer, row->size, stream, pool, stack) &&
			gs_hash_map_put(live, row->pointer, (uint32_t)r->d->trace.n - 1)
		? GS_OK
		: GS_NO_MEMORY;
}

static gs_status release(replay *r, const gs_rmm_row *row, uint32_t stream, uint32_t pool)
{
	gs_hash_map *live = live_of(r, row->device);
	uint32_t at;
	if (!live)
		return GS_NO_MEMORY;
	if (gs_hash_map_take(live, row->pointer, &at))
		return free_live(r, at);
	note_line(r, &r->unknown);
	return row->size ? freed(r, row->pointer, row->size, stream, pool, 0) : GS_OK;
}

static gs_status fail(replay *r, const gs_rmm_row *row, uint32_t stream, uint32_t pool)
{
	gs_id stack = stack_of(r->s, row);
	gs_oom *o = event(r, GS_ACTION_OOM, row->free_memory, row->size, stream, pool, stack)
		? gs_snapshot_add_oom(r->s)
		: NULL;
	if (!o)
		return GS_NO_MEMORY;
	o->device = r->d->device;
	o->idx = (int64_t)r->d->trace.n - 1;
	o->requested = (int64_t)row->size;
	o->stream = (int64_t)row->stream;
	o->pool = GS_CLASS_UNKNOWN;
	o->library = "rmm";
	o->stack = stack;
	if (row->free_memory)
		o->device_free = (int64_t)row->free_memory;
	if (row->total_memory)
		o->capacity = (int64_t)row->total_memory;
	r->failures++;
	return GS_OK;
}

static gs_status play(replay *r, const gs_rmm_row *row)
{
	if (!r->d || r->d->device != (int32_t)row->device) {
		r->d = gs_snapshot_device(r->s, (int32_t)row->device);
		if (!r->d)
			return GS_NO_MEMORY;
	}
	uint32_t stream = gs_snapshot_stream(r->s, row->stream),
			 pool = gs_snapshot_pool(r->s, (gs_pool_id){0, row->pool});
	if (stream == UINT32_MAX || pool == UINT32_MAX)
		return GS_NO_MEMORY;
	if (row->total_memory)
		r->d->capacity = (int64_t)row->total_memory;
	if (row->free_memory)
		r->d->device_free = (int64_t)row->free_memory;
	r->d->layout_at_oom = row->action == GS_RMM_FAILURE;
	switch (row->action) {
	case GS_RMM_ALLOC: return allocate(r, row, stream, pool);
	case GS_RMM_FREE: return release(r, row, stream, pool);
	default: return fail(r, row, stream, pool);
	}
}

/* --- lines --- */

/* The next line without its end, at most LONGEST_LINE bytes of it (the rest is skipped, *whole
 * false). false at the end. */
static bool next_line(gs_source *source, char *line, size_t *n, bool *whole, bool *ended)
{
	const unsigned char *p;
	size_t have = gs_source_peek(source, 1, &p);
	*n = 0;
	*whole = true;
	*ended = false;
	if (!have)
		return false;
	while (!*ended && (have = gs_source_peek(source, 1, &p))) {
		const unsigned char *newline = memchr(p, '\n', have);
		size_t part = newline ? (size_t)(newline - p) : have, room = LONGEST_LINE - *n;
		*whole &= part <= room;
		memcpy(line + *n, p, part < room ? part : room);
		*n += part < room ? part : room;
		*ended = newline != NULL;
		gs_source_skip(source, part + (newline != NULL));
	}
	return true;
}

static gs_status play_lines(replay *r, gs_source *source, gs_error *err)
{
	char line[LONGEST_LINE];
	size_t n;
	bool whole, ended;
	gs_rmm_header header = gs_rmm_default;
	for (;;) {
		uint64_t offset = gs_source_offset(source);
		gs_rmm_row row;
		if (!next_line(source, line, &n, &whole, &ended))
			break;
		r->line++;
		n = gs_rmm_line_clean(line, n, line);
		if (!n || gs_rmm_header_parse(line, n, &header))
			continue;
		bool is = whole && gs_rmm_row_parse(&header, line, n, &row);
		if (is && (ended || row.columns >= header.columns)) {
			if (play(r, &row))
				return gs_fail(err, GS_NO_MEMORY,
					"no memory for the event of line %zu at byte %llu", r->line,
					(unsigned long long)offset);
		} else if (!ended) {
			r->s->complete = false;
			r->s->cut_at = offset;
		} else {
			note_line(r, &r->damaged);
		}
	}
	return gs_source_status(source, err);
}

/* --- the end --- */

static int by_address(const void *a, const void *b)
{
	const gs_block *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

/* What is still allocated on a device. */
static gs_status capture(replay *r, gs_device *d, gs_error *err)
{
	gs_hash_map *live = (size_t)d->device < r->nlive ? &r->live[d->device] : NULL;
	gs_layout *c = &d->captured;
	size_t n = live ? live->n : 0;
	d->has_layout = true;
	if (!n)
		return GS_OK;
	c->blocks = gs_memory_zeroed(n, sizeof *c->blocks);
	c->segments = gs_memory_zeroed(n, sizeof *c->segments);
	if (!c->blocks || !c->segments)
		return gs_fail(err, GS_NO_MEMORY, "no memory for %zu allocations", n);
	for (size_t i = 0; i < live->cap; i++)
		if (live->entries[i].used) {
			const gs_event *e = &d->trace.events[live->entries[i].value];
			c->blocks[c->nblocks++] = (gs_block){.address = e->address,
				.size = e->size,
				.requested = (int64_t)e->size,
				.idx = live->entries[i].value,
				.stack = e->stack,
				.state = GS_ACTIVE_ALLOCATED};
		}
	gs_hash_map_release(live);
	qsort(c->blocks, n, sizeof *c->blocks, by_address);
	for (size_t i = 0; i < n; i++) {
		const gs_event *e = &d->trace.events[c->blocks[i].idx];
		c->blocks[i].segment = (uint32_t)i;
		c->segments[i] = (gs_segment){.address = e->address,
			.size = e->size,
			.stream = r->s->streams[e->stream],
			.pool_id = e->pool ? r->s->pools[e->pool - 1] : (gs_pool_id){0, 0},
			.stack = e->stack,
			.pool = GS_CLASS_UNKNOWN,
			.has_address = true,
			.first_block = i,
			.nblocks = 1};
	}
	c->nsegments = n;
	return GS_OK;
}

static void warn_of(gs_snapshot *s, const odd *o, const char *what)
{
	if (o->lines)
		gs_snapshot_warn(s, "%zu line%s %s (the first is line %zu)", o->lines,
			o->lines > 1 ? "s" : "", what, o->first_line);
}

static gs_status conclude(replay *r, unsigned want, gs_error *err)
{
	gs_snapshot *s = r->s;
	for (size_t i = 0; i < s->ndevices; i++) {
		gs_device *d = &s->devices[i];
		gs_status status = capture(r, d, err);
		if (status)
			return status;
		d->trace.complete = r->unknown.lines ? 0 : -1;
		if (want & GS_WANT_EVENTS)
			continue;
		d->trace.skipped = d->trace.n;
		gs_memory_give(d->trace.events);
		d->trace.events = NULL;
		d->trace.n = d->trace.cap = 0;
		s->events_skipped = true;
	}
	warn_of(s, &r->damaged, "can't be read as a row of the log");
	warn_of(s, &r->unknown, "free what the log did not allocate: it began later");
	warn_of(s, &r->doubled, "allocate what is still in use: a free is missing");
	if (!r->failures)
		gs_snapshot_warn(s, "no failed allocation in this log");
	return GS_OK;
}

static gs_status read_rmm(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	replay r = {.s = s};
	s->kind = GS_KIND_RMM;
	s->library = "rmm";
	gs_status status = play_lines(&r, source, err);
	if (!status)
		status = conclude(&r, want, err);
	for (size_t i = 0; i < r.nlive; i++)
		gs_hash_map_release(&r.live[i]);
	gs_memory_give(r.live);
	return status;
}

/* Whether the line is surely a row: it has the default columns and an address as RMM writes it. */
static bool sure_row(const char *line, size_t n)
{
	gs_rmm_row row;
	return gs_rmm_row_parse(&gs_rmm_default, line, n, &row) &&
		row.columns >= gs_rmm_default.columns - 1 &&
		(memmem(line, n, ",0x", 3) || memmem(line, n, "(nil)", 5));
}

/* A header, or rows of the default columns: half of the first lines, or some between the lines of
 * other programs. */
static int probe(const unsigned char *head, size_t n)
{
	enum { FIRST = 4, SOME = 3 };
	char line[LONGEST_LINE];
	const char *p = (const char *)head, *end = p + n;
	unsigned rows = 0, lines = 0;
	bool half = false, text = gs_text_likeness(head, n) != 0;
	gs_rmm_header h;
	gs_rmm_row row;
	while (p < end && text && rows < SOME) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t whole = (size_t)((newline ? newline : end) - p);
		size_t length = whole < LONGEST_LINE ? gs_rmm_line_clean(p, whole, line) : 0;
		p += whole + 1;
		if (!length)
			continue;
		if (gs_rmm_header_parse(line, length, &h))
			return 90;
		rows += lines < FIRST ? gs_rmm_row_parse(&gs_rmm_default, line, length, &row)
							  : sure_row(line, length);
		if (++lines <= FIRST)
			half = rows * 2 >= lines;
	}
	return half || rows >= SOME ? 85 : 0;
}

const gs_reader gs_reader_rmm = {"rmm", probe, read_rmm};
