/* A whole run that is too long to be in memory, as events that can be read again and again
 * (model/event_source.h). */
#ifndef GS_ANALYZER_READ_RUN_H
#define GS_ANALYZER_READ_RUN_H

#include "analyzer/model/event_source.h"

typedef struct gs_run gs_run;

/* Opens the stream at path for one of its devices. What it is called in the file system may change
 * meanwhile; where it grows, later passes have more events. GS_NOT_FOUND: it has no such device;
 * GS_INVALID: it is no stream, or one that cannot be read twice. *out is set only on success. */
gs_status gs_run_open(const char *path, int32_t device, gs_run **out, gs_error *err);
void gs_run_close(gs_run *run); /* accepts NULL */

/* Valid until the run is closed. */
gs_event_source gs_run_events(gs_run *run);

/* The same of a part that was read from the file at its path. */
extern const gs_run_way gs_run_of_file;

#endif
