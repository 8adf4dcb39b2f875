/* Lines of regions and chunks, and of chunks by size. */
#include "analyzer/read/logs/bfc_lines.h"

#include "analyzer/model/array.h"
#include "analyzer/read/text/figure.h"

enum { CHUNK_FIELDS = 200 }; /* squeezed characters that the fields of a chunk line may take */

/* A size printed in bytes, in the newest logs shortened ("3.20GiB"). What follows may be a word
 * that begins like a unit. */
static bool bytes_at(const gs_text *t, size_t *i, int64_t *bytes)
{
	static const char *const units[] = {".", "kib", "mib", "gib", "tib"};
	uint64_t value;
	size_t j = *i;
	if (!gs_text_number(t, &j, &value))
		return false;
	for (size_t k = 0; k < sizeof units / sizeof *units; k++)
		if (gs_text_is(t, j, units[k]))
			return gs_text_size(t, i, bytes, NULL);
	*i = j;
	*bytes = value > INT64_MAX ? INT64_MAX : (int64_t)value;
	return true;
}

/* The number at i without what the first line's end in it put behind it; 0 where there is none.
 * end: behind the number. */
static uint64_t before_line_end(const gs_text *t, size_t i, size_t end)
{
	uint64_t value = 0;
	for (size_t k = i; k < end; k++) {
		if (k > i && t->gap[k] == GS_GAP_WRAP)
			return value;
		if (t->s[k] < '0' || t->s[k] > '9')
			break;
		value = value * 10 + (uint64_t)(t->s[k] - '0');
	}
	return 0;
}

gs_status gs_bfc_line_heading(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t state = gs_text_find(t, i, i + 60, "chunkstate:");
	if (state == SIZE_MAX)
		return GS_OK;
	GS_BFC_DUMP(gs_bfc_is_over(b));
	d->headed = true;
	gs_text_size(t, end, &d->request, NULL);
	*end = state + 11;
	return GS_OK;
}

gs_status gs_bfc_line_region(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	int64_t size;
	size_t from = *end;
	if (!bytes_at(t, end, &size) || size <= 0 || size > GS_BFC_MOST_BYTES || *end >= t->n)
		return GS_OK;
	GS_BFC_DUMP(gs_bfc_is_over(b));
	d->headed |= !d->nchunks;
	if (d->nregions && d->regions[d->nregions - 1].first == d->nchunks &&
		d->regions[d->nregions - 1].size == (uint64_t)size)
		d->nregions--; /* the line was printed twice */
	if (!GS_ARRAY_RESERVE(d->regions, d->cap_regions, d->nregions + 1))
		return GS_NO_MEMORY;
	uint64_t shorter = before_line_end(t, from, *end);
	bool whole = size % GS_BFC_UNIT == 0 || shorter % GS_BFC_UNIT != 0 || !shorter;
	d->regions[d->nregions++] = (gs_bfc_region){
		whole ? (uint64_t)size : shorter, shorter, d->nchunks};
	return GS_OK;
}

gs_status gs_bfc_line_chunk(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	gs_bfc_chunk c = {0, 0, 0, !gs_text_is(t, i, "free")};
	int64_t size = 0;
	size_t j = *end;
	if (!gs_text_hex(t, &j, &c.address) || !c.address)
		return GS_OK;
	if (!gs_text_is(t, j, "ofsize") && !gs_text_is(t, j, "next"))
		return GS_OK;
	size_t at = gs_text_find(t, j, j + CHUNK_FIELDS, "ofsize");
	size_t other = gs_text_find(t, j, j + CHUNK_FIELDS, "at0x"),
		   next = gs_text_find(t, j, j + CHUNK_FIELDS, "inuseat");
	if (at == SIZE_MAX || at > other || at > next)
		return GS_OK;
	size_t from = at += 6;
	if (!bytes_at(t, &at, &size) || size <= 0 || size > GS_BFC_MOST_BYTES ||
		(at >= t->n && size % GS_BFC_UNIT))
		return GS_OK; /* at the end of the input the number may be cut */
	c.size = (uint64_t)size;
	c.shorter = before_line_end(t, from, at);
	if (c.size > UINT64_MAX - c.address)
		return GS_OK;
	GS_BFC_DUMP(gs_bfc_is_over(b));
	if (d->nchunks && d->chunks[d->nchunks - 1].address == c.address &&
		d->chunks[d->nchunks - 1].size == c.size)
		return GS_OK; /* printed twice */
	if (!GS_ARRAY_RESERVE(d->chunks, d->cap_chunks, d->nchunks + 1))
		return GS_NO_MEMORY;
	d->chunks[d->nchunks++] = c;
	*end = at;
	return GS_OK;
}

/* 4 Chunks of size 256 totalling 1.0KiB (ONNX Runtime: 4 chunks of size 256. Total 1024) */
gs_status gs_bfc_line_chunks_of_size(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t from = i, j;
	uint64_t count;
	int64_t size;
	while (from && from + 12 > i && t->s[from - 1] >= '0' && t->s[from - 1] <= '9' &&
		(from == i || t->gap[from] == GS_GAP_NONE || t->gap[from] == GS_GAP_WRAP))
		from--;
	j = from;
	if (from == i || !gs_text_number(t, &j, &count) || j != i || count > GS_BFC_MOST_BYTES / 256 ||
		!bytes_at(t, end, &size) || size <= 0 || size > GS_BFC_MOST_BYTES ||
		(uint64_t)size > GS_BFC_MOST_BYTES / (count ? count : 1) ||
		!(gs_text_is(t, *end, "totalling") || gs_text_is(t, *end, ".total")))
		return GS_OK;
	GS_BFC_DUMP(gs_bfc_has_stats(b));
	d->listed += count;
	if (d->listed_bytes < UINT64_MAX / 2)
		d->listed_bytes += count * (uint64_t)size;
	return GS_OK;
}
