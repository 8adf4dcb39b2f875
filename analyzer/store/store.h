/* Snapshots in SQLite: the schema of schema/sql, filling it, reading a snapshot back.
 *
 * Tables hold what was recorded, events in a compact form; views give the columns of the contract.
 * A database is told by PRAGMA application_id and user_version. Stacks and frames are shared by
 * content between the snapshots that one gs_store adds. Not thread-safe; a store is used by one
 * thread. */
#ifndef GS_ANALYZER_STORE_STORE_H
#define GS_ANALYZER_STORE_STORE_H

#include <sqlite3.h>

#include "analyzer/meaning/category.h"
#include "analyzer/model/snapshot.h"

enum { GS_STORE_APPLICATION_ID = 0x67736e70 /* "gsnp" */, GS_STORE_VERSION = 4 };

/* What an add shall write; the other tables stay empty. The small ones (snapshot, device, setting,
 * stat, tag, annotation, warning) are always written. */
enum gs_store_part {
	GS_STORE_LAYOUT = 1,        /* all_segment, all_block of the states to keep */
	GS_STORE_STATES = 2,        /* every state that load keeps, not only the selected one */
	GS_STORE_EVENTS = 4,        /* packed_event */
	GS_STORE_STACKS = 8,        /* stack, frame */
	GS_STORE_SERIES = 16,       /* timeline, growth, varying_size */
	GS_STORE_OOM_SUMS = 32,     /* allocated and reserved of OOM events, which need their states */
	GS_STORE_STACK_FRAMES = 64, /* stack_frame */
	GS_STORE_BLOCK_IDX =
		128, /* all_block.idx of captured states, which no input tells: from the events */
	GS_STORE_ALL_FRAMES = 256, /* stacks' texts show the interpreter's frames too */
	GS_STORE_CATEGORIES = 512, /* category and category_why of all_block */
	GS_STORE_HOLDERS = 1024,   /* all_holder of the same states */
	GS_STORE_STEPS = 2048,     /* step, peak */
	GS_STORE_ALL = 255 | GS_STORE_CATEGORIES | GS_STORE_HOLDERS | GS_STORE_STEPS
};

typedef struct gs_store gs_store;

typedef struct gs_store_options {
	unsigned parts;    /* gs_store_part */
	const char *state; /* selector (see state.h) of the state that shown_state shall name, NULL: the
						  default */
	int64_t device;    /* the only device whose state must exist, GS_NONE all: others lacking it are
						  left out of shown_state */
	const gs_category_rules *rules; /* the user's for categories, NULL none */
} gs_store_options;
#define GS_STORE_ASK_ALL                  \
	{                                     \
		GS_STORE_ALL, NULL, GS_NONE, NULL \
	}

/* Creates the schema in an empty database file (or ":memory:"). */
gs_status gs_store_create(const char *path, gs_store **store, gs_error *err);

/* Opens a database made by gs_store_create, read-only and guarded against hostile content:
 * GS_FORMAT when it is none of ours, GS_VERSION when it is of a version we do not know. */
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
