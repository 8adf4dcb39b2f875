/* A diagnosis for people: the sentence, the facts behind it a row each, what to try. */
#include "analyzer/advice/answer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/advice/culprit.h"
#include "analyzer/diagnose/others.h"
#include "analyzer/model/frames.h"
#include "schema/printable.h"
#include "schema/size.h"

enum {
	FEW_PINNING = 2,
	FEW_HOLDERS = 3,
	FEW_GROWTH = 2,
	FEW_ADVICE = 4,
	FEW_OTHERS = 5,
	FEW_UNLIKE = 4,
	FEW_EVICTIONS = 3,
	FEW_VARYING = 5,
	MANY = 8,
	MOST_SHOWN = 64,
	MOST_FRAMES = 10,
	SCREEN = 24
};

typedef struct answer {
	const gs_diagnosis *d;
	FILE *out;
	const gs_voice *voice;
	int lines;          /* written so far */
	gs_answer_row *row; /* takes the rows instead of out; NULL: they are written */
	void *context;
	gs_id shown[MOST_SHOWN]; /* stacks written already */
	size_t nshown;
} answer;

/* One row: what it is about, the text, and a remark set off to the right (NULL: none). */
static void write_row(answer *a, const char *label, const gs_prose *text, const char *remark)
{
	if (a->row)
		a->row(a->context, label, text->text, remark ? remark : "");
	else
		a->lines += gs_prose_row(a->out, a->voice, label, text, remark);
}

static void write_heading(answer *a, const char *text)
{
	fprintf(a->out, a->voice->markdown ? "\n### %s\n\n" : "\n%s\n", text);
	a->lines += 2;
}

/* With -v more of each kind, but not hundreds: the queries have all. */
static size_t some(answer *a, size_t n, size_t few)
{
	few = a->voice->verbose && few > 1 ? MANY : few;
	return n < few ? n : few;
}

/* How many are left out with -v. */
static void write_left(answer *a, size_t n, const char *query)
{
	gs_prose p;
	if (!a->voice->verbose || n <= MANY)
		return;
	gs_prose_clear(&p);
	gs_say(&p, "%zu more (gpusnap query \"%s\")", n - MANY, query);
	write_row(a, "", &p, NULL);
}

static void write_frame(answer *a, const char *frame)
{
	char plain[1024];
	gs_printable(plain, sizeof plain, frame);
	if (a->voice->markdown)
		fprintf(a->out, "  - `%s`\n", plain);
	else
		gs_prose_one_line(a->out, a->voice, GS_ROW_MARGIN + GS_ROW_LABEL + 2, plain);
}

static void write_folded(answer *a, size_t n, const char *what)
{
	char text[64];
	snprintf(text, sizeof text, "%s %zu %s", gs_voice_ellipsis(a->voice), n, what);
	write_frame(a, text);
}

/* A frame that tells where in the program: of the user's code, or of a library beside PyTorch. */
static bool tells(const gs_snapshot *s, gs_id frame)
{
	return gs_frame_is_user(s, frame) || gs_frame_is_library(s, frame);
}

static bool was_shown(answer *a, gs_id stack)
{
	for (size_t i = 0; i < a->nshown; i++)
		if (a->shown[i] == stack)
			return true;
	if (a->nshown < MOST_SHOWN)
		a->shown[a->nshown++] = stack;
	return false;
}

/* With -v the stack below its row, each once, what PyTorch and others do in between folded. */
static void write_stack(answer *a, gs_id stack)
{
	enum { FEW = 2 };
	const gs_snapshot *s = a->d->snapshot;
	if (!a->voice->verbose || !stack || was_shown(a, stack))
		return;
	gs_stack range = s->stacks[stack];
	const gs_id *frames = s->stack_frames + range.first;
	bool any = false;
	for (uint32_t i = 0; i < range.n; i++)
		any |= tells(s, frames[i]);
	size_t written = 0, folded = 0;
	for (uint32_t i = 0; i < range.n; i++) {
		char text[1024];
		if (any && !tells(s, frames[i])) {
			folded++;
			continue;
		}
		if (written++ == MOST_FRAMES) {
			write_folded(a, range.n - i, "more frames");
			return;
		}
		if (folded > FEW)
			write_folded(a, folded, "frames of PyTorch and C++");
		folded = 0;
		gs_frame_text(s, frames[i], text, sizeof text);
		write_frame(a, text);
	}
}

