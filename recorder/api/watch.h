/* The recorder of the allocator that is watched (gpusnap_watch_… of gpusnap.h): one a process. */
#ifndef GS_RECORDER_WATCH_H
#define GS_RECORDER_WATCH_H

#include "recorder/gpusnap.h"

struct gs_recorder;

/* NULL while nothing is watched. */
struct gs_recorder *gs_watch_recorder(void);

#endif
