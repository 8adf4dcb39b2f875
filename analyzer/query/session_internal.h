/* What the files of the session share. */
#ifndef GS_ANALYZER_QUERY_SESSION_INTERNAL_H
#define GS_ANALYZER_QUERY_SESSION_INTERNAL_H

#include "analyzer/query/guard.h"
#include "analyzer/query/session.h"
#include "analyzer/store/store.h"

typedef struct gs_session_item { /* a snapshot that is shown */
	int64_t id, rank;
	char *path;
} gs_session_item;

typedef struct gs_session_state_name {
	int64_t snapshot_id, device;
	char name[40];
} gs_session_state_name;

struct gs_session {
	gs_session_options options;
	gs_input_list list;
	gs_store *store;
	gs_guard guard;
	bool stored; /* the answer comes from one database where it is */
	bool complete;
	unsigned also; /* gs_want, beside what the statement reads */
	char *failed;
	gs_ranks ranks; /* of all snapshots, shown or not */
	gs_session_item *items;
	size_t n;
	gs_session_state_name *states;
	size_t nstates;
};

/* Fills the tables of a session in memory, file after file. */
gs_status gs_session_fill_memory(gs_session *session, unsigned want, gs_error *err);
/* Picks snapshots, devices and states of a database. GS_NOT_FOUND with *rebuild set: a state that
 * is not stored there. */
gs_status gs_session_fill_stored(gs_session *session, unsigned want, bool *rebuild, gs_error *err);
/* GS_NOT_FOUND where there are devices and the state or the device asked for is nowhere: err names
 * those that are. A note where some of several snapshots lack it. Call it when temp.shown_state is
 * filled. */
gs_status gs_session_check_selection(const gs_session *session, gs_error *err);
/* fit and eviction, from a snapshot in memory. */
gs_status gs_session_fill_verdict(
	gs_session *session, const gs_snapshot *s, int64_t id, unsigned want, gs_error *err);

/* table_column: the tables and views of the schema. */
gs_status gs_session_fill_tables(gs_session *session, gs_error *err);

/* A snapshot of the session: its id in the store, its rank (GS_NONE), its path (copied).
 * GS_NO_MEMORY. */
gs_status gs_session_add_item(
	gs_session *session, int64_t id, int64_t rank, const char *path, gs_error *err);

#endif
