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
void gs_progress_begin_doing(const char *doing, const char *what); /* "replaying" */
/* Where the line is seen, how far it is stands behind it ("40 %"). */
void gs_progress_at(const char *how_far);
void gs_progress_end(void);

/* Tells what could not be read: an error for each that was named, which the program then ends with,
 * and a line that counts what was left out of folders. */
void gs_inputs_tell_losses(const gs_input_losses *losses);

/* Reads all inputs (none named: the newest dump) of the rank that common asks for. Returns -1 to go
 * on, else the exit status after telling why. Release with gs_input_release in any case. */
int gs_inputs_open(
	const gs_arguments *files, const gs_common *common, unsigned want, gs_input *input);

/* The same where the state of --state is looked at: of a large stream the part around it is read.
 */
int gs_inputs_open_state(
	const gs_arguments *files, const gs_common *common, unsigned want, gs_input *input);

/* The same for another selector than that of --state; the figures of the whole run come along. */
int gs_inputs_open_part(const gs_arguments *files, const gs_common *common, unsigned want,
	const char *selector, gs_input *input);

/* Without a failure: the first snapshot that has the device asked for (GS_UNSET: any). */
const gs_snapshot *gs_inputs_healthy(const gs_input *input, int64_t device);

/* What a command for one snapshot takes of several: that of the failure to tell first
 * (analyzer/model/failure.h), without a failure gs_inputs_healthy; a note names it, done being what
 * happens to it ("drawn"). NULL: no memory, told. */
const gs_snapshot *gs_inputs_first(
	const gs_input *input, const gs_common *common, const char *done);

/* --rules-file: rules of the user's for categories (analyzer/meaning/category.h). */
#define GS_OPTION_RULES(path)                                            \
	{                                                                    \
		"rules-file", 0, GS_OPT_TEXT, &(path), "FILE",                   \
			"name memory by lines `PATH-PART NAME` before our own rules" \
	}

/* Reads that file; path NULL: *rules is NULL. Returns -1 to go on, else the exit status after
 * telling why. gs_category_rules_free when all is done. */
int gs_inputs_rules(const char *path, gs_category_rules **rules);

/* For commands about one snapshot: opens what is named as gs_inputs_open_state does (of streams of
 * up to whole_below events all; untold: work tells what of a longer one is looked at), lets work
 * have the first and gives all back. Returns work's exit status, or why there is none. */
int gs_inputs_with_first(const gs_arguments *files, const gs_common *common, unsigned want,
	uint64_t whole_below, bool untold, const char *done,
	int (*work)(const void *context, const gs_snapshot *s), const void *context);

#endif
