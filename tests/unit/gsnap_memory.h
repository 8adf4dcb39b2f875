/* A .gsnap file in memory, for tests: what the writer's sink collects and the reader's input gives.
 */
#ifndef GS_TESTS_GSNAP_MEMORY_H
#define GS_TESTS_GSNAP_MEMORY_H

#include "schema/gsnap_read.h"
#include "schema/gsnap_write.h"

typedef struct memory_file {
	unsigned char *data;
	size_t n, cap, at;
	size_t fail_at; /* the sink fails once the file would be longer; 0 never */
} memory_file;

gs_status memory_sink(void *file, const void *data, size_t n);
gs_section_input memory_input(memory_file *file); /* from its beginning */
void memory_release(memory_file *file);

/* A writer in a workspace of its own that collects in file; free(workspace) ends both. */
gs_writer *memory_writer(memory_file *file, void **workspace);

/* Loads every section; the status at the end (GS_END: whole), and rows by kind when rows is given.
 */
gs_status memory_read_all(memory_file *file, uint64_t rows[GS_SECTION_KINDS], gs_error *err);

/* The same file with section number `sequence` changed: its raw bytes are unpacked, handed to
 * change(), packed again, and its header made to agree. */
typedef void (*memory_change)(gs_section *section, unsigned char *raw, size_t *n, void *arg);
void memory_rewrite(
	memory_file *to, memory_file *from, uint32_t sequence, memory_change change, void *arg);

/* Puts a section frame for *section (packed and raw are set from n bytes at raw) at the end of
 * file. */
void memory_put_section(memory_file *file, gs_section *section, const void *raw, size_t n);

/* The worked file of schema/FORMAT.md. */
void memory_worked_file(memory_file *file);

/* A small file with a row or more of every kind, two devices. */
void memory_small_file(memory_file *file);

#endif
