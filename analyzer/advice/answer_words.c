/* The verdict in words. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/answer.h"
#include "analyzer/model/frames.h"
#include "schema/plain.h"
#include "schema/size.h"

/* Appends to a text of cap bytes, cut to fit. */
static void add(char *buf, size_t cap, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void add(char *buf, size_t cap, const char *format, ...)
{
	size_t n = strlen(buf);
	va_list args;
	va_start(args, format);
	vsnprintf(buf + n, cap - n, format, args);
	va_end(args);
}

typedef struct words {
	char text[32];
} words;

static words bytes(int64_t n)
{
	words w;
	if (n < 0)
		snprintf(w.text, sizeof w.text, "unknown");
	else
		gs_size_format(w.text, sizeof w.text, (uint64_t)n);
	return w;
}

static const gs_rung *rung(const gs_diagnosis *d, gs_step step)
{
	for (int i = 0; i < d->nladder; i++)
		if (d->ladder[i].step == step)
			return &d->ladder[i];
	return NULL;
}

/* What a text says of its limit. */
static void add_told_limit(const gs_diagnosis *d, char *buf, size_t cap)
{
	const gs_oom_told *told = &d->snapshot->ooms[d->oom].told;
	int64_t held = told->counted >= 0 ? told->counted : d->reserved;
	add(buf, cap, "the allocator's own limit%s%s refused it", d->allowed >= 0 ? " of " : "",
		d->allowed >= 0 ? bytes(d->allowed).text : "");
	if (held >= 0 && d->allowed >= 0)
		add(buf, cap, ": %s count against it", bytes(held).text);
}

static void add_limit_reason(const gs_diagnosis *d, char *buf, size_t cap)
{
	if (!d->has_layout && d->device_free < 0) {
		add_told_limit(d, buf, cap);
		return;
	}
	add(buf, cap, "the device has %s free, enough; ", bytes(d->device_free).text);
	if (d->refused_by && !strcmp(d->refused_by, "fraction"))
		add(buf, cap, "the process's own limit of %s refused it", bytes(d->allowed).text);
	else if (d->refused_by)
		add(buf, cap, "the driver refused it all the same");
	else
		add(buf, cap, "something else refused it, such as a memory fraction");
}

static void add_segment_reason(const gs_diagnosis *d, char *buf, size_t cap, const gs_rung *r)
{
	if (d->settings.expandable && d->has_layout)
		add(buf, cap, "only %s were missing and %s left, but memory comes in whole pages: %s",
			bytes(r->needed).text, bytes(r->available).text, bytes(d->ask).text);
	else
		add(buf, cap,
			"%s are left, enough for the request, but the driver was asked for a segment of %s",
			bytes(r->available).text, bytes(d->needed).text);
}

/* Who holds memory of the device, as far as a text names them. */
static void add_outside(const gs_diagnosis *d, char *buf, size_t cap)
{
	bool first = true;
	add(buf, cap, "others hold memory of the device that would have been enough");
	for (size_t i = 0; i < d->snapshot->noutsiders; i++) {
		const gs_outsider *x = &d->snapshot->outsiders[i];
		if (x->pid == GS_NONE || !d->device || x->device != d->device->device)
			continue;
		add(buf, cap, "%s%s %lld %s", first ? ": " : ", ", gs_string_text(d->snapshot, x->holder),
			(long long)x->pid, bytes(x->bytes).text);
		first = false;
	}
}

static void add_lack(const gs_diagnosis *d, char *buf, size_t cap)
{
	if (d->missing >= 0)
		add(buf, cap, "memory is really short, by %s", bytes(d->missing).text);
	else
		add(buf, cap, "memory is really short");
}

char *gs_diagnosis_reason(const gs_diagnosis *d, char *buf, size_t cap)
{
	const gs_rung *r = d->verdict < GS_STEPS ? rung(d, d->verdict) : NULL;
	words have = bytes(r ? r->available : GS_NONE);
	*buf = 0;
	switch (d->verdict) {
	case GS_STEP_MISSED_FIT:
		add(buf, cap, "a free block of %s would hold it, but the allocator did not search again",
			have.text);
		break;
	case GS_STEP_LIMIT: add_limit_reason(d, buf, cap); break;
	case GS_STEP_SEGMENT_SIZE: add_segment_reason(d, buf, cap, r); break;
	case GS_STEP_PENDING_FREE:
		add(buf, cap, "%s are freed but still wait for another stream to be done with them",
			bytes((int64_t)d->totals.pending).text);
		break;
	case GS_STEP_OTHER_STREAM:
		add(buf, cap, "a free block of %s would hold it, but is kept for another stream",
			have.text);
		break;
	case GS_STEP_PRIVATE_POOL:
		add(buf, cap,
			"a free block of %s would hold it, but is kept for another pool: a CUDA graph's or MemPool's",
			have.text);
		break;
	case GS_STEP_FRAGMENTED: add(buf, cap, "enough is free, in pieces that are too small"); break;
	case GS_STEP_STRANDED:
		add(buf, cap,
			d->has_layout
				? "enough is free, but spread over pools and streams that do not share"
				: "enough is free in all, were it in one piece; how it lies is not recorded");
		break;
	case GS_STEP_ROUNDING:
		add(buf, cap, "enough would be free if blocks were no larger than what was requested");
		break;
	case GS_STEP_OUTSIDE: add_outside(d, buf, cap); break;
	case GS_VERDICT_SHORTAGE: add_lack(d, buf, cap); break;
	default: add(buf, cap, "what is recorded does not decide it"); break;
	}
	return buf;
}

/* Facts that would decide a step, and how to supply them. */
enum { FACT_LAYOUT, FACT_FREE, FACT_PRINTED, FACT_REQUESTED, FACT_CAPACITY, FACT_SIZE, FACTS };
static const char *const facts[FACTS] = {
	"a snapshot of segments and blocks would tell",
	"the device's free memory would tell: --message with the error's text",
	"the device's free memory would tell; this text does not print it",
	"the sizes asked for are not all recorded",
	"the device's capacity would tell: --capacity",
	"the size asked for would tell",
};

static int fact_that_tells(const gs_diagnosis *d, gs_step step)
{
	if (d->requested < 0)
		return FACT_SIZE;
	if (step == GS_STEP_OUTSIDE && d->capacity < 0)
		return FACT_CAPACITY;
	if (d->device_free < 0 && step != GS_STEP_MISSED_FIT && step != GS_STEP_OTHER_STREAM &&
		step != GS_STEP_PRIVATE_POOL)
		return d->snapshot->kind == GS_KIND_TEXT ? FACT_PRINTED : FACT_FREE;
	return step == GS_STEP_ROUNDING || step == GS_STEP_OUTSIDE ? FACT_REQUESTED : FACT_LAYOUT;
}

static void add_undecided(const gs_diagnosis *d, char *buf, size_t cap)
{
	for (int fact = 0; fact < FACTS; fact++) {
		bool first = true;
		for (int i = 0; i < GS_STEPS; i++) {
			if (!d->null[i] || fact_that_tells(d, (gs_step)i) != fact)
				continue;
			add(buf, cap, "%s%s", first ? (*buf ? "; " : "not decided: ") : ", ",
				gs_step_word((gs_step)i));
			first = false;
		}
		if (!first)
			add(buf, cap, " (%s)", facts[fact]);
	}
}

char *gs_diagnosis_doubts(const gs_diagnosis *d, char *buf, size_t cap)
{
	*buf = 0;
	add_undecided(d, buf, cap);
	if (d->has_layout && !d->layout.exact)
		add(buf, cap, "%sthe state is bounded, not known: %s", *buf ? "; " : "", d->layout.note);
	bool others = false;
	for (size_t i = 0; i < d->layout.nsegments; i++)
		others |= d->layout.segments[i].pool_id.a || d->layout.segments[i].pool_id.b;
	if (d->oom != SIZE_MAX && d->has_layout && !d->pool_id_told && others)
		add(buf, cap,
			"%sthe request is taken to be of the default pool (before PyTorch 2.12 nothing records it)",
			*buf ? "; " : "");
	return buf;
}

static void add_pool(const gs_diagnosis *d, char *buf, size_t cap)
{
	if (d->stream >= 0)
		add(buf, cap, " on stream %lld", (long long)d->stream);
	if (d->pool == GS_CLASS_UNKNOWN)
		return;
	add(buf, cap, d->stream >= 0 ? ", %s pool" : " of the %s pool",
		d->pool == GS_SMALL ? "small" : "large");
	if (d->has_pool_id && (d->pool_id.a || d->pool_id.b))
		add(buf, cap, " %llu,%llu", (unsigned long long)d->pool_id.a,
			(unsigned long long)d->pool_id.b);
}

static void add_free(const gs_diagnosis *d, char *buf, size_t cap)
{
	if (d->free >= 0) {
		add(buf, cap, ": %s free in %lld hole%s, largest %s", bytes(d->free).text,
			(long long)d->free_blocks, d->free_blocks == 1 ? "" : "s", bytes(d->largest_free).text);
	} else {
		add(buf, cap, ": free blocks unknown");
	}
	add(buf, cap, "; device free %s", bytes(d->device_free).text);
}

static bool device_failed(const gs_diagnosis *d)
{
	for (size_t i = 0; i < d->snapshot->nooms; i++)
		if (d->device && d->snapshot->ooms[i].device == d->device->device)
			return true;
	return false;
}

static char *healthy_line(const gs_diagnosis *d, char *buf, size_t cap)
{
	add(buf, cap, device_failed(d) ? "No OOM recorded: in this state " : "No OOM recorded: ");
	if (!d->has_layout) {
		add(buf, cap, "the input tells nothing of segments and blocks");
		return buf;
	}
	add(buf, cap, "device %d holds %s in %zu segment%s, %s in use, %s free in %zu hole%s",
		d->device->device, bytes((int64_t)d->totals.reserved).text, d->totals.segments,
		d->totals.segments == 1 ? "" : "s",
		bytes((int64_t)(d->totals.allocated + d->totals.pending)).text,
		bytes((int64_t)d->totals.free).text, d->totals.free_blocks,
		d->totals.free_blocks == 1 ? "" : "s");
	if (d->nrooms && d->rooms[0].largest)
		add(buf, cap,
			"; the largest request that fits now without asking the driver is %s on stream %llu",
			bytes((int64_t)d->rooms[0].largest).text, (unsigned long long)d->rooms[0].stream);
	return buf;
}

char *gs_diagnosis_line(const gs_diagnosis *d, char *buf, size_t cap)
{
	char reason[256];
	*buf = 0;
	if (d->verdict == GS_VERDICT_NONE)
		return healthy_line(d, buf, cap);
	add(buf, cap, "OOM: request %s", bytes(d->requested).text);
	add_pool(d, buf, cap);
	add_free(d, buf, cap);
	add(buf, cap, ". Verdict: %s (%s)", gs_step_word(d->verdict),
		gs_diagnosis_reason(d, reason, sizeof reason));
	return buf;
}

/* The next user frame behind the stack's own, 0 where there is none: who called the helper. */
static gs_id caller_of(const gs_snapshot *s, gs_id stack, gs_id frame)
{
	const gs_stack *k = &s->stacks[stack];
	bool behind = false;
	for (uint32_t i = 0; i < k->n; i++) {
		gs_id f = s->stack_frames[k->first + i];
		if (behind && gs_frame_is_user(s, f) && s->frames[f].name != s->frames[frame].name)
			return f;
		behind |= f == frame;
	}
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

char *gs_diagnosis_frame(const gs_snapshot *s, gs_id stack, char *buf, size_t cap)
{
	char text[600] = "(no stack recorded)";
	gs_id frame = stack && stack < s->nstacks ? gs_stack_user_frame(s, stack) : 0;
	gs_id caller = frame ? caller_of(s, stack, frame) : 0;
	if (frame) {
		gs_frame_text(s, frame, text, 400);
		if (caller)
			add(text, sizeof text, ", called by %.80s (%.60s:%lld)",
				gs_string_text(s, s->frames[caller].name),
				base_name(gs_string_text(s, s->frames[caller].file)),
				(long long)s->frames[caller].line);
	}
	return gs_plain(buf, cap, text);
}

char *gs_diagnosis_stack(const gs_snapshot *s, gs_id stack)
{
	size_t n = stack && stack < s->nstacks ? gs_stack_text(s, stack, false, NULL, 0) : 0;
	char *text = malloc(n + 1);
	if (text && n)
		gs_stack_text(s, stack, false, text, n + 1);
	if (text)
		text[n] = 0;
	return text;
}
