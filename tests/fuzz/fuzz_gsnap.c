/* The .gsnap reader. Input that begins as a .gsnap does is read as it is. Checksums would turn
 * nearly all other input away, so it is taken as a recipe instead: bodies of sections, which get
 * the frames, checksums and row numbers that make the reader look at them. What reads well must
 * also survive being written and read again.
 *
 * A recipe: a byte of wants; then sections of kind (1), flags (1), rows (2), device (1), length
 * (2), body. */
#include <stdint.h>
#include <stdlib.h>
#include <zstd.h>

#include "analyzer/export/gsnap.h"
#include "analyzer/read/open/reader.h"
#include "schema/bytes.h"
#include "schema/crc32.h"
#include "schema/gsnap_read.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	unsigned char *data;
	size_t n, cap;
};

static gs_status add(void *arg, const void *data, size_t n)
{
	struct bytes *b = arg;
	if (b->n + n > b->cap) {
		unsigned char *grown = realloc(b->data, 2 * (b->n + n));
		if (!grown)
			return GS_NO_MEMORY;
		b->data = grown;
		b->cap = 2 * (b->n + n);
	}
	memcpy(b->data + b->n, data, n);
	b->n += n;
	return GS_OK;
}

static void add_header(struct bytes *b)
{
	unsigned char h[GS_GSNAP_HEADER_SIZE] = {0};
	gs_put_le(h, GS_GSNAP_SKIPPABLE, 4);
	gs_put_le(h + 4, sizeof h - 8, 4);
	memcpy(h + 8, GS_GSNAP_MAGIC, 8);
	gs_put_le(h + 16, GS_GSNAP_VERSION, 2);
	gs_put_le(h + 18, GS_GSNAP_OLDEST_READER, 2);
	gs_put_le(h + 28, gs_crc32(0, h, 28), 4);
	add(b, h, sizeof h);
}

static void add_section(struct bytes *b, const gs_section *s, const uint8_t *raw, size_t n)
{
	static unsigned char packed[70000];
	static ZSTD_CCtx *zstd;
	unsigned char h[GS_GSNAP_SECTION_SIZE];
	if (!zstd) {
		zstd = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
	}
	size_t m = ZSTD_compress2(zstd, packed, sizeof packed, raw, n);
	gs_put_le(h, GS_GSNAP_SKIPPABLE, 4);
	gs_put_le(h + 4, sizeof h - 8, 4);
	gs_put_le(h + 8, s->kind, 2);
	gs_put_le(h + 10, s->flags, 2);
	gs_put_le(h + 12, s->sequence, 4);
	gs_put_le(h + 16, (uint32_t)s->device, 4);
	gs_put_le(h + 20, s->rows, 4);
	gs_put_le(h + 24, s->first, 8);
	gs_put_le(h + 32, m, 4);
	gs_put_le(h + 36, n, 4);
	gs_put_le(h + 40, gs_crc32(0, h, 40), 4);
	add(b, h, sizeof h);
	add(b, packed, m);
}

static void follow_recipe(struct bytes *b, const uint8_t *data, size_t size)
{
	gs_section s = {0};
	uint64_t counts[256] = {0};
	add_header(b);
	while (size >= 7) {
		size_t n = gs_get_le(data + 5, 2);
		int32_t device = (int8_t)data[4];
		if (s.kind == GS_SECTION_EVENT && s.device != device)
			counts[GS_SECTION_EVENT] = 0;
		s.kind = data[0];
		s.flags = data[1];
		s.rows = (uint32_t)gs_get_le(data + 2, 2);
		s.device = device;
		s.first = counts[data[0]];
		n = n < size - 7 ? n : size - 7;
		add_section(b, &s, data + 7, n);
		counts[data[0]] += s.rows;
		s.sequence++;
		data += 7 + n;
		size -= 7 + n;
	}
}

static void read_twice(const void *data, size_t size, unsigned want)
{
	gs_snapshot s, again;
	struct bytes b = {0};
	gs_fuzz_memory_begin(size);
	gs_status status = gs_read_memory(data, size, want, &s, NULL);
	gs_fuzz_memory_end();
	if (status)
		return;
	bool write = size % 8 == 0; /* costs much more than reading */
	if (write && !gs_export_gsnap(&s, 1, add, &b, NULL)) {
		if (gs_read_memory(b.data, b.n, GS_WANT_ALL, &again, NULL) || again.ndevices != s.ndevices)
			abort();
		gs_snapshot_release(&again);
	}
	free(b.data);
	gs_snapshot_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = {0};
	if (!size)
		return 0;
	if (data[0] == 'W') {
		read_twice(data, size, GS_WANT_ALL);
		read_twice(data, size, GS_WANT_LAYOUT);
		return 0;
	}
	follow_recipe(&b, data + 1, size - 1);
	read_twice(b.data, b.n, data[0] & GS_WANT_ALL);
	free(b.data);
	return 0;
}
