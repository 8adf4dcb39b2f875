/* What a snapshot is, what it holds, and what it cannot tell: `gpusnap info`. */
#ifndef GS_ANALYZER_QUERY_INFO_H
#define GS_ANALYZER_QUERY_INFO_H

#include "analyzer/model/prose.h"
#include "analyzer/query/emit.h"
#include "analyzer/model/snapshot.h"

/* A row a snapshot, through an emitter. head's query, columns and ncolumns are set here; the rest
 * is the caller's. left as gs_emit_close's. Not thread-safe as the emitter is not. */
gs_status gs_info_emit(const gs_snapshot *snapshots, size_t n, gs_format format,
	const gs_emit_head *head, FILE *out, uint64_t *left, gs_error *err);

/* The same for people: rows with labels, what is unknown told at the end. */
void gs_info_print(const gs_snapshot *s, const gs_voice *voice, FILE *out);

#endif
