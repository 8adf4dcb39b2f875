/* Reading as much of a run as a question takes: of a stream too long to be read whole the part
 * around the moment that it is about, which its figures tell. */
#ifndef GS_ANALYZER_QUERY_PART_H
#define GS_ANALYZER_QUERY_PART_H

#include "analyzer/open/input.h"

typedef struct gs_part_wanted {
	const char *selector; /* of the state (meaning/step_state.h); NULL the default */
	uint64_t whole_below; /* events up to which the run is read whole */
	uint64_t reach;       /* events before the moment that are wanted, too, of a longer one */
	bool course;          /* the figures of the whole run are wanted, to its last event */
	bool untold;          /* no warning says which part it is: the caller does */
} gs_part_wanted;

/* As gs_input_read. s->excerpt tells whether it is a part; where figures are missing that the
 * question needs, it is the whole. */
gs_status gs_part_read(const gs_input_entry *entry, unsigned want, const gs_part_wanted *part,
	gs_snapshot *s, gs_error *err);

#endif
