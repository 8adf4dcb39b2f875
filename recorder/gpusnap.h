/* gpusnap: a caching GPU allocator that records what it does and writes a dump when memory runs
 * out.
 *
 *     #include <gpusnap.h>
 *
 *     void *activations;
 *     gpusnap_open(NULL);                              // settings from the GPUSNAP_* variables
 *     gpusnap_push_tag("forward");
 *     if (gpusnap_malloc(0, bytes, stream, &activations) != GPUSNAP_OK)
 *         fprintf(stderr, "%s\n", gpusnap_error());    // the dump is written already
 *     gpusnap_pop_tag();
 *     …
 *     gpusnap_free(0, activations);
 *     gpusnap_close();
 *
 * Link with -lgpusnap (pkg-config gpusnap). The library loads where there is no GPU and no driver;
 * opening then fails, or a simulated device is opened instead. Dumps are read with the command
 * `gpusnap`.
 *
 * Devices are numbered as the CUDA driver numbers them. Sizes are bytes. A stream is a CUstream (a
 * cudaStream_t is one too); NULL is the default stream. Memory is device memory: a CUdeviceptr
 * carried in a void *.
 *
 * Freed memory is kept and handed out again on the same stream, by the rules of PyTorch's caching
 * allocator; no call synchronises unless a driver call that it must make does. Memory used on other
 * streams than the one it was allocated for needs gpusnap_record_stream before it is freed.
 *
 * Status: every function that can fail returns a gpusnap_status; 0 is success, and then only are
 * results written through pointers. gpusnap_error() has the words for the last failure of the
 * calling thread.
 *
 * Threads: all functions may be called from any thread at any time, except that nothing may run
 * beside gpusnap_open and gpusnap_close. A builder belongs to one thread at a time. After fork, a
 * child keeps recording; its dumps carry its own process id (a CUDA context does not survive a
 * fork: that is the driver's rule).
 *
 * Compatibility: a struct that begins with `size` may grow at its end; callers set it to sizeof.
 * Enumerators are never renumbered. */
#ifndef GPUSNAP_H
#define GPUSNAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPUSNAP_VERSION_MAJOR 1
#define GPUSNAP_VERSION_MINOR 0

#if defined(__GNUC__)
#define GPUSNAP_API __attribute__((visibility("default")))
#else
#define GPUSNAP_API
#endif

typedef enum gpusnap_status {
	GPUSNAP_OK = 0,
	GPUSNAP_OUT_OF_MEMORY =
		1,                 /* the device is short of memory; the dump, if one was due, is written */
	GPUSNAP_INVALID = 2,   /* an argument or setting; the words say which */
	GPUSNAP_STATE = 3,     /* not open, open already, or nothing to pop */
	GPUSNAP_NO_DRIVER = 4, /* no CUDA driver, or no device */
	GPUSNAP_DEVICE = 5,    /* the driver failed in another way */
	GPUSNAP_NO_HOST_MEMORY = 6,
	GPUSNAP_NOT_FOUND = 7, /* no such device, address or statistic */
	GPUSNAP_IO = 8,        /* a dump could not be written */
	GPUSNAP_EXISTS = 9,    /* a file of that name is there */
	GPUSNAP_LIMIT = 10     /* a limit is reached (GPUSNAP_MAX_DUMPS, sizes) */
} gpusnap_status;

typedef struct CUstream_st *gpusnap_stream;

/* Number of a stack, frame or tag, from 1; 0: none. */
typedef uint32_t gpusnap_id;

/* "1.0.0" of the library that is loaded. */
GPUSNAP_API const char *gpusnap_version(void);

/* Words for a status ("out of device memory"); never NULL. */
GPUSNAP_API const char *gpusnap_status_text(gpusnap_status status);

/* Words for the last failure of the calling thread, such as PyTorch's "CUDA out of memory. Tried to
 * allocate …"; "" before the first. Valid until the thread's next failure. */
GPUSNAP_API const char *gpusnap_error(void);

/* --- opening --- */

/* Texts that are NULL and numbers that are negative mean: as the variable says, else its default
 * (`gpusnap help env` lists them). gpusnap_config_init sets everything to that. */
