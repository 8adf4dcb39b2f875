/* qsort and qsort_r as glibc has them, stable: what compares equal keeps its order, so that answers
 * are the command's. WASI's C library lacks the second, and zig's first is twelve times as large.
 */
#include "tools/page/wasi.h"

#include <stdlib.h>
#include <string.h>

typedef struct order {
	size_t size; /* of an element */
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
} order;

/* Sorted from: n elements at a, then m behind them; the result lies there too. room is for n. */
static void merge(const order *o, char *a, size_t n, size_t m, char *room)
{
	char *left = room, *left_end = room + n * o->size, *right = a + n * o->size,
		 *right_end = right + m * o->size;
	memcpy(room, a, n * o->size);
	while (left < left_end && right < right_end) {
		char **least = o->compare(left, right, o->context) <= 0 ? &left : &right;
		memcpy(a, *least, o->size);
		*least += o->size;
		a += o->size;
	}
	memcpy(a, left, (size_t)(left_end - left));
}

static void sort(const order *o, char *a, size_t n, char *room)
{
	size_t half = n / 2;
	char *second = a + half * o->size;
	if (n < 2)
		return;
	sort(o, a, half, room);
	sort(o, second, n - half, room);
	if (o->compare(second - o->size, second, o->context) > 0)
		merge(o, a, half, n - half, room);
}

/* Without memory for half of the elements the worker ends, as where the module's own is used up. */
void qsort_r(void *base, size_t n, size_t size,
	int (*compare)(const void *a, const void *b, void *context), void *context)
{
	const order o = {size, compare, context};
	char *room = malloc(n / 2 * size + 1);
	if (!room)
		__builtin_trap();
	sort(&o, base, n, room);
	free(room);
}

static int compare_plainly(const void *a, const void *b, void *context)
{
	return (*(int (**)(const void *, const void *))context)(a, b);
}

void qsort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
	qsort_r(base, n, size, compare_plainly, &compare);
}
