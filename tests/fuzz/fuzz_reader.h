/* What the targets of snapshot readers share: one reader, given the bytes as they are; what it
 * accepts is exported and read again. */
#ifndef GS_TESTS_FUZZ_READER_H
#define GS_TESTS_FUZZ_READER_H

#include <stdint.h>
#include <stdlib.h>

#include "analyzer/export/pytorch.h"
#include "analyzer/model/frames.h"
#include "analyzer/read/open/reader.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static gs_status gs_fuzz_discard(void *arg, const void *data, size_t n)
{
	*(size_t *)arg += n + (n ? ((const unsigned char *)data)[n - 1] : 0);
	return GS_OK;
}

static inline int gs_fuzz_read(const gs_reader *reader, const uint8_t *data, size_t n)
{
	gs_source *source = NULL;
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	size_t sum = 0;
	char text[256];
	gs_snapshot_init(&s);
	if (gs_source_memory(data, n, &source, &err))
		return 0;
	reader->probe(data, n);
	gs_fuzz_memory_begin(n);
	gs_status status = gs_reader_run(reader, source, GS_WANT_ALL, &s, &err);
	gs_fuzz_memory_end();
	gs_source_close(source);
	if (!status && !gs_snapshot_finish(&s, &err)) {
		gs_export_pytorch(&s, gs_fuzz_discard, &sum, NULL, &err);
		for (gs_id i = 1; i < s.nstacks && i < 64; i++)
			sum += gs_stack_text(&s, i, false, text, sizeof text) + gs_stack_user_frame(&s, i);
	} else if (!err.text[0] || !err.status) {
		abort(); /* a failure without a word */
	}
	gs_snapshot_release(&s);
	return sum == SIZE_MAX;
}

#endif
