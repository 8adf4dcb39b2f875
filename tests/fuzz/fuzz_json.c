/* Snapshots as JSON. */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return gs_fuzz_read(&gs_reader_json, data, n);
}
