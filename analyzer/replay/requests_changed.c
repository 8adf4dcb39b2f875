/* Rewritten runs: as if some blocks had been freed, never asked for, padded, or larger. */
#include "analyzer/replay/replay_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/frames.h"
#include "analyzer/model/memory.h"

typedef struct gs_rewritten_slot slot;

/* The requests at hand. */
typedef struct requests {
	gs_replay_op **ops;
	size_t *n, *cap;
	const gs_event *events;
} requests;

static gs_status no_memory(gs_error *err)
{
	return gs_fail(err, GS_NO_MEMORY, "rewriting the run");
}

/* --- what lives where --------------------------------------------------------------------------
 */

static gs_status reserve_slots(gs_rewriter *w, size_t n, gs_error *err)
{
	if (n <= w->nslots)
		return GS_OK;
	if (!GS_ARRAY_RESERVE(w->slots, w->cap_slots, n))
		return no_memory(err);
	memset(w->slots + w->nslots, 0, (n - w->nslots) * sizeof *w->slots);
	w->nslots = n;
	return GS_OK;
}

static gs_status see_initial(gs_rewriter *w, gs_error *err)
{
	const gs_layout *l = w->r->initial;
	gs_status status = GS_OK;
	for (size_t i = 0; i < l->nblocks && !w->r->foreign && !status; i++) {
		uint32_t at = w->r->initial_slots[i];
		if (at == UINT32_MAX || l->blocks[i].state != GS_ACTIVE_ALLOCATED)
			continue;
		status = reserve_slots(w, (size_t)at + 1, err);
		if (!status)
			w->slots[at] = (slot){l->blocks[i].stack, l->blocks[i].tag, true, false};
	}
	return status;
}

static gs_status see_slots(gs_rewriter *w, const requests *q, gs_error *err)
{
	size_t most = 0;
	for (size_t i = 0; i < *q->n; i++)
		if ((*q->ops)[i].slot != UINT32_MAX && (*q->ops)[i].slot >= most)
			most = (size_t)(*q->ops)[i].slot + 1;
	return reserve_slots(w, most, err);
}

static void track_op(gs_rewriter *w, const gs_replay_op *op, const gs_event *events)
{
	slot *s = op->slot == UINT32_MAX ? NULL : &w->slots[op->slot];
	const gs_event *e = op->kind == GS_REPLAY_ALLOC ? &events[op->event] : NULL;
	if (e)
		*s = (slot){e->stack, gs_event_tag(e), true, s->dropped};
	else if (op->kind == GS_REPLAY_FREE || op->kind == GS_REPLAY_DEFER)
		s->live = false;
}

/* --- frees that were not there */

typedef bool wanted(gs_rewriter *w, const slot *s);

/* Puts frees of the live slots that are wanted in front of request `at`. */
static gs_status insert_frees(
	gs_rewriter *w, const requests *q, size_t at, wanted *want, uint64_t *changed, gs_error *err)
{
	size_t extra = 0;

	for (size_t i = 0; i < w->nslots; i++)
		extra += w->slots[i].live && want(w, &w->slots[i]);
	if (!extra)
		return GS_OK;
	if (!GS_ARRAY_RESERVE(*q->ops, *q->cap, *q->n + extra))
		return no_memory(err);
	gs_replay_op *ops = *q->ops;
	memmove(ops + at + extra, ops + at, (*q->n - at) * sizeof *ops);
	uint32_t event = at ? ops[at - 1].event : 0;
	for (size_t i = 0; i < w->nslots; i++)
		if (w->slots[i].live && want(w, &w->slots[i]))
			ops[at++] = (gs_replay_op){.slot = (uint32_t)i, .event = event, .kind = GS_REPLAY_FREE};
	*q->n += extra;
	*changed += extra;
	return GS_OK;
}

static bool holds_pattern(const gs_snapshot *s, gs_id stack, const char *pattern)
{
	size_t n = gs_stack_text(s, stack, true, NULL, 0) + 1;
	char *text = malloc(n);
	bool holds = false;
	if (text) {
		gs_stack_text(s, stack, true, text, n);
		holds = strstr(text, pattern);
	}
	free(text);
	return holds;
}

/* Whether the text of its stack holds the pattern, remembered by stack. */
static bool matches_pattern(gs_rewriter *w, const slot *s)
{
	const gs_snapshot *of = w->r->snapshot;
	if (s->stack >= of->nstacks || s->stack >= w->nknown)
		return false;
	uint8_t *known = &w->known[s->stack];
	if (!*known)
		*known = holds_pattern(of, s->stack, w->how->free_pattern) ? 2 : 1;
	return *known == 2;
}

static gs_status reserve_known(gs_rewriter *w, gs_error *err)
{
	size_t n = (size_t)w->r->snapshot->nstacks + 1;
	if (n <= w->nknown)
		return GS_OK;
	if (!GS_ARRAY_RESERVE(w->known, w->cap_known, n))
		return no_memory(err);
	memset(w->known + w->nknown, 0, n - w->nknown);
	w->nknown = n;
	return GS_OK;
}

static gs_status free_at_end(gs_rewriter *w, const requests *q, bool last, gs_error *err)
{
	size_t at = *q->n;
	if (last && at && (*q->ops)[at - 1].kind == GS_REPLAY_OOM)
		at--;
	for (size_t i = 0; i < at; i++)
		track_op(w, &(*q->ops)[i], q->events);
	if (!last)
		return GS_OK;
	gs_status status = reserve_known(w, err);
	return status ? status : insert_frees(w, q, at, matches_pattern, &w->changes.freed, err);
}

/* --- blocks left out */

