/* Reading the inputs of a list: several at once, a thread a core, and handed on one after the other
 * in the order in which they were named. What cannot be read, which ranks there are, and what is
 * told of each is the same for all who do so. */
#ifndef GS_ANALYZER_OPEN_WALK_H
#define GS_ANALYZER_OPEN_WALK_H

#include "analyzer/open/input.h"

typedef struct gs_input_walk {
	gs_input_list *list; /* what cannot be read joins list->losses */
	int64_t rank;        /* only snapshots of this rank; GS_NONE: all */
	bool all_named;    /* an input that was named and cannot be read ends the walk: it is no loss */
	const char *first; /* what the error is about where nothing was read; may be NULL */
	gs_input_note *note; /* gets each snapshot's warnings, and where a cut file was cut */
	void *context;
	bool keeps; /* `each` keeps the snapshots: there is no use in reading few at a time */
	/* Reads an entry, as gs_input_read does. Called by several threads at once. */
	gs_status (*read)(void *user, const gs_input_entry *entry, gs_snapshot *s, gs_error *err);
	/* Gets each snapshot of the rank; keeps it by leaving an empty one in its place. */
	gs_status (*each)(void *user, gs_snapshot *s, gs_error *err);
	void *user;

	gs_ranks ranks; /* that there are, of all that were read */
	size_t n;       /* handed to each */
	char *failed;   /* path that the error is about, or NULL; the caller's to free */
} gs_input_walk;

/* GS_OK: at least one snapshot was handed on. Else the first error, that of the first loss where
 * nothing could be read, or GS_NOT_FOUND (gs_input_none). */
gs_status gs_input_walk_run(gs_input_walk *w, gs_error *err);

#endif
