/* Traces by hand and by the allocator itself, for tests of replays. */
#ifndef GS_TESTS_UNIT_TRACE_MAKER_H
#define GS_TESTS_UNIT_TRACE_MAKER_H

#include "analyzer/model/snapshot.h"

/* Makes *s a snapshot of a whole recording of device 0, without events yet; gs_snapshot_release
 * frees it. */
void trace_start(gs_snapshot *s);
void trace_add(gs_snapshot *s, gs_action action, uint64_t address, uint64_t size);

/* Requests of a made-up program. */
typedef enum job_kind { JOB_MALLOC, JOB_FREE, JOB_RECORD, JOB_COMPLETE, JOB_EMPTY } job_kind;
typedef struct job {
	job_kind kind;
	uint32_t id;
	uint64_t size, stream;
} job;
typedef struct jobs {
	job *list;
	size_t n;
	uint32_t ids;
} jobs;

/* n requests by a seed; streams 1: no other stream is used. empties: with calls of empty_cache().
 */
void jobs_make(jobs *j, unsigned seed, size_t n, unsigned streams, bool empties);
void jobs_release(jobs *j);

typedef struct run_figures {
	bool fits;
	uint64_t allocations, peak_reserved, reserved, retries;
} run_figures;

/* Runs them through a pool on a simulated device until the first failure. recording (NULL or made
 * by trace_start) gets the events as PyTorch traces them (no record_stream, no empty_cache), the
 * settings and the final layout. */
void jobs_run(const jobs *j, const char *rules, const char *conf, uint64_t capacity,
	uint64_t allowed, gs_snapshot *recording, run_figures *figures);

#endif
