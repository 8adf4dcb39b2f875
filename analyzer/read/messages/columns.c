/* Matches a sentence by the columns of its rule. */
#include <string.h>

#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/message_rules.h"
#include "analyzer/read/text/ascii.h"
#include "analyzer/read/text/figure.h"

enum { SPAN = 240, PHRASE = 96 /* characters of the longest phrase of a list, and more */ };

/* The next phrase of a list `a|b`, terminated; false at its end. */
static bool next_phrase(const char **list, char out[PHRASE])
{
	size_t n = strcspn(*list, "| ");
	if (!n || n >= PHRASE)
		return false;
	memcpy(out, *list, n);
	out[n] = 0;
	*list += n + ((*list)[n] == '|');
	return true;
}

static bool any_of(const gs_text *t, size_t from, size_t to, const char *list)
{
	char phrase[PHRASE];
	while (next_phrase(&list, phrase))
		if (gs_text_find(t, from, to, phrase) != SIZE_MAX)
			return true;
	return false;
}

/* One condition of message_rules.h at c; *next gets what stands behind it. */
static bool holds(const gs_text *t, size_t i, const char *c, const char **next)
{
	bool wanted = *c != '!';
	c += !wanted;
	char side = *c++;
	size_t n = 0;
	while (gs_ascii_digit(*c))
		n = n * 10 + (size_t)(*c++ - '0');
	c += *c == ':';
	size_t from = side == '+' ? i : gs_oom_back(i, n), to = side == '-' ? i : gs_oom_ahead(t, i, n);
	*next = c + strcspn(c, " ");
	*next += strspn(*next, " ");
	return any_of(t, from, to, c) == wanted;
}

static bool all_hold(const gs_text *t, size_t i, const char *conditions)
{
	bool all = true;
	while (conditions && *conditions && all)
		all = holds(t, i, conditions, &conditions);
	return all;
}

static bool one_holds(const gs_text *t, size_t i, const char *conditions)
{
	bool one = false;
	while (conditions && *conditions && !one)
		one = holds(t, i, conditions, &conditions);
	return one;
}

static int64_t *field_of(gs_oom *row, const char *name, size_t n)
{
	const struct {
		const char *name;
		int64_t *field;
	} fields[] = {{"requested", &row->requested}, {"device_free", &row->device_free},
		{"capacity", &row->capacity}, {"allocated", &row->allocated}, {"reserved", &row->reserved},
		{"allowed", &row->allowed}, {"counted", &row->told.counted},
		{"pool_free", &row->told.pool_free}, {"pool_largest", &row->told.pool_largest}};
	for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
		if (strlen(fields[k].name) == n && !memcmp(fields[k].name, name, n))
			return fields[k].field;
	return NULL;
}

/* The first size that stands right behind the label. */
static size_t size_behind(
	const gs_text *t, size_t from, size_t to, const char *label, int64_t *field)
{
	for (size_t i = from; (i = gs_text_find(t, i, to, label)) != SIZE_MAX;) {
		i += strlen(label);
		size_t end = gs_oom_size_at(t, i, field);
		if (end > i)
			return end;
	}
	return from;
}

/* The last size that ends where the label begins. */
static size_t size_before(
	const gs_text *t, size_t from, size_t to, const char *label, int64_t *field)
{
	size_t at = gs_text_find(t, from, to, label);
	for (size_t k = at == SIZE_MAX ? SIZE_MAX : at > from + 32 ? at - 32 : from; k < at; k++) {
		int64_t bytes = GS_NONE;
		if (gs_text_digit_begins(t, k) && gs_oom_size_at(t, k, &bytes) == at && bytes != GS_NONE) {
			*field = bytes;
			return at + strlen(label);
		}
	}
	return from;
}

/* Reads the figures of the rule in [from, to); returns where the last of them ends. */
static size_t figures(const gs_text *t, size_t from, size_t to, const char *list, gs_oom_match *m)
{
	size_t last = from;
	while (list && *list) {
		size_t name = strcspn(list, "<>"), n = strcspn(list, " ");
		char label[PHRASE];
		if (name < n && n - name - 1 < PHRASE) {
			memcpy(label, list + name + 1, n - name - 1);
			label[n - name - 1] = 0;
			int64_t *field = field_of(&m->row, list, name);
			size_t end = !field || *field != GS_NONE ? from
				: list[name] == '<'                  ? size_behind(t, from, to, label, field)
													 : size_before(t, from, to, label, field);
			last = end > last ? end : last;
		}
		list += n;
		list += strspn(list, " ");
	}
	return last;
}

static int32_t device(const gs_text *t, size_t from, size_t to, const char *list)
{
	char phrase[PHRASE];
	int32_t found = -1;
	while (list && found < 0 && next_phrase(&list, phrase)) {
		const char *const one[] = {phrase, NULL};
		found = gs_oom_device(t, from, to, one);
	}
	return found;
}

static size_t behind_last(const gs_text *t, size_t from, size_t to, const char *list)
{
	char phrase[PHRASE];
	size_t end = from;
	while (list && next_phrase(&list, phrase)) {
		size_t at = gs_text_find(t, from, to, phrase);
		if (at != SIZE_MAX && at + strlen(phrase) > end)
			end = at + strlen(phrase);
	}
	return end;
}

static bool follows(const gs_text *t, size_t *end, const char *list)
{
	char phrase[PHRASE];
	if (!list)
		return true;
	while (next_phrase(&list, phrase))
		if (gs_text_eat(t, end, phrase))
			return true;
	return false;
}

int gs_oom_match_columns(const gs_text *t, size_t i, const gs_oom_rule *rule, gs_oom_match *m)
{
	size_t end = m->end, to = gs_oom_ahead(t, i, rule->span ? rule->span : SPAN);
	if (rule->flags & GS_RULE_NO_ROW)
		return gs_oom_not_row(m, rule->reason, gs_oom_line_end(t, m->end, gs_oom_ahead(t, i, 300)));
	if (rule->flags & GS_RULE_SIZE)
		end = gs_oom_size_at(t, m->end, &m->row.requested);
	if ((rule->flags & GS_RULE_SIZE && end == m->end) || !follows(t, &end, rule->follows))
		return 0;
	if ((rule->flags & GS_RULE_STATES && !gs_oom_states(t, i)) || gs_oom_listed(t, i, m->end) ||
		!all_hold(t, i, rule->needs))
		return 0;
	size_t next = gs_text_find(t, m->end, to, rule->anchor);
	to = next != SIZE_MAX ? next : to;
	size_t last = figures(t, i, to, rule->figures, m);
	last = last > end ? last : end;
	last = behind_last(t, last, to, rule->until);
	if (one_holds(t, i, rule->host))
		return gs_oom_not_row(m, GS_NOT_HOST, last);
	if (rule->flags & GS_RULE_NEEDS_SIZE && m->row.requested == GS_NONE)
		return 0;
	if (one_holds(t, i, rule->harmless))
		return gs_oom_not_row(m, GS_NOT_A_FAILURE, last);
	m->row.device = device(t, i, to, rule->device);
	m->row.told.says |= rule->says;
	m->once = rule->flags & GS_RULE_ONCE;
	m->again = rule->flags & GS_RULE_AGAIN;
	m->aside = rule->flags & GS_RULE_ASIDE;
	const char *library = *rule->library == '?' ? gs_oom_library(t, i, rule->library + 1)
												: rule->library;
	return gs_oom_found(t, m, library, rule->kind, last);
}
