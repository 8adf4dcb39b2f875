/* Sentences that only speak of a failure. Pure on a window at rest. */
#ifndef GS_ANALYZER_READ_MESSAGES_SPOKEN_H
#define GS_ANALYZER_READ_MESSAGES_SPOKEN_H

#include "analyzer/read/messages/message.h"

/* Whether the sentence, which tells no figures, is source code that prints or looks for it, an item
 * of a list of changes, or advice about such failures: nothing failed there. */
bool gs_oom_is_spoken_of(const gs_text *t, const gs_oom_match *m);

/* Whether it stands in a heading: where another message follows, that is the failure. */
bool gs_oom_is_heading(const gs_text *t, const gs_oom_match *m);

#endif
