/* The assertions as one question in SQL, and its answer. */
#include "tools/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/store/db.h"
#include "schema/sql.h"
#include "tools/inputs.h"

/* The base's figures as one row a device: base(device, base_NAME…). */
static gs_status put_base(const gs_assert_options *o, FILE *sql, char **failed, gs_error *err)
{
	gs_session *session = NULL;
	sqlite3_stmt *q = NULL;
	gs_session_options from = {.paths = &o->base,
		.npaths = 1,
		.state = o->common.state,
		.device = GS_NONE,
		.rank = GS_NONE,
		.note = gs_inputs_note,
		.rules = o->rules};
	gs_status status = gs_session_open(&from, &session, err);
	if (!status)
		status = gs_session_query(session, gs_sql_text("query/figures.sql"), true, 0, &q, err);
	fputs(", base(base_device", sql);
	for (size_t i = 0; i < gs_nfigures; i++)
		fprintf(sql, ", base_%s", gs_figures[i].name);
	fputs(") AS (", sql);
	for (size_t n = 0; !status && sqlite3_step(q) == SQLITE_ROW; n++)
		for (int i = 1; i < (int)gs_nfigures + 2; i++) {
			const char *text = (const char *)sqlite3_column_text(q, i);
			fprintf(sql, "%s%s%s",
				i > 1   ? ", "
					: n ? " UNION ALL SELECT "
						: "SELECT ",
				text ? text : "NULL", "");
		}
	fputs(")", sql);
	if (status && gs_session_failed(session))
		*failed = strdup(gs_session_failed(session));
	sqlite3_finalize(q);
	gs_session_close(session);
	return status;
}

gs_status gs_assert_write(const gs_assert_options *o, char *text, char **failed, gs_error *err)
{
	FILE *sql = fmemopen(text, GS_ASSERT_SQL, "w");
	gs_status status = GS_OK;
	if (!sql)
		return gs_fail(err, GS_NO_MEMORY, "a question");
	fprintf(sql, "WITH figures AS (%s)", gs_sql_text("query/figures.sql"));
	if (o->base)
		status = put_base(o, sql, failed, err);
	fputs(" SELECT snapshot_id, device", sql);
	for (size_t i = 0; i < o->n; i++)
		fprintf(sql, ", (%s), %s", o->all[i].sql,
			o->all[i].told < 0 ? "NULL" : gs_figures[o->all[i].told].name);
	fputs(", events, steps, whole_steps", sql);
	fputs(o->base ? " FROM figures LEFT JOIN base ON base_device IS device" : " FROM figures", sql);
	bool full = fflush(sql) || ferror(sql);
	fclose(sql);
	return status || !full ? status : gs_fail(err, GS_LIMIT, "too many assertions");
}

static gs_value value_at(sqlite3_stmt *q, int column)
{
	if (sqlite3_column_type(q, column) == SQLITE_NULL)
		return (gs_value){.type = GS_VALUE_NULL};
	if (sqlite3_column_type(q, column) == SQLITE_FLOAT)
		return (gs_value){.type = GS_VALUE_REAL, .real = sqlite3_column_double(q, column)};
	return (gs_value){.type = GS_VALUE_INT, .integer = sqlite3_column_int64(q, column)};
}

/* Growth alone has a reason that is worth telling: it takes steps. */
static void explain(gs_broken *b, sqlite3_stmt *q, int events)
{
	if (b->value.type == GS_VALUE_NULL && b->assertion->told >= 0 &&
		!strcmp(gs_figures[b->assertion->told].name, "growth"))
		gs_untold_growth(sqlite3_column_int64(q, events), sqlite3_column_int64(q, events + 1),
			sqlite3_column_int64(q, events + 2), b->why, sizeof b->why);
}

static gs_status take_row(const gs_assert_options *o, gs_session *session, sqlite3_stmt *q,
	gs_assert_outcome *out, gs_error *err)
{
	const char *path = NULL;
	int64_t rank = GS_NONE;
	if (!GS_ARRAY_RESERVE(out->all, out->cap, out->n + o->n))
		return gs_fail(err, GS_NO_MEMORY, "a list");
	out->devices++;
	gs_session_snapshot(session, sqlite3_column_int64(q, 0), &rank, &path);
	for (size_t i = 0; i < o->n; i++) {
		int at = 2 + 2 * (int)i;
		bool unknown = sqlite3_column_type(q, at) == SQLITE_NULL;
		if (!unknown && sqlite3_column_double(q, at) != 0)
			continue;
		gs_broken *b = &out->all[out->n++];
		*b = (gs_broken){rank, gs_db_get(q, 1), path ? strdup(path) : NULL, &o->all[i], unknown,
			value_at(q, at + 1), "", ""};
		explain(b, q, 2 + 2 * (int)o->n);
		gs_assert_say(b);
	}
	return GS_OK;
}

/* Whether SQL takes this one by itself; else err tells that it does not. */
static bool is_taken(
	const gs_assert_options *o, size_t i, gs_session *session, char *sql, gs_error *err)
{
	gs_assert_options one = *o;
	gs_error why = GS_ERROR_INIT;
	char *failed = NULL;
	sqlite3_stmt *q = NULL;
	one.all = &o->all[i];
	one.n = 1;
	gs_status status = gs_assert_write(&one, sql, &failed, &why);
	if (!status)
		status = gs_session_query(session, sql, true, 30, &q, &why);
	gs_session_stop_clock(session);
	sqlite3_finalize(q);
	free(failed);
	if (status == GS_SQL)
		gs_fail(err, GS_SQL, "`%.80s`: %s", o->all[i].text, why.text);
	return status != GS_SQL;
}

/* The question is refused as a whole: which of its expressions is it? */
static void name_refused(const gs_assert_options *o, gs_session *session, gs_error *err)
{
	char *sql = malloc(GS_ASSERT_SQL);
	for (size_t i = 0; sql && i < o->n && is_taken(o, i, session, sql, err); i++)
		;
	free(sql);
}

gs_status gs_assert_ask(const gs_assert_options *o, gs_session *session, const char *sql,
	gs_assert_outcome *out, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_session_query(session, sql, true, 30, &q, err);
	if (status == GS_SQL) {
		name_refused(o, session, err);
		err->status = status = GS_INVALID;
	}
	while (!status && sqlite3_step(q) == SQLITE_ROW)
		status = take_row(o, session, q, out, err);
	gs_session_stop_clock(session);
	if (!status) {
		const char *state = gs_session_state(session);
		snprintf(out->state, sizeof out->state, "%s", state ? state : "");
		out->complete = gs_session_complete(session);
	}
	sqlite3_finalize(q);
	return status;
}
