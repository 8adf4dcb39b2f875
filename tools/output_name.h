/* Whether the name of an output fits what is written. */
#ifndef GS_TOOLS_OUTPUT_NAME_H
#define GS_TOOLS_OUTPUT_NAME_H

#include "tools/options.h"

/* The ending of the name is one of the words of kinds ("db sqlite"), or one that says nothing: none
 * at all, `-`, a device, or letters that are no known kind of file. -1 to go on, else the exit
 * status after telling that command writes what ("a database"). */
int gs_output_name_check(
	const char *command, const char *output, const char *kinds, const char *what);

/* Of rows: without --format the ending chooses it; with it they must agree. Sets common->format. */
int gs_output_name_rows(const char *command, gs_common *common);

#endif
