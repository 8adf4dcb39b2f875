/* A counter that children share with main. */
#include "tests/unit/skip.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>

static atomic_int *count;

void gs_skip_open(void)
{
	void *shared = mmap(
		NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	count = shared == MAP_FAILED ? NULL : shared;
}

void gs_skip(const char *missing)
{
	static bool counted; /* once a test, which has a process of its own */
	fprintf(stderr, "SKIPPED: no %s\n", missing);
	if (count && !counted)
		atomic_fetch_add(count, 1);
	counted = true;
}

int gs_skip_count(void) { return count ? atomic_load(count) : 0; }