static void write_sentence(answer *a)
{
	const char *word = gs_step_word(a->d->verdict);
	gs_prose p;
	gs_prose_clear(&p);
	gs_say(&p, "%s: ", word ? word : "no failure");
	gs_diagnosis_sentence(a->d, &p);
	fputs(a->voice->markdown ? "**" : a->voice->bold ? "\033[1m" : "", a->out);
	if (a->voice->markdown) {
		fprintf(a->out, "%s**\n\n", p.text);
		return;
	}
	a->lines += gs_prose_write(a->out, a->voice, 0, GS_ROW_MARGIN, p.text, NULL);
	fputs(a->voice->bold ? "\033[0m" : "", a->out);
}

static void say_pool(gs_prose *p, const gs_diagnosis *d)
{
	if (d->stream >= 0)
		gs_say(p, "stream %lld", (long long)d->stream);
	if (d->pool != GS_CLASS_UNKNOWN) {
		gs_say_between(p, ", ");
		gs_say(p, "%s pool", d->pool == GS_SMALL ? "small" : "large");
	}
	if (d->has_pool_id && (d->pool_id.a || d->pool_id.b))
		gs_say(p, " %llu,%llu", (unsigned long long)d->pool_id.a, (unsigned long long)d->pool_id.b);
}

/* TensorFlow's message names the operation instead of a stack: "requested by op Mul". */
static void say_operation(gs_prose *p, const answer *a)
{
	static const char by[] = "requested by op ";
	const gs_diagnosis *d = a->d;
	const char *message = d->oom == SIZE_MAX ? NULL : d->snapshot->ooms[d->oom].message;
	const char *at = message ? strstr(message, by) : NULL;
	char name[128];
	if (!at)
		return;
	at += sizeof by - 1;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " \n"), at);
	gs_say(p, " for operation ");
	gs_say_code(p, a->voice, name);
}

static void write_request(answer *a)
{
	const gs_diagnosis *d = a->d;
	gs_prose p, pool;
	char remark[128] = "";
	if (d->requested < 0 && !d->stack)
		return;
	gs_prose_clear(&p);
	gs_prose_clear(&pool);
	gs_say_size(&p, d->requested);
	gs_say_request_place(&p, a->voice, d, " for ");
	if (!d->stack)
		say_operation(&p, a);
	say_pool(&pool, d);
	if (pool.n)
		snprintf(remark, sizeof remark, "(%.120s)", pool.text);
	write_row(a, "request", &p, remark);
	write_stack(a, d->stack);
}

/* One part of a device's memory; nothing is said of what is nothing. */
static void say_part(gs_prose *p, int64_t bytes, const char *what)
{
	if (bytes <= 0)
		return;
	gs_say_between(p, " + ");
	gs_say_size(p, bytes);
	gs_say(p, " %s", what);
}

/* Blocks whose free waits for other streams are in use until then, whatever the program thinks. */
static void say_in_use(gs_prose *p, int64_t allocated, int64_t pending)
{
	if (pending <= 0) {
		say_part(p, allocated, "in use");
		return;
	}
	say_part(p, allocated + pending, "in use (");
	if (allocated)
		gs_say_size_beside(p, pending, allocated + pending);
	gs_say(p, allocated ? " of it waiting to be freed)" : "all waiting to be freed)");
}

/* Bytes of the device that neither this allocator holds nor are free; GS_NONE unknown. */
static int64_t held_by_others(const gs_diagnosis *d)
{
	if (d->capacity < 0 || d->reserved < 0 || d->device_free < 0 ||
		d->capacity < d->reserved + d->device_free)
		return GS_NONE;
	return d->capacity - d->reserved - d->device_free;
}

