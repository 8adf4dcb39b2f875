/* The verdict on a failed request: which condition, changed, would have let it fit, and who is to
 * blame.
 *
 * The ladder's steps are asked in order on the state at the failure; the first true one is the
 * verdict. A figure that is not known is a range, so that a step is true, false, or not decided;
 * with a snapshot ranges are points, with a text they are bounds.
 *
 * A diagnosis refers to the snapshot, which must outlive it. Not thread-safe; release it in any
 * case. */
#ifndef GS_ANALYZER_DIAGNOSE_DIAGNOSE_H
#define GS_ANALYZER_DIAGNOSE_DIAGNOSE_H

#include "analyzer/diagnose/attribution.h"
#include "analyzer/meaning/recording.h"
#include "analyzer/state/state.h"

/* GS_STEP(NAME, "word", "kind", "question"), in the ladder's order. */
#define GS_LADDER(GS_STEP)                                                                         \
	GS_STEP(MISSED_FIT, "missed_fit", "defect", "if the free blocks had been searched again")      \
	GS_STEP(LIMIT, "limit", "limit", "if nothing but the device's own memory had limited it")      \
	GS_STEP(SEGMENT_SIZE, "segment_size", "fragmentation",                                         \
		"if the driver had been asked for no more than the request")                               \
	GS_STEP(PENDING_FREE, "pending_free", "fragmentation",                                         \
		"if frees that wait for a stream had been completed")                                      \
	GS_STEP(OTHER_STREAM, "other_stream", "fragmentation",                                         \
		"if memory cached for another stream could be used")                                       \
	GS_STEP(PRIVATE_POOL, "private_pool", "fragmentation",                                         \
		"if memory of another pool (CUDA graph, MemPool) could be used")                           \
	GS_STEP(FRAGMENTED, "fragmented", "fragmentation",                                             \
		"if the free memory of its pool were in one piece")                                        \
	GS_STEP(STRANDED, "stranded", "fragmentation",                                                 \
		"if all free memory, of whatever pool and stream, were in one piece")                      \
	GS_STEP(                                                                                       \
		ROUNDING, "rounding", "fragmentation", "if blocks were no larger than what was requested") \
	GS_STEP(OUTSIDE, "outside", "outside", "if others had not held memory of the device")

typedef enum gs_step {
#define GS_STEP(name, word, kind, question) GS_STEP_##name,
	GS_LADDER(GS_STEP)
#undef GS_STEP
		GS_STEPS,
	GS_VERDICT_SHORTAGE = GS_STEPS, /* none is true: there is not enough memory */
	GS_VERDICT_UNKNOWN,             /* none is true, some are not decided */
	GS_VERDICT_NONE                 /* nothing failed */
} gs_step;

/* A step's word ("missed_fit" … "shortage", "unknown"), its kind ("defect", "limit",
 * "fragmentation", "outside", "shortage", "unknown") and what the ladder asks of it. NULL for
 * GS_VERDICT_NONE. */
const char *gs_step_word(gs_step step);
const char *gs_step_kind(gs_step step);
const char *gs_step_question(gs_step step);

/* One step: fits 1 true, 0 false, -1 not decided; figures in bytes, GS_NONE where not known to the
 * byte. */
typedef struct gs_rung {
	gs_step step;
	int fits;
	int64_t available, needed;
} gs_rung;

/* How a line of advice is known. */
typedef enum gs_known {
	GS_KNOWN_REPLAYED,  /* the recorded run was replayed so, by the exact allocator */
	GS_KNOWN_COMPUTED,  /* it follows from the state */
	GS_KNOWN_ESTIMATED, /* it follows if a guess is right that the line names */
	GS_KNOWN_UNTRIED    /* it usually helps; nothing recorded shows that it does here */
} gs_known;
const char *gs_known_word(gs_known known); /* "replayed" … */

/* A line of advice (advice/advice.h). */
typedef struct gs_advice {
	char act[512];     /* what to do */
	char because[512]; /* the figure that it rests on; may be "" */
	gs_known known;
} gs_advice;

/* What would fit now, in one pool (id, class, stream). */
typedef struct gs_pool_fit {
	gs_pool_id pool_id;
	uint64_t stream;
	uint8_t pool; /* gs_pool_class */
	uint64_t largest, free, blocks;
	uint64_t whole, largest_left; /* of free: what can go back to the driver, and the largest piece
									 that stays (policy.h) */
} gs_pool_fit;

typedef struct gs_diagnose_options {
	bool any_device; /* take the last OOM by time, of whatever device; else device */
	int32_t device;
	const char *state; /* selector; NULL the default. A state that is no OOM's: no verdict */
	int64_t capacity;  /* bytes; GS_NONE: what the snapshot tells */
	int64_t allowed;
	int64_t context;            /* bytes a process needs outside its allocator; GS_NONE: 1 GiB */
	const gs_snapshot *message; /* a text about the same failure, which supplies facts; NULL none */
	const gs_category_rules
		*rules;               /* the user's for categories, NULL none; must outlive the diagnosis */
	gs_recordings recordings; /* kept by the caller; they must outlive the diagnosis */
} gs_diagnose_options;
#define GS_DIAGNOSE_OPTIONS_INIT                                          \
	{                                                                     \
		true, 0, NULL, GS_NONE, GS_NONE, GS_NONE, NULL, NULL, { NULL, 0 } \
	}

