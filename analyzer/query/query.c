/* Answering a question: columns of the statement become columns of the answer. */
#include "analyzer/query/query.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/store/db.h"
#include "schema/size.h"
#include "schema/sql.h"
#include "schema/terms.h"
#include "analyzer/query/untold.h"

static const struct {
	const char *name;
	gs_unit unit;
} units[] = {
	{"size", GS_UNIT_BYTES},
	{"free", GS_UNIT_BYTES},
	{"device_free", GS_UNIT_BYTES},
	{"capacity", GS_UNIT_BYTES},
	{"reserved", GS_UNIT_BYTES},
	{"allocated", GS_UNIT_BYTES},
	{"pending", GS_UNIT_BYTES},
	{"largest_free", GS_UNIT_BYTES},
	{"rounding", GS_UNIT_BYTES},
	{"bytes", GS_UNIT_BYTES},
	{"requested", GS_UNIT_BYTES},
	{"needed", GS_UNIT_BYTES},
	{"allowed", GS_UNIT_BYTES},
	{"outside", GS_UNIT_BYTES},
	{"available", GS_UNIT_BYTES},
	{"live_bytes", GS_UNIT_BYTES},
	{"free_pinned", GS_UNIT_BYTES},
	{"from_size", GS_UNIT_BYTES},
	{"min", GS_UNIT_BYTES},
	{"max", GS_UNIT_BYTES},
	{"largest", GS_UNIT_BYTES},
	{"free_whole", GS_UNIT_BYTES},
	{"largest_left", GS_UNIT_BYTES},
	{"start_allocated", GS_UNIT_BYTES},
	{"peak_allocated", GS_UNIT_BYTES},
	{"peak_reserved", GS_UNIT_BYTES},
	{"end_allocated", GS_UNIT_BYTES},
	{"growth", GS_UNIT_BYTES},
	{"parameter", GS_UNIT_BYTES},
	{"buffer", GS_UNIT_BYTES},
	{"gradient", GS_UNIT_BYTES},
	{"optimizer_state", GS_UNIT_BYTES},
	{"activation", GS_UNIT_BYTES},
	{"input", GS_UNIT_BYTES},
	{"workspace", GS_UNIT_BYTES},
	{"temporary", GS_UNIT_BYTES},
	{"unknown", GS_UNIT_BYTES},
	{"own", GS_UNIT_BYTES},
	{"whole", GS_UNIT_BOOLEAN},
	{"estimated", GS_UNIT_BOOLEAN},
	{"address", GS_UNIT_ADDRESS},
	{"segment", GS_UNIT_ADDRESS},
	{"time_us", GS_UNIT_TIME},
	{"expandable", GS_UNIT_BOOLEAN},
	{"exact", GS_UNIT_BOOLEAN},
	{"ok", GS_UNIT_BOOLEAN},
	{"fits", GS_UNIT_BOOLEAN},
	{"sufficient", GS_UNIT_BOOLEAN},
};

/* The columns of an answer: those of the statement, and in a named query's also who it is about. */
typedef struct answer {
	gs_session *session;
	sqlite3_stmt *stmt;
	gs_column *columns;
	gs_value *values;
	size_t ncolumns, first; /* first: of the statement's columns in the answer */
	int skip;               /* statement columns left out in front: snapshot_id */
	bool many, state;       /* rank and snapshot in front; state behind */
	int device;             /* statement column of the device, -1 none */
	char *names;            /* the columns' names: SQLite's own change when it prepares again */
	int metric, value;      /* of health for people: columns of the answer, else -1 */
	char size[32];
} answer;

static gs_unit unit_of(const answer *a, const gs_query *named, int column)
{
	const char *name = sqlite3_column_name(a->stmt, column),
			   *type = sqlite3_column_decltype(a->stmt, column);
	if (type && !sqlite3_stricmp(type, "BOOLEAN"))
		return GS_UNIT_BOOLEAN;
	if (!named || !strcmp(named->name, "stats"))
		return GS_UNIT_NONE;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(name, units[i].name))
			return units[i].unit;
	return GS_UNIT_NONE;
}

