/* Long loops in parts, each a call of its own. Where the analyzer runs as WebAssembly, an engine
 * begins with code that is made at once and goes over to code that is twice as quick only when a
 * function is called again: a loop over a million events in one call never gets it. */
#ifndef GS_ANALYZER_MODEL_PARTS_H
#define GS_ANALYZER_MODEL_PARTS_H

#include <stddef.h>

#include "schema/status.h"

/* Calls work(arg, first, end) for the parts of [0, n) in order, as long as it returns GS_OK;
 * returns what it returned last. */
gs_status gs_in_parts(size_t n, gs_status (*work)(void *arg, size_t first, size_t end), void *arg);

#endif
