/* Reading a log, whatever it holds: messages (message.h), tables of memory_summary
 * (memory_summary.h), dumps of the BFC allocator (bfc_dump.h). The snapshot's kind is BFC where
 * there is a dump, else text. */
#ifndef GS_ANALYZER_READ_LOGS_LOG_H
#define GS_ANALYZER_READ_LOGS_LOG_H

#include "analyzer/read/open/source.h"
#include "analyzer/model/snapshot.h"

/* Reads all of the source, window by window, into an empty snapshot. Those of the source,
 * GS_NO_MEMORY. */
gs_status gs_text_log_read(gs_source *source, gs_snapshot *s, gs_error *err);

/* How sure it is that bytes are text: 0 not, 10 text, 20 text in UTF-16. */
int gs_text_likeness(const unsigned char *head, size_t n);

#endif
