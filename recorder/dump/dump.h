/* Writing dumps: which file, how many, and the line on stderr. What it needs was made at init; the
 * writing itself takes no memory, and uses no stdio, environment, locale or symboliser. One dump at
 * a time; thread-safe. */
#ifndef GS_RECORDER_DUMP_H
#define GS_RECORDER_DUMP_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorder/capture/clock.h"
#include "recorder/api/config.h"
#include "recorder/dump/dump_file.h"
#include "recorder/dump/encode.h"
#include "recorder/dump/staging.h"
#include "recorder/capture/tables.h"

typedef enum gs_dump_reason { GS_DUMP_OOM, GS_DUMP_SIGNAL, GS_DUMP_DEMAND } gs_dump_reason;

typedef struct gs_dump_request {
	gs_dump_reason reason;
	const char *path; /* NULL: by the pattern, in the folder for dumps */
	bool overwrite;   /* path may exist */
	bool quiet;       /* no line on stderr */
} gs_dump_request;

typedef struct gs_dumper {
	const gs_config *config;
	gs_tables *tables;
	gs_clock *clock;
	gs_pages *pages;
	pthread_mutex_t lock;
	gs_encoder encoder;
	pid_t pid;
	uint32_t number;    /* of the last dump: %n */
	uint32_t dumps;     /* written by ourselves */
	uint64_t bytes;     /* in them */
	bool told_contents; /* the line that warns what a dump holds was shown */
	_Atomic bool done;  /* the limits are reached: no dump by ourselves any more */
	gs_dump_file file;  /* of the dump being written */
} gs_dumper;

/* tables may be NULL: then only gs_dumper_write_by may be used. */
gs_status gs_dumper_init(
	gs_dumper *d, const gs_config *config, gs_tables *tables, gs_clock *clock, gs_pages *pages);
void gs_dumper_release(gs_dumper *d);

/* Writes one dump. Those not on demand count against the limits and are refused (GS_LIMIT) when
 * these are reached. written (NULL allowed) receives its path, cut to cap bytes. Failures are told
 * on stderr as well, but for quiet requests. err may be NULL. */
gs_status gs_dumper_write(gs_dumper *d, const gs_stage *stage, const gs_dump_device *device,
	const gs_dump_request *request, char *written, size_t cap, gs_error *err);

/* Removes a dump written before that turned out to tell of no failure; it no longer counts against
 * the limits. */
void gs_dumper_forget(gs_dumper *d, const char *path);

/* The same where the bytes come from elsewhere: encode sends them to the sink and returns the first
 * error. device: for the name. */
typedef gs_status gs_dump_encode(void *arg, int64_t pid, gs_sink sink, void *sink_arg);
gs_status gs_dumper_write_by(gs_dumper *d, gs_dump_encode *encode, void *arg, int32_t device,
	const gs_dump_request *request, char *written, size_t cap, gs_error *err);

/* Whether a dump not on demand would be refused for ever. */
static inline bool gs_dumper_is_done(gs_dumper *d)
{
	return atomic_load_explicit(&d->done, memory_order_relaxed);
}

/* Around fork, after the heaps'. The child's dumps are counted and numbered anew. */
void gs_dumper_before_fork(gs_dumper *d);
void gs_dumper_after_fork(gs_dumper *d, bool child);

#endif
