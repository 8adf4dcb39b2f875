/* Where results go and in which form. */
#ifndef GS_TOOLS_OUTPUT_H
#define GS_TOOLS_OUTPUT_H

#include <stdbool.h>

#include "analyzer/emit.h"

/* Words of the formats, ended by NULL; gs_format_parse gives the gs_format of one of them, -1 for others. */
extern const char *const gs_format_words[];
int gs_format_parse(const char *word);

/* AUTO resolved: a table on a terminal, else TSV. */
gs_format gs_output_format(int format);
bool gs_output_is_terminal(void);

/* Columns of the terminal; 0 (unlimited) where stdout is none. */
int gs_output_width(void);

/* Copies all of from (rewound) to to. */
gs_status gs_output_copy(FILE *from, FILE *to, gs_error *err);

#endif
