/* Databases of earlier versions: what was recorded is copied by name into tables as they are now,
 * without their constraints, and loaded from there; so what the earlier one lacks is NULL, or
 * computed as load computes it. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/store/store_internal.h"

/* The tables that snapshots are read from; the others are made of these. */
static const char *const tables[] = {"snapshot", "device", "setting", "stat", "annotation", "tag",
	"more", "warning", "oom", "outsider", "state", "all_segment", "all_block", "trace",
	"packed_event", "frame", "stack", "stack_frame"};
enum { TABLES = sizeof tables / sizeof *tables };

/* What reading one back looks for. */
static const char *const indexes =
	"CREATE INDEX i1 ON packed_event (id); CREATE INDEX i2 ON frame (id);"
	"CREATE INDEX i3 ON stack_frame (stack_id, depth); CREATE INDEX i4 ON all_block (state_id);"
	"CREATE INDEX i5 ON all_segment (state_id)";

/* 1 a plain table, 0 none, -1 something else: a view or virtual table computes what it likes. */
static int has_table(sqlite3 *db, const char *table)
{
	sqlite3_stmt *q = NULL;
	if (gs_db_prepare(db, "SELECT sql FROM main.sqlite_schema WHERE name = ?", &q, NULL))
		return -1;
	gs_db_text(q, 1, table);
	gs_status status = gs_db_next(q, NULL);
	const char *sql = status ? NULL : (const char *)sqlite3_column_text(q, 0);
	int has = status == GS_END ? 0 : sql && !strncmp(sql, "CREATE TABLE ", 13) ? 1 : -1;
	sqlite3_finalize(q);
	return has;
}

/* Is there such a column, and is it stored. */
static bool has_column(sqlite3 *db, const char *table, const char *column)
{
	sqlite3_stmt *q = NULL;
	if (gs_db_prepare(db,
			"SELECT 1 FROM pragma_table_xinfo(?1, 'main') WHERE name = ?2 AND hidden = 0", &q,
			NULL))
		return false;
	gs_db_text(q, 1, table);
	gs_db_text(q, 2, column);
	bool has = gs_db_next(q, NULL) == GS_OK;
	sqlite3_finalize(q);
	return has;
}

/* Columns of a table as it is now (shape), all of them or those that the earlier one has too. */
static char *columns_of(gs_store *shape, sqlite3 *from, const char *table)
{
	sqlite3_stmt *q = NULL;
	sqlite3_str *list = sqlite3_str_new(NULL);
	if (!gs_db_prepare(
			shape->db, "SELECT name FROM pragma_table_info(?1, 'main') ORDER BY cid", &q, NULL)) {
		gs_db_text(q, 1, table);
		while (!gs_db_next(q, NULL)) {
			const char *name = (const char *)sqlite3_column_text(q, 0);
			if (!from || has_column(from, table, name))
				sqlite3_str_appendf(list, "%s\"%w\"", sqlite3_str_length(list) ? ", " : "", name);
		}
	}
	sqlite3_finalize(q);
	return sqlite3_str_finish(list);
}

static gs_status copy_rows(sqlite3_stmt *from, sqlite3_stmt *to, gs_error *err)
{
	gs_status status;
	int n = sqlite3_column_count(from);
	while (!(status = gs_db_next(from, err))) {
		for (int i = 0; i < n; i++)
			sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
		if ((status = gs_db_do(to, err)))
			return status;
	}
	return status == GS_END ? GS_OK : status;
}

/* "?, ?": as many as the columns. */
static char *marks_of(const char *columns)
{
	sqlite3_str *list = sqlite3_str_new(NULL);
	sqlite3_str_appendall(list, "?");
	for (const char *p = columns; (p = strstr(p, "\", \"")) != NULL; p += 2)
		sqlite3_str_appendall(list, ", ?");
	return sqlite3_str_finish(list);
}

static gs_status copy_columns(
	sqlite3 *from, sqlite3 *to, const char *table, const char *columns, gs_error *err)
{
	char *marks = marks_of(columns);
	char *read = sqlite3_mprintf("SELECT %s FROM main.\"%w\" NOT INDEXED", columns, table);
	char *write = sqlite3_mprintf("INSERT INTO \"%w\" (%s) VALUES (%s)", table, columns, marks);
	sqlite3_stmt *in = NULL, *out = NULL;
	gs_status status = marks && read && write ? gs_db_prepare(from, read, &in, err)
											  : gs_fail(err, GS_NO_MEMORY, "an older database");
	if (!status)
		status = gs_db_prepare(to, write, &out, err);
	if (!status)
		status = copy_rows(in, out, err);
	sqlite3_finalize(in);
	sqlite3_finalize(out);
	sqlite3_free(marks);
	sqlite3_free(read);
	sqlite3_free(write);
	return status;
}

static gs_status copy_table(
	gs_store *shape, sqlite3 *from, sqlite3 *to, const char *table, gs_error *err)
{
	int has = has_table(from, table);
	if (has < 0)
		return gs_fail(
			err, GS_FORMAT, "table %s of the database is not as gpusnap makes it", table);
	char *all = columns_of(shape, NULL, table), *both = columns_of(shape, from, table);
	gs_status status = all ? gs_db_runf(to, err, "CREATE TABLE \"%w\" (%s)", table, all)
						   : gs_fail(err, GS_NO_MEMORY, "an older database");
	if (!status && has && both)
		status = copy_columns(from, to, table, both, err);
	sqlite3_free(all);
	sqlite3_free(both);
	return status;
}

static gs_status copy_tables(gs_store *shape, sqlite3 *from, sqlite3 *to, gs_error *err)
{
	gs_status status = gs_db_run(
		to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", err);
	for (size_t i = 0; i < TABLES && !status; i++)
		status = copy_table(shape, from, to, tables[i], err);
	if (!status)
		status = gs_db_run(to, indexes, err);
	return status ? status : gs_db_run(to, "COMMIT", err);
}

static gs_status load_all(gs_store *copy, gs_store *fresh, gs_error *err)
{
	gs_store_options options = GS_STORE_OPTIONS_ALL;
	int64_t *ids = NULL;
	size_t n = 0;
	gs_status status = gs_store_ids(copy, &ids, &n, err);
	for (size_t i = 0; i < n && !status; i++) {
		gs_snapshot s;
		if ((status = gs_store_read(copy, ids[i], GS_WANT_ALL, &s, err)))
			break;
		status = gs_store_add(fresh, &s, &options, NULL, err);
		gs_snapshot_release(&s);
	}
	free(ids);
	return status;
}

gs_status gs_store_of_older(gs_store *older, gs_store **out, gs_error *err)
{
	gs_store *fresh = NULL, *copy = NULL;
	gs_status status = gs_store_create("", &fresh, err);
	if (!status)
		status = gs_store_connect("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &copy, err);
	if (!status)
		status = copy_tables(fresh, older->db, copy->db, err);
	if (!status)
		status = load_all(copy, fresh, err);
	if (!status)
		status = gs_store_finish(fresh, err);
	gs_store_close(copy);
	if (status)
		gs_store_close(fresh);
	else
		*out = fresh;
	return status;
}
