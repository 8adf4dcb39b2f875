/* Memory of the recorder's own: whole pages from the kernel, never from the program's malloc,
 * counted. */
#ifndef GS_RECORDER_CAPTURE_PAGES_H
#define GS_RECORDER_CAPTURE_PAGES_H

#include <stdatomic.h>
#include <stddef.h>

/* How much is taken. All functions are thread-safe. */
typedef struct gs_pages {
	_Atomic size_t bytes;
} gs_pages;

/* Zeroed memory, aligned to a page; touched pages only cost real memory. NULL when the kernel
 * refuses, and for 0 bytes. */
void *gs_pages_take(gs_pages *p, size_t bytes);

/* Gives back what take gave, with the same number of bytes; NULL allowed. */
void gs_pages_give(gs_pages *p, void *at, size_t bytes);

#endif
