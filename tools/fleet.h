/* A fleet's dumps and tables, which are the Python package's: it makes tables of dumps, and answers
 * questions to them, which are printed here in the forms of every other query. */
#ifndef GS_TOOLS_FLEET_H
#define GS_TOOLS_FLEET_H

#include <stdbool.h>

#include "tools/options.h"

/* What pip installs for it. */
#define GS_FLEET_PACKAGE "gpusnap[fleet]"

/* Dumps into tables. */
typedef struct gs_fleet_job {
	const char *output, *context; /* the tables; what paths tell, NULL the usual */
	int64_t jobs, memory;         /* GS_UNSET: one a core; bytes that one dump may take */
	double timeout;               /* seconds that one dump may take */
	bool compact, quiet;          /* compact: no dumps, merge small files */
} gs_fleet_job;
#define GS_FLEET_JOB_INIT                                           \
	{                                                               \
		.jobs = GS_UNSET, .memory = (int64_t)2 << 30, .timeout = 60 \
	}

/* Becomes Python, which does it. Returns only where there is none, with the exit status. */
int gs_fleet_run(const gs_fleet_job *job, const gs_arguments *dumps);

/* Whether path is such a folder, or names an object store. */
bool gs_is_fleet(const char *path);

/* The fleet's question of that name (case, blanks, - and _ do not matter), or NULL. */
const char *gs_fleet_question(const char *typed);

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
