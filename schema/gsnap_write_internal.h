/* What the files of the .gsnap writer share: its state, the section that is staged, how it goes
 * out. Private to them.
 *
 * Rows of one section are staged as numbers, a column beside the other, and become a section when
 * the stage is full, the kind changes, or the device does. The last section of a kind is held back
 * until something else follows, so that it can be marked as the last. */
#ifndef GS_SCHEMA_GSNAP_WRITE_INTERNAL_H
#define GS_SCHEMA_GSNAP_WRITE_INTERNAL_H

#include "schema/gsnap_write.h"

#include <zstd.h>

#include "schema/column.h"
#include "schema/gsnap_columns.h"

enum {
	ROWS = 8192,       /* of a section at most */
	CELLS = ROWS * 12, /* numbers staged: events have twelve columns */
	PLACES = 1024,     /* sections that an index may tell of */
	DUE = PLACES / 2,  /* … and how many it shall not wait for */
	HEAP = 600 << 10,  /* texts and frame ids staged: more than the longest row */
	ENCODED = CELLS * GS_COLUMN_VALUE_MAX + HEAP / 4 * 5 + GS_COLUMNS_MAX * 16,
	STAGED = CELLS * 8 + HEAP,
	PACKED = ZSTD_COMPRESSBOUND(ENCODED) + GS_GSNAP_SECTION_SIZE + 4
};
_Static_assert(
	(int)ENCODED <= (int)GS_GSNAP_RAW_MAX, "a section must not be larger than readers take");

struct gs_writer {
	gs_status status;
	gs_sink sink;
	void *arg;
	uint64_t size;

	uint32_t kind, rows, capacity; /* staged */
	int32_t device;
	uint32_t heap_used;
	uint64_t *cells;     /* capacity numbers a column */
	unsigned char *heap; /* texts; frame ids as uint32_t */
	unsigned char *encoded;
	unsigned char *packed; /* lies over cells and heap, which are no longer needed then */
	ZSTD_CCtx *zstd;

	uint32_t sequence;
	uint64_t counts[GS_SECTION_KINDS]; /* rows pushed */
	uint64_t first;                    /* number of the first staged row */
	int32_t devices[GS_GSNAP_DEVICES_MAX];
	uint32_t ndevices;
	bool stream;
	uint64_t events[GS_GSNAP_DEVICES_MAX]; /* of a stream: sent, by place in devices */
	uint64_t index;                        /* offset of the last section of that kind */
	gs_row_index places[PLACES];           /* since then */
	uint32_t nplaces;
	int32_t layout_of; /* of the row of kind device pushed last … */
	int64_t layout_idx;
	bool has_layout;                            /* … if it begins one */
	uint64_t last_events[GS_GSNAP_DEVICES_MAX]; /* offset of the last section of events, by place */
};

/* --- gsnap_write_section.c */

/* Bytes to the sink. Fills w->status. */
void gs_writer_send(gs_writer *w, const void *data, size_t n);
/* Where the device stands among those written; w->ndevices: nowhere. */
uint32_t gs_writer_device_place(const gs_writer *w, int32_t device);
/* The staged rows as a section, also where there are none; flags are GS_SECTION_*. Fills w->status.
 */
void gs_writer_send_section(gs_writer *w, unsigned flags);
/* What is staged goes out. Of a stream events are numbered by device. */
void gs_writer_end_section(gs_writer *w);
/* Of a stream: another kind, in any order. */
void gs_writer_turn_to(gs_writer *w, uint32_t kind);
/* Ends the current kind and those between it and the next that must be there even when empty. */
void gs_writer_advance_to(gs_writer *w, uint32_t kind);

/* --- gsnap_write_stage.c */

/* Stages a row, behind whatever must go out before it. GS_STATE out of order; GS_INVALID: it names
 * what is not there; GS_LIMIT; the sink's. */
gs_status gs_writer_stage(gs_writer *w, uint32_t kind, const void *row);
/* The same, unless something failed before: the writer keeps its first failure in w->status. Behind
 * the end GS_STATE. */
gs_status gs_writer_push_row(gs_writer *w, uint32_t kind, const void *row);
/* The same; the number that the row has got, 0 where it failed. */
gs_id gs_writer_push_id(gs_writer *w, uint32_t kind, const void *row);

#endif
