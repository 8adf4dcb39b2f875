/* Reading events and stacks back. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/store/read_internal.h"

enum { MAX_DEPTH = 4096, MAX_IDS = 1 << 28 };

/* --- stacks, each when it is first met --- */

/* An array for ids up to the greatest in a table; ids beyond MAX_IDS are not ours. */
static gs_id *ids_of(gs_reading *r, const char *sql, int64_t *n)
{
	int64_t most = gs_db_value(r->store->db, sql, 0);
	*n = most < 0 || most > MAX_IDS ? 1 : most + 1;
	return calloc((size_t)*n, sizeof(gs_id));
}

static gs_id read_stack(gs_reading *r, int64_t id)
{
	gs_id frames[MAX_DEPTH];
	uint32_t n = 0;
	if (!r->frames &&
		gs_db_prepare(r->store->db,
			"SELECT f.name, f.file, f.line, f.class FROM main.stack_frame AS k JOIN main.frame AS f"
			" ON f.id = k.frame_id WHERE k.stack_id = ? ORDER BY k.depth",
			&r->frames, NULL))
		return 0;
	gs_db_int(r->frames, 1, id);
	while (n < MAX_DEPTH && sqlite3_step(r->frames) == SQLITE_ROW) {
		gs_id name = gs_reading_string(r, r->frames, 0), file = gs_reading_string(r, r->frames, 1);
		int64_t class = gs_db_get(r->frames, 3);
		frames[n] = gs_snapshot_classed_frame(r->s, name, file, gs_db_get(r->frames, 2),
			class > 0 && class <= UINT32_MAX ? (uint32_t) class : 0);
		n += frames[n] != 0;
	}
	sqlite3_reset(r->frames);
	return gs_snapshot_stack(r->s, frames, n);
}

gs_id gs_reading_stack(gs_reading *r, int64_t id)
{
	if (!(r->want & GS_WANT_STACKS) || id <= 0)
		return 0;
	if (!r->stack_of)
		r->stack_of = ids_of(r, "SELECT max(id) FROM main.stack", &r->nstack_of);
	if (!r->stack_of || id >= r->nstack_of)
		return 0;
	if (!r->stack_of[id])
		r->stack_of[id] = read_stack(r, id) + 1;
	return r->stack_of[id] - 1;
}

/* --- events --- */

static gs_status tag_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	int64_t id = sqlite3_column_int64(q, 0);
	(void)err;
	if (id > 0 && id < r->ntag_of)
		r->tag_of[id] = gs_reading_string(r, q, 1);
	return GS_OK;
}

static gs_status read_tags(gs_reading *r, gs_error *err)
{
	if (r->tag_of)
		return GS_OK;
	r->tag_of = ids_of(r, "SELECT max(id) FROM main.tag", &r->ntag_of);
	if (!r->tag_of)
		return gs_fail(err, GS_NO_MEMORY, "tags");
	return gs_reading_each(r, "SELECT id, name FROM main.tag WHERE snapshot_id = ?", tag_row, err);
}

static gs_status more_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	int64_t id = sqlite3_column_int64(q, 0);
	(void)err;
	if (id > 0 && id < r->nmore_of)
		r->more_of[id] = gs_reading_string(r, q, 1);
	return GS_OK;
}

static gs_status read_more(gs_reading *r, gs_error *err)
{
	if (r->more_of)
		return GS_OK;
	r->more_of = ids_of(r, "SELECT max(id) FROM main.more", &r->nmore_of);
	if (!r->more_of)
		return gs_fail(err, GS_NO_MEMORY, "more");
	return gs_reading_each(
		r, "SELECT id, text FROM main.more WHERE snapshot_id = ?", more_row, err);
}

