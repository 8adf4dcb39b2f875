/* Whether what was asked for, a state or a device, is anywhere in the snapshots of a session. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/store/db.h"
#include "analyzer/query/session_internal.h"

typedef struct words {
	char text[GS_ERROR_TEXT];
	size_t n;
} words;

__attribute__((format(printf, 2, 3))) static void add(words *w, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(w->text + w->n, sizeof w->text - w->n, format, args);
	va_end(args);
	w->n = n < 0 || w->n + (size_t)n >= sizeof w->text ? sizeof w->text - 1 : w->n + (size_t)n;
}

static int64_t value(const gs_session *session, const char *sql)
{
	return gs_db_value(gs_store_connection(session->store), sql, 0);
}

/* "; there are 0, 1" */
static gs_status no_device(const gs_session *session, gs_error *err)
{
	words w = {"", 0};
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"SELECT DISTINCT device FROM main.device WHERE snapshot_id IN temp.chosen ORDER BY 1", &q,
		err);
	while (!status && !(status = gs_db_next(q, err)))
		if (gs_db_get(q, 0) == GS_NONE)
			add(&w, "%sone of unknown number", w.n ? ", " : "");
		else
			add(&w, "%s%lld", w.n ? ", " : "", (long long)gs_db_get(q, 0));
	sqlite3_finalize(q);
	if (status != GS_END)
		return status;
	return gs_fail(err, GS_NOT_FOUND, "there is no device %lld; there is %.200s",
		(long long)session->options.device, w.text);
}

/* "device 0 has captured, oom 1, oom 2, peak, peak reserved, 0 to 80" */
static void add_states(words *w, sqlite3_stmt *q)
{
	int64_t device = gs_db_get(q, 0), events = gs_db_get(q, 1), ooms = gs_db_get(q, 2),
			first = gs_db_get(q, 3);
	char number[32] = "the device";
	if (device != GS_NONE)
		snprintf(number, sizeof number, "device %lld", (long long)device);
	add(w, "%s%s has captured", w->n ? "; " : "", number);
	if (ooms == 1)
		add(w, ", oom 1");
	else if (ooms > 1)
		add(w, ", oom 1 to oom %lld", (long long)ooms);
	if (events > 0)
		add(w, ", peak, peak reserved, 0 to %lld", (long long)events - 1);
	if (first != GS_NONE)
		add(w, ", step %lld to step %lld", (long long)first, (long long)gs_db_get(q, 4));
}

static gs_status no_state(const gs_session *session, gs_error *err)
{
	words w = {"", 0};
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"SELECT device, max(events), max((SELECT count(*) FROM main.oom AS o WHERE o.snapshot_id = d.snapshot_id AND o.device IS d.device)),"
		" (SELECT min(step) FROM main.step AS s WHERE s.device IS d.device),"
		" (SELECT max(step) FROM main.step AS s WHERE s.device IS d.device)"
		" FROM main.device AS d WHERE snapshot_id IN temp.chosen GROUP BY device ORDER BY device",
		&q, err);
	while (!status && !(status = gs_db_next(q, err)))
		if (session->options.device == GS_NONE || session->options.device == gs_db_get(q, 0))
			add_states(&w, q);
	sqlite3_finalize(q);
	if (status != GS_END)
		return status;
	return gs_fail(
		err, GS_NOT_FOUND, "there is no state \"%.20s\"; %.200s", session->options.state, w.text);
}

gs_status gs_session_check_selection(const gs_session *session, gs_error *err)
{
	const char *state = session->options.state;
	bool device = session->options.device != GS_NONE,
		 named = state && *state && strcmp(state, "captured");
	char sql[120], text[120];
	if (!device && !named)
		return GS_OK;
	if (!value(session, "SELECT count(*) FROM main.device WHERE snapshot_id IN temp.chosen")) {
		if (session->options.note)
			session->options.note(session->options.context, NULL, "the input tells of no device");
		return GS_OK; /* a text without a failure, say: no rows are the answer */
	}
	int64_t shown = value(session, "SELECT count(DISTINCT snapshot_id) FROM temp.shown_state");
	snprintf(sql, sizeof sql,
		"SELECT count(*) FROM main.device WHERE snapshot_id IN temp.chosen AND device = %lld",
		(long long)session->options.device);
	if (!shown && device && !value(session, sql))
		return no_device(session, err);
	if (!shown && named)
		return no_state(session, err);
	if ((size_t)shown == session->n || !session->options.note)
		return GS_OK;
	snprintf(text, sizeof text, "%zu of %zu snapshots %s what was asked for",
		session->n - (size_t)shown, session->n, session->n - (size_t)shown == 1 ? "lacks" : "lack");
	if (session->n > 1)
		session->options.note(session->options.context, NULL, text);
	return GS_OK;
}
