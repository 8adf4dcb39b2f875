/* Whether something is piped into the command. */
#ifndef GS_ANALYZER_OPEN_PIPED_H
#define GS_ANALYZER_OPEN_PIPED_H

#include "analyzer/open/input.h"

/* Whether standard input is a pipe that bytes come out of. Waits until the first byte or the end;
 * after a second of silence a note says so. False for an empty pipe and for everything else: a
 * terminal, a file, a socket, nothing. Reads no byte. */
bool gs_input_piped(gs_input_note *note, void *context);

#endif
