/* What the rules of messages ask of a text's surroundings, and how they answer. */
#include <string.h>

#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/message_rules.h"
#include "analyzer/read/text/figure.h"

bool gs_oom_states(const gs_text *t, size_t i)
{
	if (i == 0 || t->gap[i] >= GS_GAP_WRAP)
		return true;
	return memchr(":\"'([`>|=-*!#", t->s[i - 1], 13) != NULL;
}

bool gs_oom_listed(const gs_text *t, size_t i, size_t end)
{
	static const char *const calls[] = {
		"startswith(", "contains(", "find(", "search(", "match=", "==", NULL};
	char quote = end < t->n ? t->s[end] : 0;
	size_t least = gs_oom_back(i, 24);
	while (i > least && t->s[i - 1] != quote) /* the string may begin before the phrase */
		i--;
	if ((quote != '\'' && quote != '"') || !i || t->s[i - 1] != quote)
		return false;
	for (size_t k = 0; calls[k]; k++)
		if (gs_text_ends(t, i - 1, calls[k]))
			return true;
	return gs_text_is(t, end + 1, "in") || gs_text_is(t, end + 1, "notin");
}

bool gs_oom_any(const gs_text *t, size_t from, size_t to, const char *const *phrases)
{
	for (; *phrases; phrases++)
		if (gs_text_find(t, from, to, *phrases) != SIZE_MAX)
			return true;
	return false;
}

bool gs_oom_near(const gs_text *t, size_t i, size_t n, const char *const *phrases)
{
	return gs_oom_any(t, i > n ? i - n : 0, i + n, phrases);
}

size_t gs_oom_size_at(const gs_text *t, size_t i, int64_t *field)
{
	int64_t bytes;
	size_t end = i;
	bool unit;
	if (!gs_text_size(t, &end, &bytes, &unit))
		return i;
	if (!unit && (memchr(t->s + i, '.', end - i) || (t->end && end + 2 >= t->n && bytes < 1000)))
		return i; /* cut before its unit: no library prints a part of a byte, or so few of them */
	if (!gs_oom_sentinel(bytes) || bytes != INT64_MAX)
		*field = bytes;
	return end;
}

size_t gs_oom_size_after(
	const gs_text *t, size_t from, size_t to, const char *phrase, int64_t *field)
{
	size_t at = gs_text_find(t, from, to, phrase);
	if (at == SIZE_MAX)
		return from;
	size_t end = gs_oom_size_at(t, at + strlen(phrase), field);
	return end > at + strlen(phrase) ? end : from;
}

int gs_oom_found(
	const gs_text *t, gs_oom_match *m, const char *library, gs_oom_kind kind, size_t last)
{
	m->row.library = library;
	m->kind = kind;
	m->end = gs_oom_line_end(t, last > m->end ? last : m->end, gs_oom_ahead(t, last, 400));
	return 1;
}

int gs_oom_not_row(gs_oom_match *m, gs_oom_not reason, size_t end)
{
	m->reason = reason;
	m->end = end;
	return -1;
}
