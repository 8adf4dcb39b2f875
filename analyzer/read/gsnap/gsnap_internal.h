/* What the parts of the .gsnap reader share: gsnap.c (the walk over sections), facts.c, tables.c
 * (strings to blocks), events.c, stream.c (layouts that come again), plan.c (what of a stream is
 * read), cut.c. Private to them. */
#ifndef GS_ANALYZER_READ_GSNAP_GSNAP_INTERNAL_H
#define GS_ANALYZER_READ_GSNAP_GSNAP_INTERNAL_H

#include "analyzer/read/gsnap/plan.h"
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

/* A gs_source (arg) as the input of gs_sections_open. */
gs_status gs_gsnap_input(void *arg, void *buf, size_t n, size_t *got, gs_error *err);

gs_status gs_gsnap_maps_init(gs_gsnap_reading *g); /* GS_NO_MEMORY */
void gs_gsnap_maps_release(gs_gsnap_reading *g);

/* The row of the loaded section that tells of the process; a stream may tell again, which counts
 * for nothing. GS_NO_MEMORY. */
gs_status gs_gsnap_add_process(gs_gsnap_reading *g, gs_error *err);

/* One row of the loaded section each, into the snapshot. GS_NO_MEMORY. */
gs_status gs_gsnap_add_device(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_setting(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_string(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_module(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_frame(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_stack(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_tag(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_segment(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_block(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_stat(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_figures(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_annotation(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_warning(gs_gsnap_reading *g, uint32_t i, gs_error *err);
gs_status gs_gsnap_add_oom(gs_gsnap_reading *g, uint32_t i, gs_error *err);

/* Of a stream: a layout of a device begins; its last section was read; the file ends (an unfinished
 * one is given up). */
void gs_gsnap_begin_layout(gs_gsnap_reading *g, gs_device *d);
void gs_gsnap_end_layout(gs_gsnap_reading *g);
void gs_gsnap_give_layout_up(gs_gsnap_reading *g);

/* Of a stream: what was free of the device is told with its layout; segments that came or went
 * behind it made it less or more. */
void gs_gsnap_bring_device_free_up(gs_device *d);

/* Of a file that was cut, whether what is whole may answer (at least the devices, and the layout
 * where it was asked for); of a stream, which still grows or whose process was killed, whether a
 * device is there. If so the snapshot says what is lost. */
bool gs_gsnap_keep_whole(gs_gsnap_reading *g, unsigned want);
bool gs_gsnap_keep_stream(gs_gsnap_reading *g);

/* Takes back indexes of events that are not there: a file that was cut may name events that are
 * gone, a damaged one any. */
void gs_gsnap_drop_lost_events(gs_snapshot *s);

/* All rows of the loaded section. */
gs_status gs_gsnap_add_events(gs_gsnap_reading *g, gs_error *err);

/* The snapshot's id of a stack of the file; 0 when stacks were not read. */
static inline gs_id gs_gsnap_stack(const gs_gsnap_reading *g, gs_id id)
{
	return id < g->stacks.n ? g->stacks.ids[id] : 0;
}

#endif
