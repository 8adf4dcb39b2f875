/* Who holds the memory, what it is for, and what grows. */
#include "analyzer/advice/answer_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/culprit.h"

enum { FEW_VARYING = 5 };

/* Categories below this part of the peak are not worth saying. */
enum { WORTH_SAYING = 100 };

/* Most first; none below the least. */
static void say_categories(
	gs_prose *p, const gs_diagnosis *d, const gs_category_sum *sums, size_t n, uint64_t least)
{
	for (size_t i = 0; i < n && (!i || sums[i].bytes >= least); i++) {
		gs_say(p, "%s%s ", i ? ", " : "",
			gs_category_words(d->recording->meaning.rules, sums[i].category));
		gs_say_size(p, (int64_t)sums[i].bytes);
	}
}

static bool tells_nothing(const gs_category_sum *sums, size_t n)
{
	return !n || (n == 1 && sums[0].category == GS_CATEGORY_UNKNOWN);
}

void gs_answer_in_use(gs_answer *a)
{
	gs_prose p;
	gs_prose_clear(&p);
	if (tells_nothing(a->d->categories, a->d->ncategories))
		return;
	say_categories(&p, a->d, a->d->categories, a->d->ncategories, 0);
	gs_answer_put_row(a, "in use", &p, NULL);
}

/* Whether any of its segments would be free without its blocks; where pages can go
 * back one by one, that is not asked. */
static bool pins_alone(const gs_diagnosis *d, const gs_pinning *x)
{
	return x->sets_free || d->npinning < 2 || d->settings.expandable;
}

void gs_answer_pinning(gs_answer *a, size_t from, size_t few)
{
	const gs_diagnosis *d = a->d;
	for (size_t i = from; i < gs_answer_some(a, d->npinning, few); i++) {
		const gs_pinning *x = &d->pinning[i];
		gs_prose p;
		gs_prose_clear(&p);
		if (gs_names_somebody(d, x->stack) || d->npinning > 1) {
			gs_say_place(&p, a->voice, d, x->stack);
			gs_say(&p, ": ");
		}
		gs_say_count(&p, x->blocks, "block");
		gs_say(&p, " (");
		gs_say_size(&p, (int64_t)x->bytes);
		if (!gs_names_somebody(d, x->stack) && d->npinning == 1)
			gs_say(&p, ", recorded without a stack");
		gs_say(&p, x->blocks == 1 ? ") keeps " : ") keep ");
		gs_say_size(&p, (int64_t)x->free_pinned);
		gs_say(&p, " in ");
		gs_say_count(&p, x->segments, "segment");
		gs_say(&p, " from going back to the driver%s", pins_alone(d, x) ? "" : ", but not alone");
		gs_answer_put_row(a, i > from ? "" : from ? "also" : "pinned by", &p, NULL);
		gs_answer_stack(a, x->stack);
	}
	if (few > 1)
		gs_answer_left(a, d->npinning, "pinning stacks");
}

/* What stands for a holder that no frame names, in a sentence. */
static const char *holder_words(const char *where)
{
	if (!strcmp(where, "before the recording"))
		return "what was allocated before the recording";
	return strcmp(where, "no stack recorded") ? where
											  : "what was allocated without a recorded stack";
}

static void say_holder(gs_prose *p, const gs_answer *a, const gs_holder_row *h)
{
	gs_say_where(p, a->voice, holder_words(h->where), h->called_by);
	gs_say(p, ": ");
	gs_say_size(p, (int64_t)h->bytes);
	gs_say(p, " in ");
	gs_say_count(p, h->blocks, "block");
	if (h->category != GS_CATEGORY_UNKNOWN)
		gs_say(p, ", %s", gs_category_words(a->d->recording->meaning.rules, h->category));
}

void gs_answer_holders(gs_answer *a, const char *label, size_t from, size_t few)
{
	const gs_diagnosis *d = a->d;
	if (d->snapshot->nstacks <= 1) /* nobody can be named */
		return;
	for (size_t i = from; i < gs_answer_some(a, d->nholders, few); i++) {
		const gs_holder_row *h = &d->holders[i];
		gs_prose p;
		gs_prose_clear(&p);
		say_holder(&p, a, h);
		gs_answer_put_row(a, i > from ? "" : label, &p, NULL);
		gs_answer_stack(a, h->stack);
	}
	if (few > 1)
		gs_answer_left(a, d->nholders, "holders");
}

