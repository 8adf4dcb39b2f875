/* The interned tables in a file: only the texts, frames, modules, stacks and tags that it refers
 * to, under new ids. Used in three steps: begin, mark what is used, put; then the maps tell the
 * file's ids. Marking and putting again adds what is new. Takes no memory after init. Not
 * thread-safe, but other threads may add to the tables meanwhile. */
#ifndef GS_RECORDER_DUMP_ENCODE_TABLES_H
#define GS_RECORDER_DUMP_ENCODE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/capture/tables.h"
#include "schema/gsnap_write.h"

typedef struct gs_encoder {
	gs_pages *pages;
	const gs_tables *tables;
	size_t workspace_bytes;
	void *workspace;
	gs_id *stacks, *frames, *texts, *modules, *tags; /* table id → id in the file; 0: not used */
	gs_id *stack_frames;                             /* of one stack, with its tails */
	bool pending;                                    /* something is marked that was not put */
} gs_encoder;

/* Memory for all that the tables can hold, and for zstd at that level. GS_NO_MEMORY; release in any
 * case. tables must outlive it. */
gs_status gs_encoder_init(gs_encoder *e, const gs_tables *tables, int level, gs_pages *pages);
void gs_encoder_release(gs_encoder *e);

/* Forgets what was marked for the file before. */
void gs_encoder_begin(gs_encoder *e);

/* Marks what the file refers to; ids of the tables, 0 is none. */
void gs_encoder_mark(gs_encoder *e, gs_id stack, uint16_t tag);
void gs_encoder_mark_text(gs_encoder *e, gs_id text);

/* Pushes the rows from strings to tags. Strings pushed before keep their place. */
void gs_encoder_put(gs_encoder *e, gs_writer *w);

#endif
