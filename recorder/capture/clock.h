/* Times of events: nanoseconds since 1970 UTC, read as cheap ticks and turned into time when a dump
 * is made.
 *
 * Ticks are the processor's time stamp counter where the kernel itself keeps time by it, else
 * CLOCK_MONOTONIC. A manual clock gives made-up times for simulations. Thread-safe, but for a
 * manual clock. */
#ifndef GS_RECORDER_CAPTURE_CLOCK_H
#define GS_RECORDER_CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

typedef struct gs_clock {
	bool tsc, manual;
	uint64_t ticks0;      /* a moment, in ticks … */
	int64_t monotonic0;   /* … and in nanoseconds of CLOCK_MONOTONIC … */
	int64_t real0;        /* … and since 1970 */
	uint64_t millisecond; /* in ticks, roughly */
	uint64_t next;        /* manual: the next time in ns */
} gs_clock;

/* How ticks become times; made once for a dump. */
typedef struct gs_clock_scale {
	uint64_t ticks;
	int64_t real; /* ns since 1970 at those ticks */
	double ns;    /* a tick */
} gs_clock_scale;

/* The real time, by the cheapest source that the kernel trusts. */
void gs_clock_init(gs_clock *c);
/* A clock that starts at that time and advances by a microsecond a reading. */
void gs_clock_init_manual(gs_clock *c, uint64_t ns);

/* The scale at this moment; by it the time of ticks, in nanoseconds since 1970. */
gs_clock_scale gs_clock_scale_now(const gs_clock *c);
/* The same by the real time at which c began: whatever the clock is set to since, times of a later
 * scale follow those of an earlier one. */
gs_clock_scale gs_clock_scale_steady(const gs_clock *c);
int64_t gs_clock_ns(const gs_clock_scale *s, uint64_t ticks);
int64_t gs_clock_real(void); /* ns since 1970 now */

/* Now, in ticks: some 10 ns. */
static inline uint64_t gs_clock_ticks(gs_clock *c)
{
	struct timespec t;
	if (c->manual)
		return c->next += 1000;
#if defined(__x86_64__)
	if (c->tsc)
		return __rdtsc();
#endif
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Now, once a microsecond has passed whatever a tick is: files tell times in microseconds, and none
 * of what was before has this one. */
static inline uint64_t gs_clock_ticks_apart(gs_clock *c)
{
	uint64_t begun = gs_clock_ticks(c), now = begun;
	while (!c->manual && now - begun < c->millisecond / 500)
		now = gs_clock_ticks(c);
	return now;
}

#endif
