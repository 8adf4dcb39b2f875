/* Reading a .gsnap file (FORMAT.md) section by section, from any source of bytes, hostile ones
 * included.
 *
 *     gs_sections *r;
 *     status = gs_sections_open(&r, input, &err);
 *     while (!(status = gs_sections_next(r, &section, &err)))      // GS_END: the file is whole
 *         if (section.kind == GS_SECTION_BLOCK && !(status = gs_sections_load(r, true, &err)))
 *             for (uint32_t i = 0; i < section.rows; i++)
 *                 gs_sections_row(r, i, &block);
 *     gs_sections_close(r);
 *
 * A section that is not loaded is skipped, not unpacked. Sections of unknown kinds that may be
 * skipped are not shown. Every message names the section and the byte offset where it starts.
 *
 * Statuses: GS_TRUNCATED: the input ends early, what was read before is sound. GS_CHECKSUM,
 * GS_FORMAT: damage. GS_VERSION: needs a newer reader. GS_LIMIT: more than the bounds of
 * schema/gsnap_format.h, or far more rows than so few bytes can honestly hold. Memory: at most
 * about 20 MiB whatever the file says. Not thread-safe. */
#ifndef GS_SCHEMA_GSNAP_READ_H
#define GS_SCHEMA_GSNAP_READ_H

#include "schema/gsnap_format.h"
#include "schema/gsnap_unpack.h"

/* Where bytes come from. read puts up to n bytes at buf (NULL: passes over them) and sets *got;
 * *got < n means the end. */
typedef struct gs_section_input {
	gs_status (*read)(void *arg, void *buf, size_t n, size_t *got, gs_error *err);
	void *arg;
} gs_section_input;

typedef struct gs_section {
	uint16_t kind, flags;
	uint32_t sequence, rows;
	int32_t device; /* -1 unless the kind is by device */
	uint64_t first; /* rows of the kind (events: of the device) before this section */
	uint32_t packed, raw;
	uint64_t offset; /* of its header frame */
} gs_section;

typedef struct gs_sections gs_sections;

/* Reads the file's first frame. *out is set only on success. */
gs_status gs_sections_open(gs_sections **out, gs_section_input input, gs_error *err);
void gs_sections_close(gs_sections *r); /* accepts NULL */

/* The next section's header. GS_END after the END section, which is checked here. */
gs_status gs_sections_next(gs_sections *r, gs_section *section, gs_error *err);

/* The input was moved: the next section's header stands at that offset. Of a stream only, where
 * sections of events, segments, blocks, devices, figures and indexes may have been passed over but
 * none of those that ids refer to. From then on the end's counts are not looked at. alone: from now
 * on sections are read by themselves, in any order; whether what they refer to exists is not
 * looked at. */
void gs_sections_jump(gs_sections *r, uint64_t offset, bool alone);

/* Whether n bytes at p hold a whole section header, and of that kind; fills *packed, the bytes that
 * follow it. */
bool gs_section_header_is(const unsigned char *p, size_t n, unsigned kind, uint32_t *packed);

/* Unpacks and decodes the section that next has shown, once. all: false leaves out what the
 * analyzer has no use for (an event's nanos read as 0). */
gs_status gs_sections_load(gs_sections *r, bool all, gs_error *err);

/* Row i of the loaded section as the struct of its kind. Texts and ids point into *r, until the
 * next call on it. */
void gs_sections_row(const gs_sections *r, uint32_t i, void *row);

/* The loaded section's columns, in the order of gs_section_forms. */
const gs_unpacked *gs_sections_unpacked(const gs_sections *r);

/* A stream (version 2): kinds in any order, each row of kind device begins a layout. */
bool gs_sections_is_stream(const gs_sections *r);

uint64_t gs_sections_offset(const gs_sections *r); /* bytes consumed */
uint64_t gs_sections_behind(const gs_sections *r); /* offset behind the section shown last */
uint64_t gs_sections_rows(
	const gs_sections *r, unsigned kind); /* rows of a kind in the sections shown so far */

/* Word for a kind ("events"), for messages. */
const char *gs_section_text(unsigned kind);

/* Whether the n first bytes of a file are those of a .gsnap. */
bool gs_gsnap_probe(const unsigned char *head, size_t n);

#endif
