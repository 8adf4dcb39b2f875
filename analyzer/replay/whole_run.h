/* The whole run of which a snapshot holds a part (gs_snapshot.excerpt), read again and again: as
 * many events as there were when the part was read, though it may have grown since. */
#ifndef GS_ANALYZER_REPLAY_WHOLE_RUN_H
#define GS_ANALYZER_REPLAY_WHOLE_RUN_H

#include "analyzer/model/event_source.h"

/* Told now and then: which pass it is, from 1, and how many of its events are behind. */
typedef void gs_whole_run_progress(unsigned pass, uint64_t seen, uint64_t total);

typedef struct gs_whole_run {
	const gs_run_way *way;
	void *run;
	gs_event_source events, inner; /* events: ends where the part did; inner: as they are */
	uint64_t total, seen;          /* events of the pass at hand */
	unsigned passes;
	gs_whole_run_progress *progress; /* NULL nobody */
	gs_event_visit *visit;
	void *visitor;
} gs_whole_run;

/* Of a device of an excerpt, whose way must be known (gs_snapshot.whole). It stays where it was
 * opened; close in any case (also one that is all zero). */
gs_status gs_whole_run_open(gs_whole_run *w, const gs_snapshot *part, const gs_device *d,
	gs_whole_run_progress *progress, gs_error *err);
void gs_whole_run_close(gs_whole_run *w);

#endif
