/* Recording of a simulated run: each script line is a stack, each out-of-memory can become a dump.
 */
#ifndef GS_TOOLS_SIM_RECORD_H
#define GS_TOOLS_SIM_RECORD_H

#include "tools/sim_script.h"

typedef struct sim_record sim_record;

typedef struct sim_record_options {
	uint64_t capacity;  /* total bytes of the device */
	const char *output; /* dump there; NULL: by the pattern, in the folder for dumps */
	bool force;         /* output may exist */
	bool every_oom; /* dump each, not the first only; with output, later ones get -2, -3 … before
					   its last dot */
} sim_record_options;

/* Reads the GPUSNAP_* variables and makes the hooks of a run; times are made up: a microsecond a
 * decision, from now on or from SOURCE_DATE_EPOCH. */
gs_status sim_record_init(
	sim_record **record, const sim_record_options *options, sim_hooks *hooks, gs_error *err);

/* Dumps the final state, if there is an output and nothing was dumped; then tells whether every
 * dump was written (the reason is on stderr already: err stays empty). */
gs_status sim_record_finish(sim_record *record, const gs_pool *pool, gs_error *err);
void sim_record_release(sim_record *record); /* NULL allowed */

#endif
