/* Growing arrays, in counted memory (memory.h): how they grow has its one home here.
 *
 * An array is a pointer of the caller's, NULL at first, given back by gs_memory_give. The macros
 * take the pointer and the capacity as lvalues. Where memory is short they are false and change
 * nothing. */
#ifndef GS_ANALYZER_MODEL_ARRAY_H
#define GS_ANALYZER_MODEL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Room for n elements in all. cap, a size_t, counts elements and grows by half at least. */
#define GS_ARRAY_RESERVE(array, cap, n) \
	((n) <= (cap) || gs_array_reserve(&(array), &(cap), (n), sizeof *(array)))
bool gs_array_reserve(void *array, size_t *cap, size_t n, size_t size);

/* Room for one more than n elements, in an array that grows by one at a time and never shrinks: its
 * capacity is the power of two that n reaches next, and need not be kept. The new element is
 * zeroed. */
#define GS_ARRAY_ONE_MORE(array, n) gs_array_one_more(&(array), (n), sizeof *(array))
bool gs_array_one_more(void *array, size_t n, size_t size);

#endif
