/* A thin layer over SQLite. */
#include "analyzer/store/db.h"

#include <stdarg.h>
#include <string.h>

#include "schema/terms.h"

static gs_status status_of(int rc)
{
	switch (rc & 255) {
	case SQLITE_OK: return GS_OK;
	case SQLITE_NOMEM: return GS_NO_MEMORY;
	case SQLITE_INTERRUPT: return GS_TIMEOUT;
	case SQLITE_AUTH:
	case SQLITE_READONLY: return GS_DENIED;
	case SQLITE_TOOBIG: return GS_LIMIT;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB: return GS_FORMAT;
	case SQLITE_IOERR:
	case SQLITE_FULL:
	case SQLITE_CANTOPEN: return GS_IO;
	default: return GS_SQL;
	}
}

gs_status gs_db_fail(sqlite3 *db, int rc, const char *sql, gs_error *err)
{
	const char *text = db ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
	if (!sql || status_of(rc) == GS_IO) /* of a full disk the SQL tells nothing */
		return gs_fail(err, status_of(rc), "%s", text);
	return gs_fail(err, status_of(rc), "%s in: %.*s", text, (int)strcspn(sql, "\n"), sql);
}

gs_status gs_db_run(sqlite3 *db, const char *sql, gs_error *err)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	return rc ? gs_db_fail(db, rc, sql, err) : GS_OK;
}

gs_status gs_db_runf(sqlite3 *db, gs_error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *sql = sqlite3_vmprintf(format, args);
	va_end(args);
	if (!sql)
		return gs_fail(err, GS_NO_MEMORY, "SQL text");
	gs_status status = gs_db_run(db, sql, err);
	sqlite3_free(sql);
	return status;
}

gs_status gs_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **stmt, gs_error *err)
{
	int rc = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
	return rc ? gs_db_fail(db, rc, sql, err) : GS_OK;
}

gs_status gs_db_next(sqlite3_stmt *stmt, gs_error *err)
{
	int rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		return GS_OK;
	if (rc == SQLITE_DONE)
		return GS_END;
	return gs_db_fail(sqlite3_db_handle(stmt), rc, sqlite3_sql(stmt), err);
}

gs_status gs_db_do(sqlite3_stmt *stmt, gs_error *err)
{
	int rc = sqlite3_step(stmt);
	gs_status status = rc == SQLITE_DONE || rc == SQLITE_ROW
		? GS_OK
		: gs_db_fail(sqlite3_db_handle(stmt), rc, sqlite3_sql(stmt), err);
	sqlite3_reset(stmt);
	return status;
}

void gs_db_int(sqlite3_stmt *stmt, int at, int64_t value)
{
	if (value == GS_NONE)
		sqlite3_bind_null(stmt, at);
	else
		sqlite3_bind_int64(stmt, at, value);
}

void gs_db_text(sqlite3_stmt *stmt, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(stmt, at);
}

int64_t gs_db_get(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL ? GS_NONE
															: sqlite3_column_int64(stmt, column);
}

int64_t gs_db_value(sqlite3 *db, const char *sql, int64_t otherwise)
{
	sqlite3_stmt *stmt = NULL;
	int64_t value = otherwise;
	if (!sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) && sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}
