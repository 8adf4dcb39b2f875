/* A verdict for each failure beside the one that is told: the ladder alone, without who holds what.
 */
#include "analyzer/diagnose/others.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/parallel.h"

/* "oom N" of a failure: the Nth of its device, or of a text's rows. */
static void name_state(const gs_failure *f, char *state, size_t cap)
{
	const gs_snapshot *s = f->snapshot;
	size_t number = 1;
	for (size_t i = 0; i < f->oom; i++)
		number += s->kind == GS_KIND_TEXT || s->ooms[i].device == s->ooms[f->oom].device;
	snprintf(state, cap, "oom %zu", number);
}

static void climb_ladder(struct gs_other *o, const gs_diagnose_options *options)
{
	const gs_failure *f = &o->failure;
	gs_diagnose_options own = *options;
	gs_diagnosis d;
	gs_error err = GS_ERROR_INIT;
	char state[32];
	int32_t device = f->snapshot->ooms[f->oom].device;
	name_state(f, state, sizeof state);
	own.state = state;
	own.any_device = f->snapshot->kind == GS_KIND_TEXT || device < 0;
	own.device = device;
	own.message = NULL;   /* it is about the failure told */
	own.recordings.n = 0; /* others are judged beside each other */
	gs_status status = gs_diagnose_ladder(f->snapshot, &own, &d, &err);
	o->verdict = status ? GS_VERDICT_UNKNOWN : d.verdict;
	o->standing.verdict = gs_step_word(o->verdict);
	if (!status && d.has_layout)
		gs_standing_of(f->snapshot, &d.layout, &o->standing);
	gs_diagnosis_release(&d);
}

static void place_of(const gs_failure *f, char *where)
{
	char called_by[GS_PLACE_TEXT];
	gs_oom_place(f->snapshot, &f->snapshot->ooms[f->oom], where, called_by);
}

typedef struct work {
	const gs_diagnosis *told;
	const gs_diagnose_options *options;
	const gs_failure *failures;
	char where[GS_PLACE_TEXT]; /* of the one that is told */
} work;

static void diagnose_other(void *context, size_t i)
{
	const work *w = context;
	struct gs_other *o = &w->told->others_list[i];
	const gs_oom *told = &w->failures[0].snapshot->ooms[w->failures[0].oom];
	*o = (struct gs_other){.failure = w->failures[i + 1], .standing = GS_STANDING_INIT};
	climb_ladder(o, w->options);
	place_of(&o->failure, o->where);
	o->alike = o->verdict == w->told->verdict && !strcmp(o->where, w->where) &&
		o->failure.snapshot->ooms[o->failure.oom].requested == told->requested;
}

/* The one that is told stands among the others, as the first. */
static gs_status compare(gs_diagnosis *d, gs_error *err)
{
	size_t n = d->nothers + 1;
	gs_standing *all = calloc(n, sizeof *all);
	uint8_t *unlike = calloc(n, 1);
	gs_status status = GS_OK;
	if (!all || !unlike)
		status = gs_no_memory(err);
	for (size_t i = 0; i < n && !status; i++)
		all[i] = i ? d->others_list[i - 1].standing : d->many->standing;
	if (!status)
		status = gs_standings_compare(all, n, &d->many->usual, unlike, err);
	for (size_t i = 0; i < n && !status; i++)
		*(i ? &d->others_list[i - 1].unlike : &d->many->unlike) = unlike[i];
	free(all);
	free(unlike);
	return status;
}

static gs_status diagnose_others(gs_diagnosis *d, const gs_diagnose_options *options,
	const gs_failure *failures, size_t n, gs_error *err)
{
	work w = {.told = d, .options = options, .failures = failures};
	d->others_list = calloc(n - 1, sizeof *d->others_list);
	d->many = calloc(1, sizeof *d->many);
	if (!d->others_list || !d->many)
		return gs_no_memory(err);
	place_of(&failures[0], w.where);
	gs_parallel(n - 1, diagnose_other, &w);
	d->nothers = n - 1;
	d->many->standing = (gs_standing)GS_STANDING_INIT;
	d->many->standing.verdict = gs_step_word(d->verdict);
	if (d->has_layout)
		gs_standing_of(d->snapshot, &d->layout, &d->many->standing);
	return compare(d, err);
}

gs_status gs_diagnose_failures(const gs_snapshot *s, const gs_diagnose_options *options,
	const gs_failure *failures, size_t n, gs_diagnosis *d, gs_error *err)
{
	gs_status status = gs_diagnose(s, options, d, err);
	if (status || options->state || n < 2)
		return status;
	return diagnose_others(d, options, failures, n, err);
}
