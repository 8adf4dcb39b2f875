/* What the files that read sections share. Private to them. */
#ifndef GS_SCHEMA_GSNAP_READ_INTERNAL_H
#define GS_SCHEMA_GSNAP_READ_INTERNAL_H

#include <zstd.h>

#include "schema/gsnap_read.h"

struct gs_sections {
	gs_section_input input;
	uint64_t offset;    /* bytes consumed */
	gs_section section; /* shown last */
	bool pending;       /* its body has not been consumed */
	bool last_of_kind;
	bool any; /* a section was shown */
	uint32_t sequence;
	unsigned kind;
	uint64_t counts[GS_SECTION_KINDS];
	bool whole[GS_SECTION_KINDS];
	uint64_t device_first;                 /* events of the device so far */
	bool stream;                           /* version 2: sections in any order */
	bool moved;                            /* the next section may have any number */
	bool sparse;                           /* some sections were passed over */
	bool alone;                            /* each is read by itself */
	uint64_t firsts[GS_GSNAP_DEVICES_MAX]; /* of a stream: events so far, by place in devices */
	uint64_t cost;
	int32_t devices[GS_GSNAP_DEVICES_MAX];
	uint32_t ndevices;
	unsigned char *packed, *raw;
	size_t packed_cap, raw_cap;
	ZSTD_DCtx *zstd;
	gs_unpacked rows;
};

/* --- frames (gsnap_frames.c) */

/* Reads n bytes into buf (NULL: passes over them), which are part of what. GS_TRUNCATED when there
 * are fewer. */
gs_status gs_sections_take(gs_sections *r, void *buf, size_t n, const char *what, gs_error *err);

/* The first frame: says which version it is. The next section header, unchecked but for its
 * checksum. */
gs_status gs_sections_read_header(gs_sections *r, gs_error *err);
gs_status gs_sections_read_section(gs_sections *r, gs_section *s, gs_error *err);

/* Fails with the section's number, kind and offset before what is wrong with it. */
gs_status gs_section_fail(const gs_section *s, gs_status status, gs_error *err, const char *what);

/* --- order (gsnap_order.c) */

/* Whether a section of any kind, also an unknown one, has the number that comes next and the size
 * that one may have; whether one of a known kind may stand here, of that device, with those rows.
 */
gs_status gs_sections_check_size(gs_sections *r, const gs_section *s, gs_error *err);
gs_status gs_sections_check_place(gs_sections *r, const gs_section *s, gs_error *err);

/* A known section has passed its checks: what follows is held against it. */
void gs_sections_enter(gs_sections *r, const gs_section *s);

/* Whether the file has listed the device. */
bool gs_sections_know_device(const gs_sections *r, int32_t device);

/* --- bodies (gsnap_body.c) */

/* Unpacks the body of the section shown last into r->rows; all: also columns that nobody asked for.
 * Devices are listed. */
gs_status gs_sections_unpack(gs_sections *r, bool all, gs_error *err);

#endif
