/* The reader of logs with a dump of the BFC allocator. */
#include <string.h>

#include "analyzer/read/logs/bfc_dump.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/read/logs/log.h"

static bool holds(const unsigned char *head, size_t n, const char *word)
{
	return memmem(head, n, word, strlen(word)) != NULL;
}

static int probe(const unsigned char *head, size_t n)
{
	bool lines = holds(head, n, "Chunks in use:") || holds(head, n, "Chunk at ") ||
		holds(head, n, "InUse at ") || holds(head, n, "Chunks of size ");
	return lines && gs_text_likeness(head, n) ? (holds(head, n, "bfc_allocator") ? 80 : 30) : 0;
}

static gs_status read_log(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err)
{
	(void)want;
	return gs_text_log_read(source, s, err);
}

const gs_reader gs_reader_bfc = {"bfc", probe, read_log};
