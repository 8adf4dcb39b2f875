/* What-if's rows and its sentence through an emitter: `gpusnap whatif`. */
#ifndef GS_ANALYZER_API_WHATIF_ROWS_H
#define GS_ANALYZER_API_WHATIF_ROWS_H

#include "analyzer/advice/whatif_sentence.h"
#include "analyzer/query/emit.h"

/* head's query, columns, ncolumns and summary are set here; the rest is the caller's. left as
 * gs_emit_close's. */
gs_status gs_whatif_emit(const gs_whatif *w, gs_whatif_question question, gs_format format,
	const gs_emit_head *head, FILE *out, uint64_t *left, gs_error *err);

#endif
