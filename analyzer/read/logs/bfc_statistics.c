/* Lines of sums and statistics. */
#include "analyzer/read/logs/bfc_lines.h"

#include "analyzer/read/text/figure.h"

enum { STAT_LINE = 120 }; /* squeezed characters of a line and of what stands in front of it */

/* Whether a name stands at i that begins a line, or follows what may stand in front of every line
 * of a log (with *behind). */
static bool name_begins(const gs_text *t, size_t i, bool *behind)
{
	*behind = t->gap[i] < GS_GAP_WRAP;
	if (!*behind || t->gap[i] == GS_GAP_BLANK)
		return true;
	char c = t->s[i - 1];
	bool colour = c == 'm' && i > 1 && t->s[i - 2] >= '0' && t->s[i - 2] <= '9';
	return colour ||
		!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.');
}

/* Whether the lines that follow a limit are behind i; the input may end before them. */
static bool limit_begins(const gs_text *t, size_t i, bool behind)
{
	uint64_t number;
	size_t used = gs_text_find(t, i, i + STAT_LINE, "inuse:"), at = used + 6;
	if (used == SIZE_MAX || !gs_text_number(t, &at, &number))
		return false;
	size_t most = gs_text_find(t, at, at + 2 * STAT_LINE, "maxinuse:");
	if (most == SIZE_MAX)
		return !behind && t->end && t->n < at + STAT_LINE;
	return gs_text_find(t, i, most, "limit:") == SIZE_MAX;
}

/* A line of the statistics: a name at the beginning of a line and a number; the limit comes first.
 * ONNX Runtime has no Reserved, but the size of its regions. */
gs_status gs_bfc_line_statistic(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	static const char *const names[] = {"limit:", "inuse:", "maxinuse:", "numallocs:",
		"maxallocsize:", "largestfreeblock:", "reserved:", "totalallocated:"};
	int64_t bytes;
	size_t k = 0;
	bool behind, unit;
	if (!name_begins(t, i, &behind) || gs_text_ends(t, i, "chunks") ||
		!gs_text_size(t, end, &bytes, &unit))
		return GS_OK;
	while (!gs_text_is(t, i, names[k]))
		k++;
	if (k == 0 && !limit_begins(t, *end, behind))
		return GS_OK; /* some other limit */
	if (k && (!gs_bfc_open_dump(b) || (behind && !gs_bfc_has_stats(b))))
		return GS_OK;
	GS_BFC_DUMP(k == 0 && gs_bfc_has_stats(b));
	int64_t *const fields[] = {&d->limit, &d->in_use, &d->max_in_use, &d->num_allocs, &d->max_alloc,
		&d->largest_free, &d->reserved, &d->pool};
	if (bytes <= GS_BFC_MOST_BYTES &&
		(k == 7 ||
			*fields[k] ==
				GS_NONE)) /* the limit of the line before is exact, this one may be shortened */
		*fields[k] = bytes;
	d->shortened |= unit;
	d->stats = true;
	return GS_OK;
}

gs_status gs_bfc_line_sum(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	GS_BFC_DUMP(gs_bfc_has_stats(b));
	d->summed = true;
	gs_text_size(t, end, &d->sum_in_use, NULL);
	return GS_OK;
}

/* total_region_allocated_bytes_: … memory_limit_: … (newer: Total bytes in pool: …) */
gs_status gs_bfc_line_pool(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	int64_t bytes;
	bool unit;
	if (!gs_text_size(t, end, &bytes, &unit) || bytes > GS_BFC_MOST_BYTES)
		return GS_OK;
	GS_BFC_DUMP(gs_bfc_has_stats(b));
	d->summed = true;
	d->pool = bytes;
	d->pool_shortened = unit;
	if (gs_text_eat(t, end, "memory_limit_:") && gs_text_size(t, end, &bytes, NULL) &&
		bytes <= GS_BFC_MOST_BYTES)
		d->limit = bytes;
	return GS_OK;
}

/* Allocator memory summary: rounded request …, … pool size 2.00GiB, pool limit 3.00GiB: the newest
 * XLA, which shortens them. */
gs_status gs_bfc_line_pool_summary(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	int64_t bytes;
	size_t size = gs_text_find(t, *end, *end + 400, ",poolsize");
	if (size == SIZE_MAX)
		return GS_OK;
	size += 9;
	if (!gs_text_size(t, &size, &bytes, NULL) || bytes > GS_BFC_MOST_BYTES)
		return GS_OK;
	GS_BFC_DUMP(gs_bfc_has_stats(b));
	d->summed = true;
	d->pool = bytes;
	d->pool_shortened = true;
	*end = size;
	return GS_OK;
}
