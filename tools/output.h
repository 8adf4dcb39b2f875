/* Where results go and in which form. */
#ifndef GS_TOOLS_OUTPUT_H
#define GS_TOOLS_OUTPUT_H

#include "analyzer/emit.h"

/* Words of the formats, ended by NULL; gs_format_parse gives the gs_format of one of them, -1 for others. */
extern const char *const gs_format_words[];
int gs_format_parse(const char *word);

#endif
