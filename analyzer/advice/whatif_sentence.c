/* What-if's answer in a sentence. */
#include "analyzer/advice/whatif_sentence.h"

#include <string.h>

static const char *conf_words(const gs_whatif *w, const gs_whatif_row *row)
{
	if (!*row->conf && row->change != GS_WHATIF_RECORDED)
		return "the default settings";
	if (!strcmp(row->conf, w->recorded_conf))
		return "the recorded settings";
	return *row->conf ? row->conf : "the default settings";
}

/* Where the recording ends is as far as a replay can see. */
static void say_until(gs_prose *p, const gs_whatif *w)
{
	if (w->options.until != GS_NONE)
		gs_say(p, " up to event %lld", (long long)w->options.until);
}

static void say_doubt(gs_prose *p, const gs_whatif_row *row)
{
	if (!row->exact)
		gs_say(p, " (not exact%s%s)", *row->note ? ": " : "", row->note);
}

static void say_peak(gs_prose *p, const gs_whatif_row *row)
{
	gs_say(p, "peak ");
	gs_say_size(p, (int64_t)row->result.peak_reserved);
	gs_say(p, " reserved, ");
	gs_say_size(p, (int64_t)row->result.peak_allocated);
	gs_say(p, " allocated");
}

/* What passes as far as it was recorded may fail later. */
static void say_end(gs_prose *p, const gs_whatif *w)
{
	if (!w->still_grows)
		return;
	if (w->last_step != GS_NONE)
		gs_say(
			p, "; the recording ends in step %lld and memory still grows", (long long)w->last_step);
	else
		gs_say(p, "; where the recording ends memory still grows");
}

static void say_passes(gs_prose *p, const gs_whatif *w, const gs_whatif_row *row)
{
	gs_say(p, "Yes: ");
	if (row->capacity != GS_NONE) {
		gs_say(p, "it fits in ");
		gs_say_size(p, row->capacity);
	} else {
		gs_say(p, "nothing fails");
	}
	say_until(p, w);
	gs_say(p, ", ");
	say_peak(p, row);
	if (row->result.past_oom)
		gs_say(p, "; what the program would have done after its failure is not recorded");
	say_end(p, w);
}

static void say_fails(gs_prose *p, const gs_whatif_row *row)
{
	gs_say(p, "No: ");
	if (row->result.too_small) {
		gs_say(p, "what was live before the recording does not fit");
	} else {
		gs_say(p, "a request of ");
		gs_say_size(p, (int64_t)row->result.failed_size);
		gs_say(p, " fails");
		if (row->result.failed_event != GS_NONE)
			gs_say(p, " at event %lld", (long long)row->result.failed_event);
	}
	if (row->capacity != GS_NONE) {
		gs_say(p, " on ");
		gs_say_size(p, row->capacity);
	}
	gs_say(p, ", with ");
	gs_say_size(p, (int64_t)row->result.reserved);
	gs_say(p, " reserved");
}

static void say_one(gs_prose *p, const gs_whatif *w, const gs_whatif_row *row)
{
	if (row->result.fits)
		say_passes(p, w, row);
	else
		say_fails(p, row);
	say_doubt(p, row);
	if (row->change == GS_WHATIF_SAME)
		gs_say(p, "; no different from the recorded settings");
}

/* The row that passes with the least reserved; NULL none. recorded: the recorded settings count. */
static const gs_whatif_row *best_row(const gs_whatif *w, bool recorded)
{
	const gs_whatif_row *best = NULL;
	for (size_t i = 0; i < w->n; i++) {
		const gs_whatif_row *row = &w->rows[i];
		if (!row->result.fits || (!recorded && row->change == GS_WHATIF_RECORDED))
			continue;
		if (!best || row->result.peak_reserved < best->result.peak_reserved)
			best = row;
	}
	return best;
}

static size_t passing(const gs_whatif *w)
{
	size_t n = 0;
	for (size_t i = 0; i < w->n; i++)
		n += w->rows[i].result.fits;
	return n;
}

static void say_several(gs_prose *p, const gs_whatif *w)
{
	const gs_whatif_row *best = best_row(w, true);
	if (!best) {
		gs_say(p, "No: it fails under each of the %zu settings", w->n);
		return;
	}
	gs_say(p, "Yes: it passes under %zu of %zu settings; the least is reserved by %s: ", passing(w),
		w->n, conf_words(w, best));
	say_peak(p, best);
	say_end(p, w);
	say_doubt(p, best);
}

static void say_searched(gs_prose *p, const gs_whatif *w)
{
	const gs_whatif_row *recorded = &w->rows[0], *best = best_row(w, false);
	if (recorded->result.fits) {
		gs_say(p,
			gs_replay_rewrites(&w->options.rewrite)
				? "Yes: so changed it passes with the recorded settings, "
				: "It passes as it is, ");
		say_peak(p, recorded);
		if (best && best->change == GS_WHATIF_BETTER) {
			gs_say(p, "; %s would need ", conf_words(w, best));
			gs_say_size_beside(
				p, (int64_t)best->result.peak_reserved, (int64_t)recorded->result.peak_reserved);
		} else if (w->n > 1) {
			gs_say(p, "; none of the %zu other settings tried is better", w->n - 1);
		}
		say_end(p, w);
	} else if (best) {
		gs_say(p, "Yes: it passes with %s, ", conf_words(w, best));
		gs_say_size(p, (int64_t)best->result.reserved);
		gs_say(p, " reserved at the end, ");
		gs_say_size(p, (int64_t)best->result.peak_reserved);
		gs_say(p, " at most");
		say_end(p, w);
		say_doubt(p, best);
	} else if (w->n > 1) {
		gs_say(p, "No: it fails under the recorded settings and under each of %zu others tried",
			w->n - 1);
	} else {
		say_one(p, w, recorded);
	}
}

static void say_minimized(gs_prose *p, const gs_whatif *w)
{
	const gs_whatif_row *best = NULL;
	for (size_t i = 0; i < w->n; i++)
		if (w->rows[i].result.fits && (!best || w->rows[i].capacity < best->capacity))
			best = &w->rows[i];
	if (!best) {
		gs_say(p, "No: it fails on a device of any size");
		return;
	}
	gs_say(p, "The smallest device on which it passes has ");
	gs_say_size(p, best->capacity);
	gs_say(p, ", with %s", conf_words(w, best));
	say_doubt(p, best);
}

void gs_whatif_sentence(const gs_whatif *w, gs_whatif_question question, gs_prose *p)
{
	if (!w->n)
		return;
	if (question == GS_WHATIF_MINIMIZED)
		say_minimized(p, w);
	else if (question == GS_WHATIF_SEARCHED)
		say_searched(p, w);
	else if (w->n == 1)
		say_one(p, w, &w->rows[0]);
	else
		say_several(p, w);
}
