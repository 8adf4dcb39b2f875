/* Adding a snapshot: its small tables, and the order of the rest. */
#include <stdlib.h>

#include "analyzer/store/store_internal.h"

/* Binds row i of a table, from parameter 2 on; 1 is the snapshot's id. */
typedef void bind_row(sqlite3_stmt *q, const gs_snapshot *s, size_t i);

static void bind_snapshot(sqlite3_stmt *q, const gs_snapshot *s, size_t i)
{
	(void)i;
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
}

static void bind_device(sqlite3_stmt *q, const gs_snapshot *s, size_t i)
{
	const gs_device *d = &s->devices[i];
	gs_db_int(q, 2, gs_device_number(d->device));
	gs_db_text(q, 3, d->name ? gs_string_text(s, d->name) : NULL);
	gs_db_int(q, 4, d->capacity);
	gs_db_int(q, 5, d->device_free);
	gs_db_int(q, 6, d->allowed);
	gs_db_int(q, 7, d->others);
	gs_db_int(q, 8, gs_snapshot_events(s, d));
	gs_db_int(q, 9, (int64_t)d->trace.dropped);
	gs_db_int(q, 10, d->trace.complete < 0 ? GS_NONE : d->trace.complete);
	gs_db_int(q, 11, gs_snapshot_failures(s, d) == GS_NONE ? GS_NONE : d->layout_at_oom);
	gs_db_int(q, 12, d->has_layout);
	gs_db_int(q, 13, gs_event_number(&d->trace, d->captured.idx));
	gs_db_int(q, 14, d->reserved);
	gs_db_int(q, 15, d->allocated);
}

static void bind_setting(sqlite3_stmt *q, const gs_snapshot *s, size_t i)
{
	gs_db_text(q, 2, gs_string_text(s, s->settings[i].name));
	gs_db_text(q, 3, gs_string_text(s, s->settings[i].value));
}

static void bind_stat(sqlite3_stmt *q, const gs_snapshot *s, size_t i)
{
	const gs_stat *x = &s->stats[i];
	gs_db_int(q, 2, gs_device_number(x->device));
	gs_db_text(q, 3, gs_string_text(s, x->name));
	gs_db_text(q, 4, x->pool ? gs_string_text(s, x->pool) : NULL);
	gs_db_int(q, 5, x->current);
	gs_db_int(q, 6, x->peak);
	gs_db_int(q, 7, x->allocated);
	gs_db_int(q, 8, x->freed);
}

static void bind_annotation(sqlite3_stmt *q, const gs_snapshot *s, size_t i)
{
	const gs_annotation *a = &s->annotations[i];
	gs_db_text(q, 2, gs_string_text(s, a->name));
	gs_db_text(q, 3, a->stage ? gs_string_text(s, a->stage) : NULL);
	gs_db_int(q, 4, gs_device_number(a->device));
	gs_db_int(q, 5, a->time_us);
}

static void bind_outsider(sqlite3_stmt *q, const gs_snapshot *s, size_t i)
{
	const gs_outsider *x = &s->outsiders[i];
	gs_db_int(q, 2, gs_device_number(x->device));
	gs_db_text(q, 3, gs_string_text(s, x->holder));
	gs_db_int(q, 4, x->pid);
	gs_db_int(q, 5, x->bytes);
	gs_db_text(q, 6, gs_string_text(s, x->known));
}

static void bind_warning(sqlite3_stmt *q, const gs_snapshot *s, size_t i)
{
	gs_db_text(q, 2, s->warnings[i].text);
}

static gs_status put_rows(gs_fill *f, const char *sql, size_t n, bind_row *bind, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(f->store->db, sql, &q, err);
	for (size_t i = 0; i < n && !status; i++) {
		gs_db_int(q, 1, f->id);
		bind(q, f->s, i);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

gs_status gs_fill_facts(gs_fill *f, gs_error *err)
{
	const struct {
		const char *sql;
		size_t n;
		bind_row *bind;
	} tables[] = {
		{"INSERT INTO main.snapshot VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 1,
			bind_snapshot},
		{"INSERT INTO main.device VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", f->s->ndevices,
			bind_device},
		{"INSERT INTO main.setting VALUES (?,?,?)", f->s->nsettings, bind_setting},
		{"INSERT INTO main.stat VALUES (?,?,?,?,?,?,?,?)", f->s->nstats, bind_stat},
		{"INSERT INTO main.annotation VALUES (?,?,?,?,?)", f->s->nannotations, bind_annotation},
		{"INSERT INTO main.outsider VALUES (?,?,?,?,?,?)", f->s->noutsiders, bind_outsider},
		{"INSERT INTO main.warning VALUES (?,?)", f->s->nwarnings, bind_warning},
	};
	gs_status status = GS_OK;
	for (size_t i = 0; i < sizeof tables / sizeof *tables && !status; i++)
		status = put_rows(f, tables[i].sql, tables[i].n, tables[i].bind, err);
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
	for (size_t i = 0; i < f->s->ndevices && !status; i++)
		status = gs_fill_device(f, &f->s->devices[i], err);
	if (!status)
		status = gs_fill_other_ooms(f, err);
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
