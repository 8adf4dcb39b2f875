/* A diagnosis for people: the line, the state, what was ruled out, who holds what, what to do. */
#include "analyzer/advice/answer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "schema/plain.h"
#include "schema/size.h"

enum { FEW = 3, FEW_ADVICE = 5 };

typedef struct printer {
	const gs_diagnosis *d;
	FILE *out;
	bool markdown, verbose;
} printer;

typedef struct words {
	char text[600];
} words;

static words bytes(uint64_t n)
{
	words w;
	gs_size_format(w.text, sizeof w.text, n);
	return w;
}

static words frame(const printer *p, gs_id stack)
{
	words w;
	char text[512];
	gs_diagnosis_frame(p->d->snapshot, stack, text, sizeof text);
	snprintf(w.text, sizeof w.text, p->markdown ? "`%s`" : "%s", text);
	return w;
}

static const char *s_of(uint64_t n) { return n == 1 ? "" : "s"; }

static void title(const printer *p, const char *text)
{
	fprintf(p->out, p->markdown ? "\n### %s\n\n" : "%s:\n", text);
}

static void item(const printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void item(const printer *p, const char *format, ...)
{
	va_list args;
	fputs(p->markdown ? "- " : "  ", p->out);
	va_start(args, format);
	vfprintf(p->out, format, args);
	va_end(args);
	fputc('\n', p->out);
}

static size_t some(const printer *p, size_t n, size_t few)
{
	return p->verbose || n < few ? n : few;
}

/* With -v the whole stack below its line. */
static void whole_stack(const printer *p, gs_id stack)
{
	char *text = p->verbose && stack ? gs_diagnosis_stack(p->d->snapshot, stack) : NULL;
	for (char *line = text, *end; line && *line; line = end) {
		char plain[1024];
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		fprintf(
			p->out, "%s%s\n", p->markdown ? "  - " : "      ", gs_plain(plain, sizeof plain, line));
	}
	free(text);
}

static void print_state(const printer *p)
{
	const gs_diagnosis *d = p->d;
	char doubts[1024], plain[1200];
	if (d->stack)
		item(p, "asked for by %s", frame(p, d->stack).text);
	whole_stack(p, d->stack);
	if (d->has_layout && d->verdict != GS_VERDICT_NONE)
		item(p,
			"then device %d held %s in %zu segment%s (pieces of memory from the driver): %s in use, %s free, %s waiting to be freed",
			d->device->device, bytes(d->totals.reserved).text, d->totals.segments,
			s_of(d->totals.segments), bytes(d->totals.allocated).text, bytes(d->totals.free).text,
			bytes(d->totals.pending).text);
	if (*gs_diagnosis_doubts(d, doubts, sizeof doubts))
		item(p, "not exact: %s", gs_plain(plain, sizeof plain, doubts));
}

static void print_ruled_out(const printer *p)
{
	const gs_diagnosis *d = p->d;
	char list[256] = "";
	for (int i = 0; i < d->nladder && d->ladder[i].step != d->verdict; i++)
		if (!d->ladder[i].fits)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
				gs_step_word(d->ladder[i].step));
	if (*list && !p->verbose)
		item(p, "ruled out, with proof (-v): %s", list);
}

static void print_ladder(const printer *p)
{
	const gs_diagnosis *d = p->d;
	static const char *const answers[] = {"not known", "no", "yes"};
	if (!p->verbose || !d->nladder)
		return;
	title(p, "It would have fit");
	if (p->markdown)
		fputs("| step | question | fits | available | needed |\n|---|---|---|---|---|\n", p->out);
	for (int i = 0; i < d->nladder; i++) {
		const gs_rung *r = &d->ladder[i];
		words have = r->available >= 0 ? bytes((uint64_t)r->available) : (words){"not known"};
		words need = r->needed >= 0 ? bytes((uint64_t)r->needed) : (words){"not known"};
		if (p->markdown)
			fprintf(p->out, "| %s | %s | %s | %s | %s |\n", gs_step_word(r->step),
				gs_step_question(r->step), answers[r->fits + 1], have.text, need.text);
		else
			item(p, "%-12s %s: %s (%s of %s)", gs_step_word(r->step), gs_step_question(r->step),
				answers[r->fits + 1], have.text, need.text);
	}
}

static void print_holders(const printer *p)
{
	const gs_diagnosis *d = p->d;
	if (!d->nholders)
		return;
	title(p, "Who holds most");
	for (size_t i = 0; i < some(p, d->nholders, FEW); i++) {
		const gs_holder *h = &d->holders[i];
		item(p, "%s in %llu block%s: %s", bytes(h->bytes).text, (unsigned long long)h->blocks,
			s_of(h->blocks), frame(p, h->stack).text);
		whole_stack(p, h->stack);
	}
}

