/* A session: its making, its one question, its facts. Filling is in session_files.c and
 * session_database.c. */
#include "analyzer/query/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/store/db.h"
#include "analyzer/query/session_internal.h"
#include "schema/sql.h"

/* Tables that -d and --rank narrow; segment, block and event follow shown_state and trace, state
 * and all_* hold everything. */
static const struct {
	const char *name;
	bool device;
} narrowed[] = {
	{"device", true},
	{"trace", true},
	{"oom", true},
	{"stat", true},
	{"setting", false},
	{"tag", false},
	{"more", false},
	{"annotation", false},
	{"outsider", true},
	{"warning", false},
	{"timeline", true},
	{"growth", true},
	{"varying_size", true},
	{"step", true},
	{"peak", true},
};

/* TEMP views in place of tables: only the snapshots of temp.chosen, only the device asked for. */
static gs_status narrow(gs_session *session, gs_error *err)
{
	sqlite3 *db = gs_store_connection(session->store);
	int64_t device = session->options.device;
	gs_status status = gs_db_run(
		db, "CREATE TABLE temp.chosen (snapshot_id INTEGER PRIMARY KEY)", err);
	if (device == GS_NONE && session->options.rank == GS_NONE)
		return status;
	for (size_t i = 0; i < sizeof narrowed / sizeof *narrowed && !status; i++)
		status = gs_db_runf(db, err,
			"CREATE TEMP VIEW %s AS SELECT * FROM main.%s WHERE snapshot_id IN temp.chosen AND (%d OR %s = %lld)",
			narrowed[i].name, narrowed[i].name, device == GS_NONE || !narrowed[i].device,
			narrowed[i].device ? "device" : "0", (long long)device);
	if (!status)
		status = gs_db_run(db,
			"CREATE TEMP VIEW snapshot AS SELECT * FROM main.snapshot WHERE id IN temp.chosen",
			err);
	return status;
}

static gs_status open_store(gs_session *session, gs_error *err)
{
	gs_status status = session->stored
		? gs_store_open(session->list.entries[0].path, &session->store, err)
		: gs_store_create(":memory:", &session->store, err);
	if (!status)
		status = gs_store_shadow(session->store, err);
	if (!status)
		status = narrow(session, err);
	if (!status && session->stored && session->options.all_frames)
		status = gs_db_run(gs_store_connection(session->store), gs_sql_text("all_frames.sql"), err);
	if (status && session->stored)
		session->failed = strdup(session->list.entries[0].path);
	return status;
}

/* All entries are snapshots of one database. */
static bool is_one_database(const gs_input_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (!list->entries[i].id || strcmp(list->entries[i].path, list->entries[0].path))
			return false;
	return list->n > 0;
}

gs_status gs_session_open(const gs_session_options *options, gs_session **out, gs_error *err)
{
	gs_session *session = calloc(1, sizeof *session);
	*out = session;
	if (!session)
		return gs_fail(err, GS_NO_MEMORY, "a session");
	session->options = *options;
	session->complete = true;
	if (options->given)
		return open_store(session, err);
	gs_status status = gs_input_expand(
		options->paths, options->npaths, options->note, options->context, &session->list, err);
	if (status) {
		session->failed = session->list.failed;
		session->list.failed = NULL;
		return status;
	}
	if (!session->list.n) {
		session->failed = options->npaths ? strdup(options->paths[0]) : NULL;
		return gs_input_none(GS_NONE, NULL, err);
	}
	/* a database holds categories by our rules */
	session->stored = is_one_database(&session->list) && !options->rules;
	return open_store(session, err);
}

void gs_session_close(gs_session *session)
{
	if (!session)
		return;
	if (session->store)
		gs_guard_pause(&session->guard, gs_store_connection(session->store));
	gs_store_close(session->store);
	gs_input_list_release(&session->list);
	for (size_t i = 0; i < session->n; i++)
		free(session->items[i].path);
	free(session->items);
	free(session->states);
	free(session->failed);
	free(session);
}

const gs_input_losses *gs_session_losses(const gs_session *session)
{
	return session ? &session->list.losses : NULL;
}

const char *gs_session_failed(const gs_session *session)
{
	return session ? session->failed : NULL;
}

/* What follows the first statement may be blanks, comments and semicolons. */
static bool is_empty_tail(sqlite3 *db, const char *tail)
{
	sqlite3_stmt *more = NULL;
	while (isspace((unsigned char)*tail) || *tail == ';')
		tail++;
	if (!*tail)
		return true;
	int rc = sqlite3_prepare_v2(db, tail, -1, &more, NULL);
	bool empty = rc == SQLITE_OK && !more;
	sqlite3_finalize(more);
	return empty;
}

static gs_status prepare(gs_session *session, const char *sql, sqlite3_stmt **stmt, gs_error *err)
{
	sqlite3 *db = gs_store_connection(session->store);
	const char *tail = NULL;
	session->guard.denied[0] = 0;
	int rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, &tail);
	if (rc == SQLITE_AUTH && session->guard.denied[0])
		return gs_fail(err, GS_DENIED, "%s", session->guard.denied);
	if (rc)
		return gs_fail(err, rc == SQLITE_AUTH ? GS_DENIED : GS_SQL, "SQL: %s", sqlite3_errmsg(db));
	if (!*stmt)
		return gs_fail(err, GS_INVALID, "SQL: there is no statement");
	unsigned want = session->guard.want;
	if (!is_empty_tail(db, tail))
		return gs_fail(err, GS_INVALID, "SQL: only one statement is allowed");
	session->guard.want = want;
	if (!sqlite3_stmt_readonly(*stmt))
		return gs_fail(err, GS_DENIED, "changing anything is not allowed: a query only reads");
	return GS_OK;
}

