/* What glibc has and WASI's C library lacks; each unit of the module includes it first. */
#ifndef GS_TOOLS_PAGE_WASI_H
#define GS_TOOLS_PAGE_WASI_H

#include <stddef.h>

/* As glibc's. The module has one thread. */
void qsort_r(void *base, size_t n, size_t size,
	int (*compare)(const void *a, const void *b, void *context), void *context);

#endif
