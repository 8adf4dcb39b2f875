/* Figures with their labels, as PyTorch and its relatives print them: before or after the number,
 * in any order. */
#ifndef GS_ANALYZER_READ_MESSAGES_LABELS_H
#define GS_ANALYZER_READ_MESSAGES_LABELS_H

#include "analyzer/read/messages/message.h"

/* Fills from [from, to) what is still unknown in m->row, and derives reserved. Returns the position
 * behind the last labelled figure (from when there is none). */
size_t gs_oom_labels(const gs_text *t, size_t from, size_t to, gs_oom_match *m);

/* The number behind the first of the phrases in [from, to), as a device; -1. */
int32_t gs_oom_device(const gs_text *t, size_t from, size_t to, const char *const *phrases);

/* Where the physical line (and a wrapped sentence about settings, if one follows) that holds
 * position i ends. */
size_t gs_oom_line_end(const gs_text *t, size_t i, size_t to);

/* A figure that no device has: a limit that was never set. */
bool gs_oom_sentinel(int64_t bytes);

#endif