typedef struct gpusnap_config {
	size_t size;            /* sizeof(gpusnap_config) */
	const char *dir;        /* GPUSNAP_DIR */
	const char *name;       /* GPUSNAP_NAME */
	const char *stacks;     /* GPUSNAP_STACKS: "none", "c", "python", "all" */
	const char *conf;       /* GPUSNAP_CONF: "expandable_segments:True,…" as PYTORCH_ALLOC_CONF */
	const char *signal;     /* GPUSNAP_SIGNAL; "" none */
	const char *log;        /* GPUSNAP_LOG: "stderr", "none" or a file */
	int64_t events;         /* GPUSNAP_EVENTS, for each device */
	int64_t depth;          /* GPUSNAP_DEPTH */
	int64_t level;          /* GPUSNAP_LEVEL */
	int64_t max_dumps;      /* GPUSNAP_MAX_DUMPS */
	int64_t max_mb;         /* GPUSNAP_MAX_MB */
	int64_t disable;        /* GPUSNAP_DISABLE: 1 records nothing; allocation works */
	int64_t rank;           /* else RANK, LOCAL_RANK, … */
	const char *rules;      /* PyTorch release whose rules to follow, "2.6"; NULL: the newest */
	double memory_fraction; /* of each device, 0 to 1; negative: no limit */
	int64_t simulated;      /* > 0: that many simulated devices instead of CUDA's … */
	uint64_t simulated_bytes; /* … of that capacity each */
	const char *stream;       /* GPUSNAP_STREAM: a file for the whole run */
	int64_t stream_mb;        /* GPUSNAP_STREAM_MB */
} gpusnap_config;

/* Sets a config of size bytes, as the program that calls it knows the struct: members that a later
 * release has added are not touched in a smaller one, and stand for their variables. Programs write
 * gpusnap_config_init(&config); the function of that name is what programs built against the first
 * release call, whose config ended at simulated_bytes. */
GPUSNAP_API void gpusnap_config_init_sized(gpusnap_config *config, size_t size);
GPUSNAP_API void gpusnap_config_init(gpusnap_config *config);
#define gpusnap_config_init(config) gpusnap_config_init_sized((config), sizeof *(config))

/* Opens the recorder of the process. NULL: everything from the variables. CUDA devices are taken
 * into use when a call first names them (with their primary context). GPUSNAP_NO_DRIVER where there
 * is no driver; GPUSNAP_INVALID names a bad setting; GPUSNAP_STATE when it is open. */
GPUSNAP_API gpusnap_status gpusnap_open(const gpusnap_config *config);

/* Closes it: all device memory goes back to the driver, live allocations too. Without an open
 * recorder it does nothing. */
GPUSNAP_API void gpusnap_close(void);

/* Number of devices that can be named, 0 when not open. */
GPUSNAP_API int gpusnap_devices(void);

/* --- allocation --- */

/* Memory for work in that stream, aligned to 512 bytes at least. 0 bytes: *ptr = NULL.
 * GPUSNAP_OUT_OF_MEMORY: the device has not enough, also after all cached memory was given back. */
GPUSNAP_API gpusnap_status gpusnap_malloc(
	int device, size_t bytes, gpusnap_stream stream, void **ptr);

/* Gives memory back to the cache, at once for later work in the stream it was allocated for. NULL:
 * nothing. GPUSNAP_NOT_FOUND: not an address that gpusnap_malloc gave, or freed already. */
GPUSNAP_API gpusnap_status gpusnap_free(int device, void *ptr);

/* Tells that work in that stream uses the memory as well: after its free it is not handed out
 * before that work is done. */
GPUSNAP_API gpusnap_status gpusnap_record_stream(int device, void *ptr, gpusnap_stream stream);

/* Returns all unused cached segments to the driver (waits for pending frees). */
GPUSNAP_API gpusnap_status gpusnap_empty_cache(int device);

/* The size of the block behind an allocation (≥ the bytes asked for). */
GPUSNAP_API gpusnap_status gpusnap_block_size(int device, void *ptr, size_t *bytes);

/* Allocator settings from now on, as gpusnap_config.conf; and the share of the device's memory that
 * may be taken. */
GPUSNAP_API gpusnap_status gpusnap_configure(int device, const char *conf);
GPUSNAP_API gpusnap_status gpusnap_set_memory_fraction(int device, double fraction);

