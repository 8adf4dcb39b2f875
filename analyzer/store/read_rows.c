/* Rows of a query, one by one, for the files that read a snapshot back. */
#include "analyzer/store/read_internal.h"

gs_id gs_reading_string(gs_reading *r, sqlite3_stmt *q, int column)
{
	const char *t = (const char *)sqlite3_column_text(q, column);
	return t ? gs_snapshot_string(r->s, t, (size_t)sqlite3_column_bytes(q, column)) : 0;
}

gs_status gs_reading_each(gs_reading *r, const char *sql, gs_reading_row *row, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(r->store->db, sql, &q, err);
	if (!status && sqlite3_bind_parameter_count(q))
		gs_db_int(q, 1, r->id);
	if (!status && sqlite3_bind_parameter_count(q) > 1)
		gs_db_int(q, 2, r->device);
	while (!status && !(status = gs_db_next(q, err)))
		status = row(r, q, err);
	sqlite3_finalize(q);
	return status == GS_END ? GS_OK : status;
}