/* What a message or a table says of memory in use and cached; a layout is counted. */
static void parts_of(const gs_diagnosis *d, int64_t *in_use, int64_t *pending, int64_t *cached)
{
	const gs_oom *oom = d->oom == SIZE_MAX ? NULL : &d->snapshot->ooms[d->oom];
	*pending = GS_NONE;
	*in_use = oom ? oom->allocated : GS_NONE;
	*cached = *in_use >= 0 && d->reserved >= *in_use ? d->reserved - *in_use : GS_NONE;
	if (!d->has_layout)
		return;
	*in_use = (int64_t)d->totals.allocated;
	*pending = (int64_t)d->totals.pending;
	*cached = (int64_t)d->totals.free;
}

/* "device 0"; pinned host memory by its name. */
static void write_label(char *label, size_t cap, const gs_snapshot *s, const gs_device *d)
{
	if (gs_device_is_host(s, d))
		snprintf(label, cap, "%s", GS_HOST);
	else if (d->device >= 0)
		snprintf(label, cap, "device %d", d->device);
}

static void write_device(answer *a)
{
	const gs_diagnosis *d = a->d;
	int64_t in_use, pending, cached, others = held_by_others(d), whole = d->capacity;
	gs_prose p, parts;
	char label[32] = "device";
	gs_prose_clear(&p);
	gs_prose_clear(&parts);
	parts_of(d, &in_use, &pending, &cached);
	say_in_use(&parts, in_use, pending);
	say_part(&parts, cached, "cached");
	say_part(&parts, others, "held by others");
	say_part(&parts, d->device_free, "free");
	if (!parts.n && whole < 0)
		return;
	if (whole < 0 && d->device_free >= 0 && d->reserved >= 0)
		whole = d->reserved + d->device_free;
	if (whole >= 0)
		gs_say_size(&p, whole);
	/* the parts make the whole only where all of them are known */
	if (parts.n)
		gs_say(&p, "%s%s", !p.n ? "" : others >= 0 || d->capacity < 0 ? " = " : ": ", parts.text);
	if (d->device)
		write_label(label, sizeof label, d->snapshot, d->device);
	write_row(a, label, &p, NULL);
}

/* Of whom memory outside the allocator is, as a recording tells it: what other tools show more than
 * the allocator has. Rows of one holder are summed. */
static void write_outside(answer *a)
{
	const gs_diagnosis *d = a->d;
	const gs_snapshot *s = d->snapshot;
	int64_t rest = held_by_others(d);
	gs_prose p;
	gs_prose_clear(&p);
	if (rest < 0 || s->kind == GS_KIND_TEXT || !d->device)
		return;
	for (size_t i = 0; i < s->noutsiders; i++) {
		const gs_outsider *x = &s->outsiders[i];
		char name[96];
		int64_t bytes = 0;
		bool first = x->device == d->device->device;
		for (size_t k = 0; k < s->noutsiders; k++) {
			const gs_outsider *y = &s->outsiders[k];
			bool same = y->device == x->device && y->holder == x->holder && y->pid == x->pid;
			first &= !same || k >= i;
			bytes += same ? y->bytes : 0;
		}
		if (!first)
			continue;
		gs_printable(name, sizeof name, gs_string_text(s, x->holder));
		gs_say(&p, "%s%s ", p.n ? ", " : "", name);
		if (x->pid != GS_NONE)
			gs_say(&p, "%lld ", (long long)x->pid);
		gs_say_size(&p, bytes);
		rest -= bytes;
	}
	if (!p.n)
		return;
	if (rest > 0) {
		gs_say(
			&p, d->device->others >= 0 ? ", CUDA context " : ", CUDA context and other processes ");
		gs_say_size(&p, rest);
	}
	write_row(a, "outside", &p, NULL);
}

enum { MOST_DEVICES = 3 }; /* that get a row each beside a failure */

/* The last out-of-memory of a device, or NULL. */
static const gs_oom *failure_of(const gs_snapshot *s, const gs_device *device)
{
	for (size_t i = s->nooms; i-- > 0;)
		if (s->ooms[i].device == device->device)
			return &s->ooms[i];
	return NULL;
}

static void say_held(gs_prose *p, const gs_totals *t)
{
	gs_say_size(p, (int64_t)(t->allocated + t->pending));
	gs_say(p, " in use of ");
	gs_say_size(p, (int64_t)t->reserved);
	gs_say(p, " reserved");
}