static gs_status fill_event(gs_reading *r, sqlite3_stmt *q, gs_event *e, gs_error *err)
{
	int64_t action = sqlite3_column_int64(q, 0), time = gs_db_get(q, 5), tag = gs_db_get(q, 7),
			more = gs_db_get(q, 8);
	const char *pool = (const char *)sqlite3_column_text(q, 4);
	gs_id tag_id = tag > 0 && tag < r->ntag_of ? r->tag_of[tag] : 0;
	if (action < 0 || action >= GS_ACTION_COUNT || tag_id >= 1u << 24)
		return gs_fail(err, GS_FORMAT, "an event of unknown action %lld", (long long)action);
	e->tag_action = tag_id << 8 | (uint32_t)action;
	e->more = more > 0 && more < r->nmore_of ? r->more_of[more] : 0;
	e->address = (uint64_t)sqlite3_column_int64(q, 1);
	e->size = (uint64_t)sqlite3_column_int64(q, 2);
	e->time_us = time == GS_NONE ? GS_NONE : (int64_t)((uint64_t)time + (uint64_t)r->base_us);
	uint32_t stream_index = gs_snapshot_stream(r->s, (uint64_t)sqlite3_column_int64(q, 3));
	uint32_t pool_index = pool ? gs_snapshot_pool(r->s, gs_pool_parse(pool)) : 0;
	if (stream_index == UINT32_MAX || pool_index == UINT32_MAX)
		return gs_fail(err, GS_NO_MEMORY, "events");
	e->stream = (uint16_t)stream_index;
	e->pool = (uint16_t)pool_index;
	e->stack = gs_reading_stack(r, gs_db_get(q, 6));
	return GS_OK;
}

static gs_status event_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	gs_event *e = gs_trace_append(&r->into->trace);
	return e ? fill_event(r, q, e, err) : gs_fail(err, GS_NO_MEMORY, "events");
}

static gs_status trace_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	sqlite3_stmt *events = NULL;
	int64_t first = sqlite3_column_int64(q, 0), n = sqlite3_column_int64(q, 1);
	r->base_us = sqlite3_column_int64(q, 2);
	if (first < 0 || n < 0 || n > INT64_MAX - first)
		return gs_fail(err, GS_FORMAT, "a trace of %lld events", (long long)n);
	gs_status status = gs_db_prepare(r->store->db,
		"SELECT action, address, size, stream, pool_id, time, stack_id, tag_id, more_id"
		" FROM main.packed_event WHERE id >= ? AND id < ? ORDER BY id",
		&events, err);
	if (!status) {
		gs_db_int(events, 1, first);
		gs_db_int(events, 2, first + n);
	}
	while (!status && !(status = gs_db_next(events, err)))
		status = event_row(r, events, err);
	sqlite3_finalize(events);
	return status == GS_END ? GS_OK : status;
}

/* An out-of-memory's event keeps the device's free bytes in the place of an address; they stand in
 * its row of oom. */
static void set_free_of_ooms(gs_snapshot *s, gs_device *d)
{
	for (size_t i = 0; i < s->nooms; i++) {
		const gs_oom *o = &s->ooms[i];
		if (o->device == d->device && o->idx >= 0 && (uint64_t)o->idx < d->trace.n &&
			o->device_free != GS_NONE && gs_event_action(&d->trace.events[o->idx]) == GS_ACTION_OOM)
			d->trace.events[o->idx].address = (uint64_t)o->device_free;
	}
}

gs_status gs_reading_events(gs_reading *r, gs_device *d, gs_error *err)
{
	r->into = d;
	r->device = gs_device_number(d->device);
	d->trace.skipped = 0;
	gs_status status = read_tags(r, err);
	if (!status)
		status = read_more(r, err);
	if (!status)
		status = gs_reading_each(r,
			"SELECT first, events, base_us FROM main.trace WHERE snapshot_id = ? AND device = ?",
			trace_row, err);
	if (!status)
		set_free_of_ooms(r->s, d);
	return status;
}

void gs_reading_release(gs_reading *r)
{
	sqlite3_finalize(r->frames);
	free(r->stack_of);
	free(r->tag_of);
	free(r->more_of);
}
