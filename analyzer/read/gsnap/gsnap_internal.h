/* What the parts of the .gsnap reader share: gsnap.c (facts), tables.c (strings to blocks),
 * events.c. */
#ifndef GS_ANALYZER_READ_GSNAP_GSNAP_INTERNAL_H
#define GS_ANALYZER_READ_GSNAP_GSNAP_INTERNAL_H

#include "analyzer/read/gsnap/directory.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/read/open/symbols.h"
#include "schema/gsnap_read.h"

/* Ids of the file (from 1, entry 0 is 0) to ids of the snapshot. */
typedef struct gs_id_map {
	gs_id *ids;
	uint32_t n;
	size_t cap;
} gs_id_map;

typedef struct gs_module_names {
	gs_id path; /* string */
	gs_id base_name;
	uint64_t base;
	unsigned char build_id[32];
	uint32_t build_id_length;
	bool tried;          /* symbols were looked for */
	gs_symbols *symbols; /* NULL: the file is not on this machine */
} gs_module_names;

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

typedef struct gs_gsnap_reading {
	gs_snapshot *snapshot;
	gs_sections *sections;
	gs_section section;
	gs_id_map strings, frames, stacks, tags;
	gs_module_names *modules;
	uint32_t nmodules;
	size_t cap_modules;
	size_t symbols_left;      /* how many may still be looked at: a bound on the time that naming C
								 frames takes */
	gs_id *frame_buffer;      /* of one stack */
	gs_device *device;        /* of the section before, found again when it changes */
	uint64_t segments_before; /* SEGMENT rows of devices before it */
	size_t cap_segments, cap_blocks;
	bool stream;            /* a whole run: layouts come again, the last whole one counts */
	int32_t layout_of;      /* of a stream: the device whose layout is being read … */
	bool layout_open;       /* … if one is */
	uint64_t layout_before; /* segments in the file before it */
	gs_layout before;       /* that device's last whole layout */
	bool before_known;
	gs_gsnap_plan plan;
} gs_gsnap_reading;

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

/* A gs_source (arg) as the input of gs_sections_open. */
gs_status gs_gsnap_input(void *arg, void *buf, size_t n, size_t *got, gs_error *err);

gs_status gs_gsnap_maps_init(gs_gsnap_reading *g); /* GS_NO_MEMORY */
void gs_gsnap_maps_release(gs_gsnap_reading *g);

/* One row of the loaded section each. */
gs_status gs_gsnap_add_string(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_module(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_frame(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_stack(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_tag(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_segment(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_block(gs_gsnap_reading *g, uint32_t i, gs_error *err);

/* Of a stream: a layout of a device begins; its last section was read; the file ends (an unfinished
 * one is given up). */
void gs_gsnap_begin_layout(gs_gsnap_reading *g, gs_device *d);
void gs_gsnap_end_layout(gs_gsnap_reading *g);
void gs_gsnap_give_layout_up(gs_gsnap_reading *g);

/* All rows of the loaded section. */
gs_status gs_gsnap_add_events(gs_gsnap_reading *g, gs_error *err);

/* The snapshot's id of a stack of the file; 0 when stacks were not read. */
static inline gs_id gs_gsnap_stack(const gs_gsnap_reading *g, gs_id id)
{
	return id < g->stacks.n ? g->stacks.ids[id] : 0;
}

#endif