static void write_other_device(answer *a, const gs_device *other, const gs_totals *t)
{
	const gs_snapshot *s = a->d->snapshot;
	const gs_oom *oom = failure_of(s, other);
	char label[32], remark[48];
	gs_prose p;
	gs_prose_clear(&p);
	say_held(&p, t);
	gs_say(&p, "%s", gs_device_is_host(s, other) ? ", pinned" : "");
	if (oom) {
		gs_say(&p, "; it ran out of memory");
		if (oom->number != GS_NONE)
			gs_say(&p, " at event %lld", (long long)oom->number);
	} else if (a->d->oom != SIZE_MAX && !gs_device_is_host(s, other)) {
		gs_say(&p, ", no failure");
	}
	write_label(label, sizeof label, s, other);
	snprintf(remark, sizeof remark, "(-d %d tells of it)", other->device);
	write_row(a, label, &p, remark);
}

/* Beside the device that is told: that there are others, in a word each; beside a failure those
 * that did not fail, many of them in one row. */
static void write_other_devices(answer *a)
{
	const gs_diagnosis *d = a->d;
	bool failure = d->oom != SIZE_MAX;
	gs_totals sum = {0};
	size_t n = 0;
	for (int round = failure ? 0 : 1; round < 2; round++)
		for (size_t i = 0; i < d->snapshot->ndevices && (!round || !failure || n <= MOST_DEVICES);
			 i++) {
			const gs_device *other = &d->snapshot->devices[i];
			gs_totals t;
			gs_layout_totals(&other->captured, &t);
			if (other == d->device || !t.segments || (failure && failure_of(d->snapshot, other)))
				continue;
			if (round) {
				write_other_device(a, other, &t);
				continue;
			}
			n++;
			sum.allocated += t.allocated + t.pending;
			sum.reserved += t.reserved;
		}
	if (!failure || n <= MOST_DEVICES)
		return;
	gs_prose p;
	gs_prose_clear(&p);
	say_held(&p, &sum);
	gs_say(&p, " on %zu others, no failure", n);
	write_row(a, "devices", &p, NULL);
}

static void say_categories(
	gs_prose *p, const gs_diagnosis *d, const gs_category_sum *sums, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		gs_say(p, "%s%s ", i ? ", " : "",
			gs_category_words(d->recording->meaning.rules, sums[i].category));
		gs_say_size(p, (int64_t)sums[i].bytes);
	}
}

static void write_in_use(answer *a)
{
	gs_prose p;
	gs_prose_clear(&p);
	if (!a->d->ncategories ||
		(a->d->ncategories == 1 && a->d->categories[0].category == GS_CATEGORY_UNKNOWN))
		return;
	say_categories(&p, a->d, a->d->categories, a->d->ncategories);
	write_row(a, "in use", &p, NULL);
}

static void write_peak(answer *a)
{
	const gs_diagnosis *d = a->d;
	gs_prose p;
	char remark[160] = "";
	int64_t in_use = (int64_t)(d->totals.allocated + d->totals.pending);
	if (!d->has_layout || (int64_t)d->peak.allocated <= in_use)
		return;
	gs_prose_clear(&p);
	gs_say_size_beside(&p, (int64_t)d->peak.allocated, in_use);
	gs_say(&p, " in use");
	if (d->peak.idx >= 0)
		gs_say(&p, " at event %lld", (long long)gs_event_number(&d->device->trace, d->peak.idx));
	if (d->peak.step >= 0 && (size_t)d->peak.step < d->recording->meaning.nsteps)
		gs_say(&p, " (step %lld)", (long long)d->recording->meaning.steps[d->peak.step].number);
	gs_say(&p, ", ");
	gs_say_size(&p, (int64_t)d->peak.reserved);
	gs_say(&p, " reserved");
	write_row(a, "peak", &p, remark);
}

static void write_pinning(answer *a, size_t from, size_t few)
{
	const gs_diagnosis *d = a->d;
	for (size_t i = from; i < some(a, d->npinning, few); i++) {
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
		gs_say(&p, " from going back to the driver");
		write_row(a, i > from ? "" : from ? "also" : "pinned by", &p, NULL);
		write_stack(a, x->stack);
	}
	if (few > 1)
		write_left(a, d->npinning, "pinning stacks");
}

