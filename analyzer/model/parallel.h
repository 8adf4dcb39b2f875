/* The same work on many things at once, a thread a core. */
#ifndef GS_ANALYZER_MODEL_PARALLEL_H
#define GS_ANALYZER_MODEL_PARALLEL_H

#include <stddef.h>

/* Calls work(context, i) once for each i below n, in no order and by several threads, and returns
 * when all are done. What the calls share they only read; each writes what is its own. An account
 * of memory (memory.h) that is open on the caller's thread does not count what the others take.
 * Where no thread can be had (WebAssembly, a limit) the caller does the work by itself. */
void gs_parallel(size_t n, void (*work)(void *context, size_t i), void *context);

/* Calls beside(context) on a thread of its own and own(context) on the caller's, and returns when
 * both are done; what either writes the other leaves alone. For work that must stay where the
 * caller is, as SQLite's does. Where there is one core or no thread can be had: beside, then own.
 */
void gs_parallel_beside(void (*beside)(void *context), void (*own)(void *context), void *context);

#endif
