/* Figures that a text tells beside the message of their library: one set a library (of at most
 * GS_OOM_ASIDES; "" is what the program said of the device when it started). */
#ifndef GS_ANALYZER_READ_MESSAGES_ASIDES_H
#define GS_ANALYZER_READ_MESSAGES_ASIDES_H

#include "analyzer/read/messages/message.h"

/* Those of the library, which are the collection's; NULL: none wait. */
gs_oom *gs_oom_aside_of(gs_oom_text *o, const char *library);

/* Keeps figures for the next message of row->library; what is told last of one counts. Those of a
 * library too many are dropped. */
void gs_oom_put_aside(gs_oom_text *o, const gs_oom *row);

/* Gives those of row->library to the row, where it lacks them, and forgets them. */
void gs_oom_take_aside(gs_oom_text *o, gs_oom *row);

#endif
