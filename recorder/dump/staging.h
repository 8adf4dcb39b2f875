/* A device's state, copied under its lock, so that a dump can be encoded without it. All memory is
 * taken beforehand and kept as large as the pool's own bookkeeping may need. */
#ifndef GS_RECORDER_DUMP_STAGING_H
#define GS_RECORDER_DUMP_STAGING_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/capture/pages.h"
#include "recorder/pool/pool.h"
#include "recorder/dump/ring.h"

/* No bookkeeping of a block or a segment is smaller than GS_STAGE_OBJECT. */
enum { GS_OOMS_KEPT = 64, GS_STAGE_CONF = 2048, GS_STAGE_OUTSIDERS = 32, GS_STAGE_OBJECT = 48 };

typedef struct gs_stage_segment {
	uint64_t address, size, stream;
	gs_pool_id pool_id;
	gs_id stack;
	uint8_t pool;
	bool expandable;
} gs_stage_segment;

typedef struct gs_stage_block {
	uint64_t address, size, requested;
	uint32_t segment; /* index */
	gs_id stack;
	uint16_t tag;
	uint8_t state;
} gs_stage_block;

/* An out-of-memory: the event's number (from 0, of all events ever) and the figures. */
typedef struct gs_stage_oom {
	uint64_t number, ticks;
	gs_pool_oom figures;
} gs_stage_oom;

typedef struct gs_staging {
	gs_pages *pages;
	gs_stage_segment *segments;
	gs_stage_block *blocks;
	size_t room; /* of each of the two */
	gs_stage_segment
		*next_segments; /* larger ones for the next copy, made while the present one is in use */
	gs_stage_block *next_blocks;
	size_t next_room;
	bool in_use; /* being encoded, without the lock: its arrays must stay */
	size_t nsegments, nblocks;
	bool whole;            /* all of the layout fitted */
	gs_ring_event *events; /* room for a full ring */
	uint32_t cap_events, nevents;
	uint64_t count; /* events ever */
	gs_pool_id pools[GS_RING_POOLS];
	gs_stage_oom ooms[GS_OOMS_KEPT]; /* oldest first */
	uint32_t nooms;
	gs_pool_stats stats;
	gs_pool_settings settings;
	char conf[GS_STAGE_CONF];
	const char *rules;            /* NULL: no rules of PyTorch's */
	const char *library;          /* whose allocator; NULL: ours */
	const char *above;            /* the caching allocator that asks; NULL: none known */
	int64_t device_free, allowed; /* GS_NONE unknown */
	struct {
		char rows[GS_STAGE_OUTSIDERS][192]; /* as FORMAT.md has them (setting) */
		uint32_t n;
		uint32_t nprocesses; /* of the rows: processes, which come first; then libraries … */
		int64_t libraries;   /* … and their bytes */
		int64_t processes;   /* bytes of other processes; meant where known */
		bool known;
	} outside;   /* who else holds memory of the device */
	bool at_oom; /* the layout is that of the last out-of-memory */
} gs_staging;

/* Memory for a ring of that many events. GS_NO_MEMORY; release in any case. */
gs_status gs_staging_init(gs_staging *s, uint32_t events, gs_pages *pages);
void gs_staging_release(gs_staging *s);

/* Makes room, for the next copy, for the layout of a pool with that many bytes of bookkeeping.
 * GS_NO_MEMORY leaves it as it was. */
gs_status gs_staging_reserve(gs_staging *s, size_t metadata_bytes);

/* Copies layout, statistics, settings and events; takes no memory. The caller holds the lock of
 * both and fills device_free, conf, ooms, at_oom. */
void gs_staging_copy(gs_staging *s, const gs_pool *pool, const gs_ring *ring);

#endif
