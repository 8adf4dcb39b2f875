/* The recorders that are open in this process: that of gpusnap_open and that of a watched
 * allocator. Who opens one says so here; who needs one asks here. */
#ifndef GS_RECORDER_API_OPENED_H
#define GS_RECORDER_API_OPENED_H

#include "recorder/api/recorder.h"

typedef enum gs_opened { GS_OPENED_POOL, GS_OPENED_WATCH, GS_OPENED_COUNT } gs_opened;

/* r: a recorder that records, or NULL when it closes. Atomic. */
void gs_opened_set(gs_opened which, gs_recorder *r);
gs_recorder *gs_opened_get(gs_opened which);

/* The one whose allocations tags are for: the pool's before a watched allocator's. NULL: none. */
gs_recorder *gs_opened_any(void);

/* What writes dumps: an open recorder's, else one that follows the variables. NULL and why when
 * those are bad or memory is short. */
gs_dumper *gs_opened_dumper(gs_error *err);

#endif
