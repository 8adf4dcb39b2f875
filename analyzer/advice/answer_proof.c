/* What the verdict rests on: what fits, what it was not, the steps of the ladder. */
#include "analyzer/advice/answer_internal.h"

#include <string.h>

#include "schema/size.h"

enum { FEW_EVICTIONS = 3 };

void gs_answer_fits(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	gs_prose p;
	gs_prose_clear(&p);
	if (d->verdict != GS_VERDICT_NONE || !d->has_layout)
		return;
	if (d->device && gs_device_is_host(d->snapshot, d->device))
		return; /* the system's memory: what it would still give, nothing here tells */
	for (size_t i = 0; i < gs_answer_some(a, d->npool_fits, 1) && d->pool_fits[i].largest; i++) {
		const gs_pool_fit *r = &d->pool_fits[i];
		gs_say(&p, i ? ", " : "a request of up to ");
		gs_say_size(&p, (int64_t)r->largest);
		if (a->voice->verbose || r->pool == GS_SMALL || r->stream)
			gs_say(&p, " (%s pool, stream %llu)", r->pool == GS_SMALL ? "small" : "large",
				(unsigned long long)r->stream);
	}
	gs_say(&p, p.n ? ", from the cache alone" : "nothing from the cache: no free block is left");
	if (d->free_whole > 0) {
		gs_say(&p, "; empty_cache() would give ");
		gs_say_size(&p, d->free_whole);
		gs_say(&p, " back to the device");
	}
	gs_answer_put_row(a, "fits now", &p, NULL);
}

/* How much outside the allocator is not taken for others': or what is ruled out would seem to
 * contradict what the device's row counts. */
static void say_allowance(gs_prose *p, const gs_diagnosis *d)
{
	gs_say_size(p, d->context);
	gs_say(p, " of what is outside the allocator counts as this process's CUDA context");
}

static bool needs_allowance(const gs_diagnosis *d, const gs_rung *r)
{
	return r->step == GS_STEP_OUTSIDE && !r->fits && d->context > 0 && gs_answer_outside_of(d) > 0;
}

/* What a reader would think of first; nothing that the verdict is a kind of. */
static bool worth_ruling_out(const gs_diagnosis *d, gs_step step)
{
	if (step == GS_STEP_SEGMENT_SIZE || step == GS_STEP_STRANDED)
		return false;
	return d->verdict != GS_STEP_STRANDED ||
		(step != GS_STEP_OTHER_STREAM && step != GS_STEP_PRIVATE_POOL &&
			step != GS_STEP_FRAGMENTED);
}

void gs_answer_ruled_out(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	const gs_rung *before = NULL;
	gs_prose p;
	gs_prose_clear(&p);
	for (int i = 0; i < d->nladder && d->ladder[i].step != d->verdict; i++) {
		const gs_rung *r = &d->ladder[i];
		if (r->fits || !worth_ruling_out(d, r->step))
			continue;
		if (before && before->step == GS_STEP_OTHER_STREAM && r->step == GS_STEP_PRIVATE_POOL)
			gs_say(&p, " or pool");
		else
			gs_say(&p, "%s%s", p.n ? ", " : "", gs_step_noun(r->step));
		if (needs_allowance(d, r)) {
			gs_say(&p, " (up to ");
			say_allowance(&p, d);
			gs_say(&p, ")");
		}
		before = r;
	}
	if (p.n)
		gs_answer_put_row(a, "ruled out", &p, a->voice->verbose ? NULL : "(-v: figures)");
}

void gs_answer_doubts(gs_answer *a)
{
	char doubts[1024];
	gs_prose p;
	gs_prose_clear(&p);
	if (!*gs_diagnosis_doubts(a->d, doubts, sizeof doubts))
		return;
	gs_say_foreign(&p, a->voice, doubts);
	gs_answer_put_row(a, "unsure", &p, NULL);
}

