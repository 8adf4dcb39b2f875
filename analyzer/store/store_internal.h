/* What the files of the store share. Private to them. Errors are SQLite's (gs_db_fail) and
 * GS_NO_MEMORY. */
#ifndef GS_ANALYZER_STORE_STORE_INTERNAL_H
#define GS_ANALYZER_STORE_STORE_INTERNAL_H

#include "analyzer/store/db.h"
#include "analyzer/meaning/recording.h"
#include "analyzer/state/free_memory.h"
#include "analyzer/state/state.h"
#include "analyzer/store/store.h"
#include "analyzer/store/trace_table.h"

struct gs_store {
	sqlite3 *db;
	bool shadowed;
	gs_snapshot shared; /* strings, frames and stacks of all snapshots added, by content */
	gs_id frames_written, stacks_written;
	int64_t next_snapshot, next_state, next_event;
	gs_trace_rows rows; /* the trace that is being added */
};

/* One snapshot being added. */
typedef struct gs_fill {
	gs_store *store;
	const gs_snapshot *s;
	const gs_store_options *options;
	int64_t id;                                     /* snapshot.id */
	gs_id *stack_of;                                /* stack ids: the snapshot's to the store's */
	sqlite3_stmt *state, *segment, *block, *holder; /* prepared at first need */
	gs_free_rules free_rules;
} gs_fill;

/* A connection without tables; flags are SQLite's of opening. */
gs_status gs_store_connect(const char *path, int flags, gs_store **out, gs_error *err);

/* The snapshots of a database of an earlier version in a temporary one of this version, which costs
 * as much as loading them. */
gs_status gs_store_of_older(gs_store *older, gs_store **out, gs_error *err);

/* The id in the store of one of the snapshot's stacks, 0 where it has none. */
gs_id gs_fill_stack(const gs_fill *f, gs_id local);
/* Text "a,b" of a pool id, in buf of at least 44 bytes; and back. */
char *gs_pool_text(char *buf, gs_pool_id id);
gs_pool_id gs_pool_parse(const char *text);

/* The number of a device as tables have it: GS_NONE (NULL) for -1, a device that the input does not
 * name. */
int64_t gs_device_number(int32_t device);

/* A device without segments, events, out-of-memories and figures of a text has no rows. */
bool gs_device_is_empty(const gs_snapshot *s, const gs_device *d);

/* Rows of the snapshot itself, its settings, statistics, annotations and tags; its stacks, of which
 * the store has each once. */
gs_status gs_fill_facts(gs_fill *f, gs_error *err);
gs_status gs_fill_stacks(gs_fill *f, gs_error *err);
/* All of a device: events, states, OOM rows, series, steps. */
gs_status gs_fill_device(gs_fill *f, const gs_device *d, gs_error *err);
/* The OOM rows of a recording's device, n of the snapshot's from first on; bytes that they do not
 * tell are its history's. */
gs_status gs_fill_ooms(gs_fill *f, size_t first, size_t n, gs_recording *r, gs_error *err);
/* Those of devices that have no figures of their own, or that a message does not name. */
gs_status gs_fill_other_ooms(gs_fill *f, gs_error *err);
gs_status gs_fill_events(gs_fill *f, const gs_device *d, gs_error *err);

/* Stacks of many sizes and stacks that only grow: what is computed of all events before any of it
 * is written, without the store. Zeroed memory is none; release in any case. */
typedef struct gs_series {
	gs_varying *varying;
	gs_growth *growing;
	size_t nvarying, ngrowing;
	bool computed;
} gs_series;
gs_status gs_series_compute(gs_series *x, const gs_meaning *m, gs_error *err); /* once */
void gs_series_release(gs_series *x);
/* They and bytes over time, of a device. */
gs_status gs_fill_series(gs_fill *f, const gs_meaning *m, const gs_series *x, gs_error *err);
gs_status gs_fill_steps(gs_fill *f, const gs_meaning *m, gs_error *err); /* step, peak */
gs_status gs_fill_holders(gs_fill *f, const gs_meaning *m, const gs_device *d, const gs_layout *l,
	int64_t state, gs_error *err);

/* One state with its segments and blocks; *id gets state.id. l NULL: nothing is known of its
 * layout. */
typedef struct gs_state_row {
	const char *name;
	int64_t idx, device_free;
	const gs_device *device;
	const gs_layout *layout;
	int64_t reserved,
		allocated;             /* where there is no layout: what a message says, GS_NONE nothing */
	const gs_meaning *meaning; /* for categories and holders, NULL: they are not asked for */
	const char *doubt;         /* why it is not exact although its layout is; NULL: it is */
} gs_state_row;
gs_status gs_fill_state(gs_fill *f, const gs_state_row *row, int64_t *id, gs_error *err);

#endif
