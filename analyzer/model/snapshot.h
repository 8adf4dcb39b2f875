/* The one in-memory model: every reader fills a gs_snapshot, everything else (store, states,
 * policy, diagnose, what-if, map) reads it.
 *
 * Units: sizes in bytes, addresses as unsigned 64-bit, times in microseconds since 1970 UTC. A fact
 * that the input does not tell is GS_NONE (for int64_t), 0 (for an id) or a NULL text. Ids of
 * strings, frames, stacks and tags start at 1; 0 is "none". Devices are in ascending order of their
 * number; a layout's segments ascend by address (segments without an address keep file order) and
 * its blocks lie in segment order, ascending.
 *
 * Ownership: a snapshot owns all memory reachable from it (one arena for strings, arrays by malloc)
 * until gs_snapshot_release. Not thread-safe; a finished snapshot may be read by many threads. */
#ifndef GS_ANALYZER_MODEL_SNAPSHOT_H
#define GS_ANALYZER_MODEL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/layout.h"
#include "analyzer/model/oom.h"
#include "analyzer/model/term_words.h"
#include "analyzer/model/trace.h"
#include "schema/status.h"
#include "schema/terms.h"

/* What produced the file; decides the policy (how the ladder judges). GS_KIND(NAME, "word"). */
#define GS_KIND_WORDS(GS_KIND)                                                                  \
	GS_KIND(UNKNOWN, "unknown")                                                                 \
	GS_KIND(GSNAP, "gsnap") /* our recorder's pool or builder; library tells whose allocator */ \
	GS_KIND(PYTORCH, "pytorch") /* a PyTorch snapshot, whatever its wrapping */                 \
	GS_KIND(BFC, "bfc")         /* a TensorFlow/JAX BFC allocator dump */                       \
	GS_KIND(RMM, "rmm")         /* an RMM log */                                                \
	GS_KIND(TEXT, "text")       /* out-of-memory messages, memory_summary() tables */

typedef enum gs_kind {
#define GS_KIND(name, word) GS_KIND_##name,
	GS_KIND_WORDS(GS_KIND)
#undef GS_KIND
		GS_KINDS
} gs_kind;

typedef struct gs_device {
	int32_t device;
	gs_id name;
	int64_t capacity;    /* total bytes of the device */
	int64_t device_free; /* as captured */
	int64_t allowed;     /* limit of a memory fraction in bytes */
	int64_t others;      /* bytes that other processes hold on it */
	int64_t reserved;    /* what a text says, else GS_NONE (then it is the segments' sum) */
	int64_t allocated;   /* likewise */
	gs_layout captured;  /* what the file's segments show */
	gs_trace trace;
	bool layout_at_oom; /* captured is the state right at the last OOM event (or message), before
						   unwinding */
	bool has_layout;    /* false: the input (a text) tells nothing of segments */
} gs_device;

/* Somebody other than the allocator who holds memory of a device, as a text names them. */
typedef struct gs_outsider {
	int32_t device; /* -1 unknown */
	int64_t pid;    /* GS_NONE unknown */
	int64_t bytes;
	gs_id holder; /* string: "process", a program's name */
	gs_id known;  /* string: who says so, "message" or "nvidia-smi" */
} gs_outsider;

/* String ids; line GS_NONE unknown. class: what its words said before they were taken out
 * (frame_class.h), 0: they stand. judged: what they said when they were asked (frames.c), which is
 * no part of what the frame is. */
typedef struct gs_frame {
	gs_id name, file;
	int64_t line;
	uint32_t class;
	uint32_t judged;
} gs_frame;
typedef struct gs_stack {
	uint32_t first, n;
} gs_stack; /* its frame ids, innermost first, in stack_frames */

typedef struct gs_annotation {
	gs_id name, stage;
	int32_t device;
	int64_t time_us;
} gs_annotation;
typedef struct gs_setting {
	gs_id name, value;
} gs_setting;
typedef struct gs_stat {
	int32_t device;
	gs_id name, pool;
	int64_t current, peak, allocated, freed;
} gs_stat;
typedef struct gs_warning {
	char text[200];
} gs_warning;