/* --- private pools: memory that is shared with no one else, for graph captures --- */

/* A pool's id is a pair of numbers of the caller's; (0, 0) is the default pool. PyTorch gives (n,
 * 0) to graphs, (0, n) to users' pools. */
typedef struct gpusnap_pool_id {
	uint64_t a, b;
} gpusnap_pool_id;

/* How allocations are sent to a private pool. */
typedef enum gpusnap_pool_flags {
	GPUSNAP_ANY_STREAM = 1, /* those of every stream; else those of the stream named */
	GPUSNAP_CAPTURE = 2 /* a graph is being captured: the driver is asked nothing about events and
						   gets nothing back until the end */
} gpusnap_pool_flags;

/* From now until the end call, allocations are served from that pool (made when new, one more
 * user). flags: gpusnap_pool_flags. */
GPUSNAP_API gpusnap_status gpusnap_pool_begin(
	int device, gpusnap_pool_id pool, gpusnap_stream stream, unsigned flags);
/* The same for the streams that accepts(arg, stream) takes (the handle as a number). It is called
 * with the device's lock held: it must not call gpusnap, and arg must live until the end call. */
typedef bool gpusnap_filter(void *arg, uint64_t stream);
GPUSNAP_API gpusnap_status gpusnap_pool_begin_if(
	int device, gpusnap_pool_id pool, gpusnap_filter *accepts, void *arg, unsigned flags);
GPUSNAP_API gpusnap_status gpusnap_pool_end(int device, gpusnap_pool_id pool);

/* One user less (the graph was destroyed); a pool without users gives its memory back when memory
 * runs short or the cache is emptied. */
GPUSNAP_API gpusnap_status gpusnap_pool_release(int device, gpusnap_pool_id pool);

/* --- tags
 * -----------------------------------------------------------------------------------------------
 */

/* Allocations of the calling thread carry the tag pushed last, until it is popped. */
GPUSNAP_API gpusnap_status gpusnap_push_tag(const char *name);
GPUSNAP_API gpusnap_status gpusnap_pop_tag(void);

/* --- work that was ordered elsewhere
 * -----------------------------------------------------------------------------------------------
 */

/* Engines that run work later and on threads of their own, such as autograd's, hide who ordered it.
 * Both functions take microseconds at most; without a recorder that records they do nothing. The
 * recorder is the one of watched devices, where that is open, else that of gpusnap_open. */

/* The stack of the calling thread now, with the work that it does, as a number to give to
 * gpusnap_work_for; 0: none. To be called while no lock is held, since Python's interpreter lock
 * may be taken for it. */
GPUSNAP_API gpusnap_id gpusnap_place(void);

/* The calling thread now does work of that name that was ordered at place (0: not known): stacks
 * that are taken go on, outside their own frames, with a frame of that name and those of place.
 * NULL: it no longer does. */
GPUSNAP_API void gpusnap_work_for(const char *name, gpusnap_id place);

/* Whether GPUSNAP_BACKWARD asks for places to be taken. */
GPUSNAP_API bool gpusnap_wants_places(void);

/* --- steps and other moments --- */

/* A step of the program begins, and ends the one before: dumps tell memory step by step. Takes a
 * microsecond or three, so that no event before it has its time. */
GPUSNAP_API gpusnap_status gpusnap_step(int64_t number);
/* A moment, or the start and end of a span, as torch.profiler.record_function makes them. stage:
 * "START", "END" or NULL. The last 4096 are kept, their names cut to 79 bytes; a
 * stream has all of them. GPUSNAP_INVALID: another stage, no name. GPUSNAP_STATE where nothing is
 * recorded. */
GPUSNAP_API gpusnap_status gpusnap_annotate(const char *name, const char *stage);

/* Python code below that folder is part of no stack from now on: of bindings, not of their user. */
GPUSNAP_API void gpusnap_hide_python(const char *folder);

/* --- figures --- */

/* The names are those of torch.cuda.memory_stats(): "allocated_bytes.all.current",
 * "reserved_bytes.large_pool.peak", "num_alloc_retries", "num_ooms" … */
GPUSNAP_API gpusnap_status gpusnap_stat(int device, const char *name, int64_t *value);

