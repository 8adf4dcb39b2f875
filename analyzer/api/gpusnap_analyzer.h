/* gpusnap_analyzer: what a snapshot of GPU memory tells, as a C library.
 *
 * A handle (gpusnap_snapshot) holds one snapshot, read once, and answers any number of questions
 * about it. Answers are the command's: JSON and text byte for byte, pictures pixel by pixel. The
 * Python package and the page in a browser are built on this header.
 *
 * Errors: functions return GPUSNAP_DONE, GPUSNAP_FAILED (the file, memory) or GPUSNAP_USAGE (a
 * wrong option, an unknown query or state); gpusnap_snapshot_error tells what and where in words.
 * Nothing is printed, nothing ends the process.
 *
 * Ownership: an answer (*out, *n bytes, a NUL behind them) belongs to the caller until
 * gpusnap_analyzer_free. On failure *out is NULL. Texts that a function returns belong to the
 * handle.
 *
 * Options are a JSON object in a text, NULL for none; members that a function does not know are an
 * error. Sizes in options are numbers of bytes or texts such as "40GiB".
 *
 * Threads: one handle is for one thread at a time; different handles are independent.
 *
 * The interface is stable: what is here stays as it is while the major version stays. New functions
 * raise gpusnap_analyzer_abi(). */
#ifndef GS_ANALYZER_API_GPUSNAP_ANALYZER_H
#define GS_ANALYZER_API_GPUSNAP_ANALYZER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GPUSNAP_ANALYZER_API __attribute__((visibility("default")))
#else
#define GPUSNAP_ANALYZER_API
#endif

enum { GPUSNAP_DONE = 0, GPUSNAP_FAILED = 1, GPUSNAP_USAGE = 2 };

typedef struct gpusnap_snapshot gpusnap_snapshot;

/* The interface's number, 2 here; the library's version, e.g. "1.0.0". */
GPUSNAP_ANALYZER_API unsigned gpusnap_analyzer_abi(void);
GPUSNAP_ANALYZER_API const char *gpusnap_analyzer_version(void);

/* An empty handle, NULL when memory is short; close accepts NULL. */
GPUSNAP_ANALYZER_API gpusnap_snapshot *gpusnap_snapshot_new(void);
GPUSNAP_ANALYZER_API void gpusnap_snapshot_close(gpusnap_snapshot *s);

/* Memory for a caller that has no malloc of its own (WebAssembly), and for giving answers back. */
GPUSNAP_ANALYZER_API void *gpusnap_analyzer_alloc(size_t n);
GPUSNAP_ANALYZER_API void gpusnap_analyzer_free(void *memory);

/* Read an input of any kind that the command reads, whatever it is called: a file (of a database or
 * a page with several snapshots the number-th, from 0), bytes in memory (they may be given back
 * afterwards), or a stream. A handle reads once. name is what answers call the file; NULL none.
 *
 * A stream is read from its beginning to its end: read fills buf with up to n bytes and returns how
 * many, 0 at the end, (size_t)-1 where reading failed. size is the whole length, 0 where it is not
 * known: memory is bounded by it. */
typedef size_t gpusnap_read(void *context, void *buf, size_t n);
GPUSNAP_ANALYZER_API int gpusnap_snapshot_open(
	gpusnap_snapshot *s, const char *path, unsigned number);
GPUSNAP_ANALYZER_API int gpusnap_snapshot_open_memory(
	gpusnap_snapshot *s, const void *data, size_t n, const char *name);
GPUSNAP_ANALYZER_API int gpusnap_snapshot_open_stream(
	gpusnap_snapshot *s, gpusnap_read *read, void *context, uint64_t size, const char *name);

/* The last error in words, "" where there was none; what the reader warned of (that a file is cut
 * first), from 0, NULL behind the last. */
GPUSNAP_ANALYZER_API const char *gpusnap_snapshot_error(const gpusnap_snapshot *s);
GPUSNAP_ANALYZER_API const char *gpusnap_snapshot_warning(const gpusnap_snapshot *s, size_t number);

/* What the file is and holds, as JSON (`gpusnap info --json`). */
GPUSNAP_ANALYZER_API int gpusnap_snapshot_info(gpusnap_snapshot *s, char **out, size_t *n);