typedef struct gs_string {
	const char *text;
	uint32_t length;
	uint32_t hash;
} gs_string;
struct gs_arena;
struct gs_intern_table;

/* What a cut took away. Of events: all of them; a part that is there can be asked about. */
enum gs_lost {
	GS_LOST_SETTINGS = 1,
	GS_LOST_STACKS = 2,
	GS_LOST_LAYOUT = 4,
	GS_LOST_STATS = 8,
	GS_LOST_OOMS = 16,
	GS_LOST_EVENTS = 32
};

typedef struct gs_snapshot {
	/* facts about the file and the process; NULL or GS_NONE unknown */
	const char *path;
	unsigned part; /* which of the snapshots in that file, from 0 */
	const char *host;
	const char *tool;                      /* who made it, e.g. "gpusnap 1.0", "PyTorch 2.6.0" */
	const char *release_min, *release_max; /* bounds of the PyTorch release that wrote the file, as
											  far as its keys tell ("2.8"); NULL open */
	const char *rules;   /* release whose rules the allocator followed, e.g. "2.6", if told */
	const char *library; /* whose allocator it was: "pytorch", "gpusnap", "cuda" (pass-through),
							"tensorflow" … */
	const char
		*reason;       /* of our own files, what made it: "out of memory", "refused" (by the driver;
						  nothing shows that the program got over it), "signal", "demand" */
	const char *above; /* recorded below this caching allocator ("pytorch"), so that blocks are its
						  segments and what is free inside them is not known; NULL: below none */
	const char *argv;  /* command line of the process, arguments separated by blanks */
	const char *driver; /* driver version */
	char sha256[65];
	gs_kind kind;
	int64_t pid, rank, time_us;
	bool complete;   /* false: the file was cut; what is here came from whole parts */
	uint64_t cut_at; /* offset where it was cut, if !complete */
	unsigned lost;   /* of a .gsnap that was cut: GS_LOST_ bits, what is gone wholly or in part */
	bool events_skipped; /* the reader was told not to decode events: traces are empty though the
							file has some */
	bool stream;         /* a whole run, which may still be growing */
	bool excerpt;  /* of a stream: the events around one moment alone, from trace.first on; failures
					  at other events have lost their index */
	bool untagged; /* no event or block has a tag; found out once it is whole */
	const struct gs_run_way *whole; /* of an excerpt: how all of the run is read (event_source.h);
									   NULL: it cannot be */

	gs_device *devices;
	size_t ndevices;
	gs_oom *ooms;
	size_t nooms;
	gs_outsider *outsiders; /* as texts name them */
	size_t noutsiders;

	/* interned columns; index = id, entry 0 unused */
	gs_string *strings;
	uint32_t nstrings, cap_strings;
	gs_frame *frames;
	uint32_t nframes, cap_frames;
	gs_stack *stacks;
	uint32_t nstacks, cap_stacks;
	gs_id last_stack; /* interned last, 0 none */
	gs_id *stack_frames;
	uint32_t nstack_frames, cap_stack_frames;
	uint64_t *streams; /* handles, by gs_event.stream */
	uint32_t nstreams;
	gs_pool_id *pools; /* by gs_event.pool - 1 */
	uint32_t npools;

	gs_annotation *annotations;
	size_t nannotations;
	gs_setting *settings;
	size_t nsettings;
	gs_stat *stats;
	size_t nstats;
	gs_warning
		*warnings; /* what a reader noticed (sizes that do not add up, …): printed once on stderr */
	size_t nwarnings;
	size_t contradictions;      /* places where the captured layouts contradict themselves */
	size_t first_contradiction; /* index of the warning that names the first of them */

	struct gs_arena *arena;           /* strings */
	struct gs_intern_table *index[5]; /* hash indexes of strings, frames, stacks, streams, pools */
} gs_snapshot;

/* Makes *s empty (no memory taken). */
void gs_snapshot_init(gs_snapshot *s);

/* Frees all that *s owns and makes it empty again. */
void gs_snapshot_release(gs_snapshot *s);

