/* The command's own tables, for what is made from them: manual pages and completion. */
#ifndef GS_TOOLS_DESCRIBE_H
#define GS_TOOLS_DESCRIBE_H

#include <stdio.h>

#include "tools/command.h"
#include "tools/options.h"

enum { GS_TABLE_MAX = 64, GS_CHOICES_MAX = 32 };

typedef struct gs_option_table {
	gs_option options[GS_TABLE_MAX + 1]; /* value is NULL; ended by GS_OPT_END */
} gs_option_table;

/* The options of a command, as its --help would tell them; none where it has no table (help). */
void gs_table_of(const gs_command *command, gs_option_table *table);

/* What the value of an option may be, in words; files and folders are told by the caller's shell.
 */
typedef struct gs_choices {
	char words[GS_CHOICES_MAX][32];
	int n;
	enum { GS_VALUE_ANY, GS_VALUE_WORDS, GS_VALUE_LIST, GS_VALUE_FILE, GS_VALUE_FOLDER } kind;
} gs_choices;

/* From the type, from how help calls the value (FILE, DIR, STATE, KIND), or from the help text
 * where that lists words: "none, c, python or all". */
void gs_choices_of(const gs_option *option, gs_choices *choices);

/* A page of the manual in mdoc: of one command, or with NULL the list of commands of the main page.
 */
void gs_describe_manual(const gs_command *command, FILE *out);

/* Completion of a shell, "bash", "zsh" or "fish". topics: what `help` tells beside commands, ended
 * by NULL. False for another shell. */
bool gs_describe_completion(const char *shell, const char *const *topics, FILE *out);

#endif
