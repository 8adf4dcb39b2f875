/* Logs and other texts: messages, tables of memory_summary, dumps of the BFC allocator. */
#include <stdint.h>

#include "analyzer/read/text_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gs_source *source = NULL;
	gs_snapshot s;
	gs_snapshot_init(&s);
	if (gs_source_memory(data, size, &source, NULL) == GS_OK && gs_text_log_read(source, &s, NULL) == GS_OK)
		gs_snapshot_finish(&s, NULL);
	gs_snapshot_release(&s);
	gs_source_close(source);
	return 0;
}
