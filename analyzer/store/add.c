/* Adding a snapshot: its small tables, and the order of the rest. */
#include <stdlib.h>

#include "analyzer/store/store_internal.h"

static gs_status put_snapshot(gs_fill *f, gs_error *err)
{
	const gs_snapshot *s = f->s;
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(f->store->db,
		"INSERT INTO main.snapshot VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &q, err);
	if (status)
		return status;
	gs_db_int(q, 1, f->id);
	gs_db_text(q, 2, s->path);
	gs_db_text(q, 3, gs_kind_text(s->kind));
	gs_db_text(q, 4, s->host);
	gs_db_int(q, 5, s->pid);
	gs_db_int(q, 6, s->rank);
	gs_db_int(q, 7, s->time_us);
	gs_db_text(q, 8, s->tool);
	gs_db_text(q, 9, s->sha256[0] ? s->sha256 : NULL);
	gs_db_int(q, 10, s->complete);
	gs_db_int(q, 11, s->complete ? GS_NONE : (int64_t)s->cut_at);
	gs_db_text(q, 12, s->rules);
	gs_db_text(q, 13, s->library);
	gs_db_text(q, 14, s->argv);
	gs_db_text(q, 15, s->driver);
	gs_db_text(q, 16, s->release_min);
	gs_db_text(q, 17, s->release_max);
	gs_db_text(q, 18, s->reason);
	gs_db_text(q, 19, s->above);
	status = gs_db_do(q, err);
	sqlite3_finalize(q);
	return status;
}

static gs_status put_devices(gs_fill *f, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.device VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &q, err);
	for (size_t i = 0; i < f->s->ndevices && !status; i++) {
		const gs_device *d = &f->s->devices[i];
		gs_db_int(q, 1, f->id);
		gs_db_int(q, 2, gs_device_number(d->device));
		gs_db_text(q, 3, d->name ? gs_string_text(f->s, d->name) : NULL);
		gs_db_int(q, 4, d->capacity);
		gs_db_int(q, 5, d->device_free);
		gs_db_int(q, 6, d->allowed);
		gs_db_int(q, 7, d->others);
		gs_db_int(q, 8, gs_snapshot_events(f->s, d));
		gs_db_int(q, 9, (int64_t)d->trace.dropped);
		gs_db_int(q, 10, d->trace.complete < 0 ? GS_NONE : d->trace.complete);
		gs_db_int(q, 11, gs_snapshot_failures(f->s, d) == GS_NONE ? GS_NONE : d->layout_at_oom);
		gs_db_int(q, 12, d->has_layout);
		gs_db_int(q, 13, gs_event_number(&d->trace, d->captured.idx));
		gs_db_int(q, 14, d->reserved);
		gs_db_int(q, 15, d->allocated);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

static gs_status put_settings(gs_fill *f, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.setting VALUES (?,?,?)", &q, err);
	for (size_t i = 0; i < f->s->nsettings && !status; i++) {
		gs_db_int(q, 1, f->id);
		gs_db_text(q, 2, gs_string_text(f->s, f->s->settings[i].name));
		gs_db_text(q, 3, gs_string_text(f->s, f->s->settings[i].value));
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

static gs_status put_stats(gs_fill *f, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.stat VALUES (?,?,?,?,?,?,?,?)", &q, err);
	for (size_t i = 0; i < f->s->nstats && !status; i++) {
		const gs_stat *x = &f->s->stats[i];
		gs_db_int(q, 1, f->id);
		gs_db_int(q, 2, gs_device_number(x->device));
		gs_db_text(q, 3, gs_string_text(f->s, x->name));
		gs_db_text(q, 4, x->pool ? gs_string_text(f->s, x->pool) : NULL);
		gs_db_int(q, 5, x->current);
		gs_db_int(q, 6, x->peak);
		gs_db_int(q, 7, x->allocated);
		gs_db_int(q, 8, x->freed);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

static gs_status put_outsiders(gs_fill *f, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.outsider VALUES (?,?,?,?,?,?)", &q, err);
	for (size_t i = 0; i < f->s->noutsiders && !status; i++) {
		const gs_outsider *x = &f->s->outsiders[i];
		gs_db_int(q, 1, f->id);
		gs_db_int(q, 2, gs_device_number(x->device));
		gs_db_text(q, 3, gs_string_text(f->s, x->holder));
		gs_db_int(q, 4, x->pid);
		gs_db_int(q, 5, x->bytes);
		gs_db_text(q, 6, gs_string_text(f->s, x->known));
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

static gs_status put_annotations(gs_fill *f, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.annotation VALUES (?,?,?,?,?)", &q, err);
	for (size_t i = 0; i < f->s->nannotations && !status; i++) {
		const gs_annotation *a = &f->s->annotations[i];
		gs_db_int(q, 1, f->id);
		gs_db_text(q, 2, gs_string_text(f->s, a->name));
		gs_db_text(q, 3, a->stage ? gs_string_text(f->s, a->stage) : NULL);
		gs_db_int(q, 4, gs_device_number(a->device));
		gs_db_int(q, 5, a->time_us);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

static gs_status put_warnings(gs_fill *f, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.warning VALUES (?,?)", &q, err);
	for (size_t i = 0; i < f->s->nwarnings && !status; i++) {
		gs_db_int(q, 1, f->id);
		gs_db_text(q, 2, f->s->warnings[i].text);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

gs_status gs_fill_facts(gs_fill *f, gs_error *err)
{
	gs_status status = put_snapshot(f, err);
	if (!status)
		status = put_devices(f, err);
	if (!status)
		status = put_settings(f, err);
	if (!status)
		status = put_stats(f, err);
	if (!status)
		status = put_annotations(f, err);
	if (!status)
		status = put_outsiders(f, err);
	if (!status)
		status = put_warnings(f, err);
	return status;
}

/* The strings that blocks and events name as their tags, or that events name as what more there is.
 */
static void mark_used(gs_fill *f, uint8_t *used, bool more)
{
	for (size_t i = 0; i < f->s->ndevices; i++) {
		const gs_device *d = &f->s->devices[i];
		for (size_t k = 0; !more && k < d->captured.nblocks; k++)
			if (d->captured.blocks[k].tag < f->s->nstrings)
				used[d->captured.blocks[k].tag] = 1;
		for (size_t k = 0; k < d->trace.n; k++) {
			gs_id id = more ? d->trace.events[k].more : gs_event_tag(&d->trace.events[k]);
			if (id < f->s->nstrings)
				used[id] = 1;
		}
	}
}

static gs_status put_strings(gs_fill *f, const char *sql, bool more, gs_error *err)
{
	uint8_t *used = calloc((size_t)f->s->nstrings + 1, 1);
	if (!used)
		return gs_fail(err, GS_NO_MEMORY, "tags");
	mark_used(f, used, more);
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(f->store->db, sql, &q, err);
	for (gs_id i = 1; i < f->s->nstrings && !status; i++) {
		if (!used[i])
			continue;
		gs_db_int(q, 1, f->id);
		gs_db_int(q, 2, i);
		gs_db_text(q, 3, gs_string_text(f->s, i));
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	free(used);
	return status;
}

static gs_status add_tables(gs_fill *f, gs_error *err)
{
	gs_status status = gs_fill_facts(f, err);
	if (!status)
		status = gs_fill_stacks(f, err);
	if (!status)
		status = put_strings(f, "INSERT INTO main.tag VALUES (?,?,?)", false, err);
	if (!status)
		status = put_strings(f, "INSERT INTO main.more VALUES (?,?,?)", true, err);
	for (size_t i = 0; i < f->s->ndevices && !status; i++) {
		status = gs_fill_device(f, &f->s->devices[i], err);
		if (!status && f->options->want & GS_WANT_EVENTS)
			status = gs_fill_events(f, &f->s->devices[i], err);
	}
	if (!status)
		status = gs_fill_device(f, NULL, err);
	return status;
}

gs_status gs_store_add(gs_store *store, const gs_snapshot *s, const gs_store_options *options,
	int64_t *id, gs_error *err)
{
	gs_fill f = {.store = store,
		.s = s,
		.options = options,
		.id = store->next_snapshot,
		.free_rules = gs_free_rules_of(s)};
	gs_status status = gs_db_run(store->db, "BEGIN", err);
	if (status)
		return status;
	status = add_tables(&f, err);
	sqlite3_finalize(f.state);
	sqlite3_finalize(f.segment);
	sqlite3_finalize(f.block);
	sqlite3_finalize(f.holder);
	free(f.stack_of);
	if (!status)
		status = gs_db_run(store->db, "COMMIT", err);
	else
		gs_db_run(store->db, "ROLLBACK", NULL);
	if (status)
		return status;
	store->next_snapshot++;
	if (id)
		*id = f.id;
	return GS_OK;
}
