/* Writing dumps: which file, how many, and the line on stderr. What it needs was made at init; the
 * writing itself takes no memory, and uses no stdio, environment, locale or symboliser. One dump at
 * a time; thread-safe. */
#ifndef GS_RECORDER_DUMP_DUMP_H
#define GS_RECORDER_DUMP_DUMP_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorder/capture/clock.h"
#include "recorder/capture/marks.h"
#include "recorder/dump/config.h"
#include "recorder/dump/dump_file.h"
#include "recorder/dump/encode.h"
#include "recorder/dump/dump_places.h"
#include "recorder/dump/staging.h"
#include "recorder/capture/tables.h"

/* Why a dump is written. Only those of a failure count against the limits and are called oom. */
typedef enum gs_dump_reason {
	GS_DUMP_OOM,
	GS_DUMP_REFUSED, /* a driver call failed: an out-of-memory unless the program helps itself */
	GS_DUMP_SIGNAL,
	GS_DUMP_DEMAND
} gs_dump_reason;

/* As the file tells it. */
const char *gs_dump_reason_text(gs_dump_reason reason);

typedef struct gs_dump_request {
	gs_dump_reason reason;
	const gs_dump_failure *failure; /* of a failure: which; NULL: one that is like no other */
	const char *path;               /* NULL: by the pattern, in the folder for dumps */
	bool overwrite;                 /* path may exist */
	bool quiet;                     /* no line on stderr */
} gs_dump_request;

typedef struct gs_dumper {
	const gs_config *config;
	gs_tables *tables;
	gs_clock *clock;
	gs_pages *pages;
	pthread_mutex_t lock;
	gs_encoder encoder;
	gs_marks marks; /* in every dump */
	pid_t pid;
	gs_dump_places places;
	uint32_t number;    /* of the last dump: %n */
	bool told_contents; /* the line that warns what a dump holds was shown */
	gs_error complaint; /* the last one said: not twice in a row */
	gs_dump_file file;  /* of the dump being written */
} gs_dumper;

/* tables may be NULL: then only gs_dumper_write_by may be used. */
gs_status gs_dumper_init(
	gs_dumper *d, const gs_config *config, gs_tables *tables, gs_clock *clock, gs_pages *pages);
void gs_dumper_release(gs_dumper *d);

/* Writes one dump. One of a failure, without a path of its own, takes its place among those kept
 * (dump_places.h): GS_EXISTS where a dump stands for it already, GS_LIMIT where none may be written
 * or it is larger than all may be together. written (NULL allowed) receives its path, cut to cap
 * bytes. Failures to write are told on stderr as well, once until another kind or a success comes
 * between, but for quiet requests. err may be NULL. */
gs_status gs_dumper_write(gs_dumper *d, const gs_staging *staging, const gs_dump_device *device,
	const gs_dump_request *request, char *written, size_t cap, gs_error *err);

/* Removes a dump written before that turned out to tell of no failure; it no longer counts against
 * the limits. */
void gs_dumper_forget(gs_dumper *d, const char *path);

/* The same where the bytes come from elsewhere: encode sends them to the sink and returns the first
 * error. device: for the name. */
typedef gs_status gs_dump_encode(void *arg, int64_t pid, gs_sink sink, void *sink_arg);
gs_status gs_dumper_write_by(gs_dumper *d, gs_dump_encode *encode, void *arg, int32_t device,
	const gs_dump_request *request, char *written, size_t cap, gs_error *err);

/* Whether a failure needs a dump, before anything is prepared for one: as gs_dump_places_admit.
 * Takes no lock that is held over a system call. */
static inline gs_status gs_dumper_admit(gs_dumper *d, const gs_dump_failure *failure)
{
	return gs_dump_places_admit(&d->places, failure);
}

/* Around fork, after the heaps'. The child's dumps are counted and numbered anew. */
void gs_dumper_before_fork(gs_dumper *d);
void gs_dumper_after_fork(gs_dumper *d, bool child);

#endif
