/* Walks of a thread over its Python frames, and what each came to: a walk that goes the same way
 * again need not look its frames up.
 *
 * A frame is known by its instruction alone: it lies in the frame's code object, on which the table
 * of frames (python_table.h) holds a reference. Walks are found by their first frame; where two
 * begin alike, the first instruction that differs leads to the next candidate, a few times. What a
 * new walk pushes out is walked in full again. One thread's; all zero: empty. */
#ifndef GS_RECORDER_CAPTURE_PYTHON_MEMO_H
#define GS_RECORDER_CAPTURE_PYTHON_MEMO_H

#include <stdbool.h>
#include <stdint.h>

enum { GS_PYTHON_MEMOS = 64, GS_PYTHON_TRAIL = 62, GS_PYTHON_TRIES = 8 };

/* The frames that a walk came by, innermost first. */
typedef struct gs_python_trail {
	uint32_t n;
	bool whole; /* behind them there is no other: the walk did not stop before */
	uintptr_t at[GS_PYTHON_TRAIL];
} gs_python_trail;

typedef struct gs_python_memo {
	uint32_t owner, under; /* whose walk it was, and what its result was put on; owner 0: empty */
	uint32_t result;
	gs_python_trail trail;
} gs_python_memo;

typedef struct gs_python_memos {
	gs_python_memo memos[GS_PYTHON_MEMOS];
	gs_python_memo *next; /* where the walk goes that was not found */
} gs_python_memos;

static inline uint32_t gs_python_memo_slot(uint64_t before, uintptr_t instruction)
{
	return (uint32_t)((before ^ instruction) * 0x9e3779b97f4a7c15ull >> 32) % GS_PYTHON_MEMOS;
}

#endif
