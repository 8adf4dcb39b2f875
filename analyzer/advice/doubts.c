/* What kept a verdict from being exact, and what would tell. */
#include <stdarg.h>
#include <string.h>

#include "analyzer/advice/answer.h"
#include "analyzer/advice/culprit.h"

/* Appends to a text of cap bytes, cut to fit. */
static void append_text(char *buf, size_t cap, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void append_text(char *buf, size_t cap, const char *format, ...)
{
	size_t n = strlen(buf);
	va_list args;
	va_start(args, format);
	vsnprintf(buf + n, cap - n, format, args);
	va_end(args);
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
		return d->snapshot->kind == GS_KIND_TEXT || d->snapshot->kind == GS_KIND_BFC ? FACT_PRINTED
																					 : FACT_FREE;
	return step == GS_STEP_ROUNDING || step == GS_STEP_OUTSIDE ? FACT_REQUESTED : FACT_LAYOUT;
}

const char *gs_step_noun(gs_step step)
{
	switch (step) {
	case GS_STEP_MISSED_FIT: return "an allocator defect";
	case GS_STEP_LIMIT: return "a limit";
	case GS_STEP_SEGMENT_SIZE: return "the size of segments";
	case GS_STEP_PENDING_FREE: return "pending frees";
	case GS_STEP_OTHER_STREAM: return "another stream";
	case GS_STEP_PRIVATE_POOL: return "another pool";
	case GS_STEP_FRAGMENTED: return "fragmentation";
	case GS_STEP_STRANDED: return "memory in other pools";
	case GS_STEP_ROUNDING: return "rounding";
	case GS_STEP_OUTSIDE: return "others on the device";
	default: return "";
	}
}

/* Others may hold what they will where the request alone is too large. */
static bool is_idle(const gs_diagnosis *d, gs_step step)
{
	return step == GS_STEP_OUTSIDE && gs_request_exceeds_device(d);
}

/* Steps that one fact would decide stand together, before what that fact is. */
static void add_undecided(const gs_diagnosis *d, char *buf, size_t cap)
{
	for (int fact = 0; fact < FACTS; fact++) {
		bool first = true;
		for (int i = 0; i < GS_STEPS; i++) {
			if (!d->null[i] || fact_that_tells(d, (gs_step)i) != fact || is_idle(d, (gs_step)i))
				continue;
			append_text(buf, cap, "%s%s",
				!first     ? ", "
					: *buf ? "; "
						   : "",
				gs_step_noun((gs_step)i));
			first = false;
		}
		if (!first)
			append_text(buf, cap, " (%s)", facts[fact]);
	}
}

/* What a text says that cannot be. */
static void add_contradiction(const gs_diagnosis *d, char *buf, size_t cap)
{
	const gs_oom *oom = d->oom == SIZE_MAX ? NULL : &d->snapshot->ooms[d->oom];
	gs_prose p;
	if (!oom || !(oom->told.says & (GS_SAYS_CONTRADICTS | GS_SAYS_LENT)))
		return;
	int64_t held = oom->told.own >= 0 ? oom->told.own
		: oom->reserved >= 0          ? oom->reserved
									  : oom->allocated;
	bool lent = oom->told.says & GS_SAYS_LENT;
	gs_prose_clear(&p);
	if (!lent) {
		gs_say(&p, "the figures, which contradict each other: ");
		gs_say_size(&p, oom->device_free);
		gs_say(&p, " free + ");
	}
	gs_say_size(&p, held);
	gs_say(&p, lent ? " held on a device of " : " in use > ");
	gs_say_size(&p, oom->capacity);
	gs_say(&p, lent ? ", whose driver lends memory of the system, as on Windows" : "");
	append_text(buf, cap, "%s%s", *buf ? "; " : "", p.text);
}

char *gs_diagnosis_doubts(const gs_diagnosis *d, char *buf, size_t cap)
{
	*buf = 0;
	add_undecided(d, buf, cap);
	add_contradiction(d, buf, cap);
	if (d->has_layout && !d->layout.exact)
		append_text(buf, cap, "%sthe state itself, which is bounded and not known: %s",
			*buf ? "; " : "", d->layout.note);
	bool others = false;
	for (size_t i = 0; i < d->layout.nsegments; i++)
		others |= d->layout.segments[i].pool_id.a || d->layout.segments[i].pool_id.b;
	if (d->oom != SIZE_MAX && d->has_layout && !d->pool_id_told && others)
		append_text(buf, cap,
			"%sthe pool, taken to be the default one (before PyTorch 2.12 nothing records it)",
			*buf ? "; " : "");
	return buf;
}
