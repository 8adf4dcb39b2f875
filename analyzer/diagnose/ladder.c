/* The ladder: ten questions about ranges, in order. */
#include <string.h>

#include "analyzer/diagnose/diagnose_internal.h"

static const struct {
	const char *word, *kind, *question;
} words[] = {
#define GS_STEP(name, word, kind, question) {word, kind, question},
	GS_LADDER(GS_STEP)
#undef GS_STEP
		{"shortage", "shortage", ""},
	{"unknown", "unknown", ""},
	{NULL, NULL, ""},
};

const char *gs_step_word(gs_step step) { return words[step].word; }
const char *gs_step_kind(gs_step step) { return words[step].kind; }
const char *gs_step_question(gs_step step) { return words[step].question; }

const char *gs_known_word(gs_known known)
{
	static const char *const known_words[] = {"replayed", "computed", "estimated", "untried"};
	return known_words[known];
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

gs_range gs_range_add(gs_range a, gs_range b)
{
	bool said = a.said >= 0 && b.said >= 0 && a.said <= INT64_MAX - b.said;
	return (gs_range){
		add_capped(a.low, b.low), add_capped(a.high, b.high), said ? a.said + b.said : GS_NONE};
}

gs_range gs_range_fact(int64_t bytes)
{
	return bytes < 0 ? gs_range_unknown() : gs_range_of((uint64_t)bytes);
}

int gs_range_reaches(gs_range a, gs_range b)
{
	if (a.low >= b.high && b.high != UINT64_MAX)
		return 1;
	return a.high < b.low ? 0 : -1;
}

static void put_rung(gs_diagnosis *d, gs_step step, gs_range available, gs_range needed)
{
	d->ladder[d->nladder++] = (gs_rung){
		step, gs_range_reaches(available, needed), available.said, needed.said};
}

/* Either way is enough; the figures of the way that is, else of the first. */
static void put_either(
	gs_diagnosis *d, gs_step step, gs_range a, gs_range needs_a, gs_range b, gs_range needs_b)
{
	int first = gs_range_reaches(a, needs_a), second = gs_range_reaches(b, needs_b);
	if (second == 1 && first != 1)
		put_rung(d, step, b, needs_b);
	else
		put_rung(d, step, a, needs_a);
	if (first == 0 && second == -1)
		d->ladder[d->nladder - 1].fits = -1;
}

static void decide(gs_diagnosis *d)
{
	bool undecided = false;
	for (int i = 0; i < d->nladder; i++) {
		const gs_rung *r = &d->ladder[i];
		if (r->fits == 1) {
			d->verdict = r->step;
			return;
		}
		d->null[r->step] = r->fits < 0;
		undecided |= r->fits < 0 && r->step != GS_STEP_ROUNDING && r->step != GS_STEP_OUTSIDE;
	}
	d->verdict = undecided ? GS_VERDICT_UNKNOWN : GS_VERDICT_SHORTAGE;
}

/* What a shortage lacks: the request less the rounding sum, or less the last sum that is known. */
static int64_t lack(gs_range request, gs_range with_rounding, gs_range stranded)
{
	int64_t sum = with_rounding.said >= 0 ? with_rounding.said : stranded.said;
	return sum < 0 || request.said <= sum ? GS_NONE : request.said - sum;
}

void gs_diagnose_steps(gs_diagnosis *d, const gs_figures *f)
{
	gs_range sum = gs_range_add(f->driver, f->free_same);
	gs_range stranded = gs_range_add(f->driver, f->free_all);
	gs_range rounding = gs_range_add(stranded, f->rounding);
	d->nladder = 0;
	memset(d->null, 0, sizeof d->null);
	put_rung(d, GS_STEP_MISSED_FIT, f->hole, f->request);
	if (d->policy->limit_step) {
		put_rung(d, GS_STEP_LIMIT, f->device_free, f->ask);
		d->ladder[d->nladder - 1].fits = f->limit;
	}
	put_rung(d, GS_STEP_SEGMENT_SIZE, f->driver, f->missing);
	put_either(d, GS_STEP_PENDING_FREE, f->waited_hole, f->request,
		f->waits ? gs_range_add(f->driver, f->waited_gain) : gs_range_of(0), f->waited_ask);
	put_rung(d, GS_STEP_OTHER_STREAM, f->stream_hole, f->request);
	put_rung(d, GS_STEP_PRIVATE_POOL, f->private_hole, f->request);
	put_rung(d, GS_STEP_FRAGMENTED, sum, f->request);
	put_rung(d, GS_STEP_STRANDED, stranded, f->request);
	put_rung(d, GS_STEP_ROUNDING, rounding, f->request);
	put_rung(d, GS_STEP_OUTSIDE, gs_range_add(rounding, f->outside), f->request);
	decide(d);
	for (int i = 0; i < GS_STEPS; i++)
		d->exact &= !d->null[i];
	d->exact &= !d->snapshot->above; /* what is free inside the blocks is not known */
	d->missing = d->verdict == GS_VERDICT_SHORTAGE ? lack(f->request, rounding, stranded) : GS_NONE;
	d->refused_by = NULL;
	if (d->verdict == GS_STEP_LIMIT && !d->has_layout)
		d->refused_by = d->allowed >= 0 ? "fraction" : NULL;
	else if (d->verdict == GS_STEP_LIMIT && d->allowed >= 0 && d->needed >= 0)
		d->refused_by = d->reserved > d->allowed - d->needed ? "fraction" : "driver";
}
