/* What is recorded of one pool: the ring of events, the figures of its out-of-memories, and the
 * copy of its state for a dump. The pool's actions are told to it. Not thread-safe: whatever guards
 * the pool guards its log. */
#ifndef GS_RECORDER_DUMP_LOG_H
#define GS_RECORDER_DUMP_LOG_H

#include "recorder/capture/pages.h"
#include "recorder/pool/pool.h"
#include "recorder/dump/ring.h"
#include "recorder/dump/staging.h"
#include "recorder/dump/stream.h"

typedef struct gs_log {
	gs_ring ring;
	gs_lane *lane; /* of the stream of the whole run; NULL: none */
	gs_staging staging;
	gs_stage_oom ooms[GS_OOMS_KEPT]; /* a ring; the next goes to nooms % GS_OOMS_KEPT */
	uint64_t nooms, pending;         /* pending: of them, failures that are only refusals so far */
	bool refuses;                    /* failures are refusals: the program may help itself */
	char conf[GS_STAGE_CONF];        /* settings in force */
} gs_log;

/* A log of the latest events. GS_NO_MEMORY; nothing is held then. */
gs_status gs_log_init(gs_log *l, uint32_t events, gs_pages *pages);
void gs_log_release(gs_log *l, gs_pages *pages);

/* To be called before the pool gets more memory for its bookkeeping: metadata_bytes is what it will
 * then have. */
static inline gs_status gs_log_reserve(gs_log *l, size_t metadata_bytes)
{
	gs_status status = gs_staging_reserve(&l->staging, metadata_bytes);
	return status || !l->lane ? status : gs_lane_reserve(l->lane, metadata_bytes);
}

/* Records an action at that time (clock.h), as the pool tells it. */
void gs_log_action(gs_log *l, const gs_pool *pool, const gs_pool_action *action, uint64_t ticks);

/* The program got over what it was refused: that was no failure. */
void gs_log_forgive(gs_log *l);

/* Remembers the settings' text, cut to fit. */
void gs_log_set_conf(gs_log *l, const char *conf);

/* Copies the layout to the lane's staging, for the stream; then the lane is to be told that it is
 * there. No operation is half done. */
void gs_log_copy_for_stream(gs_log *l, const gs_pool *pool);

/* Copies everything to the staging: inside an oom action, the state of that failure. device_free:
 * GS_NONE unknown. */
void gs_log_stage(gs_log *l, const gs_pool *pool, int64_t device_free);

#endif
