/* How sentences for people are written on this terminal, pipe or file. */
#ifndef GS_TOOLS_VOICE_H
#define GS_TOOLS_VOICE_H

#include "analyzer/model/prose.h"
#include "tools/options.h"

/* The voice of an answer on standard output, or in the file of -o: the terminal's width, else
 * $COLUMNS, else 80; arrows and ellipses where the locale's letters are UTF-8; bold on a terminal
 * unless NO_COLOR is set. */
gs_voice gs_voice_of(const gs_common *common, bool verbose);

#endif
