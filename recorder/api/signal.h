/* Dumping when a signal comes: the handler only wakes a thread of ours, which dumps all devices. An
 * earlier handler is called as well. */
#ifndef GS_RECORDER_SIGNAL_H
#define GS_RECORDER_SIGNAL_H

#include "schema/status.h"

struct gs_recorder;

/* Does nothing where the configuration names no signal. One recorder of a process at a time
 * (GS_STATE). */
gs_status gs_signal_start(struct gs_recorder *r, gs_error *err);
/* Puts the earlier handler back, unless another took its place meanwhile, and ends the thread. */
void gs_signal_stop(struct gs_recorder *r);
/* In a forked child, whose threads are gone: a new thread. */
void gs_signal_after_fork(struct gs_recorder *r);

#endif
