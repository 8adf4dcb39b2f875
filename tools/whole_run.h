/* The whole run of which a snapshot holds the last part, read again and again while a terminal
 * tells how far that is. */
#ifndef GS_TOOLS_WHOLE_RUN_H
#define GS_TOOLS_WHOLE_RUN_H

#include "analyzer/read/run.h"

typedef struct gs_whole_run {
	gs_run *run;
	gs_event_source events, inner; /* events: told of; inner: as they are */
	uint64_t total, seen;          /* events of the pass at hand */
	unsigned passes, hundredths;
	gs_event_visit *visit;
	void *visitor;
} gs_whole_run;

/* Of a device of an excerpt (gs_snapshot.excerpt), as many events as there were when that was read.
 * It stays where it was opened; close in any case.
 */
gs_status gs_whole_run_open(
	gs_whole_run *w, const gs_snapshot *part, const gs_device *d, gs_error *err);
void gs_whole_run_close(gs_whole_run *w);

#endif
