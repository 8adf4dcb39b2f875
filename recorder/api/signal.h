/* Dumping when a signal comes: the handler only wakes a thread of ours, which calls whoever
 * listens, one after the other. An earlier handler is called as well. One signal a process.
 * Thread-safe. */
#ifndef GS_RECORDER_API_SIGNAL_H
#define GS_RECORDER_API_SIGNAL_H

#include "schema/status.h"

/* Called on our thread with no lock held. */
typedef void gs_signal_listener(void *arg);

/* Catches the signal from now on, so that it ends nothing though nobody listens yet. Makes no
 * thread. GS_STATE when another one is caught. */
gs_status gs_signal_catch(int number);

/* Catches it, and calls listener(arg) each time (those that come while it runs: once). GS_LIMIT:
 * too many listeners. */
gs_status gs_signal_add(int number, gs_signal_listener *listener, void *arg, gs_error *err);

/* No longer; waits while it is being called, unless by itself. After the last one of a process that
 * did not call gs_signal_catch the earlier handler is put back, unless another took its place. */
void gs_signal_remove(gs_signal_listener *listener, void *arg);

/* Around fork: the child gets a thread of its own. */
void gs_signal_before_fork(void);
void gs_signal_after_fork(int child);

#endif
