/* qsort_r over qsort: one thread, so that the context may stand in a variable meanwhile. */
#include "tools/page/wasi.h"

#include <stdlib.h>

static struct {
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
} now;

static int compare_now(const void *a, const void *b) { return now.compare(a, b, now.context); }

void qsort_r(void *base, size_t n, size_t size,
	int (*compare)(const void *a, const void *b, void *context), void *context)
{
	__typeof__(now) outer = now;
	now.compare = compare;
	now.context = context;
	qsort(base, n, size, compare_now);
	now = outer;
}
