/* Memory of the model and its readers, counted, so that a small hostile file cannot take a lot.
 *
 * While an account is open on a thread, what that thread takes and gives back through these calls
 * is counted (as malloc_usable_size tells it), and what would exceed the account's limit is refused
 * like memory that is short: NULL, with the account's `exceeded` set. Without an account they are
 * malloc, calloc, realloc and free, and memory may pass between the two freely.
 *
 * The account belongs to the thread, not to the snapshot: readers, the interning columns and the
 * libraries that they call all count, and none has to be handed it. */
#ifndef GS_ANALYZER_MODEL_MEMORY_H
#define GS_ANALYZER_MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_account {
	uint64_t held;                     /* bytes */
	uint64_t (*limit)(const void *of); /* what may be held now */
	const void *of;
	bool exceeded;             /* something was refused since the account was opened */
	struct gs_account *before; /* the thread's account until close */
} gs_account;

/* Counts this thread's memory from here on; the account must stay where it is until
 * gs_account_close. Accounts nest: the inner one counts alone. */
void gs_account_open(gs_account *a, uint64_t (*limit)(const void *of), const void *of);
void gs_account_close(gs_account *a);

/* malloc, calloc, realloc and free. A size of 0 gives NULL or memory that may be given back. */
void *gs_memory_take(size_t n);
void *gs_memory_zeroed(size_t n, size_t size);
void *gs_memory_resize(void *p, size_t n); /* on failure p stays as it was */
void gs_memory_give(void *p);

/* The same, for libraries that take a refusal badly: nothing is refused for the account's sake, and
 * gs_memory_exceeded is to be asked often. */
void *gs_memory_take_anyway(size_t n);
void *gs_memory_resize_anyway(void *p, size_t n);
bool gs_memory_exceeded(void);

/* Whether n bytes more would be given, as far as the account goes; asking changes nothing. For
 * growth that can do with less. */
bool gs_memory_allows(size_t n);

#endif