void gs_answer_hint(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	const char *kind = gs_step_kind(d->verdict);
	int64_t in_use, pending, cached;
	gs_prose p;
	gs_prose_clear(&p);
	gs_answer_parts_of(d, &in_use, &pending, &cached);
	if (d->has_layout || !gs_diagnosis_of_pytorch(d) || !kind || !strcmp(kind, "fragmentation") ||
		cached < 0)
		return;
	gs_say(&p, "settings against fragmentation, which the message may propose, could gain ");
	gs_say_size(&p, cached);
	gs_say(&p, " at most");
	gs_answer_put_row(a, "hint", &p, NULL);
}

void gs_answer_ladder(gs_answer *a)
{
	static const char *const answers[] = {"not known", "no", "yes"};
	const gs_diagnosis *d = a->d;
	if (!a->voice->verbose || !d->nladder)
		return;
	gs_answer_heading(a, "It would have fit");
	if (a->voice->markdown)
		fputs("| step | question | fits | available | needed |\n|---|---|---|---|---|\n", a->out);
	for (int i = 0; i < d->nladder; i++) {
		const gs_rung *r = &d->ladder[i];
		gs_prose have, need, p;
		gs_prose_clear(&have), gs_prose_clear(&need), gs_prose_clear(&p);
		gs_say_size_beside(&have, r->available, r->needed);
		gs_say_size_beside(&need, r->needed, r->available);
		if (a->voice->markdown) {
			fprintf(a->out, "| %s | %s | %s | %s | %s |\n", gs_step_word(r->step),
				gs_step_question(r->step), answers[r->fits + 1], have.text, need.text);
			continue;
		}
		gs_say(&p, "%s: %s", gs_step_question(r->step), answers[r->fits + 1]);
		if (r->available >= 0 && r->needed >= 0)
			gs_say(&p, " (%s there, %s needed)", have.text, need.text);
		if (needs_allowance(d, r)) {
			gs_say(&p, "; up to ");
			say_allowance(&p, d);
		}
		fprintf(a->out, "  %-13s", gs_step_word(r->step));
		gs_prose_write(a->out, a->voice, 15, 15, p.text, NULL);
	}
}

/* The same for a reader: as much to free, as large a hole. */
static bool is_like(const gs_eviction *x, const gs_eviction *y)
{
	char a[32], b[32];
	return x->live_blocks == y->live_blocks && x->sufficient == y->sufficient &&
		!strcmp(gs_size_format(a, sizeof a, x->live_bytes),
			gs_size_format(b, sizeof b, y->live_bytes)) &&
		!strcmp(gs_size_format(a, sizeof a, x->size), gs_size_format(b, sizeof b, y->size));
}

static void write_room(gs_answer *a, const gs_eviction *e, size_t alike)
{
	gs_prose p;
	gs_prose_clear(&p);
	gs_say(&p, "freeing ");
	gs_say_count(&p, e->live_blocks, "live block");
	gs_say(&p, " (");
	gs_say_size(&p, (int64_t)e->live_bytes);
	gs_say(&p, ") makes ");
	if (e->segment == SIZE_MAX)
		gs_say(&p, "whole segments of ");
	else
		gs_say(&p, "a hole at 0x%llx of ", (unsigned long long)e->address);
	gs_say_size(&p, (int64_t)e->size);
	gs_say(&p, e->sufficient ? ": enough" : ": still not enough");
	if (alike)
		gs_say(&p, "; so it is in %zu other segment%s", alike, alike == 1 ? "" : "s");
	gs_answer_put_row(a, "", &p, NULL);
}

void gs_answer_eviction(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	if (!a->voice->verbose || !d->nevictions)
		return;
	gs_answer_heading(a, "Cheapest room for the request");
	for (size_t i = 0, next, written = 0; i < d->nevictions && written < FEW_EVICTIONS; i = next) {
		const gs_eviction *e = &d->evictions[i];
		for (next = i + 1; next < d->nevictions && is_like(e, &d->evictions[next]);)
			next++;
		if (!e->live_blocks) /* a hole that is there already */
			continue;
		write_room(a, e, next - i - 1);
		written++;
	}
}