/* The verdict; of several failures that of the first, with the others beside it. Options: device
 * (number), state, capacity, allowed, context (sizes), message (the error's text), rules
 * (categories: a text as --rules-file holds), form ("json", "text", "markdown"), width (columns),
 * verbose (true), replay (false: no advice from replays). */
GPUSNAP_ANALYZER_API int gpusnap_snapshot_diagnose(
	gpusnap_snapshot *s, const char *options, char **out, size_t *n);

/* A named query or one SQL statement. Options: device, state, by, rows (0 all), seconds (30), form
 * ("json", "jsonl", "csv", "tsv", "table", "markdown"), width. */
GPUSNAP_ANALYZER_API int gpusnap_snapshot_query(
	gpusnap_snapshot *s, const char *query, const char *options, char **out, size_t *n);

/* The named queries: a JSON array of {"name","description","sql"}. */
GPUSNAP_ANALYZER_API int gpusnap_queries(char **out, size_t *n);

/* What if. Options: conf (a text or an array of texts), capacity, recorded_capacity, allowed
 * (sizes), release, until (event), minimize (true), device, form, width. */
GPUSNAP_ANALYZER_API int gpusnap_snapshot_whatif(
	gpusnap_snapshot *s, const char *options, char **out, size_t *n);

/* What two snapshots, or two states of one, differ in. Options: from, to (states of a and of b),
 * device, form, width. An error is told by a. */
GPUSNAP_ANALYZER_API int gpusnap_snapshot_diff(
	gpusnap_snapshot *a, gpusnap_snapshot *b, const char *options, char **out, size_t *n);

/* A picture: kind "map" or "plot". Options: form ("png", "svg"), width (pixels), color (what
 * colours a map, what a plot is stacked by; "holder"), device, state. GPUSNAP_FAILED where the
 * library was built without drawing. */
GPUSNAP_ANALYZER_API int gpusnap_snapshot_picture(
	gpusnap_snapshot *s, const char *kind, const char *options, char **out, size_t *n);

/* The report: one HTML page. Options: device, state. */
GPUSNAP_ANALYZER_API int gpusnap_snapshot_report(
	gpusnap_snapshot *s, const char *options, char **out, size_t *n);

/* Columns of a device's events, of its curve and of a state's blocks, for tables and canvases.
 * Every array has n members and belongs to the columns; give them back with gpusnap_events_free and
 * gpusnap_blocks_free. Unknown is INT64_MIN, and 0 for ids (stacks, tags: numbers in the tables
 * stack and tag of a query). number: the device's number as the file has it; -1 the first. */
typedef struct gpusnap_events {
	size_t n;
	uint64_t *address; /* of an out-of-memory: 0 */
	uint64_t *size;    /* bytes */
	int64_t *time_us;  /* since 1970 UTC */
	uint64_t *stream;
	uint32_t *stack, *tag;
	uint8_t *action;               /* number in gpusnap_action_name */
	int64_t *allocated, *reserved; /* after the event */
} gpusnap_events;
typedef struct gpusnap_blocks {
	size_t n;
	uint64_t *address, *size;
	int64_t *requested, *idx;   /* idx: of the event that made it */
	uint64_t *segment, *stream; /* segment: its address */
	uint32_t *stack, *tag;
	uint8_t *state;    /* 0 allocated, 1 waiting to be freed, 2 inactive */
	uint8_t *category; /* number in gpusnap_category_name */
} gpusnap_blocks;
GPUSNAP_ANALYZER_API int gpusnap_snapshot_events(
	gpusnap_snapshot *s, int64_t number, gpusnap_events *columns);
GPUSNAP_ANALYZER_API int gpusnap_snapshot_blocks(
	gpusnap_snapshot *s, int64_t number, const char *state, gpusnap_blocks *columns);
GPUSNAP_ANALYZER_API void gpusnap_events_free(gpusnap_events *columns);
GPUSNAP_ANALYZER_API void gpusnap_blocks_free(gpusnap_blocks *columns);

