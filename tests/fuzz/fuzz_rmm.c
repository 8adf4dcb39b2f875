/* CSV logs of RMM. */
#include <stdint.h>

#include "analyzer/read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gs_source *source = NULL;
	gs_snapshot s;
	gs_snapshot_init(&s);
	gs_reader_rmm.probe(data, size);
	if (gs_source_memory(data, size, &source, NULL) == GS_OK && gs_reader_rmm.read(source, GS_WANT_ALL, &s, NULL) == GS_OK)
		gs_snapshot_finish(&s, NULL);
	gs_snapshot_release(&s);
	gs_source_close(source);
	return 0;
}
