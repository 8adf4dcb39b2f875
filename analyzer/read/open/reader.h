/* Opening an input of any kind: the kind is recognised from its content, never from its name.
 *
 * A reader is one gs_reader, in a room of analyzer/read. It must treat every byte as
 * hostile: counts, lengths, depths and decompressed sizes are bounded before memory is taken; on
 * damage it returns a status and a message with the byte offset and what was being read. */
#ifndef GS_ANALYZER_READ_OPEN_READER_H
#define GS_ANALYZER_READ_OPEN_READER_H

#include "analyzer/read/open/source.h"
#include "analyzer/model/snapshot.h"
#include "analyzer/model/want.h"

typedef struct gs_reader {
	const char *name;
	/* How sure this reader is, from the first n bytes (after unwrapping): 0 no, 100 certain. */
	int (*probe)(const unsigned char *head, size_t n);
	/* Fills *s (already initialised). The source stands at byte 0. */
	gs_status (*read)(gs_source *source, unsigned want, gs_snapshot *s, gs_error *err);
} gs_reader;

#define GS_READER(name) extern const gs_reader gs_reader_##name;
#include "analyzer/read/open/readers.def"
#undef GS_READER

/* Lets the reader read, in bounded memory: what it holds, the snapshot included, stays below 24 MiB
 * + 4 times the file's bytes; of a packed file it may be 16 times its bytes where that is more, of
 * a .gsnap (packed by itself) 52 MiB + 4 times or 20 times. Honest files stay below.
 * GPUSNAP_READ_MEMORY (a SIZE) allows more. Beyond: GS_LIMIT. */
gs_status gs_reader_run(
	const gs_reader *reader, gs_source *source, unsigned want, gs_snapshot *s, gs_error *err);

/* Unwraps the source (at byte 0) as far as needed and tells which reader its content is for: of
 * all, or of some. GS_UNKNOWN_KIND: of none of them. */
gs_status gs_reader_pick_of(const gs_reader *const *readers, size_t nreaders, gs_source *source,
	const gs_reader **out, gs_error *err);
gs_status gs_reader_pick(gs_source *source, const gs_reader **out, gs_error *err);

/* Opens path ("-" is standard input), unwraps gzip and zstd, picks the reader, reads, and finishes
 * the snapshot (path, sha256 of the file's bytes when GS_WANT_SUM, rank from its facts). On
 * failure *s is empty and err says "what, where" without the path. */
gs_status gs_read_path(const char *path, unsigned want, gs_snapshot *s, gs_error *err);

/* The same of one of several snapshots in the file (pages hold any number): from 0. */
gs_status gs_read_part(
	const char *path, unsigned part, unsigned want, gs_snapshot *s, gs_error *err);

/* One moment of a whole run, by device: its last one, after an event, or of a failure (from 1; 0
 * the last, and where there is none the last moment). Of a stream with more events than whole_below
 * only the layout before that moment and the events from there to it are read, whatever the length
 * of the run: s->excerpt is set then, and trace.first tells where. Other files are read as ever,
 * and so is what cannot be read twice (a pipe). */
typedef struct gs_moment_wanted {
	enum { GS_MOMENT_LAST, GS_MOMENT_EVENT, GS_MOMENT_FAILURE, GS_MOMENT_EVENTS } what;
	uint64_t number;
	uint64_t whole_below;
	const struct gs_device_event { /* GS_MOMENT_EVENTS: of each device; of others the last moment */
		int32_t device;
		uint64_t event;
	} * events;
	size_t nevents;
	uint64_t reach; /* from how many events before the moment on, where the layouts allow */
	bool untold;    /* the caller tells which part was read */
} gs_moment_wanted;
gs_status gs_read_moment(
	const char *path, unsigned want, const gs_moment_wanted *moment, gs_snapshot *s, gs_error *err);

/* The same from a function (gs_source_stream); path: what the snapshot is called, NULL none. */
gs_status gs_read_stream(gs_source_fill *fill, void *context, uint64_t size, const char *path,
	unsigned want, gs_snapshot *s, gs_error *err);

/* The same from memory (tests, fuzzers, embedded files). */
gs_status gs_read_memory(const void *data, size_t n, unsigned want, gs_snapshot *s, gs_error *err);

#endif
