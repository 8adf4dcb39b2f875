/* Any input by its content: unpacking and the choice of a reader. */
#include <stdint.h>

#include "analyzer/read/open/reader.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	gs_fuzz_memory_begin(n);
	gs_status status = gs_read_memory(data, n, GS_WANT_ALL, &s, &err);
	gs_fuzz_memory_end();
	if (!status)
		gs_snapshot_release(&s);
	return 0;
}
