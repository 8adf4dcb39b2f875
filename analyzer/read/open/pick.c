/* Which of several readers a source's content is for. */
#include "analyzer/read/open/reader.h"

enum { HEAD = 64 * 1024 };

static const gs_reader *surest(
	const gs_reader *const *readers, size_t nreaders, gs_source *source, int at_least)
{
	const unsigned char *head;
	size_t n = gs_source_peek(source, HEAD, &head);
	const gs_reader *best = NULL;
	for (size_t i = 0; i < nreaders; i++) {
		int sure = readers[i]->probe(head, n < HEAD ? n : HEAD);
		if (sure >= at_least) {
			best = readers[i];
			at_least = sure + 1;
		}
	}
	return best;
}

/* A .gsnap is zstd itself, so a certain reader gets the bytes as they are. */
gs_status gs_reader_pick_of(const gs_reader *const *readers, size_t nreaders, gs_source *source,
	const gs_reader **out, gs_error *err)
{
	const unsigned char *head;
	if (!gs_source_peek(source, 1, &head)) {
		if (gs_source_status(source, err))
			return err ? err->status : GS_IO;
		return gs_fail(err, GS_UNKNOWN_KIND, "the file is empty");
	}
	if (!(*out = surest(readers, nreaders, source, 100))) {
		gs_status status = gs_source_unwrap(source, err);
		if (status)
			return status;
		*out = surest(readers, nreaders, source, 1);
	}
	if (*out)
		return GS_OK;
	if (gs_source_status(source, err))
		return err ? err->status : GS_IO;
	size_t n = gs_source_peek(source, 8, &head);
	char hex[32] = "";
	for (size_t i = 0; i < n && i < 8; i++) {
		static const char digits[] = "0123456789abcdef";
		hex[3 * i] = digits[head[i] >> 4];
		hex[3 * i + 1] = digits[head[i] & 15];
		hex[3 * i + 2] = i + 1 < n && i < 7 ? ' ' : 0;
	}
	return gs_fail(err, GS_UNKNOWN_KIND, "not a kind of file gpusnap knows (it begins with %s)",
		n ? hex : "nothing");
}
