/* A snapshot being read back from a database. */
#ifndef GS_ANALYZER_STORE_READ_INTERNAL_H
#define GS_ANALYZER_STORE_READ_INTERNAL_H

#include "analyzer/store/store_internal.h"

typedef struct gs_reading {
	gs_store *store;
	gs_snapshot *s;
	int64_t id, device, state;
	unsigned want;
	bool found;
	gs_layout *layout;
	size_t blocks;   /* announced by the segments read so far */
	gs_id *stack_of; /* by stack.id of the database: the snapshot's + 1, 0 not yet read */
	int64_t nstack_of;
	gs_id *tag_of; /* by tag.id: string id of the snapshot */
	int64_t ntag_of;
	gs_id *more_of; /* likewise of more */
	int64_t nmore_of;
	sqlite3_stmt *frames;
	gs_device *into; /* whose events are read */
	int64_t base_us;
} gs_reading;

typedef gs_status gs_reading_row(gs_reading *r, sqlite3_stmt *q, gs_error *err);

/* Calls row for each row; the statement's first parameter is the snapshot, its second r->device. */
gs_status gs_reading_each(gs_reading *r, const char *sql, gs_reading_row *row, gs_error *err);

/* The text of a column, interned; 0 for NULL or where memory is short. */
gs_id gs_reading_string(gs_reading *r, sqlite3_stmt *q, int column);

/* The snapshot's id of a stack of the database (GS_NONE: none); 0 unless stacks are wanted. */
gs_id gs_reading_stack(gs_reading *r, int64_t id);

/* The events of the device, if they are wanted. */
gs_status gs_reading_events(gs_reading *r, gs_device *d, gs_error *err);
void gs_reading_release(gs_reading *r);

#endif