/* Name number i (from 0), NULL past the last. */
GPUSNAP_API const char *gpusnap_stat_name(int i);

/* Peaks become the current values; accumulated counts become 0. */
GPUSNAP_API gpusnap_status gpusnap_reset_peak_stats(int device);
GPUSNAP_API gpusnap_status gpusnap_reset_accumulated_stats(int device);

/* Free and total memory of the device, as the driver tells them. */
GPUSNAP_API gpusnap_status gpusnap_memory_info(
	int device, uint64_t *free_bytes, uint64_t *total_bytes);

/* Bytes of host memory that the recorder holds for itself (bounded by events, devices and threads;
 * untouched pages cost nothing). */
GPUSNAP_API uint64_t gpusnap_recorder_bytes(void);

/* Proves that the allocator's structures agree with each other (slow; for tests). GPUSNAP_STATE and
 * what is wrong otherwise. */
GPUSNAP_API gpusnap_status gpusnap_self_check(int device);

/* --- dumps --- */

/* Writes the state and the events of a device now. path: the file, which must not exist; NULL: by
 * GPUSNAP_DIR and GPUSNAP_NAME. written (NULL allowed) receives its path, cut to cap bytes. Does
 * not count against GPUSNAP_MAX_DUMPS. */
GPUSNAP_API gpusnap_status gpusnap_dump(int device, const char *path, char *written, size_t cap);

/* For a recording that the program makes itself (with a builder): when GPUSNAP_SIGNAL comes,
 * dump(arg) is called on a thread of gpusnap's, with no lock held; it may call everything. Without
 * that variable nothing ever happens. GPUSNAP_STATE: the process waits for another signal. */
typedef void gpusnap_signal_dump(void *arg);
GPUSNAP_API gpusnap_status gpusnap_on_signal(gpusnap_signal_dump *dump, void *arg);
/* No longer; waits while it is being called. */
GPUSNAP_API void gpusnap_off_signal(gpusnap_signal_dump *dump, void *arg);

/* --- builder: a .gsnap of another allocator's state --- */

/* Rows may be added in any order, as long as what they name was added before; the builder sorts.
 * Nothing is written before gpusnap_builder_write. Functions that return an id return 0 on failure
 * (ids start at 1; 0 where one is asked for means none). Unknown numbers are GPUSNAP_UNKNOWN. After
 * a failure for want of memory the builder still may be written or freed. */
typedef struct gpusnap_builder gpusnap_builder;
#define GPUSNAP_UNKNOWN INT64_MIN

/* What made a dump that gpusnap_builder_write names itself. */
typedef enum gpusnap_reason {
	GPUSNAP_BY_FAILURE, /* memory ran out: counts against the limits, merged, called oom-… */
	GPUSNAP_BY_SIGNAL,  /* GPUSNAP_SIGNAL: counts for nothing, called dump-… */
	GPUSNAP_BY_DEMAND   /* the program asked: likewise */
} gpusnap_reason;

typedef enum gpusnap_action {
	GPUSNAP_ALLOC,
	GPUSNAP_FREE_REQUESTED,
	GPUSNAP_FREE_COMPLETED,
	GPUSNAP_SEGMENT_ALLOC,
	GPUSNAP_SEGMENT_FREE,
	GPUSNAP_SEGMENT_MAP,
	GPUSNAP_SEGMENT_UNMAP,
	GPUSNAP_SNAPSHOT,
	GPUSNAP_OOM,
	GPUSNAP_REFUSED,
	GPUSNAP_RECORD_STREAM,
	GPUSNAP_EMPTY_CACHE,
	GPUSNAP_ANNOTATE
} gpusnap_action;

typedef enum gpusnap_block_state {
	GPUSNAP_ACTIVE_ALLOCATED,
	GPUSNAP_ACTIVE_PENDING_FREE,
	GPUSNAP_INACTIVE
} gpusnap_block_state;
typedef enum gpusnap_pool_class {
	GPUSNAP_SMALL,
	GPUSNAP_LARGE,
	GPUSNAP_CLASS_UNKNOWN
} gpusnap_pool_class;