/* What the peak was made of: rows that continue its own. */
static void write_peak_parts(gs_answer *a, gs_peak_detail detail)
{
	const gs_diagnosis *d = a->d;
	gs_prose p;
	gs_prose_clear(&p);
	if (!tells_nothing(d->peak_categories, d->npeak_categories)) {
		gs_say(&p, "of it ");
		say_categories(&p, d, d->peak_categories, d->npeak_categories,
			a->voice->verbose ? 0 : d->peak.allocated / WORTH_SAYING);
		gs_answer_put_row(a, "", &p, NULL);
	}
	if (detail != GS_PEAK_HOLDERS || d->snapshot->nstacks <= 1)
		return;
	for (size_t i = 0; i < gs_answer_some(a, d->npeak_holders, 1); i++) {
		gs_prose_clear(&p);
		gs_say(&p, "held by ");
		say_holder(&p, a, &d->peak_holders[i]);
		gs_answer_put_row(a, "", &p, NULL);
		gs_answer_stack(a, d->peak_holders[i].stack);
	}
}

void gs_answer_peak(gs_answer *a, gs_peak_detail detail)
{
	const gs_diagnosis *d = a->d;
	gs_prose p;
	if (!gs_peak_is_apart(d))
		return;
	gs_prose_clear(&p);
	gs_say_size_beside(
		&p, (int64_t)d->peak.allocated, (int64_t)(d->totals.allocated + d->totals.pending));
	gs_say(&p, " in use");
	if (d->peak.number >= 0)
		gs_say(&p, " at event %lld", (long long)d->peak.number);
	if (d->peak.step >= 0 && (size_t)d->peak.step < d->recording->meaning.nsteps)
		gs_say(&p, " (step %lld)", (long long)d->recording->meaning.steps[d->peak.step].number);
	gs_say(&p, ", ");
	gs_say_size(&p, (int64_t)d->peak.reserved);
	gs_say(&p, " reserved");
	gs_answer_put_row(a, "peak", &p, NULL);
	if (detail != GS_PEAK_BARE && d->peak_apart)
		write_peak_parts(a, detail);
}

void gs_answer_growth(gs_answer *a, size_t few)
{
	const gs_diagnosis *d = a->d;
	size_t most = gs_answer_some(a, d->ngrowth, few), told = 0;
	for (size_t i = 0; i < d->ngrowth && told < most; i++) {
		gs_growth all, *g = &all;
		gs_prose p;
		if (!gs_growth_of_place(d, i, g))
			continue;
		gs_prose_clear(&p);
		gs_say_place(&p, a->voice, d, g->stack);
		gs_say(&p, ": ");
		gs_say_size(&p, (int64_t)g->bytes);
		gs_say(&p, " in ");
		gs_say_count(&p, g->blocks, "block");
		if (g->estimated)
			gs_say(&p, ", more in each third of the recording");
		else if (g->steps == g->of_steps)
			gs_say(&p, ", more in each of %zu steps", g->steps);
		else
			gs_say(&p, ", more in %zu of %zu steps", g->steps, g->of_steps);
		if (g->given_back)
			gs_say(&p, "; given back when the program ended");
		gs_answer_put_row(a, told++ ? "" : "grows", &p, g->estimated ? "(estimated)" : NULL);
		gs_answer_stack(a, g->stack);
	}
}

void gs_answer_varying(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	gs_varying *rows = NULL;
	size_t n = 0;
	if (!a->voice->verbose || !d->device || gs_blame_varying(d->snapshot, d->device, &rows, &n))
		n = 0;
	if (n)
		gs_answer_heading(a, "Who asks for many sizes");
	for (size_t i = 0; i < n && i < FEW_VARYING; i++) {
		const gs_varying *v = &rows[i];
		gs_prose p;
		gs_prose_clear(&p);
		gs_say_place(&p, a->voice, d, v->stack);
		gs_say(&p, ": %llu sizes in %llu requests, ", (unsigned long long)v->sizes,
			(unsigned long long)v->requests);
		gs_say_size(&p, (int64_t)v->min);
		gs_say(&p, " to ");
		gs_say_size(&p, (int64_t)v->max);
		gs_answer_put_row(a, "", &p, NULL);
	}
	free(rows);
}
