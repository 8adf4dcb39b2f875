/* Snapshots in SQLite: the schema of schema/sql, filling it, reading a snapshot back.
 *
 * The tables hold what was recorded in a compact form (events: time as a distance from the trace's first,
 * small numbers for actions, streams, pools); views give the columns of the contract. A database is told by
 * PRAGMA application_id and user_version. Not thread-safe; a store is used by one thread. */
#ifndef GS_ANALYZER_STORE_H
#define GS_ANALYZER_STORE_H

#include <sqlite3.h>

#include "analyzer/snapshot.h"

enum { GS_STORE_APPLICATION_ID = 0x67736e70 /* "gsnp" */, GS_STORE_VERSION = 1 };

/* What a fill shall write; the rest of the tables stays empty. */
enum gs_store_part {
	GS_STORE_FACTS = 1,    /* snapshot, device, state, setting, stat, tag, annotation, oom: always small */
	GS_STORE_LAYOUT = 2,   /* segment, block */
	GS_STORE_EVENTS = 4,
	GS_STORE_STACKS = 8,   /* stack, frame, stack_frame */
	GS_STORE_SERIES = 16,  /* what is computed from all events: timeline, growth, varying sizes, peaks */
	GS_STORE_ALL = 31
};

typedef struct gs_store gs_store;

/* Creates the schema in an empty database file (or ":memory:"). */
gs_status gs_store_create(const char *path, gs_store **store, gs_error *err);

/* Opens a database made by gs_store_create read-only: GS_VERSION, GS_FORMAT when it is none of ours. */
gs_status gs_store_open(const char *path, gs_store **store, gs_error *err);
void gs_store_close(gs_store *store);
sqlite3 *gs_store_connection(gs_store *store);

/* Adds a snapshot in one transaction. states: the states to keep besides `captured`, as selectors by device (NULL: all
 * that DESIGN's load keeps). */
gs_status gs_store_add(gs_store *store, const gs_snapshot *s, unsigned parts, int64_t *id, gs_error *err);

/* Ids of the snapshots in order; free() the array. */
gs_status gs_store_ids(gs_store *store, int64_t **ids, size_t *n, gs_error *err);

/* Reads one back; want as in gs_reader.read. */
gs_status gs_store_read(gs_store *store, int64_t id, unsigned want, gs_snapshot *s, gs_error *err);

#endif
