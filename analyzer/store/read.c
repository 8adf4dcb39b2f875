/* Reading a snapshot back from its tables. The tables' shape was checked when the database was
 * opened; their content may still be anything, so ids and numbers are checked where they are used.
 * Events and stacks are in read_trace.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/store/store_internal.h"
#include "analyzer/store/read_internal.h"

static const char *text(gs_reading *r, sqlite3_stmt *q, int column)
{
	const char *t = (const char *)sqlite3_column_text(q, column);
	return t ? gs_snapshot_text(r->s, t, (size_t)sqlite3_column_bytes(q, column)) : NULL;
}

static gs_kind kind_of(const char *word)
{
	for (int k = GS_KIND_UNKNOWN; k <= GS_KIND_TEXT; k++)
		if (word && !strcmp(word, gs_kind_text((gs_kind)k)))
			return (gs_kind)k;
	return GS_KIND_UNKNOWN;
}

static gs_status snapshot_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	gs_snapshot *s = r->s;
	const char *sha = (const char *)sqlite3_column_text(q, 8);
	(void)err;
	r->found = true;
	s->path = text(r, q, 1);
	s->kind = kind_of((const char *)sqlite3_column_text(q, 2));
	s->host = text(r, q, 3);
	s->pid = gs_db_get(q, 4);
	s->rank = gs_db_get(q, 5);
	s->time_us = gs_db_get(q, 6);
	s->tool = text(r, q, 7);
	if (sha && strlen(sha) == 64)
		memcpy(s->sha256, sha, 65);
	s->complete = sqlite3_column_int(q, 9) != 0;
	s->cut_at = s->complete ? 0 : (uint64_t)sqlite3_column_int64(q, 10);
	s->rules = text(r, q, 11);
	s->library = text(r, q, 12);
	s->argv = text(r, q, 13);
	s->driver = text(r, q, 14);
	s->release_min = text(r, q, 15);
	s->release_max = text(r, q, 16);
	s->reason = text(r, q, 17);
	s->above = text(r, q, 18);
	return GS_OK;
}

static gs_status setting_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	const char *name = (const char *)sqlite3_column_text(q, 0),
			   *value = (const char *)sqlite3_column_text(q, 1);
	gs_status status = gs_snapshot_add_setting(r->s, name ? name : "", value ? value : "");
	return status ? gs_fail(err, status, "settings") : GS_OK;
}

static gs_status stat_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	gs_stat x = {sqlite3_column_type(q, 0) == SQLITE_NULL ? -1 : sqlite3_column_int(q, 0),
		gs_reading_string(r, q, 1), gs_reading_string(r, q, 2), gs_db_get(q, 3), gs_db_get(q, 4),
		gs_db_get(q, 5), gs_db_get(q, 6)};
	gs_status status = gs_snapshot_add_stat(r->s, &x);
	return status ? gs_fail(err, status, "statistics") : GS_OK;
}

static gs_status annotation_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	int64_t device = gs_db_get(q, 2);
	gs_annotation x = {gs_reading_string(r, q, 0), gs_reading_string(r, q, 1),
		device == GS_NONE ? -1 : (int32_t)device, gs_db_get(q, 3)};
	gs_status status = gs_snapshot_add_annotation(r->s, &x);
	return status ? gs_fail(err, status, "annotations") : GS_OK;
}

static gs_status warning_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	const char *t = (const char *)sqlite3_column_text(q, 0);
	(void)err;
	if (t)
		gs_snapshot_warn(r->s, "%s", t);
	return GS_OK;
}

static gs_status oom_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	gs_oom *o = gs_snapshot_add_oom(r->s);
	if (!o)
		return gs_fail(err, GS_NO_MEMORY, "OOM rows");
	int64_t device = gs_db_get(q, 0);
	const char *pool_id = (const char *)sqlite3_column_text(q, 7);
	o->device = device == GS_NONE ? -1 : (int32_t)device;
	o->idx = gs_db_get(q, 1);
	o->time_us = gs_db_get(q, 2);
	o->requested = gs_db_get(q, 3);
	o->needed = gs_db_get(q, 4);
	o->stream = gs_db_get(q, 5);
	o->pool = (int8_t)gs_class_parse((const char *)sqlite3_column_text(q, 6));
	o->has_pool_id = pool_id != NULL;
	o->pool_id = gs_pool_parse(pool_id);
	o->device_free = gs_db_get(q, 8);
	o->capacity = gs_db_get(q, 9);
	o->allocated = gs_db_get(q, 10);
	o->reserved = gs_db_get(q, 11);
	o->allowed = gs_db_get(q, 12);
	o->library = text(r, q, 13);
	o->message = text(r, q, 15);
	o->told = (gs_oom_told){gs_db_get(q, 16), gs_db_get(q, 17), gs_db_get(q, 18), gs_db_get(q, 19),
		gs_db_get(q, 20), gs_db_get(q, 21), gs_db_get(q, 22),
		(uint32_t)sqlite3_column_int64(q, 23)};
	int64_t stack = gs_db_get(q, 14);
	o->stack = gs_reading_stack(r, stack);
	return GS_OK;
}

static gs_status outsider_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	int64_t device = gs_db_get(q, 0);
	gs_outsider x = {.device = device == GS_NONE ? -1 : (int32_t)device,
		.pid = gs_db_get(q, 2),
		.bytes = gs_db_get(q, 3),
		.holder = gs_reading_string(r, q, 1),
		.known = gs_reading_string(r, q, 4)};
	gs_status status = gs_snapshot_add_outsider(r->s, &x);
	return status ? gs_fail(err, status, "holders of memory") : GS_OK;
}

/* --- devices and their captured layout ----------------------------------------------------------
 */

