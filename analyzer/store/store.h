/* Snapshots in SQLite: the schema of schema/sql, filling it, reading a snapshot back.
 *
 * Tables hold what was recorded, events in a compact form; views give the columns of the contract.
 * A database is told by PRAGMA application_id and user_version. Stacks and frames are shared by
 * content between the snapshots that one gs_store adds. Not thread-safe; a store is used by one
 * thread. */
#ifndef GS_ANALYZER_STORE_STORE_H
#define GS_ANALYZER_STORE_STORE_H

#include <sqlite3.h>

#include "analyzer/meaning/recording.h"
#include "analyzer/model/snapshot.h"
#include "analyzer/model/want.h"

enum { GS_STORE_APPLICATION_ID = 0x67736e70 /* "gsnp" */, GS_STORE_VERSION = 5 };

typedef struct gs_store gs_store;

typedef struct gs_store_options {
	unsigned want;   /* gs_want: which tables are filled. The small ones (snapshot, device, setting,
						stat, tag, annotation, warning) always are */
	bool all_frames; /* stacks' texts show the interpreter's frames too */
	const char *state; /* selector (see state.h) of the state that shown_state shall name, NULL: the
						  default */
	int64_t device;    /* the only device whose state must exist, GS_NONE all: others lacking it are
						  left out of shown_state */
	const gs_category_rules *rules; /* the user's for categories, NULL none */
	gs_recordings recordings;       /* of the snapshot's devices, kept by the caller */
} gs_store_options;
#define GS_STORE_OPTIONS_ALL                                    \
	{                                                           \
		GS_WANT_STORED, false, NULL, GS_NONE, NULL, { NULL, 0 } \
	}

/* Creates the schema in an empty database file (or ":memory:"). */
gs_status gs_store_create(const char *path, gs_store **store, gs_error *err);

/* Opens a database made by gs_store_create, read-only and guarded against hostile content:
 * GS_FORMAT when it is none of ours, GS_VERSION when it is newer than we know. One of an earlier
 * version is read into a temporary database: what it lacks is computed, or NULL. */
gs_status gs_store_open(const char *path, gs_store **store, gs_error *err);
void gs_store_close(gs_store *store);
sqlite3 *gs_store_connection(gs_store *store);

/* TEMP views in place of the file's own, and the TEMP tables that queries fill. */
gs_status gs_store_shadow(gs_store *store, gs_error *err);

/* Adds a snapshot in one transaction. GS_INVALID, GS_NOT_FOUND: the state asked for (where shadows
 * are, temp.shown_state gets a row a device). */
gs_status gs_store_add(gs_store *store, const gs_snapshot *s, const gs_store_options *options,
	int64_t *id, gs_error *err);

/* Writes the indexes and what the planner needs, and syncs; after the last add to a file. */
gs_status gs_store_finish(gs_store *store, gs_error *err);

/* Ids of the snapshots in order; free() the array. */
gs_status gs_store_ids(gs_store *store, int64_t **ids, size_t *n, gs_error *err);

/* Reads one back; want as in gs_reader.read. */
gs_status gs_store_read(gs_store *store, int64_t id, unsigned want, gs_snapshot *s, gs_error *err);

#endif
