/* The rows of a .gsnap file as C structs: what the writer takes and the reader gives. One struct
 * for each kind of section; FORMAT.md has the same tables for other languages.
 *
 * Units and words are those of the whole project: bytes, microseconds since 1970 UTC; an unknown
 * int64_t is GS_NONE; ids start at 1 and 0 is none. Ids are positions: the first string pushed is
 * string 1, the second 2, and so on; the same for modules, frames, stacks and tags. */
#ifndef GS_SCHEMA_GSNAP_ROWS_H
#define GS_SCHEMA_GSNAP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "schema/terms.h"

/* Bytes with a length; at == NULL is "none", which differs from an empty text. Need not be
 * terminated. */
typedef struct gs_span {
	const char *at;
	uint32_t n;
} gs_span;

/* Frame ids of a stack, innermost first. */
typedef struct gs_ids {
	const gs_id *at;
	uint32_t n;
} gs_ids;

/* A C string as gs_span; NULL stays none. */
static inline gs_span gs_span_of(const char *s)
{
	gs_span t = {s, s ? (uint32_t)strlen(s) : 0};
	return t;
}

/* Kinds of sections, in the order in which they stand in a file. The number is in files: append
 * only (a later kind may stand anywhere that its own description says). */
typedef enum gs_section_kind {
	GS_SECTION_PROCESS = 1,
	GS_SECTION_DEVICE = 2,
	GS_SECTION_SETTING = 3,
	GS_SECTION_STRING = 4,
	GS_SECTION_MODULE = 5,
	GS_SECTION_FRAME = 6,
	GS_SECTION_STACK = 7,
	GS_SECTION_TAG = 8,
	GS_SECTION_SEGMENT = 9,
	GS_SECTION_BLOCK = 10,
	GS_SECTION_STAT = 11,
	GS_SECTION_OOM = 12,
	GS_SECTION_ANNOTATION = 13,
	GS_SECTION_WARNING = 14,
	GS_SECTION_EVENT = 15,
	GS_SECTION_END = 16,
	GS_SECTION_INDEX = 17,   /* of a stream: where what is, so that the rest can be passed over */
	GS_SECTION_FIGURES = 18, /* of a stream: sums over some events each */
	GS_SECTION_KINDS
} gs_section_kind;

/* One row a file. */
typedef struct gs_row_process {
	gs_span host, tool; /* tool: who made it, "gpusnap 1.0", "PyTorch 2.6.0" */
	gs_span argv;       /* the command line, arguments joined by a NUL byte */
	gs_span rules;      /* release whose rules the allocator followed, "2.6" */
	gs_span library; /* whose allocator: "gpusnap", "pytorch", "cuda" (pass-through), "cupy" … */
	gs_span driver;  /* driver version, "12.4" */
	gs_span origin;  /* converted from another input: its kind ("pytorch", "bfc", "rmm", "text");
						none for our own */
	int64_t pid, rank, time_us;
	bool incomplete; /* what it was converted from was itself cut */
	gs_span reason;  /* what made the file: "out of memory", "refused", "signal", "demand" */
	gs_span above;   /* recorded below this caching allocator, whose segments the blocks are */
	gs_span release_min,
		release_max; /* bounds of the release of the program that made it, as far as known */
} gs_row_process;

/* One row a device, ascending. Every device of a later row must be here. */
typedef struct gs_row_device {
	int32_t device;
	gs_span name;
	int64_t capacity, device_free, allowed;
	int64_t reserved, allocated; /* what a text says; GS_NONE where the segments tell */
	int64_t others;              /* bytes held by other processes */
	int64_t idx;      /* the layout holds after this event; GS_NONE: after the whole trace */
	uint64_t dropped; /* events lost before the first one kept */
	int32_t
		complete; /* 1: recording began before the first allocation; 0: surely not; -1: not known */
	bool no_layout;     /* nothing is known of segments */
	bool inexact;       /* the layout was partly bounded, not determined; note says why */
	bool layout_at_oom; /* the layout is that right at the last OOM */
	gs_span note;
} gs_row_device;

typedef struct gs_row_setting {
	gs_span name, value;
} gs_row_setting;
typedef struct gs_row_string {
	gs_span text;
} gs_row_string;

/* A loaded object file, for C frames. */
typedef struct gs_row_module {
	gs_span path;
	gs_span build_id; /* raw bytes of the GNU build-id note */
	uint64_t base;    /* load bias: run-time address − address in the file */
	uint64_t size;    /* bytes from base to its end */
} gs_row_module;

/* A script's frame has name, file and line. A C frame has address and module (0: in none), and a
 * name only if it was known. */
typedef struct gs_row_frame {
	gs_id name, file;
	int64_t line;
	uint64_t
		address; /* the return address as glibc's backtrace() gives it; 0 for a script's frame */
	gs_id module;
	uint32_t class; /* what it is apart from its words, where those were taken out; 0: they stand */
} gs_row_frame;

