/* States of a device: its segments and blocks after any event of the trace.
 *
 * A history is made once per device and answers for every event. It rests on recorded addresses:
 * the state before the first event is what the captured layout leaves when all events are undone;
 * from there events are played forwards. An allocation is carved from the front of a free block, so
 * that the first allocation behind a block tells where that block ends; where nothing tells, the
 * settings' rounding and the rule of splitting (the same in all releases) do. What stays open is
 * bounded: the state is then not exact and its note names the block. Anything in the trace that
 * contradicts itself or the captured layout makes all rebuilt states inexact.
 *
 * Event numbers are indexes in device->trace; a state "after event i" includes i; -1 is before the
 * first. The snapshot must outlive the history and stay unchanged; a finished history may be read
 * by many threads. */
#ifndef GS_ANALYZER_STATE_STATE_H
#define GS_ANALYZER_STATE_STATE_H

#include "analyzer/model/snapshot.h"

typedef struct gs_history {
	const gs_snapshot *snapshot;
	const gs_device *device;
	size_t n;        /* events */
	uint32_t *sizes; /* by event: see gs_history_size */
	uint64_t *large; /* sizes that 32 bits do not tell */
	size_t nlarge;
	int32_t *births;     /* by event: free_*: index of the block's alloc event, -1 when it was there
							before the trace; alloc: its own; else -1 */
	gs_layout initial;   /* before the first event; exact and note as for any state. inactive blocks
							and segments as in a snapshot */
	int64_t captured_at; /* the captured layout holds after this event (n - 1, or the last OOM's) */
	bool starts_empty;   /* nothing was allocated before the first event: the trace is complete */
	size_t contradictions;            /* places where trace and layout do not agree */
	char note[160];                   /* the first of them, or "" */
	struct gs_history_tables *tables; /* private */
} gs_history;

#define GS_HISTORY_INIT \
	{                   \
		0               \
	}

/* The rounded size of the block of an event: alloc, free_requested, free_completed; else 0. It is
 * kept in 32 bits: bytes; or, marked, 512 bytes each, or the place of what is no multiple of them
 * or larger still. */
enum { GS_SIZE_UNIT = 512 };
#define GS_SIZE_IN_UNITS UINT32_C(0x80000000)
#define GS_SIZE_IS_LARGE UINT32_C(0xc0000000)
static inline uint64_t gs_history_size(const gs_history *h, size_t i)
{
	uint32_t size = h->sizes[i];
	if (size < GS_SIZE_IN_UNITS)
		return size;
	return size < GS_SIZE_IS_LARGE ? (uint64_t)(size - GS_SIZE_IN_UNITS) * GS_SIZE_UNIT
								   : h->large[size - GS_SIZE_IS_LARGE];
}

/* O(n log n). GS_NO_MEMORY; GS_LIMIT above 2^31 - 1 events; never fails because of what a file
 * says. Release in any case. */
gs_status gs_history_init(gs_history *h, const gs_snapshot *s, const gs_device *d, gs_error *err);
void gs_history_release(gs_history *h);

/* The state after event idx (-1: before the first; captured_at and what changes nothing after it:
 * as captured), as a snapshot taken there would show it: inactive blocks merged, expandable
 * segments as contiguous mapped runs. GS_INVALID where there is no such event. */
gs_status gs_history_layout(const gs_history *h, int64_t idx, gs_layout *out, gs_error *err);

/* Whether the memory after one event is that after another: nothing between them moves any. */
bool gs_history_same(const gs_history *h, int64_t idx, int64_t other);

/* The states after several events, ascending, in one go: visit is called for each in order; the
 * layout is its only until it returns. Stops with what visit returns if that is not GS_OK. */
typedef gs_status gs_history_visit(void *context, size_t number, const gs_layout *layout);
gs_status gs_history_layouts(const gs_history *h, const int64_t *idx, size_t n,
	gs_history_visit *visit, void *context, gs_error *err);

/* Bytes event by event without rebuilding layouts: start, then step for i = 0 … n - 1; after step i
 * the totals are those after event i. */
typedef struct gs_running_totals {
	uint64_t allocated, pending, reserved;
} gs_running_totals;
void gs_running_totals_start(const gs_history *h, gs_running_totals *g);
void gs_running_totals_step(const gs_history *h, size_t i, gs_running_totals *g);

/* The first event after which allocated (reserved) bytes were at their greatest; -1 for a trace
 * without events. */
int64_t gs_history_peak(const gs_history *h, bool reserved);
/* The totals after the event of gs_history_peak(h, false), where there is one. */
gs_running_totals gs_history_peak_totals(const gs_history *h);

/* Whether the stack of a free is that of the block's allocation, not that of the call that freed
 * it: PyTorch records the latter, others the former. */
bool gs_history_frees_tell_birth(const gs_history *h);

/* What a selector means for a device: NULL or "" (the default: oom where there is one, else
 * captured), "captured", "oom" (the last), "oom 2", "peak", "peak reserved", or an event's number.
 */
typedef struct gs_state {
	char name[32]; /* as selected, the default resolved: "oom", "captured" */
	int64_t idx;   /* event after which it holds; GS_NONE: as captured */
	size_t oom;    /* index in the snapshot's ooms of the OOM it belongs to; SIZE_MAX none */
} gs_state;

/* h may be NULL (then peaks make one for themselves). GS_INVALID: no such word; GS_NOT_FOUND: a
 * state that this device does not have (no OOM, no such event); both with a message. */
gs_status gs_state_find(const gs_snapshot *s, const gs_device *d, const gs_history *h,
	const char *selector, gs_state *state, gs_error *err);

/* What the captured layout is to a state that no event tells (idx GS_NONE): its own; only near it,
 * so that it is not exact; or, of a message that another of the device follows, another state's
 * altogether. why gets a sentence where it is not its own. */
typedef enum gs_state_fit { GS_STATE_OWN, GS_STATE_NEAR, GS_STATE_OTHER } gs_state_fit;
gs_state_fit gs_state_captured_fit(
	const gs_snapshot *s, const gs_device *d, const gs_state *state, const char **why);

/* Both steps: the layout of the selected state (GS_NOT_FOUND also where the input has none of that
 * state). Blocks carry the index of their alloc event. state may be NULL. */
gs_status gs_state_select(const gs_snapshot *s, const gs_device *d, const char *selector,
	gs_layout *out, gs_state *state, gs_error *err);

#endif
