/* Pages of memory_viz. */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return gs_fuzz_read(&gs_reader_html, data, n);
}
