/* Inputs that could not be read while others answer. One that was named is kept with its error, for
 * the command tells it and fails after the answer; one met in a folder may be anything and is only
 * counted. */
#ifndef GS_ANALYZER_LOSSES_H
#define GS_ANALYZER_LOSSES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/status.h"

typedef struct gs_input_loss {
	char *path;
	gs_error error;
} gs_input_loss;

typedef struct gs_input_losses {
	gs_input_loss *all; /* that were named, in order */
	size_t n, cap;
	size_t skipped; /* met in folders */
} gs_input_losses;
#define GS_INPUT_LOSSES_INIT \
	{                        \
		NULL, 0, 0, 0        \
	}

/* Keeps it; false where that is no loss to go on after: memory is short (a list too long is the
 * caller's). in_folder: only counted. */
bool gs_input_lose(gs_input_losses *losses, const char *path, bool in_folder, const gs_error *why);

/* Nothing was read: takes the first loss out and makes it the error, *failed (freed before) its
 * path. GS_OK: none was named. */
gs_status gs_input_losses_fail(gs_input_losses *losses, char **failed, gs_error *err);

void gs_input_losses_release(gs_input_losses *losses);

#endif