/* --- pictures that are zoomed (since 2) ---------------------------------------------------------
 *
 * The first of these calls about a device plays its recording; that is kept in the handle, so that
 * every further one costs what it shows. Events are numbers from 0, "after event i"; -1 is before
 * the first. Options: device (the first that has events). A life is a block from its allocation to
 * its free; lives are numbered by birth, first those that were there before the recording. Numbers
 * of holders, steps, streams and pools are places in the lists of "outline". */

/* Texts, as JSON. what:
 * "outline": what all views have in common: for every device its figures, failures, steps,
 *   annotations, holders, streams, pools, tags; the words of categories and actions. No options.
 * "life": a block with its stack. Options: life.
 * "at": the life at so many bytes from the bottom of the pile of blocks that live after an event,
 *   null above it. Options: idx, bytes, order (as of bands).
 * "moment": sums, holders and categories after an event, the rows of the queries of these names;
 *   request: what failed there (null: nothing), with how each segment of the heap lies to it:
 *   "same", or why it may not serve: "other_pool", "other_stream", "other_class" (small or large).
 *   Options: idx or state.
 * "span": what was born, died, stayed and passed between the moments after two events, by holder
 *   and category. Options: from, to.
 * "flame": a tree of frames with bytes. Options: idx or state; or from and to for bytes × how long
 *   they lived. */
GPUSNAP_ANALYZER_API int gpusnap_snapshot_timeline(
	gpusnap_snapshot *s, const char *what, const char *options, char **out, size_t *n);

/* Memory over time for one view of it, as bands of blocks that lie on each other. Options: axis
 * ("event", "time": microseconds), from, to (on the axis; the whole), columns (pixels, 1000), rows
 * (pixels; 0 for columns alone), low, high (bytes that the rows show; 0 to the greatest), order
 * (what the pile is sorted by from the bottom: "birth", "holder", "category", "step", "stream",
 * "pool", "tag", "size"), key (by which merged blocks are told, the same words; "holder").
 *
 * A column is told by one moment, the one with most allocated that it has. Blocks lower than a row
 * are merged with their neighbours; those that were born and died between two moments are counted
 * in passed: nothing in view is dropped. */
typedef struct gpusnap_bands {
	size_t ncolumns, npieces;
	/* by column */
	int32_t *idx;                  /* its moment: after this event */
	int64_t *time_us;              /* of that event; INT64_MIN unknown */
	uint64_t *allocated, *pending; /* at its moment */
	uint64_t *least, *reserved;    /* least allocated, most reserved in it */
	uint32_t *failed;              /* requests that failed in it */
	uint32_t *passed; /* blocks in no moment shown that died in it, or in the last live on */
	uint64_t *passed_bytes;
	/* by piece */
	uint16_t *first, *last; /* columns; last is the one behind */
	float *bottom, *height; /* in rows from low upwards; far out of view it is cut */
	uint32_t *life, *count; /* the block, count 1; or one of so many that were merged */
	uint32_t *key, *holder; /* of several the one with most bytes where one has the half */
	uint8_t *category;      /* number in gpusnap_category_name */
} gpusnap_bands;
GPUSNAP_ANALYZER_API int gpusnap_snapshot_bands(
	gpusnap_snapshot *s, const char *options, gpusnap_bands *columns);
GPUSNAP_ANALYZER_API void gpusnap_bands_free(gpusnap_bands *columns);

/* What every event came to. Options: device, columns (as of lives), from and to (the first and the
 * last event; all). */
typedef struct gpusnap_curve {
	size_t n;
	int64_t *time_us; /* INT64_MIN unknown */
	uint64_t *allocated, *reserved;
	uint8_t *action; /* number in gpusnap_action_name */
} gpusnap_curve;
GPUSNAP_ANALYZER_API int gpusnap_snapshot_curve(
	gpusnap_snapshot *s, const char *options, gpusnap_curve *columns);
GPUSNAP_ANALYZER_API void gpusnap_curve_free(gpusnap_curve *columns);

/* Every block's life. Options: device, columns (names of those members that are wanted, the others
 * are NULL; all). */
