/* Out-of-memory messages in texts: what a GPU library printed when an allocation failed, in a log,
 * a mail, a bug report.
 *
 * A failure is a row of `oom`, also where several sentences tell of it: join.h says which
 * are taken as one. The same message printed twice in the same way is two rows (a warning says so).
 *
 * `requested` is the figure printed (of TensorFlow's BFC allocator the exact one in "rounded to");
 * a shape is no figure. PyTorch's is the segment it asked for, so it is also `needed`. `reserved`:
 * what is printed as reserved in total; from 2.1 on allocated (which counts private pools) +
 * reserved but unallocated; up to 1.3 allocated + cached. CuPy up to 6 counts the request in its
 * total: taken off. Limits of no meaning (2^63 and more) are no figures. All units count in 1024.
 *
 * `library` is whose message it is, one of libraries.def; pytorch also on HIP, XPU, NPU, MLU, MUSA,
 * MPS, DirectML, through Comfy and vLLM; jax for any other use of XLA as well; where no library is
 * named the driver's interface: cuda, hip, sycl, opencl, vulkan, metal.
 *
 * Not rows: host memory (CPU allocators, Java, the kernel's killer, pinned memory), messages that
 * say it is no failure, memory on the chip (shared memory, VMEM), "out of memory" where nothing
 * names a GPU. They are counted and told in a warning. */
#ifndef GS_ANALYZER_READ_MESSAGES_MESSAGE_H
#define GS_ANALYZER_READ_MESSAGES_MESSAGE_H

#include "analyzer/read/text/window.h"
#include "analyzer/model/snapshot.h"

typedef enum gs_oom_kind {
	GS_OOM_OTHER,
	GS_OOM_TORCH,      /* PyTorch's sentence with figures */
	GS_OOM_TORCH_BARE, /* without, or a wrapper's */
	GS_OOM_THC,        /* THCudaCheck FAIL */
	GS_OOM_CUDART,     /* cuda runtime error (2) */
	GS_OOM_MEMCHECK,
	GS_OOM_RMM,
	GS_OOM_BFC,    /* Allocator (…) ran out of memory: a dump may follow */
	GS_OOM_SHAPE,  /* OOM when allocating tensor with shape */
	GS_OOM_STATUS, /* RESOURCE_EXHAUSTED of XLA */
	GS_OOM_DRIVER, /* StreamExecutor's: failed to allocate … from device */
	GS_OOM_ORT,
	GS_OOM_GGML,
	GS_OOM_TRT
} gs_oom_kind;

/* Why a sentence about memory is not a row. */
typedef enum gs_oom_not {
	GS_NOT_HOST,
	GS_NOT_A_FAILURE,
	GS_NOT_DEVICE_MEMORY,
	GS_NOT_KNOWN,
	GS_NOT_TPU,
	GS_NOT_TOLD,
	GS_NOT_REASONS
} gs_oom_not;

enum { GS_OOM_PROCESSES = 16, GS_OOM_ASIDES = 4 };

/* A sentence recognised: [begin, end) are squeezed positions of the window. */
typedef struct gs_oom_match {
	gs_oom row; /* stack, idx, time_us, message and its line not filled */
	gs_oom_kind kind;
	gs_oom_not reason; /* where it is no row */
	struct {
		int64_t pid, bytes;
	} processes[GS_OOM_PROCESSES]; /* others that it names */
	size_t nprocesses;
	bool once;   /* its anchor stands once in a message: where it stands again, on the same line, is
					the next */
	bool again;  /* it says that a failure told just before has happened */
	bool aside;  /* no failure: figures for the one of the same library that follows */
	bool logged; /* a line of a log, which the exception may repeat */
	bool after; /* BFC: the dump stands before this message (up to TensorFlow 1.0), not behind it */
	size_t begin, end;
	size_t same; /* what begins here does not tell this message from another one, 0: end */
} gs_oom_match;

/* Where the rules' anchors stand next, so that each is looked for only once in a window. */
enum { GS_OOM_RULES = 256 };
typedef struct gs_oom_place {
	const struct gs_oom_rule *rule;
	size_t at;
} gs_oom_place;
typedef struct gs_oom_seeker {
	gs_oom_place places[GS_OOM_RULES];
	size_t n, to;
} gs_oom_seeker;

/* Begins to look at [from, to) of a window. */
void gs_oom_seek(const gs_text *t, size_t from, size_t to, gs_oom_seeker *k);

/* The next sentence whose anchor stands at or after from: 1 a message, -1 one that is no row
 * (reason filled), 0 none. */
int gs_oom_text_match(const gs_text *t, size_t from, gs_oom_seeker *k, gs_oom_match *m);

/* A message found, with its place in the whole input. */
typedef struct gs_oom_find {
	gs_oom row;
	gs_oom_kind kind;
	bool after, again, logged;
	bool thrown; /* the last words of a program that an exception ended */
	uint64_t at, end, line;
	uint64_t words; /* hash of the squeezed message */
	uint64_t form;  /* hash of what stands before it on its line, but for numbers and blanks */
	uint64_t lead;  /* hash of the words that lead up to it, behind a logger's prefix and before an
					   exception's name; 0: there are none */
	uint64_t speaker; /* who wrote it (read/text/speaker.h) */
	bool named;       /* an exception's name stands there */
	bool traced;      /* a traceback begins behind it */
	bool heading;     /* without figures, in a heading */
	bool wrapper;     /* speaks of a failure that something else had */
} gs_oom_find;

typedef struct gs_oom_text {
	gs_snapshot *snapshot;
	gs_oom_find *finds;
	size_t n, cap, more;          /* more: those beyond the limit */
	uint64_t done;                /* position up to which the input was looked at */
	size_t again;                 /* messages shown again */
	gs_oom asides[GS_OOM_ASIDES]; /* figures told beside messages, by library */
	size_t nasides;
	uint64_t nots[GS_NOT_REASONS], not_line[GS_NOT_REASONS];
	bool zoneless; /* a time without a zone was taken as UTC */
} gs_oom_text;

#define GS_OOM_TEXT_INIT \
	{                    \
		0                \
	}
void gs_oom_text_release(gs_oom_text *o);

/* Looks at [from, to) of a window and collects what it finds; texts are copied into o->snapshot.
 * GS_NO_MEMORY. */
gs_status gs_oom_text_scan(gs_oom_text *o, const gs_text *t, size_t from, size_t to, gs_error *err);

/* Adds a row that no message gave. GS_NO_MEMORY. */
gs_status gs_oom_text_add(gs_oom_text *o, const gs_oom_find *f, gs_error *err);

/* Puts rows into the snapshot, facts of the last message of each device into its devices, and says
 * what was left out or that there is no message at all. */
gs_status gs_oom_text_finish(gs_oom_text *o, gs_error *err);

#endif
