/* A diagnosis for people: the sentence, the facts behind it a row each, what to try. */
#include "analyzer/advice/answer_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/culprit.h"

enum { FEW_PINNING = 2, FEW_HOLDERS = 3, FEW_ADVICE = 4, FEW_GROWTH = 2, SCREEN = 24 };

/* So lean nothing is said of what was not the cause, nor of the peak beside a failure. */
enum { NO_CAUSES = 3, NO_PEAK = 4 };

static void write_sentence(gs_answer *a)
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

/* The first advice and the one against growth; more only as far as the screen goes. */
static void write_advice(gs_answer *a)
{
	if (advice_is_told(a->d))
		return;
	gs_answer_heading(a, "Try");
	for (size_t i = 0; i < gs_answer_some(a, a->d->nadvice, FEW_ADVICE); i++) {
		char *text = NULL;
		size_t n = 0;
		FILE *memory = open_memstream(&text, &n);
		if (!memory)
			return;
		int lines = write_advice_line(memory, a->voice, i + 1, &a->d->advice[i]);
		fclose(memory);
		bool must = !i || i + 1 == a->d->growth_advice || a->voice->verbose || a->voice->markdown;
		bool fits = must || a->lines + lines <= SCREEN;
		a->advised += fits;
		if (fits)
			fwrite(text, 1, n, a->out);
		a->lines += fits ? lines : 0;
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
	LEAD_PEAK,
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
	if (gs_growth_matters(d))
		return LEAD_GROWTH;
	if (d->verdict == GS_VERDICT_NONE && gs_peak_is_apart(d))
		return LEAD_PEAK;
	return LEAD_HOLDERS;
}

/* The segment that holds the free memory which the request may not use: who asked for it. */
static void write_segment(gs_answer *a)
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
	gs_answer_put_row(a, "cached by", &p, NULL);
	gs_answer_stack(a, g->stack);
}

static void write_rounding(gs_answer *a)
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
	gs_answer_put_row(a, "lost by", &p, NULL);
	gs_answer_stack(a, stack);
}

/* Where others are the likelier cause, this process is only what is known. */
static void write_suspicion(gs_answer *a)
{
	gs_prose p;
	gs_prose_clear(&p);
	gs_say(&p, "perhaps another process; this one holds ");
	gs_say_size(&p, (int64_t)(a->d->totals.allocated + a->d->totals.pending));
	gs_say(&p, " in all");
	gs_answer_put_row(a, "held by", &p, NULL);
}

/* Where the request alone is too large, whoever made it; whoever holds memory is a bystander. */
static void write_asker(gs_answer *a)
{
	gs_prose p;
	gs_prose_clear(&p);
	gs_say_request_place(&p, a->voice, a->d, "");
	if (p.n)
		gs_answer_put_row(a, "asked by", &p, NULL);
}

static void write_content(gs_answer *a)
{
	gs_prose p;
	gs_prose_clear(&p);
	gs_say(&p, "nothing to change: no request failed, and nothing is seen to grow");
	gs_answer_put_row(a, "next", &p, NULL);
}

/* Whose memory this moment's is; where the peak is told beside it: of which moment. */
static const char *holders_label(const gs_diagnosis *d)
{
	if (d->verdict != GS_VERDICT_NONE || !gs_peak_is_apart(d))
		return "held by";
	return gs_tells_the_end(d) ? "at end" : "held then";
}

/* A peak that is this little above what is in use at a failure is made of the same. */
enum { NEXT_TO_NOTHING = 50 };

/* Without a failure the peak is what matters. */
static void write_peak(gs_answer *a)
{
	uint64_t in_use = a->d->totals.allocated + a->d->totals.pending;
	bool healthy = a->d->verdict == GS_VERDICT_NONE;
	bool other = a->d->peak.allocated > in_use + in_use / NEXT_TO_NOTHING;
	if (healthy || a->lean < NO_PEAK)
		gs_answer_peak(a, healthy || other ? a->peak : GS_PEAK_BARE);
}

static void write_lead(gs_answer *a, lead what)
{
	switch (what) {
	case LEAD_PEAK: write_peak(a); break;
	case LEAD_GROWTH: gs_answer_growth(a, FEW_GROWTH); break;
	case LEAD_PINNING: gs_answer_pinning(a, 0, 1); break;
	case LEAD_SEGMENT: write_segment(a); break;
	case LEAD_ROUNDING: write_rounding(a); break;
	case LEAD_OTHERS: write_suspicion(a); break;
	case LEAD_REQUEST: write_asker(a); break;
	case LEAD_NONE: break;
	default: gs_answer_holders(a, "held by", 0, 1); break;
	}
	if (what != LEAD_GROWTH && gs_growth_matters(a->d))
		gs_answer_growth(a, 1);
	if (a->content)
		write_content(a);
}

static void write_act(gs_answer *a, const char *label, const gs_advice *advice)
{
	char known[32];
	gs_prose p;
	gs_prose_clear(&p);
	gs_say_foreign(&p, a->voice, advice->act);
	snprintf(known, sizeof known, "(%s)", gs_known_word(advice->known));
	gs_answer_put_row(a, label, &p, known);
}