static gs_status list_states(gs_session *session, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"SELECT snapshot_id, device, name FROM temp.shown_state ORDER BY snapshot_id, rowid", &q,
		err);
	while (!status && !(status = gs_db_next(q, err))) {
		if (!GS_ARRAY_ONE_MORE(session->states, session->nstates)) {
			status = gs_fail(err, GS_NO_MEMORY, "a list of states");
			break;
		}
		gs_session_state_name *x = &session->states[session->nstates++];
		x->snapshot_id = sqlite3_column_int64(q, 0);
		x->device = gs_db_get(q, 1);
		sqlite3_snprintf(sizeof x->name, x->name, "%s", sqlite3_column_text(q, 2));
	}
	sqlite3_finalize(q);
	return status == GS_END ? GS_OK : status;
}

/* A state that was bounded and not determined is not shown without saying so. */
static gs_status tell_inexact(gs_session *session, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	if (!session->options.note || !(session->guard.want & GS_WANT_STATE))
		return GS_OK;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"SELECT t.snapshot_id, t.device, t.name, s.note FROM temp.shown_state AS t JOIN main.state AS s ON s.id = t.state_id"
		" WHERE NOT s.exact ORDER BY t.rowid",
		&q, err);
	while (!status && !(status = gs_db_next(q, err))) {
		char text[300], device[40] = "";
		int64_t rank;
		const char *path = NULL, *note = (const char *)sqlite3_column_text(q, 3);
		gs_session_snapshot(session, sqlite3_column_int64(q, 0), &rank, &path);
		if (gs_db_get(q, 1) != GS_NONE)
			snprintf(device, sizeof device, " of device %lld", (long long)gs_db_get(q, 1));
		snprintf(text, sizeof text, "the state \"%s\"%s is not exact%s%s",
			sqlite3_column_text(q, 2), device, note ? ": " : "", note ? note : "");
		session->options.note(session->options.context, path, text);
	}
	sqlite3_finalize(q);
	return status == GS_END ? GS_OK : status;
}

/* A state that a database does not keep: its snapshots are taken into memory and the statement is
 * prepared there. */
static gs_status start_again_in_memory(gs_session *session, gs_error *err)
{
	gs_store_close(session->store);
	session->store = NULL;
	session->stored = false;
	for (size_t i = 0; i < session->n; i++)
		free(session->items[i].path);
	session->n = 0;
	return open_store(session, err);
}

static gs_status prepare_and_fill(gs_session *session, const char *sql, bool named,
	sqlite3_stmt **stmt, bool *rebuild, gs_error *err)
{
	sqlite3 *db = gs_store_connection(session->store);
	session->guard.want = 0;
	gs_guard_set(&session->guard, db);
	gs_status status = prepare(session, sql, stmt, err);
	if (status)
		return status;
	unsigned want = session->guard.want |= session->also;
	if (named && want & GS_WANT_STATES)
		want = (want & ~(unsigned)GS_WANT_STATES) | GS_WANT_STATE;
	gs_guard_pause(&session->guard, db);
	if (want & GS_WANT_TABLES && (status = gs_session_fill_tables(session, err)))
		return status;
	status = session->stored ? gs_session_fill_stored(session, want, rebuild, err)
							 : gs_session_fill_memory(session, want, err);
	session->guard.want = want;
	return status;
}

gs_status gs_session_query(gs_session *session, const char *sql, bool named, double seconds,
	sqlite3_stmt **stmt, gs_error *err)
{
	bool rebuild = false;
	*stmt = NULL;
	gs_status status = prepare_and_fill(session, sql, named, stmt, &rebuild, err);
	if (rebuild) {
		sqlite3_finalize(*stmt);
		*stmt = NULL;
		status = start_again_in_memory(session, err);
		if (!status)
			status = prepare_and_fill(session, sql, named, stmt, &rebuild, err);
	}
	unsigned want = session->guard.want;
	if (!status)
		status = list_states(session, err);
	session->guard.want = want;
	if (!status)
		status = tell_inexact(session, err);
	if (status) {
		sqlite3_finalize(*stmt);
		*stmt = NULL;
		return status;
	}
	gs_guard_resume(&session->guard, gs_store_connection(session->store));
	gs_guard_start(&session->guard, seconds);
	session->guard.want = want;
	return GS_OK;
}

void gs_session_also(gs_session *session, unsigned want) { session->also |= want; }

void gs_session_note(const gs_session *session, const char *text)
{
	if (session->options.note)
		session->options.note(session->options.context, NULL, text);
}

void gs_session_stop_clock(gs_session *session) { gs_guard_stop(&session->guard); }

size_t gs_session_snapshots(const gs_session *session) { return session->n; }

bool gs_session_complete(const gs_session *session) { return session->complete; }

const char *gs_session_state(const gs_session *session)
{
	for (size_t i = 1; i < session->nstates; i++)
		if (strcmp(session->states[i].name, session->states[0].name))
			return NULL;
	if (session->nstates)
		return session->states[0].name;
	return session->options.state && *session->options.state ? session->options.state : "captured";
}

bool gs_session_uses_state(const gs_session *session)
{
	return session->guard.want & GS_WANT_STATE;
}

/* Both lists ascend by snapshot; where a snapshot's elements begin. */
static size_t first_state(const gs_session *session, int64_t snapshot_id)
{
	size_t low = 0, high = session->nstates;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (session->states[middle].snapshot_id < snapshot_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *gs_session_state_of(const gs_session *session, int64_t snapshot_id, int64_t device)
{
	for (size_t i = first_state(session, snapshot_id);
		 i < session->nstates && session->states[i].snapshot_id == snapshot_id; i++)
		if (session->states[i].device == device)
			return session->states[i].name;
	return NULL;
}
