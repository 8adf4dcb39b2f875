/* A question to some inputs: an SQLite connection that answers it, filled with what the question
 * reads and no more.
 *
 * Files are read into memory; one database made by `gpusnap load` is answered from where it is. The
 * statement is prepared first, so that the authorizer can name the tables and columns it reads;
 * then only these are filled. One question a session. Not thread-safe. */
#ifndef GS_ANALYZER_QUERY_SESSION_H
#define GS_ANALYZER_QUERY_SESSION_H

#include <sqlite3.h>

#include "analyzer/meaning/recording.h"
#include "analyzer/open/input.h"

typedef struct gs_session_options {
	const char *const *paths;
	size_t npaths;        /* 0: the newest dump */
	const char *state;    /* selector (state.h), NULL: the default */
	int64_t device, rank; /* GS_NONE: all */
	bool all_frames;      /* stacks with the interpreter's frames */
	gs_input_note *note;  /* notes and warnings; may be NULL */
	void *context;
	const gs_snapshot *given; /* a snapshot that is read already (with GS_WANT_ALL), instead of
								 paths; NULL none */
	gs_recordings recordings; /* of its devices, kept by the caller; they outlive the session */
	const gs_category_rules *rules; /* the user's for categories, NULL none; outlives the session */
} gs_session_options;

typedef struct gs_session gs_session;

/* Finds the inputs and makes the tables; reads no file yet. On failure too the session is to be
 * closed, so that gs_session_failed can be asked. */
gs_status gs_session_open(const gs_session_options *options, gs_session **session, gs_error *err);
void gs_session_close(gs_session *session);

/* Makes the next question read this too (gs_want). */
void gs_session_also(gs_session *session, unsigned want);

/* What could not be read beside that which answers; after gs_session_query. */
const gs_input_losses *gs_session_losses(const gs_session *session);

/* Path that the last error is about, or NULL. */
const char *gs_session_failed(const gs_session *session);

/* Prepares one read-only statement (GS_DENIED, GS_INVALID: more than one) and reads what it needs.
 * named: it is one of ours, which looks at the selected state alone. The caller binds, steps and
 * finalizes; seconds > 0 limits how long it may step (the error is then SQLITE_INTERRUPT). */
gs_status gs_session_query(gs_session *session, const char *sql, bool named, double seconds,
	sqlite3_stmt **stmt, gs_error *err);

/* The statement has run: its clock stops. */
void gs_session_stop_clock(gs_session *session);

/* After gs_session_query. */
size_t gs_session_snapshots(const gs_session *session);
bool gs_session_complete(const gs_session *session);
/* The state shown (where no device is shown, the one asked for), or NULL where devices differ. */
const char *gs_session_state(const gs_session *session);
/* Tells the one who opened the session something worth a line on stderr. */
void gs_session_note(const gs_session *session, const char *text);
/* Whether the statement reads what depends on the state. */
bool gs_session_uses_state(const gs_session *session);
/* The same of one device; NULL unknown. */
const char *gs_session_state_of(const gs_session *session, int64_t snapshot_id, int64_t device);
/* Facts of a snapshot: rank GS_NONE unknown; path may be NULL. false: no such snapshot. */
bool gs_session_snapshot(
	const gs_session *session, int64_t snapshot_id, int64_t *rank, const char **path);

#endif
