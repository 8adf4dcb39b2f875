/* What the files that gather BFC dumps from a log share. Private to them. */
#ifndef GS_ANALYZER_READ_LOGS_BFC_INTERNAL_H
#define GS_ANALYZER_READ_LOGS_BFC_INTERNAL_H

#include "analyzer/read/logs/bfc_dump.h"

/* The dump under way, to which the line at i belongs; fresh: what comes can only be of a new one.
 * NULL when memory is short. */
gs_bfc_dump *gs_bfc_dump_of(gs_bfc *b, const gs_text *t, size_t i, bool fresh);

/* The voice whose line is being read. */
static inline gs_bfc_voice *gs_bfc_speaking(gs_bfc *b) { return &b->voices[b->voice]; }

/* Its dump that goes on, NULL where it has none. */
static inline gs_bfc_dump *gs_bfc_open_dump(const gs_bfc *b)
{
	const gs_bfc_voice *v = &b->voices[b->voice];
	return v->open ? &b->dumps[v->current] : NULL;
}

/* Finds whose line stands at i. begins: a failure begins there, which may be of one not heard
 * before; what nobody is known to have written goes on with what stands before it. */
void gs_bfc_listen(gs_bfc *b, const gs_text *t, size_t i, bool begins);

static inline bool gs_bfc_has_stats(const gs_bfc *b)
{
	const gs_bfc_dump *d = gs_bfc_open_dump(b);
	return d && d->stats;
}

/* After the sums and statistics of a dump nothing of it follows but more of them. */
bool gs_bfc_is_over(const gs_bfc *b);

#endif
