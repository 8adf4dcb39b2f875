/* Lines of bins, TensorFlow's and those of ONNX Runtime's arena. */
#include "analyzer/read/logs/bfc_lines.h"

#include <string.h>

#include "analyzer/read/text/figure.h"

/* Bin (256): Total Chunks: 4, Chunks in use: 4. 1.0KiB allocated for chunks. [… client-requested
 * for chunks.] … in use in bin. … */
gs_status gs_bfc_line_bin(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	gs_bfc_bin bin = {0, 0, 0, GS_NONE, GS_NONE, GS_NONE};
	uint64_t total, used;
	size_t j = *end;
	if (!gs_text_number(t, &j, &bin.size) || !gs_text_eat(t, &j, "):totalchunks:") ||
		!gs_text_number(t, &j, &total) || !gs_text_eat(t, &j, ",chunksinuse:") ||
		!gs_text_number(t, &j, &used) || used > total || total > INT32_MAX ||
		bin.size > GS_BFC_MOST_BYTES)
		return GS_OK;
	bin.chunks = (int64_t)total;
	bin.used_chunks = (int64_t)used;
	gs_text_eat(t, &j, ".");
	for (int k = 0; k < 4; k++) {
		int64_t bytes;
		if (!gs_text_size(t, &j, &bytes, NULL) || bytes > GS_BFC_MOST_BYTES)
			break;
		if (gs_text_eat(t, &j, "allocatedforchunks."))
			bin.bytes = bytes;
		else if (gs_text_eat(t, &j, "inuseinbin."))
			bin.used_bytes = bytes;
		else if (gs_text_eat(t, &j, "client-requestedinuseinbin."))
			bin.requested = bytes;
		else if (!gs_text_eat(t, &j, "client-requestedforchunks."))
			break;
	}
	if (bin.bytes == GS_NONE && total == 0)
		bin.bytes = bin.used_bytes = 0;
	const gs_bfc_dump *last = gs_bfc_open_dump(b);
	if (last && last->nbins && !memcmp(&last->bins[last->nbins - 1], &bin, sizeof bin))
		return GS_OK; /* printed twice */
	bool again = last &&
		(last->nchunks || last->nregions || gs_bfc_is_over(b) ||
			(last->nbins && last->bins[last->nbins - 1].size >= bin.size));
	GS_BFC_DUMP(again);
	if (d->nbins < GS_BFC_BINS && bin.bytes != GS_NONE)
		d->bins[d->nbins++] = bin;
	*end = j;
	return GS_OK;
}

/* Allocator:Cuda, and the heading of the bins of ONNX Runtime. */
gs_status gs_bfc_line_arena(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t at = gs_text_find_last(t, i > 300 ? i - 300 : 0, i, "allocator:");
	(void)end;
	if (at == SIZE_MAX)
		return GS_OK;
	bool host = gs_text_is(t, at + 10, "cpu") ||
		gs_text_find(t, at + 10, at + 30, "pinned") != SIZE_MAX;
	gs_bfc_speaking(b)->host = host;
	if (host)
		return GS_OK;
	GS_BFC_DUMP(true);
	d->library = "onnxruntime";
	return GS_OK;
}

/* 256: Chunks 1/2. Bytes 256/512. Requested 200. (in use / all) */
gs_status gs_bfc_line_arena_bin(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t from = i, j = *end;
	uint64_t size, used, all, used_bytes, bytes, requested;
	while (from && from + 16 > i && t->s[from - 1] >= '0' && t->s[from - 1] <= '9' &&
		(from == i || t->gap[from] == GS_GAP_NONE || t->gap[from] == GS_GAP_WRAP))
		from--;
	if (!gs_bfc_open_dump(b) || gs_bfc_is_over(b) || from == i ||
		!gs_text_number(t, &from, &size) || from != i)
		return GS_OK;
	bool is = gs_text_number(t, &j, &used) && gs_text_eat(t, &j, "/") &&
		gs_text_number(t, &j, &all) && gs_text_eat(t, &j, ".bytes") &&
		gs_text_number(t, &j, &used_bytes) && gs_text_eat(t, &j, "/") &&
		gs_text_number(t, &j, &bytes) && gs_text_eat(t, &j, ".requested") &&
		gs_text_number(t, &j, &requested);
	if (!is || used > all || all > INT32_MAX || used_bytes > bytes || bytes > GS_BFC_MOST_BYTES ||
		size > GS_BFC_MOST_BYTES || requested > GS_BFC_MOST_BYTES)
		return GS_OK;
	gs_bfc_dump *d = gs_bfc_open_dump(b);
	if (d->nbins < GS_BFC_BINS && !(d->nbins && d->bins[d->nbins - 1].size >= size))
		d->bins[d->nbins++] = (gs_bfc_bin){size, (int64_t)all, (int64_t)used, (int64_t)bytes,
			(int64_t)used_bytes, (int64_t)requested};
	d->end = t->base + i;
	*end = j;
	return GS_OK;
}
