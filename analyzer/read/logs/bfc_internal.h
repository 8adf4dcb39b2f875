/* What the files that gather BFC dumps from a log share. Private to them. */
#ifndef GS_ANALYZER_READ_LOGS_BFC_INTERNAL_H
#define GS_ANALYZER_READ_LOGS_BFC_INTERNAL_H

#include "analyzer/read/logs/bfc_dump.h"

/* The dump under way, to which the line at i belongs; fresh: what comes can only be of a new one.
 * NULL when memory is short. */
gs_bfc_dump *gs_bfc_dump_of(gs_bfc *b, const gs_text *t, size_t i, bool fresh);

/* After the sums and statistics of a dump nothing of it follows but more of them. */
bool gs_bfc_is_over(const gs_bfc *b);

#endif