static void print_pinning(const printer *p)
{
	const gs_diagnosis *d = p->d;
	if (!d->npinning)
		return;
	title(p, "What keeps free memory in pieces (live blocks in segments that are partly free)");
	for (size_t i = 0; i < some(p, d->npinning, FEW); i++) {
		const gs_pinning *x = &d->pinning[i];
		item(p, "%llu block%s, %s, in %llu segment%s with %s free: %s",
			(unsigned long long)x->blocks, s_of(x->blocks), bytes(x->bytes).text,
			(unsigned long long)x->segments, s_of(x->segments), bytes(x->free_pinned).text,
			frame(p, x->stack).text);
		whole_stack(p, x->stack);
	}
}

static void print_eviction(const printer *p)
{
	const gs_diagnosis *d = p->d;
	for (size_t i = 0; i < some(p, d->nevictions, 1); i++) {
		const gs_eviction *e = &d->evictions[i];
		char where[700];
		if (!i)
			title(p, "Cheapest room for the request");
		if (e->segment != SIZE_MAX)
			snprintf(where, sizeof where, "make one hole of %s at 0x%llx", bytes(e->size).text,
				(unsigned long long)e->address);
		else
			snprintf(where, sizeof where, "make segments of %s whole, for the driver",
				bytes(e->size).text);
		item(p, "releasing %llu live block%s (%s) would %s: %s", (unsigned long long)e->live_blocks,
			s_of(e->live_blocks), bytes(e->live_bytes).text, where,
			e->sufficient ? "enough" : "still not enough");
	}
}

static void print_growth(const printer *p)
{
	const gs_diagnosis *d = p->d;
	if (!d->ngrowth)
		return;
	title(p, "What grows");
	for (size_t i = 0; i < some(p, d->ngrowth, 2); i++) {
		const gs_growth *g = &d->growth[i];
		item(p, "%s in %llu block%s since event %lld, over %zu %s: %s", bytes(g->bytes).text,
			(unsigned long long)g->blocks, s_of(g->blocks), (long long)g->first_idx, g->steps,
			g->estimated ? "thirds of the recording" : "steps", frame(p, g->stack).text);
		whole_stack(p, g->stack);
	}
}

static void print_varying(const printer *p)
{
	const gs_diagnosis *d = p->d;
	if (!p->verbose || !d->nvarying)
		return;
	title(p, "Who asks for many sizes");
	for (size_t i = 0; i < d->nvarying; i++) {
		const gs_varying *v = &d->varying[i];
		item(p, "%llu sizes in %llu requests, %s to %s: %s", (unsigned long long)v->sizes,
			(unsigned long long)v->requests, bytes(v->min).text, bytes(v->max).text,
			frame(p, v->stack).text);
	}
}

static void print_health(const printer *p)
{
	const gs_diagnosis *d = p->d;
	if (d->verdict != GS_VERDICT_NONE || !d->has_layout)
		return;
	title(p, "What fits now without asking the driver, by pool and stream");
	if (!d->nrooms || !d->rooms[0].blocks)
		item(p, "nothing: no free blocks");
	for (size_t i = 0; i < some(p, d->nrooms, FEW); i++) {
		const gs_room *r = &d->rooms[i];
		if (!r->blocks)
			continue;
		item(p, "%s on stream %llu, %s pool %llu,%llu: %s free in %llu hole%s",
			bytes(r->largest).text, (unsigned long long)r->stream,
			r->pool == GS_SMALL ? "small" : "large", (unsigned long long)r->pool_id.a,
			(unsigned long long)r->pool_id.b, bytes(r->free).text, (unsigned long long)r->blocks,
			s_of(r->blocks));
	}
	item(p, "a fresh process would need %s for the same live data; this one holds %s",
		bytes(d->totals.allocated + d->totals.pending).text, bytes(d->totals.reserved).text);
	if (d->fragmentation_first >= 0)
		item(p,
			"free share of what is held: %.0f %% in the first third of the recording, %.0f %% in the last: fragmentation %s",
			100 * d->fragmentation_first, 100 * d->fragmentation_last,
			d->fragmentation_last > d->fragmentation_first + 0.05 ? "grows" : "does not grow");
}

static void print_advice(const printer *p)
{
	const gs_diagnosis *d = p->d;
	if (!d->nadvice)
		return;
	title(p, "What to do");
	for (size_t i = 0; i < some(p, d->nadvice, FEW_ADVICE); i++) {
		char act[256], because[320];
		gs_plain(act, sizeof act, d->advice[i].act);
		gs_plain(because, sizeof because, d->advice[i].because);
		fprintf(p->out, p->markdown ? "%zu. %s — because %s\n" : "  %zu. %s — because %s\n", i + 1,
			act, because);
	}
}

void gs_diagnosis_print(const gs_diagnosis *d, FILE *out, gs_diagnose_form form, bool verbose)
{
	char line[1024], plain[1200];
	printer p = {d, out, form == GS_DIAGNOSE_MARKDOWN, verbose};
	gs_plain(plain, sizeof plain, gs_diagnosis_line(d, line, sizeof line));
	fprintf(out, p.markdown ? "**%s**\n\n" : "%s\n", plain);
	print_state(&p);
	print_ruled_out(&p);
	print_ladder(&p);
	print_health(&p);
	print_holders(&p);
	print_pinning(&p);
	print_eviction(&p);
	print_growth(&p);
	print_varying(&p);
	print_advice(&p);
}
