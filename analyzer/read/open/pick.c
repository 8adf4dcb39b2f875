/* Which of several readers a source's content is for. */
#include "analyzer/read/open/reader.h"

#include <string.h>

enum { HEAD = 64 * 1024 };

/* What people pack files with that is not unwrapped here, by what it begins with at an offset. */
static const struct {
	size_t offset, n;
	const char *magic, *what;
} packings[] = {
	{0, 6, "\3757zXZ\0", "packed with xz: `xz -dk` unpacks it"},
	{0, 3, "BZh", "packed with bzip2: `bunzip2 -k` unpacks it"},
	{0, 4, "\x04\x22\x4d\x18", "packed with lz4: `unlz4` unpacks it"},
	{0, 6, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it and name a file in it"},
	{0, 4, "PK\3\4", "a zip archive: unpack it and name a file in it"},
	{257, 5, "ustar", "a tar archive: unpack it and name a file in it"},
};

/* torch.save writes a zip archive, with the pickle as it is in NAME/data.pkl. */
static bool is_of_torch_save(const unsigned char *head, size_t n)
{
	size_t name = n > 30 ? head[26] | (size_t)head[27] << 8 : 0;
	return name > 9 && 30 + name <= n && !memcmp(head, "PK\3\4", 4) &&
		!memcmp(head + 30 + name - 9, "/data.pkl", 9);
}

static const char *packing_of(const unsigned char *head, size_t n)
{
	if (is_of_torch_save(head, n))
		return "what torch.save wrote: `unzip -p FILE '*/data.pkl'` gives the pickle in it";
	for (size_t i = 0; i < sizeof packings / sizeof *packings; i++)
		if (n >= packings[i].offset + packings[i].n &&
			!memcmp(head + packings[i].offset, packings[i].magic, packings[i].n))
			return packings[i].what;
	return NULL;
}

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
	size_t n = gs_source_peek(source, 1024, &head);
	const char *packing = packing_of(head, n);
	if (packing)
		return gs_fail(err, GS_UNKNOWN_KIND, "the file is %s", packing);
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
