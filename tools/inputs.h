/* Opening what a command line names, with notes and warnings on stderr. */
#ifndef GS_TOOLS_INPUTS_H
#define GS_TOOLS_INPUTS_H

#include "analyzer/meaning/category.h"
#include "analyzer/open/input.h"
#include "tools/options.h"

/* A gs_input_note that prints: notes without a file as they are, warnings with their file. */
void gs_inputs_note(void *context, const char *file, const char *text);

/* From a second after begin a line on stderr, where that is a terminal, tells what is being read;
 * end takes it away. Nested and unmatched calls do no harm. */
void gs_progress_begin(const char *what);
void gs_progress_end(void);

/* Reads all inputs (none named: the newest dump) of the rank that common asks for. Returns -1 to go
 * on, else the exit status after telling why. Release with gs_input_release in any case. */
int gs_inputs_open(
	const gs_arguments *files, const gs_common *common, unsigned want, gs_input *input);

/* --rules-file: rules of the user's for categories (analyzer/meaning/category.h). */
#define GS_OPTION_RULES(path)                                            \
	{                                                                    \
		"rules-file", 0, GS_OPT_TEXT, &(path), "FILE",                   \
			"name memory by lines `PATH-PART NAME` before our own rules" \
	}

/* Reads that file; path NULL: *rules is NULL. Returns -1 to go on, else the exit status after
 * telling why. gs_category_rules_free when all is done. */
int gs_inputs_rules(const char *path, gs_category_rules **rules);

#endif
