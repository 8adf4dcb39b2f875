/* Dumps of the BFC allocator (best fit with coalescing) that TensorFlow, JAX and ONNX Runtime log
 * when it runs out of memory: bins, regions, chunks, sums, statistics; any release from TensorFlow
 * 0.8 on, wrapped, cut at either end, several in one log.
 *
 * A dump becomes the captured layout of its device (of several of one device the last does), as at
 * the failure: a region is a segment, a chunk a block. Where "Next region" lines are missing, a
 * region is a run of chunks without a gap. Regions never merge with each other. The allocator's
 * memory limit is `allowed` of the device and of its oom row; there is no stream, no pool. Where
 * chunk lines are cut, the statistics and the bin lines stand in: what they tell and no chunk line
 * shows becomes blocks in segments without an address, the layout is not exact, and a warning names
 * the source.
 *
 * Rows of stat, by name: limit, in_use (current, peak), pool (bytes of all regions), num_allocs,
 * max_alloc_size, largest_free_block, reserved (the last two only where they were filled in: a 0
 * beside memory in use is not believed); and of each bin that holds chunks, pool being its lower
 * bound in bytes: bin_bytes (current in use, allocated in all, freed = free), bin_requested
 * (current: what the clients asked for of the bytes in use) and bin_chunks (the same three as
 * bin_bytes). */
#ifndef GS_ANALYZER_READ_LOGS_BFC_DUMP_H
#define GS_ANALYZER_READ_LOGS_BFC_DUMP_H

#include "analyzer/read/messages/message.h"
#include "analyzer/read/text/window.h"
#include "analyzer/model/snapshot.h"

enum {
	GS_BFC_BINS = 64,
	GS_BFC_UNIT = 256, /* the size of every chunk is a multiple of it */
	GS_BFC_VOICES = 64 /* processes that write to one log in turns */
};

/* shorter: the size without the digits that begin the next line, where a line's end stands in the
 * number and may have wrapped it or not; 0 otherwise. What fits the next chunk's address, the
 * region, tells. */
typedef struct gs_bfc_chunk {
	uint64_t address, size, shorter;
	bool in_use;
} gs_bfc_chunk;
typedef struct gs_bfc_region {
	uint64_t size, shorter;
	size_t first;
} gs_bfc_region; /* its chunks are those up to the next region's first */
typedef struct gs_bfc_bin {
	uint64_t size;
	int64_t chunks, used_chunks, bytes, used_bytes, requested;
} gs_bfc_bin;

typedef struct gs_bfc_dump {
	int32_t device;      /* -1 not said */
	const char *library; /* "onnxruntime", NULL another */
	uint64_t at, end;    /* positions in the input */
	size_t voice;        /* whose it is */
	gs_bfc_chunk *chunks;
	size_t nchunks, cap_chunks;
	gs_bfc_region *regions;
	size_t nregions, cap_regions;
	gs_bfc_bin bins[GS_BFC_BINS];
	size_t nbins;
	int64_t request; /* "Bin for 74.16MiB was …" */
	int64_t limit, in_use, max_in_use, num_allocs, max_alloc, reserved, largest_free, pool,
		sum_in_use;
	uint64_t listed, listed_bytes; /* "3 Chunks of size 1024": chunks in use by size */
	bool headed;                   /* the list of chunks was seen from its beginning */
	bool summed;                   /* … to its end */
	bool stats;                    /* the statistics were seen */
	bool shortened;                /* … with units: rounded ("46.85MiB") */
	bool pool_shortened;           /* pool is rounded */
} gs_bfc_dump;

/* What one of those that write to a log has said so far: its next line goes on there, whatever
 * others wrote in between. */
typedef struct gs_bfc_voice {
	uint64_t speaker;     /* read/text/speaker.h */
	bool open;            /* its last dump goes on */
	bool host;            /* what follows is of a host allocator */
	size_t current;       /* its last dump, where open */
	int32_t asked_device; /* of its last message, -1 */
} gs_bfc_voice;

typedef struct gs_bfc {
	gs_bfc_dump *dumps; /* in the order of their beginnings; chunks are kept only of the last one of
						   each device and of those that go on */
	size_t n, cap;
	gs_bfc_voice voices[GS_BFC_VOICES]; /* the first one's speaker is not asked for before there is
										   a second */
	size_t nvoices, voice;              /* voice: whose line is being read */
	int64_t capacity;      /* total memory that TensorFlow printed of the only device; GS_NONE */
	bool capacities;       /* … of several */
	gs_snapshot *snapshot; /* for device names */
	uint64_t done;
} gs_bfc;

#define GS_BFC_INIT                                                         \
	{                                                                       \
		.voices = {{.asked_device = -1}}, .nvoices = 1, .capacity = GS_NONE \
	}
void gs_bfc_release(gs_bfc *b);

/* Looks at [from, to) of a window. GS_NO_MEMORY. */
gs_status gs_bfc_scan(gs_bfc *b, const gs_text *t, size_t from, size_t to, gs_error *err);

/* Whether any dump was found; whether of this one nothing but its beginning was. */
bool gs_bfc_found(const gs_bfc *b);
bool gs_bfc_empty(const gs_bfc_dump *d);

/* Gives the messages of o the figures of their dumps (before gs_oom_text_finish); a dump that tells
 * its request and whose message is cut gives a message itself. GS_NO_MEMORY. */
gs_status gs_bfc_join(const gs_bfc *b, gs_oom_text *o, gs_error *err);

/* Fills devices and stats. *cut: a dump is not whole. */
gs_status gs_bfc_finish(gs_bfc *b, gs_snapshot *s, bool *cut, gs_error *err);

/* Part of finish: the layout of one dump; *whole: every chunk was listed. */
gs_status gs_bfc_layout(
	gs_bfc_dump *dump, gs_snapshot *s, gs_device *d, bool *whole, gs_error *err);

/* Bytes in use: the statistics say it to the byte, or rounded where the sums by size are exact;
 * else those sums, else the bins. */
uint64_t gs_bfc_in_use(const gs_bfc_dump *d);

#endif
