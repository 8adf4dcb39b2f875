/* A thin layer over SQLite: errors carry SQLite's words and the SQL, binding knows GS_NONE. */
#ifndef GS_ANALYZER_STORE_DB_H
#define GS_ANALYZER_STORE_DB_H

#include <sqlite3.h>
#include <stdint.h>

#include "schema/status.h"

/* Fills err from the connection's last error: "MESSAGE in SQL" (the SQL's first line, cut). rc is
 * SQLite's code. */
gs_status gs_db_fail(sqlite3 *db, int rc, const char *sql, gs_error *err);

/* Runs statements that give no rows. */
gs_status gs_db_run(sqlite3 *db, const char *sql, gs_error *err);
/* The same with a printf-style text (sqlite3_mprintf's conversions). */
gs_status gs_db_runf(sqlite3 *db, gs_error *err, const char *format, ...);

/* Compiles the first statement of the text; sqlite3_finalize it. */
gs_status gs_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **stmt, gs_error *err);

/* Steps a statement that gives no row and makes it ready for the next one. */
gs_status gs_db_do(sqlite3_stmt *stmt, gs_error *err);

/* Steps to the next row: GS_OK there is one, GS_END there is none, else the error. */
gs_status gs_db_next(sqlite3_stmt *stmt, gs_error *err);

/* GS_NONE and NULL are bound as NULL; texts must live until the statement is stepped. */
void gs_db_int(sqlite3_stmt *stmt, int at, int64_t value);
void gs_db_text(sqlite3_stmt *stmt, int at, const char *text);

/* A column, NULL as GS_NONE. */
int64_t gs_db_get(sqlite3_stmt *stmt, int column);

/* The first column of the first row, otherwise when there is none. */
int64_t gs_db_value(sqlite3 *db, const char *sql, int64_t otherwise);

#endif
