/* A verdict for each failure beside the one that is told: the ladder alone, without who holds what.
 */
#include "analyzer/diagnose/others.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "oom N" of a failure: the Nth of its device, or of a text's rows. */
static void name_state(const gs_failure *f, char *state, size_t cap)
{
	const gs_snapshot *s = f->snapshot;
	size_t number = 1;
	for (size_t i = 0; i < f->oom; i++)
		number += s->kind == GS_KIND_TEXT || s->ooms[i].device == s->ooms[f->oom].device;
	snprintf(state, cap, "oom %zu", number);
}

static gs_step judge(const gs_failure *f, const gs_diagnose_options *options)
{
	gs_diagnose_options own = *options;
	gs_diagnosis d;
	gs_error err = GS_ERROR_INIT;
	char state[32];
	int32_t device = f->snapshot->ooms[f->oom].device;
	name_state(f, state, sizeof state);
	own.state = state;
	own.any_device = f->snapshot->kind == GS_KIND_TEXT || device < 0;
	own.device = device;
	own.message = NULL; /* it is about the failure told */
	gs_status status = gs_diagnose_ladder(f->snapshot, &own, &d, &err);
	gs_step verdict = status ? GS_VERDICT_UNKNOWN : d.verdict;
	gs_diagnosis_release(&d);
	return verdict;
}

static void place_of(const gs_failure *f, char *where)
{
	char called_by[GS_PLACE_TEXT];
	gs_stack_place(f->snapshot, f->snapshot->ooms[f->oom].stack, where, called_by);
}

gs_status gs_diagnose_others(gs_diagnosis *d, const gs_diagnose_options *options,
	const gs_failure *failures, size_t n, gs_error *err)
{
	char where[GS_PLACE_TEXT];
	if (n < 2)
		return GS_OK;
	d->others_list = calloc(n - 1, sizeof *d->others_list);
	if (!d->others_list)
		return gs_fail(err, GS_NO_MEMORY, "out of memory");
	place_of(&failures[0], where);
	const gs_oom *told = &failures[0].snapshot->ooms[failures[0].oom];
	for (size_t i = 1; i < n; i++) {
		struct gs_other *o = &d->others_list[d->nothers++];
		const gs_oom *oom = &failures[i].snapshot->ooms[failures[i].oom];
		o->failure = failures[i];
		o->verdict = judge(&failures[i], options);
		place_of(&failures[i], o->where);
		o->alike = o->verdict == d->verdict && !strcmp(o->where, where) &&
			oom->requested == told->requested;
	}
	return GS_OK;
}