typedef struct gs_diagnosis {
	const gs_snapshot *snapshot;
	const gs_device *device;
	const gs_policy *policy;
	gs_pool_settings settings;
	bool settings_known;
	gs_recording *recording; /* of the device: its history, where it has a layout or a trace, and
								what its memory means, where has_layout; else empty */
	gs_recording own;        /* that, where the caller keeps none */
	gs_state state;
	gs_layout layout; /* of that state */
	bool has_layout;  /* false: a text alone, judged by bounds */
	gs_totals totals;

	/* the failed request; all unknown (GS_NONE, SIZE_MAX) where nothing failed */
	size_t oom; /* in the snapshot's ooms */
	int64_t idx;
	gs_step verdict;
	bool exact;
	int64_t requested; /* R; of a text the figure it prints */
	int64_t needed;    /* N */
	int64_t ask;       /* ASK */
	int64_t stream;
	int pool;          /* gs_pool_class */
	bool has_pool_id;  /* false: unknown (a text) */
	bool pool_id_told; /* the event told it */
	gs_pool_id pool_id;
	gs_id stack;                             /* of the failed request */
	int64_t free, free_blocks, largest_free; /* of the request's pool id, class and stream */
	int64_t device_free, allowed, capacity, reserved;
	int64_t context;        /* bytes outside the allocator that count as this process's own */
	int64_t others;         /* bytes that a text says other processes hold */
	int64_t unused_limit;   /* what the allocator's limit left and the driver did not give */
	int64_t missing;        /* shortage: how much */
	const char *refused_by; /* limit: "fraction", "driver" or NULL */
	gs_rung ladder[GS_STEPS];
	int nladder;
	bool null[GS_STEPS]; /* steps that were not decided before the verdict */

	gs_pinning *pinning;
	size_t npinning;
	gs_eviction *evictions;
	size_t nevictions;
	gs_growth *growth;
	size_t ngrowth;
	gs_holder_row *holders;
	size_t nholders;
	gs_category_sum *categories;
	size_t ncategories;
	gs_peak peak;    /* up to this state */
	bool peak_apart; /* what lived then is not what lives in this state: it is told below */
	gs_holder_row *peak_holders;
	size_t npeak_holders;
	gs_category_sum *peak_categories;
	size_t npeak_categories;
	int64_t free_whole; /* bytes that a retry or empty_cache() gives back; GS_NONE unknown */
	gs_pool_fit *pool_fits;
	size_t npool_fits;
	gs_advice *advice;
	size_t nadvice;
	size_t growth_advice;         /* which of them is against growth, from 1; 0: none */
	struct gs_other *others_list; /* the failures beside this one (others.h), in their order */
	size_t nothers;
	struct gs_many *many; /* how they stand among each other (others.h); NULL: there is one */
} gs_diagnosis;

#define GS_DIAGNOSIS_INIT \
	{                     \
		0                 \
	}

/* GS_NOT_FOUND, GS_INVALID: the selection names nothing (message); GS_NO_MEMORY. A snapshot without
 * any device or OOM gives a diagnosis without device. */
gs_status gs_diagnose(
	const gs_snapshot *s, const gs_diagnose_options *options, gs_diagnosis *d, gs_error *err);
void gs_diagnosis_release(gs_diagnosis *d);

/* The ladder's row of a step; NULL where it was not asked. */
const gs_rung *gs_diagnosis_rung(const gs_diagnosis *d, gs_step step);

/* The failed request as its allocator sees it; of size 0 where nothing failed. */
gs_policy_request gs_diagnosis_request(const gs_diagnosis *d);

/* What of the layout is free for it, and what is free but not for it. */
void gs_diagnosis_free_for(const gs_diagnosis *d, gs_free_for *f);
/* Whether PyTorch's rules (or ours, which are the same) made the heap: its settings can be advised.
 */
bool gs_diagnosis_of_pytorch(const gs_diagnosis *d);

/* What the driver has left for this allocator: the device's free bytes, or what a limit leaves of
 * them; GS_NONE unknown. */
int64_t gs_diagnosis_left(const gs_diagnosis *d);

/* The ladder alone, for the named query `fit`: fills the request's facts, the ladder and the
 * verdict; no blame, no advice. */
gs_status gs_diagnose_ladder(
	const gs_snapshot *s, const gs_diagnose_options *options, gs_diagnosis *d, gs_error *err);

/* Worst fragmentation (policy.h) of a pool id, class and stream, and which (NULL: nothing is free
 * anywhere, 0). */
double gs_diagnosis_fragmentation(const gs_diagnosis *d, const gs_pool_fit **where);

#endif
