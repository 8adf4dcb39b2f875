/* What of a stream is read where one moment of it is enough (gs_moment_wanted in
 * read/open/reader.h). */
#ifndef GS_ANALYZER_READ_GSNAP_PLAN_H
#define GS_ANALYZER_READ_GSNAP_PLAN_H

#include "analyzer/read/gsnap/directory.h"
#include "analyzer/read/open/reader.h"
#include "schema/gsnap_read.h"

/* What of a device is read where one moment is enough: a layout and the sections of events from
 * the first to the last that matter. Numbers are the file's. */
typedef struct gs_gsnap_window {
	int32_t device;
	bool has_layout;
	int64_t layout;    /* idx of the layout */
	uint64_t offset;   /* of the section that begins it */
	uint64_t from, to; /* events: from … to - 1 */
	uint64_t events;   /* in the whole file */
	uint64_t begin;    /* offset from which its sections are gone through */
	uint64_t reached;  /* events were read up to here */
	bool has_met;      /* the layout was read … */
	bool done;         /* … and all of it */
} gs_gsnap_window;

typedef struct gs_gsnap_plan {
	gs_gsnap_window *windows; /* NULL: all is read */
	uint32_t n;
	gs_gsnap_directory directory; /* of what every moment needs, and more; n 0: sections are gone
									 through one by one */
	size_t at;                    /* in its places: the next one */
	bool whole;                   /* the file has its end … */
	uint64_t cut_at;              /* … or ends here */
} gs_gsnap_plan;

/* Finds what is needed of a stream, by its indexes and the section headers behind them (without
 * indexes: by all headers); nothing is unpacked but devices and failures. plan->windows stays NULL
 * where all is needed (also of a file of another version). Release with gs_gsnap_plan_release. */
gs_status gs_gsnap_plan_make(
	gs_gsnap_plan *plan, gs_source *source, const gs_moment_wanted *moment, gs_error *err);
void gs_gsnap_plan_release(gs_gsnap_plan *plan);

/* A section was read: what of the windows it ends. */
void gs_gsnap_plan_note(gs_gsnap_plan *plan, const gs_section *section);

/* Where the next section stands that the plan wants, behind the one that ends at byte at (the same
 * where all are gone through); UINT64_MAX: none. */
uint64_t gs_gsnap_plan_next(gs_gsnap_plan *plan, uint64_t at);

/* The window of a device; NULL: all of it is read. */
const gs_gsnap_window *gs_gsnap_window_of(const gs_gsnap_plan *plan, int32_t device);

#endif
