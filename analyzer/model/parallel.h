/* The same work on many things at once, a thread a core. */
#ifndef GS_ANALYZER_MODEL_PARALLEL_H
#define GS_ANALYZER_MODEL_PARALLEL_H

#include <stddef.h>

/* Calls work(context, i) once for each i below n, in no order and by several threads, and returns
 * when all are done. What the calls share they only read; each writes what is its own. An account
 * of memory (memory.h) that is open on the caller's thread does not count what the others take.
 * Where no thread can be had (WebAssembly, a limit) the caller does the work by itself. */
void gs_parallel(size_t n, void (*work)(void *context, size_t i), void *context);

#endif