typedef struct gpusnap_device_row {
	size_t size;
	int32_t device;
	const char *name;                       /* NULL unknown */
	int64_t capacity, device_free, allowed; /* allowed: a limit set on this process */
	int64_t others;                         /* held by other processes */
	int64_t dropped;                        /* events lost before the first one added */
	int32_t
		complete; /* 1: recording began before the first allocation, 0: it did not, −1: not known */
	int32_t layout_at_oom; /* 1: the segments are as they were at the last out-of-memory */
} gpusnap_device_row;

typedef struct gpusnap_segment_row {
	size_t size;
	int32_t device;
	uint64_t address, bytes;
	uint64_t stream; /* handle */
	gpusnap_pool_id pool_id;
	gpusnap_pool_class pool;
	int32_t expandable;
	gpusnap_id stack;
} gpusnap_segment_row;

typedef struct gpusnap_block_row {
	size_t size;
	int32_t device; /* the block lies in that device's segment that holds its address */
	uint64_t address, bytes;
	int64_t requested;
	gpusnap_block_state state;
	gpusnap_id stack, tag;
	int64_t event; /* number of the event that allocated it, from 0 in this device */
} gpusnap_block_row;

typedef struct gpusnap_event_row {
	size_t size;
	int32_t device;
	gpusnap_action action;
	uint64_t address, bytes; /* oom: bytes is the rounded request */
	int64_t time_us;         /* since 1970 UTC */
	uint64_t stream;
	gpusnap_pool_id pool_id;
	int32_t has_pool_id;
	gpusnap_id stack, tag;
	int64_t device_free; /* oom, refused: the device's free memory. (A struct of a size without this
							field tells it in address.) */
	uint64_t ticks; /* gpusnap_watch_event: the processor's time stamp counter then; 0: not read */
} gpusnap_event_row;

typedef struct gpusnap_oom_row {
	size_t size;
	int32_t device;
	int64_t event;                              /* number of its oom event, from 0 in this device */
	int64_t time_us, requested, needed, stream; /* needed: what the driver was asked for */
	int64_t device_free, capacity, allocated, reserved, allowed;
	gpusnap_pool_class pool;
	gpusnap_pool_id pool_id;
	int32_t has_pool_id;
	const char *message; /* NULL none */
	gpusnap_id stack;
} gpusnap_oom_row;

typedef struct gpusnap_stat_row {
	size_t size;
	int32_t device;
	const char *name, *pool; /* pool: "all", "small_pool", "large_pool" or NULL */
	int64_t current, peak, allocated, freed;
} gpusnap_stat_row;

/* A device's segments and blocks now, by address; stacks and tags are left 0. On entry *nsegments
 * and *nblocks are the rows that there is room for, on return the rows that there are: where these
 * are more, only what had room was written, and the call is to be made again. */
GPUSNAP_API gpusnap_status gpusnap_layout(int device, gpusnap_segment_row *segments,
	size_t *nsegments, gpusnap_block_row *blocks, size_t *nblocks);

/* An empty builder; NULL when memory is short. */
GPUSNAP_API gpusnap_builder *gpusnap_builder_new(void);
GPUSNAP_API void gpusnap_builder_free(gpusnap_builder *b); /* NULL allowed */

/* Facts: "host", "tool", "rules", "library", "driver", "argv" (text), "pid", "rank", "time_us"
 * (decimal). What is not told is filled in from the process at writing. GPUSNAP_NOT_FOUND for other
 * names. */
GPUSNAP_API gpusnap_status gpusnap_builder_fact(
	gpusnap_builder *b, const char *name, const char *value);
GPUSNAP_API gpusnap_status gpusnap_builder_setting(
	gpusnap_builder *b, const char *name, const char *value);

/* line < 0: unknown. The same content gives the same id. frames: innermost first. */
GPUSNAP_API gpusnap_id gpusnap_builder_frame(
	gpusnap_builder *b, const char *name, const char *file, int64_t line);
GPUSNAP_API gpusnap_id gpusnap_builder_stack(
	gpusnap_builder *b, const gpusnap_id *frames, size_t n);
GPUSNAP_API gpusnap_id gpusnap_builder_tag(gpusnap_builder *b, const char *name);

/* A row of a kind each; texts are copied. GPUSNAP_INVALID: a value that no reader would take, or
 * something named that was not added; GPUSNAP_NO_HOST_MEMORY. */
