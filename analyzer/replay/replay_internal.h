/* Shared by the files that turn events into requests and hand them out. */
#ifndef GS_ANALYZER_REPLAY_REPLAY_INTERNAL_H
#define GS_ANALYZER_REPLAY_REPLAY_INTERNAL_H

#include "analyzer/meaning/scaling.h"
#include "analyzer/model/hash_map.h"
#include "analyzer/replay/replay.h"

/* Whether the event gives memory back to the driver; whether it brings memory from there. */
static inline bool gs_gives_back(const gs_event *e)
{
	gs_action a = gs_event_action(e);
	return a == GS_ACTION_SEGMENT_FREE || a == GS_ACTION_SEGMENT_UNMAP;
}

static inline bool gs_brings(const gs_event *e)
{
	gs_action a = gs_event_action(e);
	return a == GS_ACTION_SEGMENT_ALLOC || a == GS_ACTION_SEGMENT_MAP;
}

/* --- facts.c: what must be known of the events before the first request is made */

typedef struct gs_fact_finder {
	gs_replay *r;
	uint64_t limit; /* events that count, UINT64_MAX all */
	uint64_t reserved;
	bool asks; /* for memory, granted or refused */
	struct {
		uint64_t asked, peak_reserved;
	} at_oom; /* what was known at the last one */
} gs_fact_finder;

/* Takes events in order, any number a call, up to event `until` (GS_NONE: all). */
void gs_facts_begin(gs_fact_finder *f, gs_replay *r, int64_t until);
void gs_facts_add(gs_fact_finder *f, const gs_event *events, size_t n);
/* GS_NOT_FOUND: there is nothing to replay. */
gs_status gs_facts_end(gs_fact_finder *f, const gs_snapshot *s, gs_error *err);

/* --- requests.c */

/* The requests that were made of the events so far, with what must be known of live blocks. */
typedef struct gs_request_maker {
	const gs_replay *r;
	gs_replay_op *ops;
	size_t n, cap;
	uint32_t *initial_slots; /* malloc'd; as in gs_replay */
	uint64_t base;           /* number of the event at index 0 of those at hand */
	gs_hash_map live;        /* address → slot */
	uint8_t *pending;        /* by slot: free requested, not completed */
	size_t cap_pending;
	uint32_t nslots;
	uint32_t *unused; /* slots to use again */
	size_t nunused, cap_unused;
	gs_replay_op *held; /* completions that belong behind the next request */
	size_t nheld, cap_held;
	uint32_t last_pool;  /* of the last allocation */
	gs_replay_kind last; /* of the last request */
	bool deferred;
	uint64_t allocations, lost, emptied, captures;
} gs_request_maker;

/* GS_NO_MEMORY. Release in any case. */
gs_status gs_requests_begin(gs_request_maker *m, const gs_replay *r);
void gs_requests_release(gs_request_maker *m);
/* Of the events, the first cut become requests; what follows them is looked at. base: the number of
 * the first. */
gs_status gs_requests_add(
	gs_request_maker *m, const gs_event *events, size_t cut, size_t n, uint64_t base);
gs_status gs_requests_end(gs_request_maker *m);
/* All requests were made: what they are. */
void gs_replay_take_counts(gs_replay *r, const gs_request_maker *m);
/* Behind the last of at most n events at which requests may be cut so that none before needs to
 * know what follows, and those behind do not change those before; 0: there is none. */
size_t gs_requests_cut(const gs_event *events, size_t n);

/* --- requests_changed.c */

typedef struct gs_rewriter {
	const gs_replay *r;
	const gs_replay_rewrite *how;
	struct gs_rewritten_slot {
		gs_id stack, tag; /* of what lives there */
		bool live, dropped;
	} * slots;
	size_t nslots, cap_slots;
	uint8_t *known; /* by stack: whether it holds the pattern: 0 not asked yet, 1 no, 2 yes */
	size_t nknown, cap_known;
	gs_meaning meaning; /* for scales */
	gs_scaling scaling;
	bool begun;
	gs_replay_changes changes; /* requests: their sum is made at the end */
} gs_rewriter;

/* GS_INVALID: scales, and the events are not in memory. Release in any case. */
gs_status gs_rewriter_init(
	gs_rewriter *w, const gs_replay *r, const gs_replay_rewrite *how, gs_error *err);
void gs_rewriter_release(gs_rewriter *w);
/* The next requests; events: what their indexes are of. last: no more follow. */
gs_status gs_rewriter_apply(gs_rewriter *w, gs_replay_op **ops, size_t *n, size_t *cap,
	const gs_event *events, bool last, gs_error *err);

/* --- windows.c */

typedef struct gs_replay_window {
	gs_replay_op *ops; /* whoever looks may change them */
	size_t n;
	uint64_t first_op;      /* number of ops[0] */
	const gs_event *events; /* those that requests are of, and some behind */
	size_t nevents;
	uint64_t first_event; /* number of events[0] */
	uint64_t made;        /* number behind the last event that a request so far is of */
	uint32_t nslots;      /* that requests so far name */
	bool last;
} gs_replay_window;

/* GS_END: enough. */
typedef gs_status gs_replay_visit(void *context, const gs_replay_window *w, gs_error *err);

/* All requests in order; of a run in memory in one window, as they are kept. Of a source: finished,
 * with what was settled and rewritten (else the verification settles it anew). */
gs_status gs_replay_pass(
	gs_replay *r, bool finished, gs_replay_visit *visit, void *context, gs_error *err);

#endif
