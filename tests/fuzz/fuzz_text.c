/* Logs and other texts: messages, tables of memory_summary, dumps. */
#include "tests/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return gs_fuzz_read(&gs_reader_text, data, n);
}