static gs_status device_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	int64_t number = sqlite3_column_type(q, 0) == SQLITE_NULL ? -1 : sqlite3_column_int64(q, 0);
	if (number < -1 || number > INT32_MAX)
		return gs_fail(err, GS_FORMAT, "device number %lld", (long long)number);
	gs_device *d = gs_snapshot_device(r->s, (int32_t)number);
	if (!d)
		return gs_fail(err, GS_NO_MEMORY, "devices");
	d->name = gs_reading_string(r, q, 1);
	d->capacity = gs_db_get(q, 2);
	d->device_free = gs_db_get(q, 3);
	d->allowed = gs_db_get(q, 4);
	d->others = gs_db_get(q, 5);
	r->s->lost |= sqlite3_column_type(q, 6) == SQLITE_NULL ? GS_LOST_EVENTS : 0;
	r->s->lost |= sqlite3_column_type(q, 9) == SQLITE_NULL ? GS_LOST_OOMS : 0;
	d->trace.skipped = (uint64_t)sqlite3_column_int64(q, 6);
	d->trace.dropped = (uint64_t)sqlite3_column_int64(q, 7);
	d->trace.complete = sqlite3_column_type(q, 8) == SQLITE_NULL ? -1
																 : sqlite3_column_int(q, 8) != 0;
	d->layout_at_oom = sqlite3_column_int(q, 9) != 0;
	d->has_layout = sqlite3_column_int(q, 10) != 0;
	d->captured.idx = gs_db_get(q, 11);
	d->reserved = gs_db_get(q, 12);
	d->allocated = gs_db_get(q, 13);
	return GS_OK;
}

static gs_status segment_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	gs_layout *l = r->layout;
	int64_t blocks = sqlite3_column_int64(q, 7);
	if (!GS_ARRAY_ONE_MORE(l->segments, l->nsegments))
		return gs_fail(err, GS_NO_MEMORY, "segments");
	gs_segment *g = &l->segments[l->nsegments];
	if (blocks < 0 || (uint64_t)blocks > UINT32_MAX - r->blocks)
		return gs_fail(err, GS_FORMAT, "a segment of %lld blocks", (long long)blocks);
	g->has_address = sqlite3_column_type(q, 0) != SQLITE_NULL;
	g->address = (uint64_t)sqlite3_column_int64(q, 0);
	g->size = (uint64_t)sqlite3_column_int64(q, 1);
	g->pool = (uint8_t)gs_class_parse((const char *)sqlite3_column_text(q, 2));
	g->pool_id = gs_pool_parse((const char *)sqlite3_column_text(q, 3));
	g->stream = (uint64_t)sqlite3_column_int64(q, 4);
	g->expandable = sqlite3_column_int(q, 5) != 0;
	g->stack = gs_reading_stack(r, gs_db_get(q, 6));
	g->first_block = r->blocks;
	g->nblocks = (size_t)blocks;
	r->blocks += (size_t)blocks;
	l->nsegments++;
	return GS_OK;
}

static gs_status block_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	gs_layout *l = r->layout;
	gs_block_state state = gs_block_state_parse((const char *)sqlite3_column_text(q, 3));
	if (!GS_ARRAY_ONE_MORE(l->blocks, l->nblocks))
		return gs_fail(err, GS_NO_MEMORY, "blocks");
	gs_block *b = &l->blocks[l->nblocks];
	if (state == GS_BLOCK_STATES)
		return gs_fail(err, GS_FORMAT, "a block in no known state");
	b->address = (uint64_t)sqlite3_column_int64(q, 0);
	b->size = (uint64_t)sqlite3_column_int64(q, 1);
	b->requested = gs_db_get(q, 2);
	b->state = (uint8_t)state;
	b->stack = gs_reading_stack(r, gs_db_get(q, 4));
	b->tag = gs_reading_string(r, q, 5);
	b->idx = gs_db_get(q, 6);
	b->stale = (uint64_t)sqlite3_column_int64(q, 7);
	b->more = gs_reading_string(r, q, 8);
	l->nblocks++;
	return GS_OK;
}

static gs_status state_row(gs_reading *r, sqlite3_stmt *q, gs_error *err)
{
	const char *note = (const char *)sqlite3_column_text(q, 2);
	(void)err;
	r->state = sqlite3_column_int64(q, 0);
	r->layout->exact = sqlite3_column_int(q, 1) != 0;
	snprintf(r->layout->note, sizeof r->layout->note, "%s", note ? note : "");
	return GS_OK;
}

