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

/* The interface's number, 1 here; the library's version, e.g. "1.0.0". */
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

/* The verdict. Options: device (number), state, capacity, allowed, context (sizes), message (the
 * error's text), rules (categories: a text as --rules-file holds), form ("json", "text",
 * "markdown"), width (columns), verbose (true), replay (false: no advice from replays). */
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
