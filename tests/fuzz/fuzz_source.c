/* Any input by its content: unpacking and the choice of a reader. */
#include <stdint.h>

#include "analyzer/read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	if (!gs_read_memory(data, n, GS_WANT_ALL, &s, &err))
		gs_snapshot_release(&s);
	return 0;
}
