/* The C frames of the calling thread: what glibc's backtrace() gives, at a small part of its cost
 * (bench-unwind: 16 frames take 20 ns when seen before, else about 110; libunwind's fast path 110,
 * glibc 4,200).
 *
 * Stepping from frame to frame follows rules read from .eh_frame (cfi.h), kept in a cache by
 * address. A whole stack that was seen before is recognised without stepping: a walk depends on
 * nothing but the starting registers and the words it reads from the stack, so if those words still
 * hold what they held, the frames are the same. Walks with the same start form a tree in the table
 * of memos: the first word that differs leads to the next candidate. Where a rule is not
 * understood, glibc's backtrace() does the whole stack.
 *
 * A gs_unwinder belongs to one thread. Nothing here allocates or locks (the first use of
 * backtrace() may: gs_unwind_prepare does that beforehand). */
#ifndef GS_RECORDER_CAPTURE_UNWIND_H
#define GS_RECORDER_CAPTURE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/capture/cfi.h"

enum { GS_UNWIND_MAX = 64, GS_UNWIND_RULES = 1024, GS_UNWIND_MEMOS = 128, GS_UNWIND_WORDS = 80 };

/* Where a walk starts: the state of a function right after one of its calls returns to ip. */
typedef struct gs_regs {
	uint64_t ip, sp, bp;
} gs_regs;

/* Fills *regs with the state of the caller of the function it is used in, which must not be inlined
 * (it keeps a frame pointer). */
#if defined(__x86_64__)
#define gs_regs_of_caller(regs)                                    \
	do {                                                           \
		const uint64_t *gs_own_frame = __builtin_frame_address(0); \
		(regs)->ip = gs_own_frame[1];                              \
		(regs)->sp = (uint64_t)(uintptr_t)(gs_own_frame + 2);      \
		(regs)->bp = gs_own_frame[0];                              \
	} while (0)
#else
#define gs_regs_of_caller(regs)                                        \
	do {                                                               \
		(regs)->ip = (uint64_t)(uintptr_t)__builtin_return_address(0); \
		(regs)->sp = (uint64_t)(uintptr_t)__builtin_frame_address(0);  \
		(regs)->bp = 0;                                                \
	} while (0)
#endif

/* A walk that was made: its start and the words of the stack that it read, at these offsets from
 * start.sp. */
typedef struct gs_walk {
	gs_regs start;
	uint32_t result; /* what gs_unwind_remember was given; 0: none */
	uint32_t nwords; /* GS_UNWIND_WORDS + 1: more than can be kept */
	bool uses_bp;    /* start.bp had a part in it */
	uint32_t offsets[GS_UNWIND_WORDS];
	uint64_t values[GS_UNWIND_WORDS];
} gs_walk;

typedef struct gs_unwinder {
	uint64_t checked;         /* time of the last look at the loader's counts */
	unsigned long long loads; /* those counts, summed */
	uint32_t owner;
	gs_walk last;
	uint32_t vacant; /* memo that the look-up ended at */
	struct gs_unwind_rule {
		uint64_t ip;
		gs_cfi_rule rule;
	} rules[GS_UNWIND_RULES];
	gs_walk memos[GS_UNWIND_MEMOS];
} gs_unwinder;

/* Does once in a process what glibc's backtrace() does at its first call (it loads a library). */
void gs_unwind_prepare(void);

/* The result remembered for this very stack, or 0. Call it before gs_unwind and gs_unwind_remember
 * for the same start. */
uint32_t gs_unwind_known(gs_unwinder *u, const gs_regs *start);

/* Frames from start outwards, innermost first: start->ip, then return addresses; at most max (≤
 * GS_UNWIND_MAX). Returns how many. */
uint32_t gs_unwind(gs_unwinder *u, const gs_regs *start, uint64_t *frames, uint32_t max);

/* Remembers that the stack walked last gives this result (not 0). */
void gs_unwind_remember(gs_unwinder *u, uint32_t result);

/* To be called before the others, with the time in any unit of 1/rate second: forgets everything
 * when modules were loaded or unloaded (looks once a millisecond) or when the results belong to
 * another owner (any number, not 0). */
void gs_unwind_check(gs_unwinder *u, uint32_t owner, uint64_t now, uint64_t millisecond);

/* The loader's count of modules ever loaded plus unloaded: it changes whenever code addresses may
 * mean something else. */
unsigned long long gs_unwind_loads(void);

#endif
