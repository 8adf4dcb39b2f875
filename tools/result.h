/* Where a command's result goes: standard output, or what -o names. */
#ifndef GS_TOOLS_RESULT_H
#define GS_TOOLS_RESULT_H

#include "schema/outfile.h"
#include "tools/options.h"

typedef struct gs_result {
	FILE *stream;     /* to write to */
	const char *name; /* for messages: -o, or "standard output" */
	gs_outfile file;
} gs_result;

/* Opens it (flags: gs_outfile_flag beside what -f says). -1, or the exit status of the error that
 * was told. */
int gs_result_open(gs_result *r, const gs_common *common, unsigned flags);

/* Ends it: status (-1 or an exit status) tells how the command fared. After GS_EXIT_FAILED or
 * GS_EXIT_USAGE nothing is left; otherwise the result gets its place. Returns status, or
 * GS_EXIT_FAILED where it could not be written, which it tells. */
int gs_result_close(gs_result *r, int status);

#endif
