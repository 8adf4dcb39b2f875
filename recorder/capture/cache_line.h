/* Lines of the cores' caches: what two threads use at once. */
#ifndef GS_RECORDER_CAPTURE_CACHE_LINE_H
#define GS_RECORDER_CAPTURE_CACHE_LINE_H

enum { GS_CACHE_LINE = 64 };

/* Asks for the line of an address that will be written soon and that another core has read: the
 * store then need not wait until that core gives it up. Compilers make a plain prefetch of it for
 * x86-64 as such, which leaves the line shared; the instruction does nothing where a processor does
 * not know it. */
static inline void gs_prefetch_to_write(const void *at)
{
#ifdef __x86_64__
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
#else
	__builtin_prefetch(at, 1);
#endif
}

#endif
