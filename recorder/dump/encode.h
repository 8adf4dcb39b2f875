/* From a staged state to the rows of a .gsnap. Only what the state refers to is written: ids in the
 * file are counted anew. Takes no memory after init. Not thread-safe. */
#ifndef GS_RECORDER_DUMP_ENCODE_H
#define GS_RECORDER_DUMP_ENCODE_H

#include <stdint.h>

#include "recorder/capture/clock.h"
#include "recorder/capture/marks.h"
#include "recorder/dump/config.h"
#include "recorder/dump/encode_tables.h"
#include "recorder/dump/staging.h"
#include "schema/gsnap_write.h"

/* What is known of the device dumped; texts outlive it, NULL unknown. */
typedef struct gs_dump_device {
	int32_t number;
	const char *name, *driver;
	int64_t capacity;
} gs_dump_device;

typedef struct gs_encode_source {
	const gs_staging *staging;
	const gs_dump_device *device;
	const gs_config *config;
	const gs_clock_scale *scale;
	int64_t pid;
	const char *reason;      /* why it is written, in the file's words; NULL not told */
	uint64_t first_segment;  /* segments in the file before this layout */
	uint64_t recorder_bytes; /* the recorder's own memory */
	gs_mark *marks;          /* what the program named, oldest first; alike is used up */
	uint32_t nmarks;
} gs_encode_source;

/* Writes the whole file to the sink. What the sink or the writer failed with. */
gs_status gs_encode(gs_encoder *e, const gs_encode_source *source, gs_sink sink, void *arg);

/* Parts of it, for a stream. first: number of the file's first event. */
void gs_encode_process(gs_writer *w, const gs_encode_source *from, int64_t now);
void gs_encode_settings(gs_writer *w, const gs_encode_source *from);
void gs_encode_layout(gs_encoder *e, gs_writer *w, const gs_encode_source *from);
/* Says of tables that were full once that they were; false: they were not, nothing is said. */
bool gs_encode_full(gs_writer *w, const gs_tables *t);
void gs_encode_oom(const gs_encoder *e, gs_writer *w, const gs_encode_source *from,
	const gs_stage_oom *oom, uint64_t first);

#endif
