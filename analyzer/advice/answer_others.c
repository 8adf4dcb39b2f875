/* Failures and ranks beside the one that is told. */
#include "analyzer/advice/answer_internal.h"

#include <time.h>

#include "analyzer/diagnose/others.h"

enum { FEW_OTHERS = 5, FEW_UNLIKE = 4 };

/* "rank 1, device 0"; the file where no rank is known. */
static void say_whose(gs_prose *p, const gs_answer *a, const gs_snapshot *s, int32_t device)
{
	if (s->rank != GS_NONE)
		gs_say(p, "rank %lld", (long long)s->rank);
	else if (s != a->d->snapshot && s->path)
		gs_say_foreign(p, a->voice, s->path);
	if (device >= 0) {
		gs_say_between(p, ", ");
		gs_say(p, "device %d", device);
	}
}

static void say_other_name(gs_prose *p, const gs_answer *a, const struct gs_other *x)
{
	const gs_snapshot *s = x->failure.snapshot;
	const gs_oom *oom = &s->ooms[x->failure.oom];
	time_t seconds = (time_t)(oom->time_us / 1000000);
	struct tm t;
	char when[32];
	say_whose(p, a, s, oom->device);
	if (oom->time_us > 0 && gmtime_r(&seconds, &t) && strftime(when, sizeof when, "%F %T", &t)) {
		gs_say_between(p, ", ");
		gs_say(p, "%s UTC", when);
	}
}

static const char *verdict_of(const struct gs_other *x)
{
	return gs_step_word(x->verdict) ? gs_step_word(x->verdict) : "no failure";
}

/* "rank 1, device 0, 2026-01-31 12:00:00 UTC: shortage, 2 GiB asked for by train.py:33 step" */
static void say_other(gs_prose *p, const gs_answer *a, const struct gs_other *x)
{
	const gs_oom *oom = &x->failure.snapshot->ooms[x->failure.oom];
	say_other_name(p, a, x);
	gs_say_between(p, ": ");
	gs_say(p, "%s", verdict_of(x));
	if (oom->requested >= 0 && !x->alike) {
		gs_say(p, ", ");
		gs_say_size(p, oom->requested);
		gs_say(p, " asked for");
	}
	if (*x->where && !x->alike) {
		gs_say(p, " by ");
		gs_say_code(p, a->voice, x->where);
	}
	if (x->alike)
		gs_say(p, ", alike");
}

/* Of many, how many have which verdict, and which failed next: "1022 fragmented, 1 shortage". */
static void say_sum_of_others(gs_prose *p, const gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	size_t counts[GS_VERDICT_NONE + 1] = {0}, alike = 0;
	for (size_t i = 0; i < d->nothers; i++) {
		counts[d->others_list[i].verdict]++;
		alike += d->others_list[i].alike;
	}
	gs_say(p, "%zu more", d->nothers);
	for (size_t k = 0, said = 0; k <= GS_VERDICT_NONE; k++) {
		const char *word = gs_step_word((gs_step)k);
		if (counts[k])
			gs_say(p, "%s%zu %s", said++ ? ", " : ": ", counts[k], word ? word : "no failure");
	}
	if (alike)
		gs_say(p, "; %zu alike in place and size", alike);
	gs_say(p, "; next ");
	say_other_name(p, a, &d->others_list[0]);
}

void gs_answer_others(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	gs_prose p;
	if (d->nothers > FEW_OTHERS && !a->voice->verbose) {
		gs_prose_clear(&p);
		say_sum_of_others(&p, a);
		gs_answer_put_row(a, "also", &p, "(-v: all)");
		return;
	}
	for (size_t i = 0; i < d->nothers; i++) {
		gs_prose_clear(&p);
		say_other(&p, a, &d->others_list[i]);
		gs_answer_put_row(a, i ? "" : "also", &p, NULL);
	}
}

/* "rank 700, device 0: shortage; model.py:12 weights holds most, 12.0 GiB reserved (usual 8.00
 * GiB)"
 */
static void say_unlike(gs_prose *p, const gs_answer *a, const gs_standing *x, uint8_t unlike)
{
	const gs_standing *usual = &a->d->many->usual.of;
	const char *between = ": ";
	if (unlike & GS_UNLIKE_VERDICT) {
		gs_say(p, "%s%s", between, x->verdict);
		between = "; ";
	}
	if (unlike & GS_UNLIKE_HOLDER) {
		gs_say(p, "%s", between);
		gs_say_code(p, a->voice, x->holder);
		gs_say(p, " holds most");
		between = "; ";
	}
	if (unlike & GS_UNLIKE_RESERVED) {
		gs_say(p, "%s", between);
		gs_say_size_beside(p, x->reserved, usual->reserved);
		gs_say(p, " reserved (usual ");
		gs_say_size_beside(p, usual->reserved, x->reserved);
		gs_say(p, ")");
		between = "; ";
	}
	if (unlike & GS_UNLIKE_BLOCKS)
		gs_say(p, "%s%lld blocks (usual %lld)", between, (long long)x->blocks,
			(long long)usual->blocks);
}

void gs_answer_unlike(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	size_t shown = 0, found = 0;
	for (size_t i = 0; d->many && i <= d->nothers; i++) {
		const struct gs_other *x = i ? &d->others_list[i - 1] : NULL;
		uint8_t unlike = x ? x->unlike : d->many->unlike;
		gs_prose p;
		gs_prose_clear(&p);
		found += unlike != 0;
		if (!unlike || shown == gs_answer_some(a, SIZE_MAX, FEW_UNLIKE))
			continue;
		if (x)
			say_whose(&p, a, x->failure.snapshot, x->failure.snapshot->ooms[x->failure.oom].device);
		else
			gs_say(&p, "this one");
		say_unlike(&p, a, x ? &x->standing : &d->many->standing, unlike);
		gs_answer_put_row(a, shown++ ? "" : "unlike", &p, NULL);
	}
	if (found > shown) {
		gs_prose p;
		gs_prose_clear(&p);
		gs_say(&p, "%zu more (-v: all)", found - shown);
		gs_answer_put_row(a, "", &p, NULL);
	}
}