GPUSNAP_API gpusnap_status gpusnap_builder_device(
	gpusnap_builder *b, const gpusnap_device_row *row);
GPUSNAP_API gpusnap_status gpusnap_builder_segment(
	gpusnap_builder *b, const gpusnap_segment_row *row);
GPUSNAP_API gpusnap_status gpusnap_builder_block(gpusnap_builder *b, const gpusnap_block_row *row);
GPUSNAP_API gpusnap_status gpusnap_builder_event(gpusnap_builder *b, const gpusnap_event_row *row);
GPUSNAP_API gpusnap_status gpusnap_builder_oom(gpusnap_builder *b, const gpusnap_oom_row *row);
GPUSNAP_API gpusnap_status gpusnap_builder_stat(gpusnap_builder *b, const gpusnap_stat_row *row);
GPUSNAP_API gpusnap_status gpusnap_builder_annotation(
	gpusnap_builder *b, int device, const char *name, const char *stage, int64_t time_us);

/* Who holds memory of a device beside the allocator: another process, or a library of this one. */
typedef struct gpusnap_outsider_row {
	size_t size;
	int32_t device;
	const char *holder; /* a program's or a library's name */
	int64_t pid;        /* of a process, else GPUSNAP_UNKNOWN */
	int64_t bytes;
	const char *known; /* who says so, "nvml"; NULL unknown */
} gpusnap_outsider_row;
GPUSNAP_API gpusnap_status gpusnap_builder_outsider(
	gpusnap_builder *b, const gpusnap_outsider_row *row);
/* Adds such rows for all that is known: other processes, where NVML tells of the device of that
 * UUID
 * ("GPU-…") or PCI address (NULL or "": not known), and under `gpusnap run` the libraries of this
 * process that asked the driver themselves. held: bytes that the allocator holds, by which a
 * process is known in a container, where its number is not the one that NVML tells. *others: the
 * other processes' bytes; GPUSNAP_UNKNOWN where these are not known. Loads libnvidia-ml.so.1 at
 * first. */
GPUSNAP_API gpusnap_status gpusnap_builder_outsiders(gpusnap_builder *b, int device,
	const char *uuid, const char *pci, int64_t held, int64_t *others);

/* A line that is printed when the file is read. */
GPUSNAP_API gpusnap_status gpusnap_builder_warning(gpusnap_builder *b, const char *text);

/* Whether a failure needs a dump, before any work for one: GPUSNAP_OK yes; GPUSNAP_EXISTS no, the
 * dump of one alike (same device, stack and size as the allocator rounds it) stands for it, and it
 * was counted; GPUSNAP_LIMIT no dump is ever written (GPUSNAP_MAX_DUMPS=0). stack: a number of the
 * caller's that stands for the stack, the same each time. Takes microseconds, waits for no file. */
GPUSNAP_API gpusnap_status gpusnap_failure(int device, uint64_t stack, uint64_t bytes);

/* Why the dump is written: BY_FAILURE where path is NULL, BY_DEMAND else, unless this is told; and
 * which failure it tells of (as in gpusnap_failure; not told: one that is like no other). */
GPUSNAP_API gpusnap_status gpusnap_builder_reason(gpusnap_builder *b, gpusnap_reason reason);
GPUSNAP_API gpusnap_status gpusnap_builder_failure(
	gpusnap_builder *b, int device, uint64_t stack, uint64_t bytes);

/* Writes the file: path, which must not exist unless overwrite; NULL: by GPUSNAP_DIR and
 * GPUSNAP_NAME for device. written as in gpusnap_dump. With path NULL a line on stderr says why and
 * where; a dump BY_FAILURE then has its place among the GPUSNAP_MAX_DUMPS and GPUSNAP_MAX_MB that a
 * process keeps: all but the last place are the first failures', the last is the newest one's,
 * whose dump replaces the one before. GPUSNAP_EXISTS: a dump stands for this failure already. */
GPUSNAP_API gpusnap_status gpusnap_builder_write(
	gpusnap_builder *b, int device, const char *path, int overwrite, char *written, size_t cap);

/* --- watching another allocator --- */

/* An allocator that the recorder does not replace tells it every event; the recorder keeps them in
 * a ring a device with the stack of the call, and gives them to a builder when a dump is due. Tags
 * work as for gpusnap_malloc. */

