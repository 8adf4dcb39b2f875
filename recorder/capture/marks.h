/* Moments that the program names: its steps, and spans such as torch.profiler's. The last ones are
 * kept, with their names: a name of each step would fill the tables of a long run. Fixed memory.
 * Thread-safe: a lock of its own, innermost. */
#ifndef GS_RECORDER_CAPTURE_MARKS_H
#define GS_RECORDER_CAPTURE_MARKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "recorder/capture/pages.h"
#include "schema/status.h"

enum { GS_MARKS_KEPT = 4096, GS_MARK_NAME = 80 };

typedef enum gs_mark_stage { GS_MARK_MOMENT, GS_MARK_START, GS_MARK_END } gs_mark_stage;

typedef struct gs_mark {
	uint64_t ticks; /* clock.h */
	uint32_t alike; /* how many marks before this one is another of the same name, 0: none near */
	uint8_t stage;  /* gs_mark_stage */
	char name[GS_MARK_NAME];
} gs_mark;

typedef struct gs_marks {
	pthread_mutex_t lock;
	gs_pages *pages;
	gs_mark *ring, *copy;  /* copy: of a dump */
	uint64_t count;        /* ever */
	_Atomic uint64_t room; /* marks that may be made before one is lost that a stream wants */
} gs_marks;

/* Takes all its memory. GS_NO_MEMORY; release in any case. */
gs_status gs_marks_init(gs_marks *m, gs_pages *pages);
void gs_marks_release(gs_marks *m);

/* Keeps a mark; its name is cut to fit. Where a stream still wants the one whose place it takes, it
 * waits, a second at most. No lock may be held that the stream's thread takes. */
void gs_marks_put(gs_marks *m, const char *name, gs_mark_stage stage, uint64_t ticks);

/* Copies what is kept, oldest first, to m->copy; returns how many. One caller at a time. */
uint32_t gs_marks_take(gs_marks *m);

/* Copies to out, oldest first, up to most of the marks after the first *seen ever, and moves *seen
 * on; marks that are kept no more are left out. Returns how many. */
uint32_t gs_marks_next(gs_marks *m, uint64_t *seen, gs_mark *out, uint32_t most);

/* A stream has what it wants of the marks before the first seen ever. GS_MARKS_NOBODY: there is no
 * stream, or it takes none now. */
#define GS_MARKS_NOBODY UINT64_MAX
void gs_marks_seen(gs_marks *m, uint64_t seen);
/* A stream has no device yet whose marks it could write: it does without those before the last
 * GS_MARKS_KEPT. */
void gs_marks_pass(gs_marks *m);

/* "START", "END" or "". */
const char *gs_mark_stage_name(uint8_t stage);

#endif
