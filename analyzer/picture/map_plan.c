#include "analyzer/picture/map_plan.h"

#include <stdlib.h>
#include <string.h>

static uint64_t pixels_of(uint64_t bytes, unsigned shift)
{
	return (bytes >> shift) + ((bytes & ((1ull << shift) - 1)) != 0);
}

/* Places all segments at 2^shift bytes a pixel; returns the rows used (more than max_rows: as soon
 * as it is clear). */
static uint64_t place_row(
	gs_map_plan *p, const gs_layout *l, unsigned shift, gs_map_flow flow, uint64_t max_rows)
{
	uint64_t row = (uint64_t)p->row_pixels, at = 0, bytes = 0;

	for (size_t i = 0; i < l->nsegments; i++) {
		uint64_t n = pixels_of(l->segments[i].size, shift);
		if (flow == GS_MAP_PACKED) {
			p->start[i] = bytes;
			bytes += l->segments[i].size;
			at = pixels_of(bytes, shift);
		} else {
			if (flow == GS_MAP_OWN_ROWS)
				at = (at + row - 1) / row * row;
			else if (i)
				at += at % row && at % row + GS_MAP_GAP < row ? GS_MAP_GAP : (row - at % row) % row;
			p->start[i] = at << shift;
			at += n ? n : 1;
		}
		if (at > row * max_rows)
			return max_rows + 1;
	}
	return (at + row - 1) / row;
}

static unsigned finest(gs_map_plan *p, const gs_layout *l, gs_map_flow flow, uint64_t total,
	uint64_t max_rows, unsigned shift)
{
	shift = shift < GS_MAP_SHIFT_MIN ? GS_MAP_SHIFT_MIN : shift;

	while (shift < 62 && total >> shift > (uint64_t)p->row_pixels * max_rows)
		shift++;
	while (shift < 62 && place_row(p, l, shift, flow, max_rows) > max_rows)
		shift++;
	return shift;
}

gs_status gs_map_plan_init(gs_map_plan *p, const gs_layout *l, int row_pixels, int max_rows,
	unsigned least_shift, gs_map_flow least_flow, gs_error *err)
{
	uint64_t total = 0, rows = (uint64_t)max_rows, budget = (uint64_t)row_pixels * rows;
	unsigned shift;

	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < l->nsegments; i++) {
		if (l->segments[i].size >= 1ull << 62 || total + l->segments[i].size >= 1ull << 62)
			return gs_fail(err, GS_LIMIT, "segments of 2^62 bytes or more cannot be drawn");
		total += l->segments[i].size;
	}
	p->row_pixels = row_pixels;
	p->start = malloc((l->nsegments + 1) * sizeof *p->start);
	if (!p->start)
		return gs_fail(err, GS_NO_MEMORY, "placing %zu segments", l->nsegments);
	p->flow = l->nsegments > budget / (6 * GS_MAP_GAP) || least_flow == GS_MAP_PACKED
		? GS_MAP_PACKED
		: GS_MAP_FLOWING;
	shift = finest(p, l, p->flow, total, rows, least_shift);
	if (l->nsegments <= rows && least_flow == GS_MAP_OWN_ROWS) {
		unsigned own = finest(p, l, GS_MAP_OWN_ROWS, total, rows, least_shift);
		if (own <= shift + 1) {
			p->flow = GS_MAP_OWN_ROWS;
			shift = own;
		}
	}
	p->shift = shift;
	p->rows = (int)place_row(p, l, shift, p->flow, rows);
	if (p->rows < 1)
		p->rows = 1;
	return GS_OK;
}

void gs_map_plan_release(gs_map_plan *p)
{
	free(p->start);
	memset(p, 0, sizeof *p);
}
