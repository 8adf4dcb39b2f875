/* Rewritten runs: as if some blocks had been freed, never asked for, or padded. */
#include "analyzer/replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/scaling.h"
#include "analyzer/model/array.h"
#include "analyzer/model/frames.h"

enum { NO_BLOCK = -1 };

/* By slot: what lives there. Allocations of the trace are event numbers, blocks from before it -2 -
 * index. */
typedef struct tracker {
	const gs_replay *r;
	int64_t *holder;
	uint8_t *dropped; /* by slot: its block is left out */
} tracker;

static gs_status tracker_init(tracker *t, const gs_replay *r, gs_error *err)
{
	t->r = r;
	t->holder = malloc(((size_t)r->nslots + 1) * sizeof *t->holder);
	t->dropped = calloc((size_t)r->nslots + 1, 1);
	if (!t->holder || !t->dropped)
		return gs_fail(err, GS_NO_MEMORY, "rewriting the run");
	for (size_t i = 0; i < r->nslots; i++)
		t->holder[i] = NO_BLOCK;
	for (size_t i = 0; i < r->history->initial.nblocks && !r->foreign; i++)
		if (r->initial_slots[i] != UINT32_MAX &&
			r->history->initial.blocks[i].state == GS_ACTIVE_ALLOCATED)
			t->holder[r->initial_slots[i]] = -2 - (int64_t)i;
	return GS_OK;
}

static void tracker_release(tracker *t)
{
	free(t->holder);
	free(t->dropped);
}

static void track_op(tracker *t, const gs_replay_op *op)
{
	if (op->kind == GS_REPLAY_ALLOC)
		t->holder[op->slot] = op->event;
	else if (op->kind == GS_REPLAY_FREE || op->kind == GS_REPLAY_DEFER)
		t->holder[op->slot] = NO_BLOCK;
}

static gs_id stack_of(const tracker *t, int64_t holder)
{
	return holder >= 0 ? t->r->device->trace.events[holder].stack
					   : t->r->history->initial.blocks[-2 - holder].stack;
}

static gs_id tag_of(const tracker *t, int64_t holder)
{
	return holder >= 0 ? gs_event_tag(&t->r->device->trace.events[holder])
					   : t->r->history->initial.blocks[-2 - holder].tag;
}

/* Puts frees of the slots for which want() holds in front of op `at`. */
static gs_status insert_frees(gs_replay *r, const tracker *t, size_t at, const uint8_t *want,
	uint64_t *changed, gs_error *err)
{
	size_t extra = 0;

	for (size_t i = 0; i < r->nslots; i++)
		extra += t->holder[i] != NO_BLOCK && want[i];
	if (!extra)
		return GS_OK;
	if (!GS_ARRAY_RESERVE(r->ops, r->cap, r->n + extra))
		return gs_fail(err, GS_NO_MEMORY, "rewriting the run");
	gs_replay_op *ops = r->ops;
	memmove(ops + at + extra, ops + at, (r->n - at) * sizeof *ops);
	uint32_t event = at ? ops[at - 1].event : 0;
	for (size_t i = 0; i < r->nslots; i++)
		if (t->holder[i] != NO_BLOCK && want[i])
			ops[at++] = (gs_replay_op){.slot = (uint32_t)i, .event = event, .kind = GS_REPLAY_FREE};
	r->n += extra;
	*changed += extra;
	return GS_OK;
}

/* Whether a stack's text holds the pattern, remembered by stack: 0 not asked yet, 1 no, 2 yes. */
static bool stack_matches(const gs_snapshot *s, gs_id stack, const char *pattern, uint8_t *known)
{
	if (stack >= s->nstacks)
		return false;
	if (!known[stack]) {
		char *text;
		size_t n = gs_stack_text(s, stack, true, NULL, 0) + 1;
		known[stack] = 1;
		if ((text = malloc(n))) {
			gs_stack_text(s, stack, true, text, n);
			known[stack] = strstr(text, pattern) ? 2 : 1;
			free(text);
		}
	}
	return known[stack] == 2;
}

static gs_status free_before_oom(
	gs_replay *r, const char *pattern, uint64_t *changed, gs_error *err)
{
	tracker t = {.r = r};
	uint8_t *known = calloc((size_t)r->snapshot->nstacks + 1, 1),
			*want = calloc((size_t)r->nslots + 1, 1);
	gs_status status = tracker_init(&t, r, err);
	size_t at = r->n;

	if (!status && (!known || !want))
		status = gs_fail(err, GS_NO_MEMORY, "rewriting the run");
	if (r->n && r->ops[r->n - 1].kind == GS_REPLAY_OOM)
		at = r->n - 1;
	for (size_t i = 0; i < at && !status; i++)
		track_op(&t, &r->ops[i]);
	for (size_t i = 0; i < r->nslots && !status; i++)
		want[i] = t.holder[i] != NO_BLOCK &&
			stack_matches(r->snapshot, stack_of(&t, t.holder[i]), pattern, known);
	if (!status)
		status = insert_frees(r, &t, at, want, changed, err);
	tracker_release(&t);
	free(known);
	free(want);
	return status;
}