/* Holders from the one numbered so, the first of them under a label. */
static void write_holders(answer *a, const char *label, size_t from, size_t few)
{
	const gs_diagnosis *d = a->d;
	if (d->snapshot->nstacks <= 1) /* nobody can be named */
		return;
	for (size_t i = from; i < some(a, d->nholders, few); i++) {
		const gs_holder_row *h = &d->holders[i];
		gs_prose p;
		gs_prose_clear(&p);
		gs_say_where(&p, a->voice, h->where, h->called_by);
		gs_say(&p, ": ");
		gs_say_size(&p, (int64_t)h->bytes);
		gs_say(&p, " in ");
		gs_say_count(&p, h->blocks, "block");
		if (h->category != GS_CATEGORY_UNKNOWN)
			gs_say(&p, ", %s", gs_category_words(d->recording->meaning.rules, h->category));
		write_row(a, i > from ? "" : label, &p, NULL);
		write_stack(a, h->stack);
	}
	if (few > 1)
		write_left(a, d->nholders, "holders");
}

static void write_growth(answer *a)
{
	const gs_diagnosis *d = a->d;
	for (size_t i = 0; i < some(a, d->ngrowth, FEW_GROWTH); i++) {
		const gs_growth *g = &d->growth[i];
		gs_prose p;
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
		write_row(a, i ? "" : "grows", &p, g->estimated ? "(estimated)" : NULL);
		write_stack(a, g->stack);
	}
}

/* Without a failure: the largest request of each pool that the cache serves. */
static void write_fits(answer *a)
{
	const gs_diagnosis *d = a->d;
	gs_prose p;
	gs_prose_clear(&p);
	if (d->verdict != GS_VERDICT_NONE || !d->has_layout)
		return;
	if (d->device && gs_device_is_host(d->snapshot, d->device))
		return; /* the system's memory: what it would still give, nothing here tells */
	for (size_t i = 0; i < some(a, d->npool_fits, 1) && d->pool_fits[i].largest; i++) {
		const gs_pool_fit *r = &d->pool_fits[i];
		gs_say_between(&p, "; ");
		gs_say_size(&p, (int64_t)r->largest);
		gs_say(&p, " at most without asking the driver (%s pool, stream %llu)",
			r->pool == GS_SMALL ? "small" : "large", (unsigned long long)r->stream);
	}
	if (!p.n)
		gs_say(&p, "nothing without asking the driver: no free block is left");
	if (d->free_whole > 0) {
		gs_say(&p, "; empty_cache() gives ");
		gs_say_size(&p, d->free_whole);
		gs_say(&p, " back");
	}
	write_row(a, "fits now", &p, NULL);
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

static void write_ruled_out(answer *a)
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
		before = r;
	}
	if (p.n)
		write_row(a, "not", &p, a->voice->verbose ? NULL : "(-v: figures)");
}

static void write_doubts(answer *a)
{
	char doubts[1024];
	gs_prose p;
	gs_prose_clear(&p);
	if (!*gs_diagnosis_doubts(a->d, doubts, sizeof doubts))
		return;
	gs_say_foreign(&p, a->voice, doubts);
	write_row(a, "unsure", &p, NULL);
}

/* "rank 1, device 0"; the file where no rank is known. */
static void say_whose(gs_prose *p, const answer *a, const gs_snapshot *s, int32_t device)
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

static void say_other_name(gs_prose *p, const answer *a, const struct gs_other *x)
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
static void say_other(gs_prose *p, const answer *a, const struct gs_other *x)
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
static void say_sum_of_others(gs_prose *p, const answer *a)
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

static void write_others(answer *a)
{
	const gs_diagnosis *d = a->d;
	gs_prose p;
	if (d->nothers > FEW_OTHERS && !a->voice->verbose) {
		gs_prose_clear(&p);
		say_sum_of_others(&p, a);
		write_row(a, "also", &p, "(-v: all)");
		return;
	}
	for (size_t i = 0; i < d->nothers; i++) {
		gs_prose_clear(&p);
		say_other(&p, a, &d->others_list[i]);
		write_row(a, i ? "" : "also", &p, NULL);
	}
}

