#include "analyzer/model/array.h"

#include <stdint.h>
#include <string.h>

#include "analyzer/model/memory.h"

/* array is the address of a pointer of some type: read and written as bytes. */
static bool resize(void *array, size_t n, size_t size)
{
	void *at;
	memcpy(&at, array, sizeof at);
	at = n > SIZE_MAX / size ? NULL : gs_memory_resize(at, n * size);
	if (at)
		memcpy(array, &at, sizeof at);
	return at;
}

bool gs_array_reserve(void *array, size_t *cap, size_t n, size_t size)
{
	size_t more = *cap + *cap / 2 + 16;
	if (n <= *cap)
		return true;
	more = more < n ? n : more;
	if (!resize(array, more, size))
		return false;
	*cap = more;
	return true;
}

bool gs_array_one_more(void *array, size_t n, size_t size)
{
	if (!(n & (n - 1)) && !resize(array, n ? 2 * n : 1, size))
		return false;
	char *at;
	memcpy(&at, array, sizeof at);
	memset(at + n * size, 0, size);
	return true;
}
