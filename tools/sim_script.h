/* Scripts of allocator calls, run on a simulated device.
 *
 * A line is one call: conf TEXT · frac X · malloc ID N[ k| m] [STREAM] · free ID · record ID STREAM
 * · complete · empty · snap · stats · tag NAME · untag · begin POOL [STREAM] · end POOL · release
 * POOL · # comment. POOL is mN (a MemPool that requests on every stream go to) or gN (a graph
 * captured on STREAM). Stream n has the handle 0x10000*n. A failed malloc leaves its id as it was;
 * a free, record of an id that is not set does nothing.
 *
 * To record a run, pass hooks: `context` is asked before each malloc (intern the line as the
 * allocation's stack, the tag on top), `action` hears each decision as it is made; when it is an
 * oom the pool may be walked (pool.h), so a dump written there holds the moment of failure. */
#ifndef GS_TOOLS_SIM_SCRIPT_H
#define GS_TOOLS_SIM_SCRIPT_H

#include <stdio.h>

#include "recorder/pool/pool.h"
#include "recorder/pool/sim_device.h"

typedef enum sim_op {
	SIM_BLANK,
	SIM_COMMENT,
	SIM_CONF,
	SIM_FRAC,
	SIM_MALLOC,
	SIM_FREE,
	SIM_RECORD,
	SIM_COMPLETE,
	SIM_EMPTY,
	SIM_SNAP,
	SIM_STATS,
	SIM_TAG,
	SIM_UNTAG,
	SIM_BEGIN,
	SIM_END,
	SIM_RELEASE
} sim_op;

enum { SIM_LINE_MAX = 4096, SIM_NAME_MAX = 64, SIM_TAGS_MAX = 64 };

/* One line, taken apart. */
typedef struct sim_call {
	sim_op op;
	const char *file;
	unsigned line;           /* from 1 */
	char text[SIM_LINE_MAX]; /* the whole line without its end */
	char name[SIM_NAME_MAX]; /* the id, tag or pool */
	const char *argument;    /* conf: its text, blanks joined; in rest */
	char rest[SIM_LINE_MAX];
	uint64_t bytes;
	uint64_t stream; /* number, not handle */
	double fraction;
} sim_call;

typedef struct sim_hooks {
	gs_pool_ctx (*context)(
		void *user, const sim_call *call, const char *tag); /* NULL: none; tag NULL: no tag */
	void (*action)(void *user, const gs_pool *pool, const gs_pool_action *action); /* NULL: none */
	void *user;
} sim_hooks;

typedef struct sim_run sim_run;

typedef struct sim_options {
	uint64_t capacity;
	const gs_rules *rules;
	FILE *trace; /* the transcript goes here; NULL: nowhere */
	sim_hooks hooks;
} sim_options;

/* Reads one line into *call; GS_END behind the last, GS_INVALID with "FILE:LINE: what" for a line
 * that is no call, GS_IO. */
gs_status sim_script_next(
	FILE *in, const char *file, unsigned *line, sim_call *call, gs_error *err);

/* A pool on a simulated device (events are lazy), ready for calls. */
gs_status sim_run_init(sim_run **run, const sim_options *options, gs_error *err);
void sim_run_release(sim_run *run);
/* Makes one call. Refusals (out of memory, bad settings) are results, told in the transcript; other
 * failures are returned. */
gs_status sim_run_call(sim_run *run, const sim_call *call, gs_error *err);
gs_pool *sim_run_pool(sim_run *run);

#endif
