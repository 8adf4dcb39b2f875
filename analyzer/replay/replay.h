/* A recorded run as a list of requests that can be played to the allocator again, under other
 * settings.
 *
 * Three steps, each in a file of its own: gs_replay_init turns one device's trace into requests
 * (facts.c, requests.c); gs_replay_verify plays them under the recorded settings against the
 * recording itself and settles what a trace does not hold (comparison.c); gs_replay_run_all plays
 * them on a simulated device (run.c).
 *
 * A request names its block by a slot, a small number that is used again once the block is gone, so
 * that what a run needs is bounded by live blocks. A gs_replay borrows the snapshot; after
 * gs_replay_verify it is only read, and many threads may run it at once.
 *
 * Requests of a run that is not in memory (gs_replay_init_source) are made anew in each step, a
 * window of events at a time (windows.c): memory then depends on live blocks alone. What was
 * settled is kept apart and put in again. */
#ifndef GS_ANALYZER_REPLAY_REPLAY_H
#define GS_ANALYZER_REPLAY_REPLAY_H

#include "analyzer/model/event_source.h"
#include "analyzer/replay/private_pools.h"
#include "analyzer/state/state.h"

struct gs_rules;

typedef enum gs_replay_kind {
	GS_REPLAY_ALLOC,
	GS_REPLAY_FREE,  /* requested and completed at once */
	GS_REPLAY_DEFER, /* requested; completed later */
	GS_REPLAY_COMPLETE,
	GS_REPLAY_WAITED,  /* completed, because a retry waited for it: when it would have by itself is
						  not recorded */
	GS_REPLAY_EMPTY,   /* empty_cache() */
	GS_REPLAY_RELEASE, /* segments went back: by empty_cache() or by a retry, not settled yet; then
						  the request is the next one */
	GS_REPLAY_CAPTURE, /* a graph's capture begins, as a rule with an empty_cache() that may have
						  had nothing to give back: not settled yet */
	GS_REPLAY_OOM,     /* a request that failed */
	GS_REPLAY_NOTHING
} gs_replay_kind;

typedef struct gs_replay_op {
	uint64_t size; /* alloc: requested bytes; oom: rounded request */
	uint32_t slot;
	uint32_t event;     /* index of the (last) event it stands for, in the trace or the window */
	uint32_t stream;    /* index in the snapshot's streams */
	uint32_t pool : 24; /* index + 1 in pools.ids; 0 the default pool */
	uint32_t kind : 8;  /* gs_replay_kind */
} gs_replay_op;

/* Of a run that is read window by window: a request that is taken for another one. */
typedef struct gs_replay_revision {
	uint64_t op; /* number of the request, from the first of the run */
	gs_replay_kind kind;
} gs_replay_revision;

typedef struct gs_replay_rewrite gs_replay_rewrite;
enum { GS_MOST_SCALES = 16 };

/* What a rewrite did. */
typedef struct gs_replay_scaled {
	uint64_t changed; /* requests of another size now */
	uint64_t found;   /* requests of the very category */
	uint64_t before;  /* blocks of it from before the recording */
} gs_replay_scaled;
typedef struct gs_replay_changes {
	uint64_t requests; /* changed, in all */
	uint64_t freed, left_out, padded;
	gs_replay_scaled scales[GS_MOST_SCALES];
} gs_replay_changes;

typedef struct gs_replay {
	const gs_snapshot *snapshot; /* what ids in events are of */
	const gs_device *device;
	const gs_history *history; /* own_history, or one that was there already; of a source NULL */
	gs_history own_history;
	const gs_event_source *source; /* NULL: events and requests are in memory */
	gs_layout first_layout;        /* of a source */
	const gs_layout *initial;      /* the state before the first event */
	bool starts_empty;             /* nothing was allocated then */
	gs_replay_pools pools;
	gs_replay_op *ops; /* of a source none */
	size_t n, cap;
	uint32_t nslots;
	uint32_t *initial_slots; /* by block of initial; UINT32_MAX for free ones */
	uint64_t first;          /* number in the run of the first event in memory; of a source 0 */
	bool foreign; /* recorded below another allocator: segments and what lay in them before do not
					 matter */

	/* what the events are (facts.c) */
	uint64_t events;        /* in all */
	uint64_t end;           /* requests are made of those before this one */
	bool seen[256];         /* by action: there are such events; a recording may leave kinds out */
	bool completions;       /* frees before the end are told when they complete */
	bool told;              /* the recording tells each call of empty_cache() itself */
	uint64_t asked;         /* sum of requests, 2^60 or more where it is large */
	uint64_t peak_reserved; /* as recorded */
	/* the first recorded OOM */
	int64_t first_oom, last_oom; /* event, -1 none */
	int64_t oom_reserved, oom_device_free, oom_peak;
	uint64_t oom_size;

	/* what the requests are, known when all were made once */
	bool counted;
	bool deferred;        /* some frees complete later */
	uint64_t allocations; /* ops of kind alloc */
	uint64_t lost; /* events that fit nothing (frees of unknown blocks, blocks allocated twice) */
	uint64_t emptied; /* empty_cache() calls inferred */
	uint64_t captures; /* … of them where a graph's capture began, which empties the cache itself */

	/* what gs_replay_verify settled */
	bool past_wait; /* also as recorded some of GS_REPLAY_WAITED had nobody waiting for them:
					   segments went back behind them for another reason, and they completed by
					   themselves */
	uint64_t settled_empty, settled_captures; /* the same of those settled here */
	uint64_t guessed; /* where a retry was taken for what gave segments back, and it could have
						 been empty_cache() as well */
	uint8_t *settled; /* of a source, bits: the RELEASE or CAPTURE of that number emptied the
						 cache */
	size_t nsettled, cap_settled;
	gs_replay_revision *revisions; /* of a source, ascending */
	size_t nrevisions, cap_revisions;
	const gs_replay_rewrite *rewrite; /* of a source: how its requests are changed, NULL not … */
	gs_replay_changes changes;        /* … and what the last pass changed */
} gs_replay;

