/* What stands around a message. */
#include "analyzer/read/messages/message_context.h"

#include <ctype.h>
#include <string.h>

#include "analyzer/read/messages/message_rules.h"
#include "analyzer/read/messages/spoken.h"
#include "analyzer/read/text/figure.h"
#include "analyzer/read/text/prefix.h"
#include "analyzer/read/text/speaker.h"

enum {
	MAX_MESSAGE = 4096, /* characters kept of one */
	FORM = 160          /* characters before a message that show its form */
};

static uint64_t hash(const char *s, size_t n)
{
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 1099511628211u;
	return h ? h : 1;
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
		c == '.';
}

/* The exception's name in front of a message belongs to it. */
static size_t with_name(const gs_text *t, size_t at)
{
	size_t i = at;
	while (i > 0 && t->text[i - 1] == ' ')
		i--;
	if (i < 6 || t->text[i - 1] != ':')
		return at;
	size_t end = --i;
	while (i > 0 && name_char(t->text[i - 1]))
		i--;
	if (end - i < 9 ||
		(memcmp(t->text + end - 5, "Error", 5) && memcmp(t->text + end - 9, "Exception", 9)))
		return at;
	return i;
}

const char *gs_oom_message_text(gs_snapshot *s, const gs_text *t, const gs_oom_match *m)
{
	size_t from = with_name(t, t->at[m->begin]), to = t->at[m->end - 1] + 1;
	if (to - from > MAX_MESSAGE)
		to = from + MAX_MESSAGE;
	if (from && (t->text[from - 1] == '"' || t->text[from - 1] == '\'')) {
		/* it was quoted: what stands behind the quotation is not its own */
		const char *close = memchr(t->text + from, t->text[from - 1], to - from);
		to = close ? (size_t)(close - t->text) : to;
	}
	const char *tag = memmem(t->text + from, to - from, "</", 2);
	to = tag && tag > t->text + from ? (size_t)(tag - t->text) : to;
	return gs_snapshot_text(s, t->text + from, to - from);
}

/* Hash of the letters, or of all but numbers and blanks, in [from, to); 0 where there are none. */
static uint64_t shape(const gs_text *t, size_t from, size_t to, bool letters)
{
	char word[FORM];
	size_t n = 0;
	for (size_t i = to - from > FORM ? to - FORM : from; i < to; i++) {
		unsigned char c = (unsigned char)t->text[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
		if (letter || (!letters && c != ' ' && (c < '0' || c > '9')))
			word[n++] = (char)c;
	}
	return n ? hash(word, n) : 0;
}

/* How the message is shown: what stands before it on its line. A quotation mark ends what leads up
 * to it. */
static void look_before(
	const gs_oom_text *o, const gs_text *t, const gs_oom_match *m, gs_oom_find *f)
{
	size_t at = t->at[m->begin], start = gs_text_line_start(t, m->begin), name = with_name(t, at);
	uint64_t last = o->n ? o->finds[o->n - 1].end : 0;
	bool stamped;
	if (last > t->base && last < t->base + m->begin && t->at[last - t->base] > start)
		start = t->at[last - t->base]; /* on the same line */
	size_t prefix = start + gs_text_prefix(t->text + start, at - start, &stamped);
	f->form = shape(t, start, at, false);
	f->lead = prefix < name && !memchr("\"'`", t->text[name - 1], 3) ? shape(t, prefix, name, true)
																	 : 0;
	f->named = name != at;
	f->speaker = gs_text_speaker(t, m->begin);
	f->traced = gs_text_find(t, m->end, m->end + 200, "traceback(mostrecentcall") != SIZE_MAX;
}

bool gs_oom_chained(const gs_oom_text *o, const gs_text *t, const gs_oom_match *m)
{
	static const char *const words[] = {
		"duringhandlingoftheaboveexception", "theaboveexceptionwasthedirectcause"};
	uint64_t from = o->n ? o->finds[o->n - 1].end : UINT64_MAX;
	if (from < t->base || from >= t->base + m->begin)
		return false;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (gs_text_find(t, (size_t)(from - t->base), m->begin, words[k]) != SIZE_MAX)
			return true;
	return false;
}

/* The time in what stands before a message on its line, also behind the margin of a log
 * (margin.h). */
static int64_t time_before(const gs_text *t, size_t start, size_t at, bool *zone)
{
	size_t end = t->ntext - start < 200 ? t->ntext : start + 200;
	int64_t us = gs_text_time(t->text + start, end - start, zone);
	for (size_t i = start + 1; us == GS_NONE && i < at && i < start + GS_MARGIN_LONGEST; i++)
		if (strchr(" |:]>\"\t", t->text[i - 1]) &&
			(isdigit((unsigned char)t->text[i]) || strchr("IWEF", t->text[i])))
			us = gs_text_time(t->text + i, end - i, zone);
	return us;
}

void gs_oom_describe(
	const gs_oom_text *o, const gs_text *t, const gs_oom_match *m, gs_oom_find *f, bool *zone)
{
	static const char *const ends[] = {"terminatecalledafterthrowing", "uncaughtexception:", NULL};
	*f = (gs_oom_find){.row = m->row,
		.kind = m->kind,
		.after = m->after,
		.again = m->again,
		.logged = m->logged,
		.at = t->base + m->begin,
		.end = t->base + m->end};
	f->thrown = gs_oom_any(t, m->begin > 200 ? m->begin - 200 : 0, m->begin, ends);
	f->row.time_us = time_before(t, gs_text_line_start(t, m->begin), t->at[m->begin], zone);
	f->words = hash(t->s + m->begin, (m->same ? m->same : m->end) - m->begin);
	f->wrapper = m->kind == GS_OOM_TORCH_BARE &&
		gs_text_find(t, m->begin, m->end, "occurred") != SIZE_MAX;
	look_before(o, t, m, f);
}