static bool has_tag(gs_rewriter *w, const slot *s)
{
	return !strcmp(gs_string_text(w->r->snapshot, s->tag), w->how->without_tag);
}

static void leave_out(gs_rewriter *w, gs_replay_op *op, const gs_event *events)
{
	slot *s = &w->slots[op->slot];
	if (op->kind == GS_REPLAY_ALLOC) {
		const slot asked = {0, gs_event_tag(&events[op->event]), true, false};
		s->dropped = has_tag(w, &asked);
		w->changes.left_out += s->dropped;
	} else if (op->kind == GS_REPLAY_OOM) {
		s->dropped = false;
	}
	if (s->dropped)
		op->kind = GS_REPLAY_NOTHING;
}

/* Those from before the recording go back before its first event. */
static gs_status leave_out_tag(gs_rewriter *w, const requests *q, bool first, gs_error *err)
{
	for (size_t i = 0; i < w->nslots && first; i++)
		w->slots[i].dropped = w->slots[i].live && has_tag(w, &w->slots[i]);
	for (size_t i = 0; i < *q->n; i++)
		if ((*q->ops)[i].slot != UINT32_MAX)
			leave_out(w, &(*q->ops)[i], q->events);
	return first ? insert_frees(w, q, 0, has_tag, &w->changes.left_out, err) : GS_OK;
}

/* --- other sizes */

static void pad(gs_rewriter *w, const requests *q)
{
	uint64_t to = w->how->pad_to;
	for (size_t i = 0; i < *q->n; i++) {
		gs_replay_op *op = &(*q->ops)[i];
		uint64_t missing = op->size % to ? to - op->size % to : 0;
		if ((op->kind != GS_REPLAY_ALLOC && op->kind != GS_REPLAY_OOM) ||
			op->size < w->how->pad_from || !missing || op->size > UINT64_MAX - missing)
			continue;
		op->size += missing;
		w->changes.padded++;
	}
}

static double factor_of(gs_rewriter *w, size_t event)
{
	double factor = 1;
	for (size_t i = 0; i < w->how->nscales; i++) {
		unsigned category = (unsigned)w->how->scales[i].category;
		double one = gs_scaling_factor(&w->scaling, event, category, w->how->scales[i].factor);
		w->changes.scales[i].changed += one != 1;
		w->changes.scales[i].found += w->meaning.events[event].category == category;
		factor *= one;
	}
	return factor;
}

static void count_before(gs_rewriter *w)
{
	const gs_layout *l = w->r->initial;
	for (size_t i = 0; i < l->nblocks; i++)
		for (size_t k = 0; k < w->how->nscales; k++)
			w->changes.scales[k].before += w->meaning.initial[i].category ==
					w->how->scales[k].category &&
				l->blocks[i].state != GS_INACTIVE;
}

/* A request never vanishes: what is scaled to nothing takes a byte. */
static uint64_t scaled(uint64_t size, double factor)
{
	double bytes = (double)size * factor + 0.5;
	return bytes < 1 ? 1 : bytes >= 0x1p62 ? UINT64_C(1) << 62 : (uint64_t)bytes;
}

static void scale(gs_rewriter *w, const requests *q)
{
	for (size_t i = 0; i < *q->n; i++) {
		gs_replay_op *op = &(*q->ops)[i];
		if ((op->kind != GS_REPLAY_ALLOC && op->kind != GS_REPLAY_OOM) || !op->size)
			continue;
		double factor = factor_of(w, op->event);
		w->changes.requests += factor != 1;
		op->size = factor == 1 ? op->size : scaled(op->size, factor);
	}
}

/* What an allocation is for is seen by what became of it, and by the others. */
static gs_status need_scaling(gs_rewriter *w, gs_error *err)
{
	if (w->r->source)
		return gs_fail(
			err, GS_INVALID, "memory of a category is scaled where the whole run is in memory");
	gs_status status = gs_meaning_init(&w->meaning, w->r->history, w->how->category_rules, err);
	if (!status && (status = gs_scaling_init(&w->scaling, &w->meaning)))
		gs_fail(err, status, "out of memory while telling what goes with a category");
	if (!status)
		count_before(w);
	return status;
}

/* --- all --- */

gs_status gs_rewriter_init(
	gs_rewriter *w, const gs_replay *r, const gs_replay_rewrite *how, gs_error *err)
{
	*w = (gs_rewriter){.r = r, .how = how, .meaning = GS_MEANING_INIT};
	gs_status status = how->without_tag || how->free_pattern ? see_initial(w, err) : GS_OK;
	return status || !how->nscales ? status : need_scaling(w, err);
}

void gs_rewriter_release(gs_rewriter *w)
{
	gs_scaling_release(&w->scaling);
	if (w->r)
		gs_meaning_release(&w->meaning);
	gs_memory_give(w->slots);
	gs_memory_give(w->known);
	memset(w, 0, sizeof *w);
}

gs_status gs_rewriter_apply(gs_rewriter *w, gs_replay_op **ops, size_t *n, size_t *cap,
	const gs_event *events, bool last, gs_error *err)
{
	const requests q = {ops, n, cap, events};
	gs_status status = w->how->without_tag || w->how->free_pattern ? see_slots(w, &q, err) : GS_OK;
	if (!status && w->how->without_tag)
		status = leave_out_tag(w, &q, !w->begun, err);
	if (!status && w->how->free_pattern)
		status = free_at_end(w, &q, last, err);
	if (!status && w->how->nscales)
		scale(w, &q);
	if (!status && w->how->pad_to)
		pad(w, &q);
	w->begun = true;
	return status;
}
