/* Tables of memory_summary: the reader of texts, with a dictionary and inputs of its own. */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return gs_fuzz_read(&gs_reader_text, data, n);
}
