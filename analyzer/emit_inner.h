/* What the files of the emitter share. */
#ifndef GS_ANALYZER_EMIT_INNER_H
#define GS_ANALYZER_EMIT_INNER_H

#include "analyzer/emit.h"

struct gs_emitter {
	FILE *out;
	gs_format format;
	gs_emit_head head;
	char **names;       /* of the columns, made unique */
	uint64_t rows, left;
	char **cells;       /* a table's, row by row */
	bool *right;        /* by column: numbers only */
	size_t cap;
};

gs_status gs_emit_table_add(gs_emitter *e, const gs_value *row);
void gs_emit_table_write(gs_emitter *e);
void gs_emit_table_release(gs_emitter *e);

#endif
