/* Requests of a run that is not in memory, a window of events at a time. */
#include "analyzer/replay/replay_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"

enum {
	WINDOW = 1 << 17, /* events: some megabytes, and worth a thread's start */
	WIDEST = 1 << 24, /* events without a request that they may be cut at */
	BEHIND = 16       /* events that are there behind those that requests are made of */
};

typedef struct passing {
	gs_replay *r;
	bool finished;
	gs_replay_visit *visit;
	void *context;
	gs_request_maker maker;
	gs_rewriter rewriter;
	gs_event *events; /* that requests are to be made of */
	size_t n, cap;
	uint64_t base;           /* number of the first of them */
	uint64_t op;             /* number of the next request */
	size_t settled, revised; /* how many of each have been put in */
	bool done, enough;       /* all was shown; the visitor has seen enough */
} passing;

static gs_status no_memory(const gs_replay *r, gs_error *err)
{
	return gs_fail(
		err, GS_NO_MEMORY, "preparing a replay of %llu events", (unsigned long long)r->events);
}

/* --- what was settled */

static bool is_bit(const uint8_t *bits, size_t i) { return bits[i / 8] >> i % 8 & 1; }

static void revise(passing *p)
{
	const gs_replay *r = p->r;
	for (; p->revised < r->nrevisions && r->revisions[p->revised].op < p->op + p->maker.n;
		 p->revised++)
		p->maker.ops[r->revisions[p->revised].op - p->op].kind =
			(uint32_t)r->revisions[p->revised].kind & 0xff;
}

static void settle(passing *p)
{
	for (size_t i = 0; i < p->maker.n; i++) {
		gs_replay_op *op = &p->maker.ops[i];
		if (op->kind != GS_REPLAY_RELEASE && op->kind != GS_REPLAY_CAPTURE)
			continue;
		if (p->settled < p->r->nsettled)
			op->kind = is_bit(p->r->settled, p->settled) ? GS_REPLAY_EMPTY : GS_REPLAY_NOTHING;
		p->settled++;
	}
}

/* --- windows */

static gs_status rewrite(passing *p, bool last, gs_error *err)
{
	const gs_replay *r = p->r;
	if (!p->finished || !r->rewrite)
		return GS_OK;
	gs_status status = p->rewriter.r ? GS_OK : gs_rewriter_init(&p->rewriter, r, r->rewrite, err);
	return status ? status
				  : gs_rewriter_apply(&p->rewriter, &p->maker.ops, &p->maker.n, &p->maker.cap,
						p->events, last, err);
}

static gs_status show(passing *p, size_t cut, bool last, gs_error *err)
{
	size_t made = p->maker.n;
	revise(p);
	if (p->finished)
		settle(p);
	gs_status status = rewrite(p, last, err);
	const gs_replay_window window = {.ops = p->maker.ops,
		.n = p->maker.n,
		.first_op = p->op,
		.events = p->events,
		.nevents = p->n,
		.first_event = p->base,
		.made = p->base + cut,
		.nslots = p->maker.nslots,
		.last = last};
	if (!status && p->visit)
		status = p->visit(p->context, &window, err);
	p->op += made;
	p->base += cut;
	p->n -= cut;
	memmove(p->events, p->events + cut, p->n * sizeof *p->events);
	p->done = last;
	p->enough = status == GS_END;
	return status;
}

/* The number of events at hand of which requests are made now. */
static gs_status find_cut(const passing *p, bool last, size_t *cut, gs_error *err)
{
	*cut = last         ? (size_t)(p->r->end - p->base)
		: p->n > BEHIND ? gs_requests_cut(p->events, p->n - BEHIND)
						: 0;
	if (*cut || last || p->n < WIDEST)
		return GS_OK;
	return gs_fail(err, GS_LIMIT, "more than %d events without a request, from event %llu on",
		(int)WIDEST, (unsigned long long)p->base);
}

static gs_status flush(passing *p, bool last, gs_error *err)
{
	size_t cut;
	gs_status status = find_cut(p, last, &cut, err);
	if (status || (!cut && !last))
		return status;
	p->maker.n = 0;
	status = gs_requests_add(&p->maker, p->events, cut, last ? cut : p->n, p->base);
	if (!status && last)
		status = gs_requests_end(&p->maker);
	return status ? no_memory(p->r, err) : show(p, cut, last, err);
}

static gs_status keep_events(passing *p, const gs_event *events, size_t n, gs_error *err)
{
	if (!GS_ARRAY_RESERVE(p->events, p->cap, p->n + n))
		return no_memory(p->r, err);
	memcpy(p->events + p->n, events, n * sizeof *events);
	p->n += n;
	return GS_OK;
}

/* Events behind the last request are there to be looked at, as many as behind others. */
static gs_status take_events(void *context, const gs_event *events, size_t n, gs_error *err)
{
	passing *p = context;
	size_t window = p->r->source->window ? p->r->source->window : WINDOW;
	uint64_t left = p->r->end + BEHIND - (p->base + p->n);
	bool last = n >= left;
	gs_status status = GS_OK;
	n = last ? (size_t)left : n;
	while (n && !status) {
		size_t some = n < window ? n : window;
		status = keep_events(p, events, some, err);
		events += some;
		n -= some;
		if (!status && p->n >= window && (n || !last))
			status = flush(p, false, err);
	}
	if (!status && last)
		status = flush(p, true, err);
	return status ? status : last ? GS_END : GS_OK;
}

/* The source has come to its end. */
static gs_status finish(passing *p, gs_error *err)
{
	if (p->done || p->enough)
		return GS_OK;
	if (p->base + p->n < p->r->end)
		return gs_fail(err, GS_TRUNCATED, "it became shorter while it was read");
	gs_status status = flush(p, true, err);
	return status == GS_END ? GS_OK : status;
}

/* --- a pass */

static gs_status pass_memory(gs_replay *r, gs_replay_visit *visit, void *context, gs_error *err)
{
	const gs_trace *t = &r->device->trace;
	const gs_replay_window window = {.ops = r->ops,
		.n = r->n,
		.events = t->events,
		.nevents = t->n,
		.made = r->end,
		.nslots = r->nslots,
		.last = true};
	gs_status status = visit ? visit(context, &window, err) : GS_OK;
	return status == GS_END ? GS_OK : status;
}

gs_status gs_replay_pass(
	gs_replay *r, bool finished, gs_replay_visit *visit, void *context, gs_error *err)
{
	passing p = {.r = r, .finished = finished, .visit = visit, .context = context};
	if (!r->source)
		return pass_memory(r, visit, context, err);
	gs_status status = gs_requests_begin(&p.maker, r) ? no_memory(r, err) : GS_OK;
	if (!status)
		status = r->source->pass(r->source->context, take_events, &p, err);
	if (!status)
		status = finish(&p, err);
	if (p.done && !r->counted)
		gs_replay_take_counts(r, &p.maker);
	r->changes = p.rewriter.changes;
	gs_rewriter_release(&p.rewriter);
	gs_requests_release(&p.maker);
	gs_memory_give(p.events);
	return status;
}

gs_status gs_replay_count(gs_replay *r, gs_error *err)
{
	return r->counted ? GS_OK : gs_replay_pass(r, false, NULL, NULL, err);
}
