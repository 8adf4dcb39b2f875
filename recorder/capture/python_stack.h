/* Python frames of the calling thread, without linking Python: CPython 3.9 to 3.14, found by dlsym
 * in the running process.
 *
 * A frame is kept as a key: an index in a bounded table of (code object, instruction) pairs whose
 * function, file and line became strings when the pair was first seen. The table holds one
 * reference on each code object, so that its address cannot be reused. The interpreter lock may be
 * taken for the walk (PyTorch and others release it around allocations): never call this while
 * holding a lock. Reading keys back (gs_python_frame) needs no lock and calls no Python.
 *
 * On 3.11 and later the walk reads the interpreter's own frames. Their layout is not public: it is
 * calibrated at first use against the public calls, on the stack at hand, and the public calls
 * serve wherever the two disagree. */
#ifndef GS_RECORDER_CAPTURE_PYTHON_STACK_H
#define GS_RECORDER_CAPTURE_PYTHON_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/capture/python_memo.h"

typedef struct gs_python_frame {
	const char *name, *file; /* terminated, live as long as the process */
	int32_t line;            /* 0 unknown */
} gs_python_frame;

/* Whether this process holds a running Python that is understood. Cheap after the first call.
 * Thread-safe. */
bool gs_python_present(void);

/* Writes the keys of the calling thread's frames, innermost first, until `users` frames of the
 * user's own code are among them or cap frames in all, and returns how many. Frames of hidden files
 * are left out. 0: the thread has no Python state, no Python runs, or it is finalising. Keys are >
 * 0 and stable for the life of the process. Thread-safe. Where every frame was seen before, nothing
 * is locked: a thread's own frames change under no other thread. Else the interpreter lock is taken
 * and given back, unless the thread holds it. trail: the frames that were walked over; none where
 * the walk cannot be found again by them. */
unsigned gs_python_capture(uint32_t *keys, unsigned cap, unsigned users, gs_python_trail *trail);

/* What an owner (> 0) remembered of the walk that the calling thread's frames make now, its result
 * put on that; 0: nothing. Locks nothing, ever. */
uint32_t gs_python_known(gs_python_memos *m, uint32_t owner, uint32_t under);

/* Remembers the result (> 0) of the walk that gs_python_known has just not found. */
void gs_python_remember(gs_python_memos *m, uint32_t owner, uint32_t under, uint32_t result,
	const gs_python_trail *trail);

/* Frames of files below that folder are left out from now on. */
void gs_python_hide(const char *folder);

/* The frame of a key; {"?", "", 0} for others. Thread-safe, async-signal-safe. */
gs_python_frame gs_python_frame_of(uint32_t key);

/* Number of keys handed out; keys are 1 … that number. */
uint32_t gs_python_frame_count(void);

#endif
