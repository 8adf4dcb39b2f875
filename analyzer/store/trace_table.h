/* A trace as a table that SQL can select from, so that its events go into a database by one
 * statement: one program runs over all rows with one open cursor, which costs half of binding and
 * stepping a statement a row. */
#ifndef GS_ANALYZER_STORE_TRACE_TABLE_H
#define GS_ANALYZER_STORE_TRACE_TABLE_H

#include <sqlite3.h>

#include "analyzer/model/snapshot.h"

/* What the table shows; set before the statement that reads it runs. pool_texts by gs_event.pool
 * - 1. */
typedef struct gs_trace_rows {
	const gs_snapshot *snapshot;
	const gs_trace *trace;
	const gs_id *stack_of; /* stack ids of the database by those of the snapshot */
	const char (*pool_texts)[44];
	int64_t snapshot_id, first_id, base_us;
} gs_trace_rows;

/* Makes the table gs_trace_rows known to db; rows must outlive it. Its columns are those of
 * packed_event. Returns SQLite's code. */
int gs_trace_rows_register(sqlite3 *db, gs_trace_rows *rows);

#endif
