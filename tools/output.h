/* Where results go and in which form. */
#ifndef GS_TOOLS_OUTPUT_H
#define GS_TOOLS_OUTPUT_H

#include <stdbool.h>

#include "analyzer/query/emit.h"
#include "tools/options.h"

/* Words of the formats, ended by NULL; gs_format_parse gives the gs_format of one of them, -1 for
 * others. */
extern const char *const gs_format_words[];
int gs_format_parse(const char *word);

/* AUTO resolved: a table on a terminal, else TSV. */
gs_format gs_output_format(int format);
bool gs_output_is_terminal(void);

/* The form of a result, which goes to -o if that was given, and then is no table unless one was
 * asked for. */
gs_format gs_output_format_of(const gs_common *common);

/* Rows to show at most, 0 all: -n, else on a terminal 40; and the line that tells how many are
 * left. */
uint64_t gs_output_limit(const gs_common *common);
void gs_output_left(uint64_t left);

/* Columns of the terminal; 0 (unlimited) where stdout is none. */
int gs_output_width(void);

/* Copies all of from (rewound) to to. */
gs_status gs_output_copy(FILE *from, FILE *to, gs_error *err);

#endif
