/* Opening a database that may be hostile, or of an earlier version. */
#include <string.h>

#include "analyzer/store/store_internal.h"
#include "schema/gsnap_format.h"
#include "schema/sql.h"

/* Every table of ours must be there, and be just what we would create: then a name cannot hide a
 * view, a virtual table or a generated column. */
static gs_status check_table(gs_store *store, const char *ours, gs_error *err)
{
	size_t head = strlen("CREATE TABLE "), length = strcspn(ours + head, " ");
	size_t n = strlen(ours);
	while (n && (ours[n - 1] == '\n' || ours[n - 1] == ';'))
		n--;
	sqlite3_stmt *stmt = NULL;
	gs_status status = gs_db_prepare(
		store->db, "SELECT type, sql FROM main.sqlite_schema WHERE name = ?", &stmt, err);
	if (status)
		return status;
	sqlite3_bind_text(stmt, 1, ours + head, (int)length, SQLITE_STATIC);
	status = gs_db_next(stmt, err);
	if (status == GS_END)
		status = gs_fail(
			err, GS_FORMAT, "the database has no table %.*s", (int)length, ours + head);
	else if (!status) {
		const char *sql = (const char *)sqlite3_column_text(stmt, 1);
		if (!sql || (size_t)sqlite3_column_bytes(stmt, 1) != n || memcmp(sql, ours, n))
			status = gs_fail(err, GS_FORMAT,
				"table %.*s of the database is not as gpusnap makes it", (int)length, ours + head);
	}
	sqlite3_finalize(stmt);
	return status;
}

static gs_status check_schema(gs_store *store, bool *older, gs_error *err)
{
	int64_t application = gs_db_value(store->db, "PRAGMA main.application_id", -1);
	int64_t version = gs_db_value(store->db, "PRAGMA main.user_version", -1);
	if (application == -1)
		return gs_db_fail(store->db, sqlite3_errcode(store->db), NULL, err);
	if (application != GS_STORE_APPLICATION_ID)
		return gs_fail(err, GS_FORMAT, "an SQLite database, but not one that `gpusnap load` made");
	if (version < 1 || version > GS_STORE_VERSION)
		return gs_fail(err, GS_VERSION,
			"a gpusnap database of version %lld; this gpusnap knows up to %d: load its inputs again",
			(long long)version, GS_STORE_VERSION);
	*older = version < GS_STORE_VERSION;
	for (const gs_sql_file *f = gs_sql_files; f->path && !*older; f++)
		if (!strncmp(f->path, "table/", 6)) {
			gs_status status = check_table(store, f->text, err);
			if (status)
				return status;
		}
	return GS_OK;
}

/* The limits of FORMAT.md that bound what is made of a snapshot. */
static gs_status check_limits(gs_store *store, gs_error *err)
{
	int64_t devices = gs_db_value(store->db,
		"SELECT max(n) FROM (SELECT count(*) AS n FROM main.device GROUP BY snapshot_id)", 0);
	return devices <= GS_GSNAP_DEVICES_MAX
		? GS_OK
		: gs_fail(err, GS_LIMIT, "a snapshot of %lld devices; at most %d can be",
			  (long long)devices, GS_GSNAP_DEVICES_MAX);
}

gs_status gs_store_open(const char *path, gs_store **out, gs_error *err)
{
	gs_store *store = NULL;
	bool older = false;
	gs_status status = gs_store_connect(path, SQLITE_OPEN_READONLY, &store, err);
	if (status)
		return status;
	status = gs_db_run(store->db,
		"PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0", err);
	if (!status)
		status = check_schema(store, &older, err);
	if (!status)
		status = check_limits(store, err);
	if (!status && older)
		status = gs_store_of_older(store, out, err);
	else if (!status)
		*out = store;
	if (status || older)
		gs_store_close(store);
	return status;
}
