/* Answering from a database where it is: which of its snapshots and states are shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/store/db.h"
#include "analyzer/query/session_internal.h"

static gs_status pick_snapshots(gs_session *session, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"SELECT id, rank, path, complete FROM main.snapshot ORDER BY id", &q, err);
	while (!status && !(status = gs_db_next(q, err))) {
		int64_t rank = gs_db_get(q, 1);
		gs_ranks_add(&session->ranks, rank);
		if (session->options.rank != GS_NONE && session->options.rank != rank)
			continue;
		status = gs_session_add_item(session, sqlite3_column_int64(q, 0), rank,
			(const char *)sqlite3_column_text(q, 2), err);
		session->complete &= sqlite3_column_int(q, 3) != 0;
	}
	sqlite3_finalize(q);
	if (status == GS_END)
		status = session->n ? GS_OK : gs_input_none(session->options.rank, &session->ranks, err);
	return status;
}

static gs_status tell_warnings(gs_session *session, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"SELECT id, 'cut at byte ' || cut_at || ': the answer rests on what is whole before it' FROM main.snapshot"
		" WHERE NOT complete AND cut_at IS NOT NULL UNION ALL SELECT snapshot_id, text FROM main.warning",
		&q, err);
	while (!status && !(status = gs_db_next(q, err))) {
		int64_t rank;
		const char *path;
		if (gs_session_snapshot(session, sqlite3_column_int64(q, 0), &rank, &path) &&
			session->options.note)
			session->options.note(
				session->options.context, path, (const char *)sqlite3_column_text(q, 1));
	}
	sqlite3_finalize(q);
	return status == GS_END ? GS_OK : status;
}

/* Whether the device has failures that are no events: a message has no state of its own, what is
 * captured stands for it. */
static bool has_messages(gs_session *session, int64_t snapshot, int64_t device)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"SELECT 1 FROM main.oom WHERE snapshot_id = ?1 AND device IS ?2 AND idx IS NULL", &q, NULL);
	if (!status) {
		gs_db_int(q, 1, snapshot);
		gs_db_int(q, 2, device);
		status = gs_db_next(q, NULL);
	}
	sqlite3_finalize(q);
	return !status;
}

/* The stored name that a selector means: "oom" is the last of them, NULL the default. GS_NOT_FOUND:
 * not stored. */
static gs_status find_state(gs_session *session, int64_t snapshot, int64_t device, int64_t *id,
	char *name, size_t cap, gs_error *err)
{
	const char *selector = session->options.state && *session->options.state
		? session->options.state
		: NULL;
	bool oom = !selector || !strcmp(selector, "oom");
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"SELECT id, name FROM main.state WHERE snapshot_id = ?1 AND device IS ?2"
		" AND (name = ?3 OR ?4 AND name LIKE 'oom %' OR ?5 AND name = 'captured')"
		" ORDER BY name = 'captured', idx DESC, id DESC",
		&q, err);
	if (status)
		return status;
	gs_db_int(q, 1, snapshot);
	gs_db_int(q, 2, device);
	gs_db_text(q, 3, selector);
	gs_db_int(q, 4, oom);
	gs_db_int(q, 5, !selector);
	status = gs_db_next(q, err);
	if (!status) {
		const char *stored = (const char *)sqlite3_column_text(q, 1);
		*id = sqlite3_column_int64(q, 0);
		bool captured = stored && !strcmp(stored, "captured") &&
			!has_messages(session, snapshot, device);
		sqlite3_snprintf((int)cap, name, "%s", !oom ? selector : captured ? "captured" : "oom");
	}
	sqlite3_finalize(q);
	return status == GS_END ? GS_NOT_FOUND : status;
}

static gs_status show_state(
	gs_session *session, int64_t snapshot, int64_t device, bool *rebuild, gs_error *err)
{
	char name[40];
	int64_t id = 0;
	gs_status status = find_state(session, snapshot, device, &id, name, sizeof name, err);
	if (status == GS_NOT_FOUND) {
		*rebuild = true;
		return GS_OK;
	}
	if (status)
		return status;
	sqlite3_stmt *q = NULL;
	status = gs_db_prepare(gs_store_connection(session->store),
		"INSERT INTO temp.shown_state VALUES (?,?,?,?)", &q, err);
	if (status)
		return status;
	gs_db_int(q, 1, snapshot);
	gs_db_int(q, 2, id);
	gs_db_int(q, 3, device);
	gs_db_text(q, 4, name);
	status = gs_db_do(q, err);
	sqlite3_finalize(q);
	return status;
}