/* Called when GPUSNAP_SIGNAL asks for a dump of a device that has events, on a thread of the
 * recorder's. */
typedef void gpusnap_watch_dump(int device, gpusnap_reason reason);

/* Opens the recorder of watched devices, beside the one of gpusnap_open. A variable that cannot be
 * understood is told on stderr and has its default. GPUSNAP_STATE when it is open. */
GPUSNAP_API gpusnap_status gpusnap_watch_open(
	const gpusnap_config *config, gpusnap_watch_dump *dump);

/* Closes it, where nothing was watched yet: no event may have been told, nor be told. */
GPUSNAP_API void gpusnap_watch_close(void);

/* The calling thread begins a call that may allocate: its stack is taken. To be called while no
 * lock is held, since Python's interpreter lock may be taken for it. */
GPUSNAP_API void gpusnap_watch_call(void);

/* An event, in the order of its device; bytes of an alloc or free are those asked for. stack and
 * tag are not read: allocations, segments and failures get those of the thread's call, frees those
 * of their allocation. time_us neither: it is that of ticks, else now. May be called with the
 * allocator's lock held: it takes only a lock that is held over no call. */
GPUSNAP_API void gpusnap_watch_event(const gpusnap_event_row *row);

/* A whole-run stream of a watched allocator is as good as that of our own, layouts, figures and
 * all, where what follows is told too; nothing of it is needed where gpusnap_watch_streams is 0.
 *
 * Before a device's first event: name (copied), capacity and complete are read; and the release
 * whose rules it follows ("2.6.0"; the first that is told holds). */
GPUSNAP_API int gpusnap_watch_streams(void);
GPUSNAP_API gpusnap_status gpusnap_watch_device(const gpusnap_device_row *row, const char *rules);
/* What the active blocks (allocated, pending free) of a device come to, as they are rounded. Before
 * its first event, and from then on before the event that follows an alloc and before
 * gpusnap_watch_layout_here: so the size of the block that was allocated is known. As for
 * gpusnap_watch_event. */
GPUSNAP_API void gpusnap_watch_active(int device, uint64_t bytes);
/* The number of a device whose layout the stream wants, −1: none. To be asked often, as by
 * gpusnap_watch_call, while no lock is held. It is given thus: gpusnap_watch_layout_here with the
 * allocator's lock held, at a moment when no operation is half done; then gpusnap_watch_layout,
 * without that lock or any that a teller of events may hold, with a builder that has the device's
 * row, its segments and blocks (by address) and the allocator's settings; NULL gives it up. */
GPUSNAP_API int gpusnap_watch_layout_due(void);
GPUSNAP_API void gpusnap_watch_layout_here(int device);
GPUSNAP_API void gpusnap_watch_layout(const gpusnap_builder *b, int device);

/* gpusnap_failure, and gpusnap_builder_failure, for the oom event that the calling thread told
 * last. */
GPUSNAP_API gpusnap_status gpusnap_watch_failure(int device);
GPUSNAP_API gpusnap_status gpusnap_watch_failed(gpusnap_builder *b, int device);

/* What gpusnap_watch_rows tells beside the events. */
typedef struct gpusnap_watched {
	size_t size;
	int64_t events, dropped; /* kept, and lost before them */
	int64_t oom; /* number, among those kept, of the oom that the calling thread told last; −1 */
	int32_t acted_after; /* other events came after it */
	int32_t has_pool_id; /* from here on: of that oom */
	int64_t time_us, requested;
	uint64_t stream;
	gpusnap_id stack;
	gpusnap_pool_id pool_id;
} gpusnap_watched;

/* A builder that knows the stacks and tags of the events; freed as any other. */
GPUSNAP_API gpusnap_builder *gpusnap_watch_builder(void);
/* Adds a device's events to it. */
GPUSNAP_API gpusnap_status gpusnap_watch_rows(
	gpusnap_builder *b, int device, gpusnap_watched *told);
/* Fills stack and tag of a live block by its device and address; 0 where its allocation was not
 * seen. */
GPUSNAP_API void gpusnap_watch_block(gpusnap_block_row *row);

#ifdef __cplusplus
}
#endif

#endif
