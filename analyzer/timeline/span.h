/* What a stretch of the recording did to memory: born, died, stayed, passed, by holder and
 * category.
 */
#ifndef GS_ANALYZER_TIMELINE_SPAN_H
#define GS_ANALYZER_TIMELINE_SPAN_H

#include "analyzer/timeline/timeline.h"

typedef struct gs_span_sum {
	uint64_t blocks, bytes;
} gs_span_sum;

/* The stretch goes from the moment after event `from` to the one after event `to`. */
typedef struct gs_span_row {
	uint32_t holder;
	uint8_t category;
	gs_span_sum born;   /* not there at its begin, there at its end */
	gs_span_sum died;   /* there at its begin, gone at its end */
	gs_span_sum stayed; /* there at both */
	gs_span_sum passed; /* born and gone inside */
} gs_span_row;

typedef struct gs_timeline_span {
	gs_span_row *rows; /* what changed most first */
	size_t n;
	gs_span_row total;
} gs_timeline_span;

#define GS_SPAN_INIT \
	{                \
		0            \
	}

/* GS_INVALID: no such events, or to before from; GS_NO_MEMORY. Release in any case. */
gs_status gs_span_init(
	gs_timeline_span *span, const gs_timeline *t, int64_t from, int64_t to, gs_error *err);
void gs_span_release(gs_timeline_span *span);

#endif
