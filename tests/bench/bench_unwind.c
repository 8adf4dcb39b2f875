/* A C stack of 16 frames, taken in code without frame pointers: the recorder's ways beside glibc's backtrace() and libunwind's fast path
 * (where that library is installed). Nanoseconds of processor time. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "recorder/capture/unwind.h"

enum { FRAMES = 16, SHORT = 2000, ROUNDS = 60 };

typedef int walker(void **frames, int max);

static gs_unwinder unwinder;
static volatile int sink;

__attribute__((noinline)) static int by_rules(void **frames, int max)
{
	gs_regs from;
	gs_regs_of_caller(&from);
	return (int)gs_unwind(&unwinder, &from, (uint64_t *)frames, (uint32_t)max);
}

__attribute__((noinline)) static int remembered(void **frames, int max)
{
	gs_regs from;
	gs_regs_of_caller(&from);
	int n = (int)gs_unwind_known(&unwinder, &from);
	if (!n) {
		n = (int)gs_unwind(&unwinder, &from, (uint64_t *)frames, (uint32_t)max);
		gs_unwind_remember(&unwinder, (uint32_t)n);
	}
	return n;
}

static int nothing(void **frames, int max)
{
	(void)frames;
	return max;
}

__attribute__((noinline)) static int deep(int n, walker *walk)
{
	void *frames[FRAMES];
	volatile int r = n ? deep(n - 1, walk) : walk(frames, FRAMES);
	return r;
}

static double measure(walker *walk)
{
	double best = 1e18;
	for (int round = 0; round < ROUNDS; round++) {
		struct timespec a, b;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
		for (int i = 0; i < SHORT; i++)
			sink = deep(20, walk);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
		double took = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / SHORT;
		best = took < best ? took : best;
	}
	return best;
}

static void show(const char *what, walker *walk, double base)
{
	if (walk)
		printf("  %-36s %6.0f   (%d frames)\n", what, measure(walk) - base, sink);
	else
		printf("  %-36s SKIPPED (not installed)\n", what);
}

static walker *of_library(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), *symbol = handle ? dlsym(handle, name) : NULL;
	walker *walk = NULL;
	memcpy(&walk, &symbol, sizeof walk);
	return walk;
}

int main(void)
{
	gs_unwind_prepare();
	gs_unwind_check(&unwinder, 1, 1, 0);
	double base = measure(nothing);
	printf("nanoseconds for a stack of 16 frames\n");
	show("remembered", remembered, base);
	show("by rules from .eh_frame", by_rules, base);
	show("libunwind, unw_backtrace", of_library("libunwind.so.8", "unw_backtrace"), base);
	show("glibc, backtrace", of_library("libc.so.6", "backtrace"), base);
	return 0;
}
