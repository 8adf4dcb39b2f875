/* Picks the lines of dumps out of a log. Each kind of line has an anchor; where a line was wrapped,
 * or what was printed before it, does not matter. */
#include "analyzer/read/logs/bfc_lines.h"

#include <string.h>

#include "analyzer/read/text/figure.h"

static const struct {
	const char *anchor;
	gs_bfc_line *read;
	bool always; /* also of a host allocator */
} lines[] = {
	{"inuseat", gs_bfc_line_chunk, false},
	{"chunkat", gs_bfc_line_chunk, false},
	{"freeat", gs_bfc_line_chunk, false},
	{"bin(", gs_bfc_line_bin, false},
	{"binfor", gs_bfc_line_heading, false},
	{"nextregionofsize", gs_bfc_line_region, false},
	{"chunksofsize", gs_bfc_line_chunks_of_size, false},
	{"sumtotalofin-usechunks:", gs_bfc_line_sum, false},
	{"total_region_allocated_bytes_:", gs_bfc_line_pool, false},
	{"totalbytesinpool:", gs_bfc_line_pool, false},
	{"totalsizeinpool:", gs_bfc_line_pool, false},
	{"limit:", gs_bfc_line_statistic, false},
	{"inuse:", gs_bfc_line_statistic, false},
	{"maxinuse:", gs_bfc_line_statistic, false},
	{"numallocs:", gs_bfc_line_statistic, false},
	{"totalallocated:", gs_bfc_line_statistic, false},
	{"binsize:chunksin_use/total", gs_bfc_line_arena, true},
	{":chunks", gs_bfc_line_arena_bin, false},
	{"allocatormemorysummary:", gs_bfc_line_pool_summary, false},
	{"maxallocsize:", gs_bfc_line_statistic, false},
	{"largestfreeblock:", gs_bfc_line_statistic, false},
	{"reserved:", gs_bfc_line_statistic, false},
	{"ranoutofmemorytryingtoallocate", gs_bfc_line_message, true},
	{"bfcallocatordumpfor", gs_bfc_line_dump_for, true},
	{"totalmemory:", gs_bfc_line_device_memory, true},
	{"devicememorysize:", gs_bfc_line_device_memory, true},
	{",pcibusid", gs_bfc_line_device_name, true},
};
enum { LINES = sizeof lines / sizeof *lines };

gs_status gs_bfc_scan(gs_bfc *b, const gs_text *t, size_t from, size_t to, gs_error *err)
{
	size_t at[LINES];
	if (b->done > t->base + from)
		from = (size_t)(b->done - t->base);
	for (size_t k = 0; k < LINES; k++)
		at[k] = gs_text_find(t, from, to + strlen(lines[k].anchor) - 1, lines[k].anchor);
	for (;;) {
		size_t first = 0;
		for (size_t k = 1; k < LINES; k++)
			if (at[k] < at[first])
				first = k;
		if (at[first] >= to)
			return GS_OK;
		size_t length = strlen(lines[first].anchor), i = at[first], end = i + length;
		gs_bfc_listen(b, t, i, lines[first].read == gs_bfc_line_message);
		if ((lines[first].always || !gs_bfc_speaking(b)->host) && lines[first].read(b, t, i, &end))
			return gs_fail(err, GS_NO_MEMORY, "no memory for a dump of the allocator");
		b->done = t->base + i + length;
		at[first] = gs_text_find(t, i + length, to + length - 1, lines[first].anchor);
	}
}