/* Where a trace has no event of its own for it: requests padded, blocks left out, blocks freed
 * early. */
typedef struct gs_replay_scale {
	int category; /* gs_category, or one of the user's rules */
	double factor;
} gs_replay_scale;

struct gs_replay_rewrite {
	const char *free_pattern; /* blocks whose stack's text holds this are freed right before the
								 last OOM (or at the end); NULL none */
	const char *without_tag;  /* blocks with this tag were never asked for; NULL none */
	uint64_t pad_to;          /* requests rounded up to a multiple of it; 0 off */
	uint64_t pad_from;        /* … those of at least so many bytes */
	/* requests of these categories times a factor (meaning/scaling.h); what lived before the
	 * recording stays as it is */
	gs_replay_scale scales[GS_MOST_SCALES];
	size_t nscales;
	const struct gs_category_rules *category_rules; /* the user's, NULL none */
};

/* Makes the requests up to the last recorded OOM (else the end), or up to event `until` (GS_NONE:
 * no such bound). history: of the device, borrowed; NULL: it is made. GS_NOT_FOUND: the device has
 * no events. A gs_replay stays where it was made. Release in any case. */
gs_status gs_replay_init(gs_replay *r, const gs_snapshot *s, const gs_device *d, int64_t until,
	bool foreign, const gs_history *history, gs_error *err);
void gs_replay_release(gs_replay *r);

/* The same of a run that is read from a source, which is borrowed. d: its device in the snapshot s,
 * which tells of failures, capacity and private segments; event numbers are the run's. */
gs_status gs_replay_init_source(gs_replay *r, const gs_snapshot *s, const gs_device *d,
	const gs_event_source *source, int64_t until, bool foreign, gs_error *err);

/* Makes sure that what is known of all requests is. */
gs_status gs_replay_count(gs_replay *r, gs_error *err);

/* Applies a rewrite to the requests; of a source it is borrowed, and categories cannot be scaled
 * (GS_INVALID). */
gs_status gs_replay_apply(
	gs_replay *r, const gs_replay_rewrite *rewrite, gs_replay_changes *changes, gs_error *err);

/* Whether it changes anything. */
bool gs_replay_rewrites(const gs_replay_rewrite *rewrite);

/* The nth sentence on it, from 0: how many requests changed, then of each part that changed nothing
 * of what it names, why. False: there are no more. */
bool gs_replay_changes_note(
	const gs_replay_rewrite *w, const gs_replay_changes *c, size_t n, char *text, size_t cap);

typedef struct gs_replay_settings {
	const struct gs_rules *rules;
	const char *conf;  /* PYTORCH_ALLOC_CONF text */
	uint64_t capacity; /* total of the device */
	uint64_t outside;  /* of it, held by others */
	uint64_t allowed;  /* limit on reserved bytes, UINT64_MAX none */
} gs_replay_settings;

typedef struct gs_replay_result {
	bool fits;
	bool past_oom;  /* went on past a recorded failure that succeeded here: what the program would
					   have done is not recorded */
	bool past_wait; /* went on past frees for which a retry waited when recorded, and none here:
					   they were taken as completed */
	bool too_small; /* what was live before the recording does not fit the device: not played */
	int64_t failed_event; /* GS_NONE: none */
	uint64_t failed_size;
	uint64_t allocations, peak_reserved, reserved, peak_allocated, peak_requested, largest_free,
		retries;
} gs_replay_result;

/* Plays all requests under each of n settings, by several threads; each run ends at the first
 * request that fails. Of a source in as few passes as memory for the live blocks of all allows.
 * GS_INVALID with the allocator's message for a conf it refuses. One call at a time. */
gs_status gs_replay_run_all(gs_replay *r, const gs_replay_settings *settings, size_t n,
	gs_replay_result *results, gs_error *err);

typedef struct gs_replay_agreement {
	bool agrees;
	uint64_t compared; /* recorded events that were matched, up to the first difference */
	int64_t event;     /* the first that differs, GS_NONE */
	char text[200];    /* what was recorded and what the replay did instead */
	bool fits_at_oom; /* a request that failed when recorded succeeds, other frees being as recorded
					   */
	uint64_t pending_frees; /* frees before an OOM that were taken as pending to explain it */
	uint64_t retries;       /* as far as it was played */
} gs_replay_agreement;

/* Plays the requests under the recorded settings (allowed: the limit then, UINT64_MAX none known)
 * on a device that does what the recording shows, compares every event (action, address, size,
 * stream), and settles the open RELEASEs and the frees that were pending at an OOM, for all later
 * runs. */
gs_status gs_replay_verify(gs_replay *r, const struct gs_rules *rules, const char *conf,
	uint64_t allowed, gs_replay_agreement *a, gs_error *err);

#endif
