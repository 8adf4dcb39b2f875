/* The answer in a report: the facts of the verdict, what to try, the ladder. */
#include "analyzer/picture/report_internal.h"

#include <string.h>

#include "analyzer/advice/answer.h"

static void put_fact(void *context, const char *label, const char *text, const char *remark)
{
	gs_page *p = context;
	char whole[GS_PROSE_MOST + 160];

	if (strstr(remark, "-v")) /* a hint for a terminal */
		remark = "";
	snprintf(whole, sizeof whole, *remark ? "%s  %s" : "%s", text, remark);
	gs_page_cell(p, label);
	gs_page_cell(p, whole);
}

/* What the command says behind its first line. */
static void tell_facts(const gs_sections *s)
{
	static const char *const names[] = {"", ""};
	static const bool numbers[] = {false, false};
	const gs_voice voice = {.width = 100, .utf8 = true};

	gs_page_table(s->p, 2, names, numbers);
	gs_diagnosis_rows(&s->scene->diagnosis, &voice, put_fact, s->p);
	gs_page_end_table(s->p);
}

static void tell_advice(const gs_sections *s)
{
	const gs_diagnosis *d = &s->scene->diagnosis;
	char why[600];

	if (!d->nadvice)
		return;
	gs_section_heading(s, "What to try");
	gs_page_list(s->p);
	for (size_t i = 0; i < d->nadvice; i++) {
		const gs_advice *a = &d->advice[i];
		snprintf(
			why, sizeof why, *a->because ? "%s: %s" : "%s", gs_known_word(a->known), a->because);
		gs_page_item(s->p, a->act, why);
	}
	gs_page_end_list(s->p);
}

void gs_section_ladder(const gs_sections *s)
{
	static const char *const names[] = {"it would have fit", "there was", "needed", ""};
	static const bool numbers[] = {false, true, true, false};
	const gs_diagnosis *d = &s->scene->diagnosis;

	if (!d->nladder)
		return;
	gs_section_heading(s, "How the verdict was found");
	gs_page_table(s->p, 4, names, numbers);
	for (int i = 0; i < d->nladder; i++) {
		const gs_rung *r = &d->ladder[i];
		gs_page_cell(s->p, gs_step_question(r->step));
		if (r->available >= 0)
			gs_page_size(s->p, (uint64_t)r->available);
		else
			gs_page_cell(s->p, "unknown");
		if (r->needed >= 0)
			gs_page_size(s->p, (uint64_t)r->needed);
		else
			gs_page_cell(s->p, "unknown");
		gs_page_cell(s->p, r->fits > 0 ? "yes" : r->fits < 0 ? "not known" : "no");
	}
	gs_page_end_table(s->p);
}

void gs_report_answer(gs_page *p, const gs_scene *scene, bool alone)
{
	gs_sections s = {p, scene, alone ? 2 : 3};

	tell_facts(&s);
	tell_advice(&s);
}
