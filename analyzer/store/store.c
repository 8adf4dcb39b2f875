/* The database itself: creating its schema, shadowing its views. */
#include "analyzer/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/store/store_internal.h"
#include "schema/sql.h"

/* Runs every embedded statement of a folder of schema/sql. */
static gs_status run_folder(gs_store *store, const char *folder, gs_error *err)
{
	size_t n = strlen(folder);
	for (const gs_sql_file *f = gs_sql_files; f->path; f++)
		if (!strncmp(f->path, folder, n)) {
			gs_status status = gs_db_run(store->db, f->text, err);
			if (status)
				return status;
		}
	return GS_OK;
}

gs_status gs_store_connect(const char *path, int flags, gs_store **out, gs_error *err)
{
	gs_store *store = calloc(1, sizeof *store);
	if (!store)
		return gs_fail(err, GS_NO_MEMORY, "a database connection");
	gs_snapshot_init(&store->shared);
	store->next_snapshot = store->next_state = 1;
	int rc = sqlite3_open_v2(
		path, &store->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
	if (rc) {
		gs_status status = gs_db_fail(store->db, rc, NULL, err);
		gs_store_close(store);
		return status;
	}
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
	*out = store;
	return GS_OK;
}

gs_status gs_store_create(const char *path, gs_store **out, gs_error *err)
{
	gs_store *store = NULL;
	gs_status status = gs_store_connect(
		path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &store, err);
	if (status)
		return status;
	status = gs_db_runf(store->db, err,
		"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
		"PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000;"
		"PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN",
		GS_STORE_APPLICATION_ID, GS_STORE_VERSION);
	if (!status && gs_trace_rows_register(store->db, &store->rows))
		status = gs_db_fail(store->db, 0, NULL, err);
	if (!status)
		status = run_folder(store, "table/", err);
	if (!status)
		status = run_folder(store, "view/", err);
	if (!status)
		status = gs_db_run(store->db, "COMMIT", err);
	if (status)
		gs_store_close(store);
	else
		*out = store;
	return status;
}

void gs_store_close(gs_store *store)
{
	if (!store)
		return;
	sqlite3_close(store->db);
	gs_snapshot_release(&store->shared);
	free(store);
}

sqlite3 *gs_store_connection(gs_store *store) { return store->db; }

/* A view's text is kept as it stands in the file; only where it is made differs. */
gs_status gs_store_shadow(gs_store *store, gs_error *err)
{
	static const char create[] = "CREATE VIEW ";
	gs_status status = run_folder(store, "temp/", err);
	for (const gs_sql_file *f = gs_sql_files; f->path && !status; f++)
		if (!strncmp(f->path, "view/", 5) && strcmp(f->path, "view/shown_state.sql"))
			status = gs_db_runf(store->db, err, "CREATE TEMP VIEW %s", f->text + sizeof create - 1);
	store->shadowed = !status;
	return status;
}

gs_status gs_store_finish(gs_store *store, gs_error *err)
{
	gs_status status = gs_db_run(store->db, "BEGIN", err);
	if (!status)
		status = run_folder(store, "index/", err);
	if (!status)
		status = gs_db_run(store->db, "COMMIT", err);
	if (!status)
		status = gs_db_run(store->db,
			"PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE; PRAGMA optimize", err);
	return status;
}

gs_status gs_store_ids(gs_store *store, int64_t **ids, size_t *n, gs_error *err)
{
	enum { MAX = 1000000 };
	int64_t count = gs_db_value(store->db, "SELECT count(*) FROM main.snapshot", 0);
	if (count < 0 || count > MAX)
		return gs_fail(err, GS_LIMIT, "more than %d snapshots in the database", MAX);
	*n = 0;
	*ids = calloc((size_t)count + 1, sizeof **ids);
	if (!*ids)
		return gs_fail(err, GS_NO_MEMORY, "a list of snapshots");
	sqlite3_stmt *stmt = NULL;
	gs_status status = gs_db_prepare(
		store->db, "SELECT id FROM main.snapshot ORDER BY id", &stmt, err);
	while (!status && *n < (size_t)count && !(status = gs_db_next(stmt, err)))
		(*ids)[(*n)++] = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	if (status == GS_END)
		status = GS_OK;
	if (status) {
		free(*ids);
		*ids = NULL;
	}
	return status;
}