/* "rank 700, device 0: shortage; model.py:12 weights holds most, 12.0 GiB reserved (usual 8.00
 * GiB)"
 */
static void say_unlike(gs_prose *p, const answer *a, const gs_standing *x, uint8_t unlike)
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

/* Those that stand apart from the others: of a thousand ranks the few to look at. */
static void write_unlike(answer *a)
{
	const gs_diagnosis *d = a->d;
	size_t shown = 0, found = 0;
	for (size_t i = 0; d->many && i <= d->nothers; i++) {
		const struct gs_other *x = i ? &d->others_list[i - 1] : NULL;
		uint8_t unlike = x ? x->unlike : d->many->unlike;
		gs_prose p;
		gs_prose_clear(&p);
		found += unlike != 0;
		if (!unlike || shown == some(a, SIZE_MAX, FEW_UNLIKE))
			continue;
		if (x)
			say_whose(&p, a, x->failure.snapshot, x->failure.snapshot->ooms[x->failure.oom].device);
		else
			gs_say(&p, "this one");
		say_unlike(&p, a, x ? &x->standing : &d->many->standing, unlike);
		write_row(a, shown++ ? "" : "unlike", &p, NULL);
	}
	if (found > shown) {
		gs_prose p;
		gs_prose_clear(&p);
		gs_say(&p, "%zu more (-v: all)", found - shown);
		write_row(a, "", &p, NULL);
	}
}

/* PyTorch's message proposes settings against fragmentation whatever happened: what they could gain
 * at most is what is cached. */
static void write_hint(answer *a)
{
	const gs_diagnosis *d = a->d;
	const char *kind = gs_step_kind(d->verdict);
	int64_t in_use, pending, cached;
	gs_prose p;
	gs_prose_clear(&p);
	parts_of(d, &in_use, &pending, &cached);
	if (d->has_layout || !gs_diagnosis_of_pytorch(d) || !kind || !strcmp(kind, "fragmentation") ||
		cached < 0)
		return;
	gs_say(&p, "settings against fragmentation, which the message may propose, could gain ");
	gs_say_size(&p, cached);
	gs_say(&p, " at most");
	write_row(a, "hint", &p, NULL);
}

static void write_ladder(answer *a)
{
	static const char *const answers[] = {"not known", "no", "yes"};
	const gs_diagnosis *d = a->d;
	if (!a->voice->verbose || !d->nladder)
		return;
	write_heading(a, "It would have fit");
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

static void write_room(answer *a, const gs_eviction *e, size_t alike)
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
	write_row(a, "", &p, NULL);
}

static void write_eviction(answer *a)
{
	const gs_diagnosis *d = a->d;
	if (!a->voice->verbose || !d->nevictions)
		return;
	write_heading(a, "Cheapest room for the request");
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

static void write_varying(answer *a)
{
	const gs_diagnosis *d = a->d;
	gs_varying *rows = NULL;
	size_t n = 0;
	if (!a->voice->verbose || !d->device || gs_blame_varying(d->snapshot, d->device, &rows, &n))
		n = 0;
	if (n)
		write_heading(a, "Who asks for many sizes");
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
		write_row(a, "", &p, NULL);
	}
	free(rows);
}

/* Lines of advice are written into a text first, so that one which does not fit can be left out. */
static int write_advice_line(
	FILE *out, const gs_voice *voice, size_t number, const gs_advice *advice)
{
	const char *known = gs_known_word(advice->known);
	gs_prose p;
	char remark[32];
	int lines;
	gs_prose_clear(&p);
	gs_say_foreign(&p, voice, advice->act);
	fprintf(out, voice->markdown ? "%zu. " : "  %zu  ", number);
	if (advice->known == GS_KNOWN_REPLAYED) {
		lines = gs_prose_write(out, voice, 5, 5, p.text, NULL);
		gs_prose_clear(&p);
		gs_say(&p, "%s: ", known);
		gs_say_foreign(&p, voice, advice->because);
		fputs(voice->markdown ? "   " : "     ", out);
		return lines + gs_prose_write(out, voice, 5, 5, p.text, NULL);
	}
	if (*advice->because) {
		gs_say(&p, ": ");
		gs_say_foreign(&p, voice, advice->because);
	}
	snprintf(remark, sizeof remark, "(%s)", known);
	return gs_prose_write(out, voice, 5, 5, p.text, remark);
}