static gs_status read_layout(gs_reading *r, gs_device *d, gs_error *err)
{
	r->layout = &d->captured;
	r->blocks = 0;
	r->state = -1;
	r->device = gs_device_number(d->device);
	gs_status status = gs_reading_each(r,
		"SELECT id, exact, note FROM main.state WHERE snapshot_id = ? AND device IS ? AND name = 'captured'",
		state_row, err);
	r->device = r->state; /* the second parameter of the next two */
	if (!status)
		status = gs_reading_each(r,
			"SELECT address, size, pool, pool_id, stream, expandable, stack_id, blocks FROM main.all_segment"
			" WHERE snapshot_id = ? AND state_id = ? ORDER BY rowid",
			segment_row, err);
	if (!status)
		status = gs_reading_each(r,
			"SELECT address, size, requested, state, stack_id, tag, idx, stale, more FROM main.all_block"
			" WHERE snapshot_id = ? AND state_id = ? ORDER BY rowid",
			block_row, err);
	if (!status && r->blocks != d->captured.nblocks)
		return gs_fail(err, GS_FORMAT, "device %d: segments of %zu blocks, but %zu blocks",
			d->device, r->blocks, d->captured.nblocks);
	return status;
}

static gs_status read_devices(gs_reading *r, gs_error *err)
{
	gs_status status = gs_reading_each(r,
		"SELECT device, name, capacity, device_free, allowed, others, events, dropped, from_start,"
		" at_oom, has_layout, captured_idx, said_reserved, said_allocated FROM main.device WHERE snapshot_id = ? ORDER BY device",
		device_row, err);
	for (size_t i = 0; i < r->s->ndevices && !status; i++) {
		status = read_layout(r, &r->s->devices[i], err);
		if (!status && r->want & GS_WANT_EVENTS)
			status = gs_reading_events(r, &r->s->devices[i], err);
		else if (r->s->devices[i].trace.skipped)
			r->s->events_skipped = true;
	}
	return status;
}

/* Facts of the snapshot, in the order in which they are read. */
static const struct {
	const char *sql;
	gs_reading_row *row;
} facts[] = {
	{"SELECT name, value FROM main.setting WHERE snapshot_id = ? ORDER BY rowid", setting_row},
	{"SELECT device, name, pool, current, peak, allocated, freed FROM main.stat"
	 " WHERE snapshot_id = ? ORDER BY rowid",
		stat_row},
	{"SELECT name, stage, device, time_us FROM main.annotation WHERE snapshot_id = ?"
	 " ORDER BY rowid",
		annotation_row},
	{"SELECT device, idx, time_us, requested, needed, stream, pool, pool_id, device_free, capacity,"
	 " allocated, reserved, allowed, library, stack_id, message,"
	 " others, own, counted, private_free, pool_free, pool_largest, line, says"
	 " FROM main.oom WHERE snapshot_id = ? ORDER BY rowid",
		oom_row},
	{"SELECT device, holder, pid, bytes, known FROM main.outsider WHERE snapshot_id = ?"
	 " ORDER BY rowid",
		outsider_row},
};

/* A file that was cut before what it tells of failures was loaded, and they are wanted. */
static gs_status check_failures(const gs_reading *r, gs_error *err)
{
	if (!(r->want & GS_WANT_FAILURES) || r->s->kind != GS_KIND_GSNAP ||
		!(r->s->lost & GS_LOST_OOMS))
		return GS_OK;
	return gs_fail(err, GS_TRUNCATED,
		"the file that was loaded ended at byte %llu, before what it tells of failures",
		(unsigned long long)r->s->cut_at);
}

static gs_status read_all(gs_reading *r, gs_error *err)
{
	gs_status status = gs_reading_each(
		r, "SELECT * FROM main.snapshot WHERE id = ?", snapshot_row, err);
	if (!status && !r->found)
		return gs_fail(err, GS_NOT_FOUND, "no snapshot %lld in the database", (long long)r->id);
	for (size_t i = 0; i < sizeof facts / sizeof *facts && !status; i++)
		status = gs_reading_each(r, facts[i].sql, facts[i].row, err);
	if (!status)
		status = read_devices(r, err);
	if (!status)
		status = check_failures(r, err);
	if (!status)
		status = gs_snapshot_finish(r->s, err);
	if (!status)
		status = gs_reading_each(r,
			"SELECT text FROM main.warning WHERE snapshot_id = ? ORDER BY rowid", warning_row, err);
	return status;
}

gs_status gs_store_read(gs_store *store, int64_t id, unsigned want, gs_snapshot *s, gs_error *err)
{
	gs_reading r = {.store = store, .s = s, .id = id, .want = want};
	gs_snapshot_init(s);
	gs_status status = read_all(&r, err);
	gs_reading_release(&r);
	if (status)
		gs_snapshot_release(s);
	return status;
}