/* Copies the statement's column names; names[i] gets the one of column i. */
static char *copy_names(sqlite3_stmt *stmt, const char **names)
{
	size_t room = 1;
	int n = sqlite3_column_count(stmt);
	for (int i = 0; i < n; i++)
		room += strlen(sqlite3_column_name(stmt, i)) + 1;
	char *all = malloc(room), *at = all;
	for (int i = 0; i < n && all; i++) {
		names[i] = strcpy(at, sqlite3_column_name(stmt, i));
		at += strlen(at) + 1;
	}
	return all;
}

static gs_status plan(answer *a, const gs_query *named, gs_error *err)
{
	int n = sqlite3_column_count(a->stmt);
	a->skip = named && n && !strcmp(sqlite3_column_name(a->stmt, 0), "snapshot_id");
	a->many = a->skip && gs_session_snapshots(a->session) > 1;
	a->device = -1;
	for (int i = 0; i < n; i++)
		if (!strcmp(sqlite3_column_name(a->stmt, i), "device"))
			a->device = i;
	a->state = a->skip && a->device >= 0 && gs_session_uses_state(a->session) &&
		!gs_session_state(a->session);
	a->first = a->many ? 2 : 0;
	a->ncolumns = (size_t)(n - a->skip) + a->first + a->state;
	a->columns = calloc(a->ncolumns + 1, sizeof *a->columns);
	a->values = calloc(a->ncolumns + 1, sizeof *a->values);
	const char **names = calloc((size_t)n + 1, sizeof *names);
	a->names = names ? copy_names(a->stmt, names) : NULL;
	if (!a->columns || !a->values || !a->names) {
		free(names);
		return gs_fail(err, GS_NO_MEMORY, "an answer");
	}
	if (a->many) {
		a->columns[0].name = "rank";
		a->columns[1].name = "snapshot";
	}
	for (int i = a->skip; i < n; i++)
		a->columns[a->first + (size_t)(i - a->skip)] = (gs_column){names[i], unit_of(a, named, i)};
	free(names);
	if (a->state)
		a->columns[a->ncolumns - 1].name = "state";
	return GS_OK;
}

/* A blob is shown as the hexadecimal text that SQL's hex() would give; ours has none, a user's
 * query may. */
static void take_value(const answer *a, int column, gs_value *v)
{
	sqlite3_stmt *q = a->stmt;
	memset(v, 0, sizeof *v);
	switch (sqlite3_column_type(q, column)) {
	case SQLITE_INTEGER:
		v->type = GS_VALUE_INT;
		v->integer = sqlite3_column_int64(q, column);
		break;
	case SQLITE_FLOAT:
		v->type = GS_VALUE_REAL;
		v->real = sqlite3_column_double(q, column);
		break;
	case SQLITE_NULL: break;
	default:
		v->type = GS_VALUE_TEXT;
		v->text = sqlite3_column_type(q, column) == SQLITE_BLOB
			? sqlite3_column_blob(q, column)
			: (const char *)sqlite3_column_text(q, column);
		v->n = (size_t)sqlite3_column_bytes(q, column);
		if (!v->text)
			v->n = 0, v->text = "";
	}
}

/* Health holds counts, shares and bytes in one column: for people the bytes are a size. */
static void plan_sizes(answer *a, const gs_query *named, gs_format format)
{
	bool people = format == GS_FORMAT_TABLE || format == GS_FORMAT_MARKDOWN;
	a->metric = a->value = -1;
	if (!people || !named || named->sql != gs_sql_text("query/health.sql"))
		return;
	for (size_t i = 0; i < a->ncolumns; i++) {
		a->metric = strcmp(a->columns[i].name, "metric") ? a->metric : (int)i;
		a->value = strcmp(a->columns[i].name, "value") ? a->value : (int)i;
	}
}

