/* What stands around a message in its text: what it is told from others by, and what of it is
 * shown. Pure on a window at rest. */
#ifndef GS_ANALYZER_READ_MESSAGES_MESSAGE_CONTEXT_H
#define GS_ANALYZER_READ_MESSAGES_MESSAGE_CONTEXT_H

#include "analyzer/read/messages/message.h"

/* Fills *f from the match and what stands around it, but for its line, its heading and its text.
 * *zone: whether its time, where it has one, names a zone. */
void gs_oom_describe(
	const gs_oom_text *o, const gs_text *t, const gs_oom_match *m, gs_oom_find *f, bool *zone);

/* The message to show, at most 4096 characters, with the name of its exception, without what quotes
 * it; owned by the snapshot. NULL when memory is short. */
const char *gs_oom_message_text(gs_snapshot *s, const gs_text *t, const gs_oom_match *m);

/* Whether Python says between the last message found and this one that one exception led to the
 * other. */
bool gs_oom_chained(const gs_oom_text *o, const gs_text *t, const gs_oom_match *m);

#endif
