/* The rows of a builder (gpusnap.h) until they are written. Texts are interned in tables of its
 * own. Not thread-safe. */
#ifndef GS_RECORDER_API_BUILDER_H
#define GS_RECORDER_API_BUILDER_H

#include <stdbool.h>

#include "recorder/api/config_read.h"
#include "recorder/dump/dump_places.h"
#include "recorder/dump/encode_tables.h"
#include "recorder/gpusnap.h"
#include "recorder/capture/pages.h"
#include "recorder/capture/tables.h"
#include "schema/gsnap_write.h"

/* A growing array of one kind of row. */
#define GS_ROWS(type)  \
	struct {           \
		type *at;      \
		size_t n, cap; \
	}

typedef struct gs_built_pair {
	gs_id first, second;
	int32_t device;
	int64_t time_us;
} gs_built_pair;
typedef struct gs_built_text {
	gs_id name;
} gs_built_text;

struct gpusnap_builder {
	gs_pages pages;
	gs_tables *tables; /* own, or those of the allocator that is watched (watch.c) */
	gs_tables own;
	gs_id host, tool, rules, library, driver, argv;
	int64_t pid, rank, time_us;
	gs_dump_failure failure; /* that it tells of, where has_failure */
	bool has_failure;
	int reason;                     /* gpusnap_reason, −1 not told */
	GS_ROWS(gs_row_device) devices; /* texts of these rows point into tables */
	GS_ROWS(gs_row_segment) segments;
	GS_ROWS(gs_row_block) blocks;
	GS_ROWS(gs_row_event) events;
	GS_ROWS(gs_row_oom) ooms;
	GS_ROWS(gs_row_stat) stats;
	GS_ROWS(gs_built_pair) settings, annotations;
	GS_ROWS(gs_built_text) warnings;
};

/* A builder whose ids are those of other tables, which outlive it. NULL when memory is short. */
gpusnap_builder *gs_builder_over(gs_tables *tables);

/* Adds an event; false when memory is short. */
bool gs_builder_push_event(gpusnap_builder *b, const gs_row_event *event);

/* Sorts and checks the rows (GS_INVALID: a block in no segment), then writes them. e is an encoder
 * of b's tables. reason: why it is written, in the file's words; NULL not told. */
gs_status gs_builder_encode(gpusnap_builder *b, gs_encoder *e, const gs_config *config, int64_t pid,
	const char *reason, gs_sink sink, void *arg, gs_error *err);

#endif
