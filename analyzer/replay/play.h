/* Playing requests to a pool on some device: what a run (run.c) and the comparison
 * (comparison.c) share. */
#ifndef GS_ANALYZER_REPLAY_PLAY_H
#define GS_ANALYZER_REPLAY_PLAY_H

#include "analyzer/replay/replay.h"
#include "recorder/pool/pool.h"

typedef struct gs_player {
	const gs_replay *r;
	gs_pool *pool;
	gs_pool_block **blocks; /* by slot */
	uint8_t *pending;       /* by slot: its free waits */
	uint32_t nslots;
	uint64_t allocations;
	bool unwaited;  /* a free was completed for which nothing waited here (GS_REPLAY_WAITED) … */
	bool past_wait; /* … and memory was asked for since */
	gs_pool_on_action *listen; /* also told every action, NULL nobody */
	void *user;
} gs_player;

/* The device below: how to take over memory that was there before the first event. NULL: nothing to
 * do. */
typedef gs_status gs_player_adopt(void *device, const gs_pool_seed *seed);

typedef struct gs_player_config {
	const gs_device_ops *ops;
	void *device;
	gs_player_adopt *adopt;
	const struct gs_rules *rules;
	const char *conf;
	uint64_t allowed;
} gs_player_config;

/* Makes the pool as it was before the first event. GS_INVALID: the settings' message. p->listen and
 * p->user are set before. Release in any case. */
gs_status gs_player_init(
	gs_player *p, const gs_replay *r, const gs_player_config *config, gs_error *err);
void gs_player_release(gs_player *p);

uint64_t gs_player_retries(const gs_player *p);

/* Room for requests that name slots below n. GS_NO_MEMORY. */
gs_status gs_player_reserve(gs_player *p, uint32_t n);

/* Plays one request. GS_DEVICE_MEMORY: it failed. Others: the replay itself failed. */
gs_status gs_player_step(gs_player *p, const gs_replay_op *op);

#endif
