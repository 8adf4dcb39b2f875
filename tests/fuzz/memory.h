/* Under AddressSanitizer, counts what a target holds of memory while it looks at one input, and
 * aborts beyond what the project allows a reader: 64 MiB + 4 times the input's size. Without it
 * replay.c measures the process. */
#ifndef GS_TESTS_FUZZ_MEMORY_H
#define GS_TESTS_FUZZ_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
	void (*given)(const volatile void *)) __attribute__((weak));
extern size_t __sanitizer_get_allocated_size(const volatile void *) __attribute__((weak));

static struct {
	int64_t held, most;
	int counting, installed;
} gs_fuzz_memory;

static void gs_fuzz_check(void)
{
	if (gs_fuzz_memory.held <= gs_fuzz_memory.most)
		return;
	gs_fuzz_memory.counting = 0;
	fprintf(stderr, "holds %lld bytes, more than the %lld it may\n", (long long)gs_fuzz_memory.held,
		(long long)gs_fuzz_memory.most);
	abort();
}

/* The sanitizer's realloc takes the new array and then gives the old one back, which the C
 * library's large ones, moved by their pages, do not hold at once: what is held is looked at with
 * the next call. */
static void gs_fuzz_taken(const volatile void *p, size_t n)
{
	(void)p;
	if (!gs_fuzz_memory.counting)
		return;
	gs_fuzz_check();
	gs_fuzz_memory.held += (int64_t)n;
}

static void gs_fuzz_given(const volatile void *p)
{
	if (!gs_fuzz_memory.counting || !p)
		return;
	gs_fuzz_memory.held -= (int64_t)__sanitizer_get_allocated_size(p);
	gs_fuzz_check();
}

static inline void gs_fuzz_memory_begin(size_t n)
{
	if (!__sanitizer_install_malloc_and_free_hooks)
		return;
	if (!gs_fuzz_memory.installed++)
		__sanitizer_install_malloc_and_free_hooks(gs_fuzz_taken, gs_fuzz_given);
	gs_fuzz_memory.held = 0;
	gs_fuzz_memory.most = (64ll << 20) + 4 * (int64_t)n;
	gs_fuzz_memory.counting = 1;
}

static inline void gs_fuzz_memory_end(void)
{
	if (gs_fuzz_memory.counting)
		gs_fuzz_check();
	gs_fuzz_memory.counting = 0;
}

#endif