/* The first advice in a line, and the one against growth; their evidence stands in the list below.
 */
static void write_next(gs_answer *a)
{
	const gs_diagnosis *d = a->d;
	if (!d->nadvice)
		return;
	write_act(a, "next", &d->advice[0]);
	if (d->growth_advice > 1)
		write_act(a, "and", &d->advice[d->growth_advice - 1]);
}

static void write_rest(gs_answer *a, lead told)
{
	const gs_diagnosis *d = a->d;
	if (told == LEAD_PINNING)
		gs_answer_pinning(a, 1, FEW_PINNING);
	else
		gs_answer_holders(a,
			told == LEAD_HOLDERS      ? "also"
				: told == LEAD_OTHERS ? "held here"
									  : holders_label(d),
			told == LEAD_HOLDERS, FEW_HOLDERS);
	if (told == LEAD_PINNING && a->voice->verbose)
		gs_answer_holders(a, "held by", 0, FEW_HOLDERS);
	if (!gs_growth_matters(d) && d->ngrowth && d->growth[0].bytes >= d->totals.allocated / 50)
		gs_answer_growth(a, FEW_GROWTH);
}

/* The rows behind the sentence but the first advice. */
static void write_facts(gs_answer *a, lead first)
{
	if (a->d->verdict != GS_VERDICT_NONE)
		gs_answer_request(a);
	gs_answer_device(a);
	gs_answer_outside(a);
	gs_answer_other_devices(a);
	gs_answer_in_use(a);
	if (first != LEAD_PEAK)
		write_peak(a);
	write_rest(a, first);
	gs_answer_fits(a);
	if (a->lean < NO_CAUSES)
		gs_answer_ruled_out(a);
	gs_answer_doubts(a);
	gs_answer_others(a);
	gs_answer_unlike(a);
	gs_answer_hint(a);
}

void gs_diagnosis_rows(
	const gs_diagnosis *d, const gs_voice *voice, gs_answer_row *row, void *context)
{
	gs_answer a = {.d = d,
		.voice = voice,
		.row = row,
		.context = context,
		.peak = GS_PEAK_HOLDERS,
		.content = gs_nothing_to_change(d)};
	lead first = lead_of(d);
	write_lead(&a, first);
	write_facts(&a, first);
}

/* Behind an empty line, where there are any. */
static void write_facts_apart(gs_answer *a, lead first)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = a->out, *memory = open_memstream(&text, &n);
	a->out = memory ? memory : out;
	write_facts(a, first);
	a->out = out;
	if (memory)
		fclose(memory);
	if (n && !a->voice->markdown)
		fputc('\n', out);
	a->lines += n > 0;
	fwrite(text ? text : "", 1, n, out);
	free(text);
}

static void write_answer(gs_answer *a)
{
	lead first = lead_of(a->d);
	write_sentence(a);
	write_lead(a, first);
	write_next(a);
	write_facts_apart(a, first);
	gs_answer_ladder(a);
	gs_answer_eviction(a);
	gs_answer_varying(a);
	write_advice(a);
}

/* Writes the answer to nobody, to see what becomes of it. */
static void rehearse(gs_answer *a)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	if (!out)
		return; /* no memory to look: as it is */
	gs_answer as = *a;
	as.out = out;
	as.lines = 0;
	as.advised = 0;
	write_answer(&as);
	fclose(out);
	free(text);
	a->lines = as.lines;
	a->advised = as.advised;
}

/* As lean as it takes to fit a screen. */
static void settle(gs_answer *a)
{
	rehearse(a);
	while (a->lines > SCREEN && a->lean < MOST_LEAN) {
		a->lean++;
		rehearse(a);
	}
}

/* Without a failure what the peak was made of is the answer: it gives way last. */
static void settle_healthy(gs_answer *a)
{
	for (int detail = GS_PEAK_HOLDERS; detail >= GS_PEAK_BARE; detail--) {
		a->peak = (gs_peak_detail)detail;
		a->lean = 0;
		settle(a);
		if (a->lines <= SCREEN)
			return;
	}
}

/* Beside a failure it is told where it takes no room from anything else. */
static void settle_beside_failure(gs_answer *a)
{
	a->peak = GS_PEAK_BARE;
	settle(a);
	for (int detail = GS_PEAK_HOLDERS; gs_peak_is_apart(a->d) && detail > GS_PEAK_BARE; detail--) {
		gs_answer more = *a;
		more.peak = (gs_peak_detail)detail;
		rehearse(&more);
		if (more.lines <= SCREEN && more.advised == a->advised) {
			*a = more;
			return;
		}
	}
}

void gs_diagnosis_print(const gs_diagnosis *d, FILE *out, const gs_voice *voice)
{
	gs_answer a = {.d = d,
		.out = out,
		.voice = voice,
		.peak = GS_PEAK_HOLDERS,
		.content = gs_nothing_to_change(d)};
	if (!voice->verbose && !voice->markdown && d->verdict == GS_VERDICT_NONE)
		settle_healthy(&a);
	else if (!voice->verbose && !voice->markdown)
		settle_beside_failure(&a);
	a.lines = 0;
	write_answer(&a);
}
