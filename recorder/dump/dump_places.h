/* Which of its own dumps a process keeps.
 *
 * A failure is known by its device, stack and rounded size. Failures alike are merged: the dump of
 * the first stands for all of them and they are counted. Of `most` places all but the last go to
 * the first failures and stay theirs; the last is always the newest failure's, whose dump takes the
 * place of the one before. The same where the bytes run out before the places do: what stays stays,
 * the newest replaces the newest. So neither cap ever costs the dump of the failure that ends the
 * process. Dumps on demand have no place.
 *
 * Takes no memory after init. Thread-safe: a lock of its own, never held over a system call. */
#ifndef GS_RECORDER_DUMP_DUMP_PLACES_H
#define GS_RECORDER_DUMP_DUMP_PLACES_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "recorder/capture/pages.h"
#include "schema/status.h"

typedef struct gs_dump_failure {
	uint64_t stack; /* a number that stands for the stack: the same for the same one */
	uint64_t size;  /* as the allocator rounds it */
	int32_t device;
} gs_dump_failure;

/* One dump. name: of the file, in the folder for dumps; file, disk, written: of
 * its inode, so that nobody else's file is ever removed. */
typedef struct gs_dump_place {
	gs_dump_failure failure;
	uint64_t count, bytes; /* count: failures it stands for */
	bool merges;           /* false: no other failure is like it */
	dev_t disk;
	ino_t file;
	struct timespec written; /* its last change: an inode's number is used again */
	char name[NAME_MAX + 1];
} gs_dump_place;

typedef struct gs_dump_places {
	pthread_mutex_t lock;
	gs_pages *pages;
	gs_dump_place *at;
	uint32_t n, cap;    /* remembered; oldest first */
	uint32_t most;      /* dumps at a time */
	uint32_t forgotten; /* written beyond cap: they count and stay */
	uint64_t bytes, most_bytes;
} gs_dump_places;

/* most dumps of most_bytes together. GS_NO_MEMORY. */
gs_status gs_dump_places_init(
	gs_dump_places *p, uint32_t most, uint64_t most_bytes, gs_pages *pages);
void gs_dump_places_release(gs_dump_places *p);

/* Whether a failure needs a dump: GS_OK yes; GS_EXISTS no, one stands for it, and it is counted;
 * GS_LIMIT no dump is ever written (most is 0). */
gs_status gs_dump_places_admit(gs_dump_places *p, const gs_dump_failure *failure);

/* Bytes that a new dump may have when the `going` newest go; going: at least as many as the count
 * demands (gs_dump_places_going). */
uint64_t gs_dump_places_room(gs_dump_places *p, uint32_t going);
uint32_t gs_dump_places_going(gs_dump_places *p);
uint32_t gs_dump_places_kept(gs_dump_places *p);

/* Takes the newest dump off the list, into *gone: its file is to be removed. False: none left. */
bool gs_dump_places_drop(gs_dump_places *p, gs_dump_place *gone);

/* The new dump's place. */
void gs_dump_places_add(gs_dump_places *p, const gs_dump_place *place);

/* Takes the dump of that name off the list. GS_NOT_FOUND. */
gs_status gs_dump_places_forget(gs_dump_places *p, const char *name, gs_dump_place *gone);

/* In a forked child: the parent's dumps are the parent's. */
void gs_dump_places_after_fork(gs_dump_places *p);

#endif