/* Whether the row "next" has told all the advice there is. */
static bool advice_is_told(const gs_diagnosis *d)
{
	return !d->nadvice || (d->nadvice == 1 && !*d->advice[0].because);
}

/* At least one line of advice; more only as far as the screen goes. */
static void write_advice(answer *a)
{
	if (advice_is_told(a->d))
		return;
	write_heading(a, "Try");
	for (size_t i = 0; i < some(a, a->d->nadvice, FEW_ADVICE); i++) {
		char *text = NULL;
		size_t n = 0;
		FILE *memory = open_memstream(&text, &n);
		if (!memory)
			return;
		int lines = write_advice_line(memory, a->voice, i + 1, &a->d->advice[i]);
		fclose(memory);
		bool fits = !i || a->voice->verbose || a->voice->markdown || a->lines + lines <= SCREEN;
		if (fits)
			fwrite(text, 1, n, a->out);
		a->lines += lines;
		free(text);
		if (!fits)
			return;
	}
}

static bool is_fragmentation(const gs_diagnosis *d)
{
	const char *kind = gs_step_kind(d->verdict);
	return kind && !strcmp(kind, "fragmentation") && d->verdict != GS_STEP_ROUNDING;
}

/* What people are told first of: whose memory the failure turns on. */
typedef enum lead {
	LEAD_NONE,
	LEAD_HOLDERS,
	LEAD_OTHERS,
	LEAD_REQUEST,
	LEAD_GROWTH,
	LEAD_PINNING,
	LEAD_SEGMENT,
	LEAD_ROUNDING
} lead;

static lead lead_of(const gs_diagnosis *d)
{
	const gs_segment *g = d->verdict == GS_STEP_PRIVATE_POOL ? gs_foreign_hole(d, true)
		: d->verdict == GS_STEP_OTHER_STREAM                 ? gs_foreign_hole(d, false)
															 : NULL;
	if (d->verdict == GS_STEP_MISSED_FIT || d->verdict == GS_STEP_LIMIT)
		return LEAD_NONE; /* not for want of memory: whoever holds some is a bystander */
	if (d->verdict == GS_STEP_ROUNDING)
		return LEAD_ROUNDING;
	if (gs_request_exceeds_device(d))
		return LEAD_REQUEST;
	if (gs_look_outside_first(d) && !d->ngrowth)
		return LEAD_OTHERS;
	if (gs_growth_decides(d))
		return LEAD_GROWTH;
	if (is_fragmentation(d) && gs_pinning_matters(d))
		return LEAD_PINNING;
	if (g && g->stack)
		return LEAD_SEGMENT;
	if (d->ngrowth && d->growth[0].bytes >= d->totals.allocated / 20)
		return LEAD_GROWTH;
	return LEAD_HOLDERS;
}

/* The segment that holds the free memory which the request may not use: who asked for it. */
static void write_segment(answer *a)
{
	const gs_segment *g = gs_foreign_hole(a->d, a->d->verdict == GS_STEP_PRIVATE_POOL);
	gs_prose p;
	gs_prose_clear(&p);
	gs_say_place(&p, a->voice, a->d, g->stack);
	gs_say(&p, ": a segment of ");
	gs_say_size(&p, (int64_t)g->size);
	if (a->d->verdict == GS_STEP_PRIVATE_POOL)
		gs_say(&p, " for pool %llu,%llu", (unsigned long long)g->pool_id.a,
			(unsigned long long)g->pool_id.b);
	else
		gs_say(&p, " for stream %llu", (unsigned long long)g->stream);
	write_row(a, "cached by", &p, NULL);
	write_stack(a, g->stack);
}