static void say_size(answer *a)
{
	static const char bytes[] = "largest_free_block";
	if (a->metric < 0 || a->value < 0)
		return;
	const gs_value *metric = &a->values[a->metric];
	gs_value *value = &a->values[a->value];
	if (value->type == GS_VALUE_INT && value->integer >= 0 && metric->n == sizeof bytes - 1 &&
		!memcmp(metric->text, bytes, metric->n))
		*value = gs_value_text(gs_size_format(a->size, sizeof a->size, (uint64_t)value->integer));
}

static void take_row(answer *a)
{
	int n = sqlite3_column_count(a->stmt);
	for (int i = a->skip; i < n; i++)
		take_value(a, i, &a->values[a->first + (size_t)(i - a->skip)]);
	int64_t id = a->skip ? sqlite3_column_int64(a->stmt, 0) : 0, rank = GS_NONE;
	const char *path = NULL;
	if (a->many) {
		gs_session_snapshot(a->session, id, &rank, &path);
		a->values[0] = gs_value_int(rank);
		a->values[1] = gs_value_text(path);
	}
	if (a->state)
		a->values[a->ncolumns - 1] = gs_value_text(
			gs_session_state_of(a->session, id, gs_db_get(a->stmt, a->device)));
}

/* rc: what the first step gave. */
static gs_status rows(
	answer *a, gs_emitter *e, int rc, double seconds, uint64_t *count, gs_error *err)
{
	for (; rc == SQLITE_ROW; rc = sqlite3_step(a->stmt)) {
		take_row(a);
		say_size(a);
		gs_status status = gs_emit_row(e, a->values, err);
		if (status && status != GS_END)
			return status;
		*count += !status;
	}
	if (rc == SQLITE_DONE)
		return GS_OK;
	if ((rc & 255) == SQLITE_INTERRUPT)
		return gs_fail(
			err, GS_TIMEOUT, "SQL: stopped after %g s (--timeout SECONDS allows more)", seconds);
	gs_status status = gs_db_fail(sqlite3_db_handle(a->stmt), rc, NULL, err);
	return gs_fail_in(err, "SQL") ? status : status;
}

static void bind(sqlite3_stmt *stmt, const char *name, const char *value)
{
	int at = sqlite3_bind_parameter_index(stmt, name);
	if (at)
		gs_db_text(stmt, at, value);
}

gs_status gs_query_answer(gs_session *session, const gs_query_options *options, FILE *out,
	uint64_t *left, uint64_t *count, gs_error *err)
{
	answer a = {.session = session};
	gs_emitter *e = NULL;
	uint64_t written = 0;
	const gs_query *named = options->named;
	char untold[GS_UNTOLD] = "";
	int first = SQLITE_DONE;
	gs_session_also(session, gs_untold_wants(named));
	gs_status status = gs_session_query(
		session, named ? named->sql : options->sql, named != NULL, options->seconds, &a.stmt, err);
	if (status)
		return status;
	bind(a.stmt, ":by", options->by);
	bind(a.stmt, ":metric", named ? named->metric : NULL);
	bind(a.stmt, ":table", named ? named->table : NULL);
	status = plan(&a, named, err);
	if (!status)
		plan_sizes(&a, named, options->format);
	if (!status && (first = sqlite3_step(a.stmt)) == SQLITE_DONE)
		status = gs_untold(session, named, untold, err);
	if (*untold)
		gs_session_note(session, untold);
	gs_emit_head head = {named ? named->name : options->sql, gs_session_state(session),
		gs_session_complete(session), a.columns, a.ncolumns, options->limit, options->width, false,
		*untold && options->format == GS_FORMAT_JSON ? untold : NULL};
	if (!status)
		status = gs_emit_open(out, options->format, &head, &e, err);
	if (!status)
		status = rows(&a, e, first, options->seconds, &written, err);
	gs_session_stop_clock(session);
	if (e)
		gs_emit_close(e, status != GS_OK, left);
	if (count)
		*count = written;
	sqlite3_finalize(a.stmt);
	free(a.columns);
	free(a.values);
	free(a.names);
	return status;
}
