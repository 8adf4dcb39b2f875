/* A result file that appears whole or not at all: written beside its place, then moved there. */
#ifndef GS_TOOLS_OUTFILE_H
#define GS_TOOLS_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "schema/status.h"

typedef struct gs_outfile {
	const char *path; /* borrowed */
	char temporary[4096];
	bool force;
	FILE *stream;
} gs_outfile;
#define GS_OUTFILE_INIT \
	{                   \
		0, "", false, 0 \
	}

/* Makes an empty temporary file in path's folder. GS_EXISTS when path is there and force is not
 * given. */
gs_status gs_outfile_open(gs_outfile *f, const char *path, bool force, gs_error *err);

/* Closes, syncs and moves it into place; without force never over another file. After a failure
 * nothing is left. */
gs_status gs_outfile_commit(gs_outfile *f, gs_error *err);

/* Removes the temporary file, if there is one. */
void gs_outfile_drop(gs_outfile *f);

#endif
