/* Tables of a fleet, which `gpusnap fleet` wrote: questions to them are answered by the Python
 * package, and printed here in the forms of every other query. */
#ifndef GS_TOOLS_FLEET_H
#define GS_TOOLS_FLEET_H

#include <stdbool.h>

#include "tools/options.h"

/* What pip installs for it. */
#define GS_FLEET_PACKAGE "gpusnap[fleet]"

enum { GS_FLEET_PATHS = 4000 }; /* arguments of one command line */

/* Whether path is such a folder, or names an object store. */
bool gs_is_fleet(const char *path);

typedef struct gs_fleet_ask {
	const char *path;
	const char *question; /* a name or SQL; NULL: the list of the named ones */
	const char *since;    /* a day, NULL: a week before the last */
	double seconds;       /* the longest it may take, 0 for ever */
} gs_fleet_ask;

/* Answers into what common says. Returns the exit status. */
int gs_fleet_answer(const gs_fleet_ask *ask, const gs_common *common);

/* Prints the SQL behind a question. Returns the exit status. */
int gs_fleet_show(const char *path, const char *question);

#endif