static gs_status leave_out_tag(gs_replay *r, const char *tag, uint64_t *changed, gs_error *err)
{
	tracker t = {.r = r};
	gs_status status = tracker_init(&t, r, err);

	for (size_t i = 0; i < r->nslots && !status; i++)
		t.dropped[i] = t.holder[i] != NO_BLOCK &&
			!strcmp(gs_string_text(r->snapshot, tag_of(&t, t.holder[i])), tag);
	for (size_t i = 0; i < r->n && !status; i++) {
		gs_replay_op *op = &r->ops[i];
		if (op->slot >= r->nslots)
			continue;
		if (op->kind == GS_REPLAY_ALLOC) {
			t.dropped[op->slot] = !strcmp(
				gs_string_text(r->snapshot, gs_event_tag(&r->device->trace.events[op->event])),
				tag);
			*changed += t.dropped[op->slot];
		} else if (op->kind == GS_REPLAY_OOM) {
			t.dropped[op->slot] = 0;
		}
		if (t.dropped[op->slot])
			op->kind = GS_REPLAY_NOTHING;
	}
	/* those from before the recording go back before its first event */
	tracker_release(&t);
	if (status || (status = tracker_init(&t, r, err)))
		return status;
	for (size_t i = 0; i < r->nslots; i++)
		t.dropped[i] = t.holder[i] != NO_BLOCK &&
			!strcmp(gs_string_text(r->snapshot, tag_of(&t, t.holder[i])), tag);
	status = insert_frees(r, &t, 0, t.dropped, changed, err);
	tracker_release(&t);
	return status;
}

static void pad(gs_replay *r, uint64_t to, uint64_t from, uint64_t *changed)
{
	for (size_t i = 0; i < r->n; i++) {
		gs_replay_op *op = &r->ops[i];
		uint64_t missing = op->size % to ? to - op->size % to : 0;
		if ((op->kind != GS_REPLAY_ALLOC && op->kind != GS_REPLAY_OOM) || op->size < from ||
			!missing || op->size > UINT64_MAX - missing)
			continue;
		op->size += missing;
		++*changed;
	}
}

static double factor_of(const gs_scaling *scaling, const gs_replay_rewrite *rewrite, size_t event,
	gs_replay_changes *changes)
{
	double factor = 1;
	for (size_t i = 0; i < rewrite->nscales; i++) {
		unsigned category = (unsigned)rewrite->scales[i].category;
		double one = gs_scaling_factor(scaling, event, category, rewrite->scales[i].factor);
		changes->scales[i].changed += one != 1;
		changes->scales[i].found += scaling->m->events[event].category == category;
		factor *= one;
	}
	return factor;
}

static void count_before(
	const gs_meaning *m, const gs_replay_rewrite *rewrite, gs_replay_changes *changes)
{
	for (size_t i = 0; i < m->history->initial.nblocks; i++)
		for (size_t k = 0; k < rewrite->nscales; k++)
			changes->scales[k].before += m->initial[i].category == rewrite->scales[k].category &&
				m->history->initial.blocks[i].state != GS_INACTIVE;
}

/* A request never vanishes: what is scaled to nothing takes a byte. */
static uint64_t scaled(uint64_t size, double factor)
{
	double bytes = (double)size * factor + 0.5;
	return bytes < 1 ? 1 : bytes >= 0x1p62 ? UINT64_C(1) << 62 : (uint64_t)bytes;
}

static gs_status scale(
	gs_replay *r, const gs_replay_rewrite *rewrite, gs_replay_changes *changes, gs_error *err)
{
	gs_meaning m = GS_MEANING_INIT;
	gs_scaling scaling = {0};
	gs_status status = gs_meaning_init(&m, r->history, rewrite->category_rules, err);
	if (!status && (status = gs_scaling_init(&scaling, &m)))
		gs_fail(err, status, "out of memory while telling what goes with a category");
	for (size_t i = 0; i < r->n && !status; i++) {
		gs_replay_op *op = &r->ops[i];
		if ((op->kind != GS_REPLAY_ALLOC && op->kind != GS_REPLAY_OOM) || !op->size)
			continue;
		double factor = factor_of(&scaling, rewrite, op->event, changes);
		changes->requests += factor != 1;
		op->size = factor == 1 ? op->size : scaled(op->size, factor);
	}
	if (!status)
		count_before(&m, rewrite, changes);
	gs_scaling_release(&scaling);
	gs_meaning_release(&m);
	return status;
}

gs_status gs_replay_apply(
	gs_replay *r, const gs_replay_rewrite *rewrite, gs_replay_changes *changes, gs_error *err)
{
	gs_status status = GS_OK;

	memset(changes, 0, sizeof *changes);
	if (rewrite->without_tag)
		status = leave_out_tag(r, rewrite->without_tag, &changes->left_out, err);
	if (!status && rewrite->free_pattern)
		status = free_before_oom(r, rewrite->free_pattern, &changes->freed, err);
	if (!status && rewrite->nscales)
		status = scale(r, rewrite, changes, err);
	if (!status && rewrite->pad_to)
		pad(r, rewrite->pad_to, rewrite->pad_from, &changes->padded);
	changes->requests += changes->left_out + changes->freed + changes->padded;
	return status;
}