/* Copies n bytes into the snapshot's arena, terminated; NULL when memory is short. */
const char *gs_snapshot_text(gs_snapshot *s, const char *text, size_t n);

/* Interns; the same content gives the same id. 0 when memory is short or there are 2^24 tags, 2^32
 * strings. frames of a stack: innermost first; an empty stack is id 0. */
gs_id gs_snapshot_string(gs_snapshot *s, const char *text, size_t n);
gs_id gs_snapshot_frame(gs_snapshot *s, gs_id name, gs_id file, int64_t line);
gs_id gs_snapshot_classed_frame(
	gs_snapshot *s, gs_id name, gs_id file, int64_t line, uint32_t class);
gs_id gs_snapshot_stack(gs_snapshot *s, const gs_id *frames, uint32_t n);

/* Index of a stream handle / index + 1 of a pool id (added when new); UINT32_MAX when memory is
 * short or there are GS_MOST_STREAMS. */
enum { GS_MOST_STREAMS = UINT16_MAX };
uint32_t gs_snapshot_stream(gs_snapshot *s, uint64_t handle);
uint32_t gs_snapshot_pool(gs_snapshot *s, gs_pool_id id);

/* The device of that number, made when new (array may move: do not keep pointers across calls);
 * NULL when memory is short. gs_snapshot_find_device returns NULL where there is none. */
gs_device *gs_snapshot_device(gs_snapshot *s, int32_t device);
gs_device *gs_snapshot_find_device(const gs_snapshot *s, int32_t device);

/* Pinned host memory is shown like a device of that name, numbered behind the last GPU. What is
 * said of failures, settings and fragmentation of GPU memory is not said of it. */
#define GS_HOST "host"
bool gs_device_is_host(const gs_snapshot *s, const gs_device *d);

/* Appends (zeroed, unknown facts GS_NONE) and returns the new element, NULL when memory is short;
 * it holds until the next one. The others append a copy; GS_NO_MEMORY. */
gs_oom *gs_snapshot_add_oom(gs_snapshot *s);
/* Takes the place of what was said before of the same process and device. */
gs_status gs_snapshot_add_outsider(gs_snapshot *s, const gs_outsider *outsider);
gs_status gs_snapshot_add_setting(gs_snapshot *s, const char *name, const char *value);
gs_status gs_snapshot_add_stat(gs_snapshot *s, const gs_stat *stat);
gs_status gs_snapshot_add_annotation(gs_snapshot *s, const gs_annotation *a);
void gs_snapshot_warn(gs_snapshot *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* How many events the file has of the device; GS_NONE where a cut took them away. */
int64_t gs_snapshot_events(const gs_snapshot *s, const gs_device *d);

/* How many OOMs of the device (NULL: of all) are known; GS_NONE where a cut took away what is told
 * of them. */
int64_t gs_snapshot_failures(const gs_snapshot *s, const gs_device *d);

/* The value of a setting, or NULL. */
const char *gs_snapshot_setting(const gs_snapshot *s, const char *name);

/* Whether our own allocator recorded it; one that our recorder watched is another's. */
bool gs_snapshot_is_own(const gs_snapshot *s);

/* Text of a string id to show, zero bytes in it as \x00; "" for 0. The bytes as they are:
 * strings[id]. */
const char *gs_string_text(const gs_snapshot *s, gs_id id);

/* Whether its segments and blocks are those that there were. A dump of BFC that was cut tells sums:
 * what they tell is made into blocks, and how many there were is not known. */
bool gs_layout_counted(const gs_snapshot *s, const gs_layout *l);

/* Word of a kind: gsnap, pytorch, bfc, rmm, text. */
const char *gs_kind_text(gs_kind kind);

/* After a reader has filled it: sorts devices, sets block addresses and first_block/nblocks checks,
 * fills ooms from OOM events of traces that have no row yet, checks that blocks tile their segments
 * (a warning names the segment that does not). */
gs_status gs_snapshot_finish(gs_snapshot *s, gs_error *err);

#endif
