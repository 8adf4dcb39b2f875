/* Counting what malloc gives. */
#include "analyzer/model/memory.h"

#include <malloc.h>
#include <stdlib.h>

static _Thread_local gs_account *current;

void gs_account_open(gs_account *a, uint64_t (*limit)(const void *of), const void *of)
{
	*a = (gs_account){.limit = limit, .of = of, .before = current};
	current = a;
}

void gs_account_close(gs_account *a) { current = a->before; }

static void count_bytes(size_t n)
{
	if (current)
		current->held += n;
}

/* Memory from before the account was opened may be given back under it. */
static void subtract(uint64_t n)
{
	if (current)
		current->held -= n < current->held ? n : current->held;
}

bool gs_memory_allows(size_t n)
{
	return !current ||
		(n <= UINT64_MAX - current->held && current->held + n <= current->limit(current->of));
}

static bool allowed(size_t n)
{
	bool good = gs_memory_allows(n);
	if (!good)
		current->exceeded = true;
	return good;
}

void *gs_memory_take(size_t n)
{
	void *p = allowed(n) ? malloc(n) : NULL;
	if (p)
		count_bytes(malloc_usable_size(p));
	return p;
}

void *gs_memory_zeroed(size_t n, size_t size)
{
	size_t all;
	void *p = !__builtin_mul_overflow(n, size, &all) && allowed(all) ? calloc(n, size) : NULL;
	if (p)
		count_bytes(malloc_usable_size(p));
	return p;
}

static void *resize(void *p, size_t n, bool anyway)
{
	size_t before = p ? malloc_usable_size(p) : 0;
	void *q = n <= before || allowed(n - before) || anyway ? realloc(p, n) : NULL;
	if (q) {
		subtract(before);
		count_bytes(malloc_usable_size(q));
	}
	return q;
}

void *gs_memory_resize(void *p, size_t n) { return resize(p, n, false); }
void *gs_memory_resize_anyway(void *p, size_t n) { return resize(p, n, true); }
void *gs_memory_take_anyway(size_t n) { return resize(NULL, n, true); }
bool gs_memory_exceeded(void) { return current && current->exceeded; }

void gs_memory_give(void *p)
{
	if (p)
		subtract(malloc_usable_size(p));
	free(p);
}
