/* Forking while threads record: the child finds every lock free, nothing half done, and counts its
 * dumps anew. */
#ifndef GS_RECORDER_API_FORK_H
#define GS_RECORDER_API_FORK_H

struct gs_recorder;

/* From now on / no longer looked after. Thread-safe. */
void gs_fork_remember(struct gs_recorder *r);
void gs_fork_forget(struct gs_recorder *r);

/* No fork happens in between (to publish a lock that a fork would have to take). */
void gs_fork_hold(void);
void gs_fork_let(void);

#endif