/* A device has a shown state if it has states at all. */
static gs_status show_all(gs_session *session, bool *rebuild, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"SELECT DISTINCT snapshot_id, device FROM main.state ORDER BY 1, 2", &q, err);
	while (!status && !*rebuild && !(status = gs_db_next(q, err))) {
		int64_t snapshot = sqlite3_column_int64(q, 0), device = gs_db_get(q, 1), rank;
		const char *path;
		if (!gs_session_snapshot(session, snapshot, &rank, &path) ||
			(session->options.device != GS_NONE && session->options.device != device))
			continue;
		status = show_state(session, snapshot, device, rebuild, err);
	}
	sqlite3_finalize(q);
	if (status == GS_END)
		status = GS_OK;
	return status;
}

/* What a cut took away before loading is not answered by nothing; where other snapshots have it, a
 * warning tells. */
static gs_status check_lost(gs_session *session, unsigned want, gs_error *err)
{
	static const char sql[] =
		"SELECT snapshot_id, max(at_oom IS NULL), max(events IS NULL), (SELECT cut_at FROM main.snapshot AS s WHERE s.id = snapshot_id)"
		" FROM main.device GROUP BY snapshot_id HAVING max(at_oom IS NULL) OR max(events IS NULL)";
	static const unsigned needs_ooms = GS_WANT_OOM_FACTS | GS_WANT_FIT | GS_WANT_EVICTION,
						  needs_events = GS_WANT_EVENTS | GS_WANT_SERIES;
	sqlite3_stmt *q = NULL;
	size_t lost = 0;
	gs_status status = want & (needs_ooms | needs_events)
		? gs_db_prepare(gs_store_connection(session->store), sql, &q, err)
		: GS_END;
	while (!status && !(status = gs_db_next(q, err))) {
		bool ooms = want & needs_ooms && sqlite3_column_int(q, 1),
			 events = want & needs_events && sqlite3_column_int(q, 2);
		int64_t rank;
		const char *path;
		char text[120];
		if (!gs_session_snapshot(session, sqlite3_column_int64(q, 0), &rank, &path) ||
			(!ooms && !events))
			continue;
		snprintf(text, sizeof text, "the file that was loaded ended at byte %lld, before %s",
			(long long)sqlite3_column_int64(q, 3),
			ooms ? "what it tells of failures" : "the first event");
		if (++lost == session->n)
			status = gs_fail(err, GS_TRUNCATED, "%s", text);
		else if (session->options.note)
			session->options.note(session->options.context, path, text);
	}
	sqlite3_finalize(q);
	return status == GS_END ? GS_OK : status;
}

static gs_status fill_verdicts(gs_session *session, unsigned want, gs_error *err)
{
	gs_status status = GS_OK;
	if (!(want & (GS_WANT_FIT | GS_WANT_EVICTION)))
		return GS_OK;
	for (size_t i = 0; i < session->n && !status; i++) {
		gs_snapshot s;
		gs_snapshot_init(&s);
		status = gs_store_read(session->store, session->items[i].id, GS_WANT_ALL, &s, err);
		if (!status)
			status = gs_session_fill_verdict(session, &s, session->items[i].id, want, err);
		gs_snapshot_release(&s);
	}
	return status;
}

static gs_status fill_snapshot(gs_session *session, unsigned want, bool *rebuild, gs_error *err)
{
	gs_status status = pick_snapshots(session, err);
	if (!status)
		status = show_all(session, rebuild, err);
	if (status || *rebuild)
		return status;
	status = tell_warnings(session, err);
	if (!status)
		status = check_lost(session, want, err);
	if (!status)
		status = fill_verdicts(session, want, err);
	if (!status)
		status = gs_session_check_selection(session, err);
	return status;
}

gs_status gs_session_fill_stored(gs_session *session, unsigned want, bool *rebuild, gs_error *err)
{
	gs_status status = fill_snapshot(session, want, rebuild, err);
	if (status && !session->failed)
		session->failed = strdup(session->list.entries[0].path);
	return status;
}
