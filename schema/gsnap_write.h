/* Writing a .gsnap file (FORMAT.md) row by row, also from the out-of-memory path of a dying
 * process.
 *
 * The writer takes no memory, opens nothing, reads no clock, environment or locale, and uses no
 * stdio: all it needs is the workspace handed in, and a function that takes the finished bytes.
 * Rows are pushed in the order of gs_section_kind (the functions below stand in that order); any of
 * them may be left out. It is not thread-safe; several writers with their own workspaces are
 * independent.
 *
 *     static _Alignas(64) char workspace[…];    // of gs_writer_workspace(level) bytes
 *     gs_writer *w;
 *     gs_writer_init(workspace, sizeof workspace, level, sink, &fd, &w);
 *     gs_writer_process(w, &(gs_row_process){ .host = gs_span_of(host), .pid = pid, … });
 *     gs_writer_device(w, &(gs_row_device){ .device = 0, .capacity = …, … });
 *     gs_id name = gs_writer_string(w, gs_span_of("forward")); …
 *     gs_writer_event(w, &(gs_row_event){ .action = GS_ACTION_ALLOC, … }); …
 *     status = gs_writer_finish(w);
 *
 * Errors stick: after the first one every call returns it and does nothing (those that return an id
 * return 0), so that a caller may look only at gs_writer_finish. GS_STATE: a row out of order (a
 * section that is behind, devices not ascending). GS_INVALID: a value that no reader would take (an
 * id not yet given, a state or class out of range). GS_LIMIT: more rows or devices than
 * GS_GSNAP_*_MAX. What the sink returned, if it failed. A text longer than GS_GSNAP_TEXT_MAX is cut
 * there, a stack deeper than GS_GSNAP_DEPTH_MAX loses its outermost frames. */
#ifndef GS_SCHEMA_GSNAP_WRITE_H
#define GS_SCHEMA_GSNAP_WRITE_H

#include "schema/gsnap_format.h"
#include "schema/gsnap_rows.h"
#include "schema/status.h"

enum { GS_WRITER_LEVEL_MAX = 19 }; /* zstd levels; 3 is meant for the dump of a dying process */

typedef struct gs_writer gs_writer; /* lives in the workspace */

/* Takes n bytes at data that follow those of the calls before; anything but GS_OK ends the writing.
 * The bytes are valid during the call only. */
typedef gs_status (*gs_sink)(void *arg, const void *data, size_t n);

/* Bytes of workspace for a zstd level (clamped to 1 … GS_WRITER_LEVEL_MAX). About 4 MiB at level 3.
 */
size_t gs_writer_workspace(int level);

/* Makes a writer in workspace (aligned to 8 bytes or more) and sends the file's first frame.
 * GS_INVALID when the workspace is too small; *w is then untouched. Nothing needs releasing. */
gs_status gs_writer_init(
	void *workspace, size_t size, int level, gs_sink sink, void *arg, gs_writer **w);

/* The same for a stream (format version 2): rows may come in any order, as long as what they refer
 * to was pushed before; ids run on. A row of kind device begins a layout of that device, which its
 * segments and blocks follow and gs_writer_end_layout ends. */
gs_status gs_writer_init_stream(
	void *workspace, size_t size, int level, gs_sink sink, void *arg, gs_writer **w);
gs_status gs_writer_end_layout(gs_writer *w);

/* Sends what is staged, as a whole section. */
gs_status gs_writer_flush(gs_writer *w);

/* Of a stream: an index of what was sent since the last one. It is due where its rows are too many
 * to wait longer. */
gs_status gs_writer_index(gs_writer *w);
bool gs_writer_index_is_due(const gs_writer *w);

/* Of a stream: what some events that were sent come to. */
gs_status gs_writer_figures(gs_writer *w, const gs_row_figures *row);

/* Facts: of the process once; of each device; a setting each. */
gs_status gs_writer_process(gs_writer *w, const gs_row_process *row);
gs_status gs_writer_device(gs_writer *w, const gs_row_device *row);
gs_status gs_writer_setting(gs_writer *w, gs_span name, gs_span value);

/* These return the id of what was pushed (1, 2, 3 …), 0 on failure. Nothing is compared: interning
 * is the caller's. */
gs_id gs_writer_string(gs_writer *w, gs_span text);
gs_id gs_writer_module(gs_writer *w, const gs_row_module *row);
gs_id gs_writer_frame(gs_writer *w, const gs_row_frame *row);
gs_id gs_writer_stack(gs_writer *w, const gs_id *frames, uint32_t n);
gs_id gs_writer_tag(gs_writer *w, gs_id name);

/* A row of a kind each. */
gs_status gs_writer_segment(gs_writer *w, const gs_row_segment *row);
gs_status gs_writer_block(gs_writer *w, const gs_row_block *row);
gs_status gs_writer_stat(gs_writer *w, const gs_row_stat *row);
gs_status gs_writer_oom(gs_writer *w, const gs_row_oom *row);
gs_status gs_writer_annotation(gs_writer *w, const gs_row_annotation *row);
gs_status gs_writer_warning(gs_writer *w, gs_span text);
gs_status gs_writer_event(gs_writer *w, const gs_row_event *row);

/* Ends the file: what is staged goes out, then the END section. After it only gs_writer_status may
 * be called. */
gs_status gs_writer_finish(gs_writer *w);

/* The first error so far. */
gs_status gs_writer_status(const gs_writer *w);

/* Rows of a kind pushed so far; whether a row of that device was. */
uint64_t gs_writer_rows(const gs_writer *w, unsigned kind);
bool gs_writer_knows_device(const gs_writer *w, int32_t device);

/* Bytes given to the sink so far. */
uint64_t gs_writer_size(const gs_writer *w);

#endif