static void write_rounding(answer *a)
{
	gs_id stack;
	uint64_t lost;
	gs_prose p;
	gs_prose_clear(&p);
	if (gs_worst_rounded(a->d, &stack, &lost) || !lost)
		return;
	gs_say_place(&p, a->voice, a->d, stack);
	gs_say(&p, ": ");
	gs_say_size(&p, (int64_t)lost);
	gs_say(&p, " more in its blocks than it asked for");
	write_row(a, "lost by", &p, NULL);
	write_stack(a, stack);
}

/* Where others are the likelier cause, this process is only what is known. */
static void write_suspicion(answer *a)
{
	gs_prose p;
	gs_prose_clear(&p);
	gs_say(&p, "perhaps another process; this one holds ");
	gs_say_size(&p, (int64_t)(a->d->totals.allocated + a->d->totals.pending));
	gs_say(&p, " in all");
	write_row(a, "held by", &p, NULL);
}

/* Where the request alone is too large, whoever made it; whoever holds memory is a bystander. */
static void write_asker(answer *a)
{
	gs_prose p;
	gs_prose_clear(&p);
	gs_say_request_place(&p, a->voice, a->d, "");
	if (p.n)
		write_row(a, "asked by", &p, NULL);
}

static void write_lead(answer *a, lead what)
{
	switch (what) {
	case LEAD_GROWTH: write_growth(a); break;
	case LEAD_PINNING: write_pinning(a, 0, 1); break;
	case LEAD_SEGMENT: write_segment(a); break;
	case LEAD_ROUNDING: write_rounding(a); break;
	case LEAD_OTHERS: write_suspicion(a); break;
	case LEAD_REQUEST: write_asker(a); break;
	case LEAD_NONE: break;
	default: write_holders(a, "held by", 0, 1); break;
	}
}

/* The first advice in a line; its evidence stands in the list below. */
static void write_next(answer *a)
{
	char known[32];
	gs_prose p;
	gs_prose_clear(&p);
	if (!a->d->nadvice)
		return;
	gs_say_foreign(&p, a->voice, a->d->advice[0].act);
	snprintf(known, sizeof known, "(%s)", gs_known_word(a->d->advice[0].known));
	write_row(a, "next", &p, known);
}

static void write_rest(answer *a, lead told)
{
	const gs_diagnosis *d = a->d;
	if (told == LEAD_PINNING)
		write_pinning(a, 1, FEW_PINNING);
	else
		write_holders(a,
			told == LEAD_HOLDERS      ? "also"
				: told == LEAD_OTHERS ? "held here"
									  : "held by",
			told == LEAD_HOLDERS, FEW_HOLDERS);
	if (told == LEAD_PINNING && a->voice->verbose)
		write_holders(a, "held by", 0, FEW_HOLDERS);
	if (told != LEAD_GROWTH && d->ngrowth && d->growth[0].bytes >= d->totals.allocated / 50)
		write_growth(a);
}

/* The rows behind the sentence but the first advice. */
static void write_facts(answer *a, lead first)
{
	if (a->d->verdict != GS_VERDICT_NONE)
		write_request(a);
	write_device(a);
	write_outside(a);
	write_other_devices(a);
	write_in_use(a);
	write_peak(a);
	write_rest(a, first);
	write_fits(a);
	write_ruled_out(a);
	write_doubts(a);
	write_others(a);
	write_unlike(a);
	write_hint(a);
}

void gs_diagnosis_rows(
	const gs_diagnosis *d, const gs_voice *voice, gs_answer_row *row, void *context)
{
	answer a = {.d = d, .voice = voice, .row = row, .context = context};
	lead first = lead_of(d);
	write_lead(&a, first);
	write_facts(&a, first);
}

void gs_diagnosis_print(const gs_diagnosis *d, FILE *out, const gs_voice *voice)
{
	answer a = {.d = d, .out = out, .voice = voice};
	lead first = lead_of(d);
	write_sentence(&a);
	write_lead(&a, first);
	write_next(&a);
	if (!voice->markdown)
		fputc('\n', out);
	a.lines++;
	write_facts(&a, first);
	write_ladder(&a);
	write_eviction(&a);
	write_varying(&a);
	write_advice(&a);
}