typedef struct gpusnap_lives {
	size_t n;
	int32_t *birth; /* event; -1 before the recording */
	int32_t *freed; /* event that asked for it to be freed; INT32_MAX never */
	int32_t *death; /* event after which it was gone; INT32_MAX never */
	uint64_t *address, *size;
	uint32_t *holder, *stack, *tag;
	int32_t *step;           /* that it was born in, -1 none */
	uint16_t *stream, *pool; /* place in the list + 1, 0 unknown */
	uint8_t *category;
} gpusnap_lives;
GPUSNAP_ANALYZER_API int gpusnap_snapshot_lives(
	gpusnap_snapshot *s, const char *options, gpusnap_lives *columns);
GPUSNAP_ANALYZER_API void gpusnap_lives_free(gpusnap_lives *columns);

/* The lives that a text is in: in the place or the caller of their holder, in a frame of their
 * stack, in their tag or category; letters' case does not matter. Options: device, text. */
typedef struct gpusnap_found {
	size_t n;
	uint32_t *life; /* ascending */
} gpusnap_found;
GPUSNAP_ANALYZER_API int gpusnap_snapshot_find(
	gpusnap_snapshot *s, const char *options, gpusnap_found *columns);
GPUSNAP_ANALYZER_API void gpusnap_found_free(gpusnap_found *columns);

/* The colours that pictures of the snapshot have, by life and as a legend. Options: device, by
 * ("holder", "category", "tag", "stream", "age", "size"). */
typedef struct gpusnap_colors {
	size_t n, nlegend;
	uint8_t *of;  /* by life: its class */
	char *legend; /* JSON, nlegend bytes:
					 {"classes":[{"class","name","label","rgb","ink","pattern"}], "remark"} */
} gpusnap_colors;
GPUSNAP_ANALYZER_API int gpusnap_snapshot_colors(
	gpusnap_snapshot *s, const char *options, gpusnap_colors *columns);
GPUSNAP_ANALYZER_API void gpusnap_colors_free(gpusnap_colors *columns);

/* The heap at a moment. Options: device, idx or state. */
typedef struct gpusnap_heap {
	size_t nsegments, nblocks;
	int64_t idx; /* the event after which it holds, INT64_MIN: as captured */
	int32_t exact;
	/* by segment, ascending by address */
	uint64_t *segment_address, *segment_size;
	uint64_t *segment_stream;
	uint64_t *segment_pool_a, *segment_pool_b;   /* the pair of the pool's id */
	uint8_t *segment_large, *segment_expandable; /* large: 0 small, 1 large, 2 unknown */
	/* by block, in order of segments */
	uint64_t *address, *size;
	int64_t *requested;
	uint32_t *segment;              /* place among the segments */
	int32_t *life;                  /* -1: none (a hole, or not in the recording) */
	uint32_t *stack, *tag, *holder; /* holder: UINT32_MAX where life is -1 */
	uint8_t *state;                 /* 0 allocated, 1 waiting to be freed, 2 inactive */
	uint8_t *category;
} gpusnap_heap;
GPUSNAP_ANALYZER_API int gpusnap_snapshot_heap(
	gpusnap_snapshot *s, const char *options, gpusnap_heap *columns);
GPUSNAP_ANALYZER_API void gpusnap_heap_free(gpusnap_heap *columns);

/* The snapshot as a file of another kind (since 2): "gsnap", "pytorch", "flamegraph", "speedscope",
 * "perfetto". Options: redact (true: without hosts, paths, arguments and names; gsnap and pytorch),
 * device, state (of the flame graphs). */
GPUSNAP_ANALYZER_API int gpusnap_snapshot_export(
	gpusnap_snapshot *s, const char *kind, const char *options, char **out, size_t *n);

/* Which of n values are known, as Arrow's validity bitmap (least significant bit first) of
 * (n + 7) / 8 bytes. Returns how many are unknown. */
GPUSNAP_ANALYZER_API size_t gpusnap_analyzer_validity(
	const int64_t *values, size_t n, uint8_t *bitmap);

/* Words of the numbers in columns; NULL behind the last. */
GPUSNAP_ANALYZER_API const char *gpusnap_action_name(unsigned number);
GPUSNAP_ANALYZER_API const char *gpusnap_category_name(unsigned number);

#ifdef __cplusplus
}
#endif
#endif