typedef struct gs_row_stack {
	gs_ids frames;
} gs_row_stack;
typedef struct gs_row_tag {
	gs_id name;
} gs_row_tag;

/* Rows of one device together, devices ascending, addresses ascending. */
typedef struct gs_row_segment {
	int32_t device;
	uint64_t address, size, stream;
	gs_pool_id pool_id;
	gs_id stack;
	uint8_t pool; /* gs_pool_class */
	bool expandable;
	bool no_address; /* address is not known (0) */
} gs_row_segment;

/* Rows in the order of their segments, ascending within one. */
typedef struct gs_row_block {
	int32_t device;
	uint64_t segment; /* number of its segment: the first SEGMENT row of the file is 1 */
	uint64_t address, size;
	int64_t requested; /* GS_NONE on inactive blocks */
	int64_t idx;       /* its alloc event in the device's trace */
	gs_id stack, tag;
	uint8_t state;  /* gs_block_state */
	uint64_t stale; /* the source's requested size of an inactive block */
	gs_id more;     /* string: members of the source's record that no column has, a JSON object */
} gs_row_block;

typedef struct gs_row_stat {
	int32_t device;
	gs_id name, pool; /* strings; pool: "all", "small_pool", "large_pool" or none */
	int64_t current, peak, allocated, freed;
} gs_row_stat;

typedef struct gs_row_oom {
	int32_t device; /* -1 unknown */
	int64_t idx, time_us, requested, needed, stream;
	bool has_pool_id;
	gs_pool_id pool_id;
	uint8_t pool; /* gs_pool_class */
	int64_t device_free, capacity, allocated, reserved, allowed;
	gs_span library, message;
	gs_id stack;
	/* what a message tells beside them; GS_NONE where it does not */
	int64_t others, own, counted, private_free, pool_free, pool_largest, line;
	uint32_t says; /* bits */
} gs_row_oom;
/* Initialises what only messages tell. */
#define GS_ROW_OOM_UNTOLD                                                           \
	.others = GS_NONE, .own = GS_NONE, .counted = GS_NONE, .private_free = GS_NONE, \
	.pool_free = GS_NONE, .pool_largest = GS_NONE, .line = GS_NONE

typedef struct gs_row_annotation {
	int32_t device;
	gs_id name, stage;
	int64_t time_us;
} gs_row_annotation;

typedef struct gs_row_warning {
	gs_span text;
} gs_row_warning;

/* Events of one device together, oldest first, devices ascending. */
typedef struct gs_row_event {
	int32_t device;
	uint64_t address; /* oom, refused: 0 (in files older than device_free: the free bytes) */
	uint64_t size;    /* alloc, free_*: requested bytes; segment_*: bytes; oom: rounded request;
						 snapshot: active bytes */
	int64_t time_us;
	uint64_t nanos;  /* 0–999 after time_us; 0 if the clock is coarser */
	uint64_t stream; /* handle */
	bool has_pool_id;
	gs_pool_id pool_id;
	gs_id stack, tag;
	uint8_t action;      /* gs_action */
	uint64_t extra;      /* in files older than device_free: an oom's free bytes; else 0 */
	gs_id more;          /* as in gs_row_block */
	int64_t device_free; /* oom, refused: the device's free bytes, GS_NONE unknown; of other events
							it is not looked at */
} gs_row_event;

/* Where the sections of a stream are that a reader of one moment wants: all since the index before,
 * but those of events, segments and blocks. */
typedef struct gs_row_index {
	int32_t device;  /* of sections of kind device and event; else 0 */
	int64_t idx;     /* the layout holds after this event of the device, −1 before the first;
						unknown: there is none; of events: how many there are by now */
	uint64_t offset; /* of the section; a layout's begins with a row of kind device */
	uint32_t kind;   /* of the section; event: the last one of the device */
	uint64_t before; /* the first row: offset of the index before, 0 none; else 0 */
} gs_row_index;

/* A device over some events that follow each other; the next row of it goes on where this one ends.
 * Bytes are those of blocks, rounded. */
typedef struct gs_row_figures {
	int32_t device;
	uint64_t first, events;                /* number of the first event, and how many */
	int64_t from_us, until_us;             /* times of the first and the last */
	uint64_t allocated, pending, reserved; /* after the last */
	uint64_t most_allocated;               /* after any of them … */
	uint64_t allocated_idx;                /* … and after which first */
	uint64_t most_reserved;
	uint64_t reserved_idx;
	uint64_t reserved_then; /* reserved when most was allocated */
	uint64_t ooms;          /* how many of them are out-of-memories */
	uint64_t retries;       /* how many gave the cache back for a request */
} gs_row_figures;

/* The last row of a whole file. */
typedef struct gs_row_end {
	uint64_t sections; /* sections before this one */
	uint64_t events;   /* of all devices */
	uint64_t index;    /* offset of the last section of kind index; 0: none */
} gs_row_end;

#endif
