/* Tries the rules at the places of their anchors, in the order of the text. */
#include "analyzer/read/messages/message_rules.h"

#include <string.h>

#include "analyzer/read/messages/matchers.h"
#include "analyzer/read/text/figure.h"

static const gs_oom_rule rules[] = {
#define RULE(phrase, ...) {.anchor = phrase, __VA_ARGS__},
#include "analyzer/read/messages/message_rules.def"
#undef RULE
};
enum { RULES = sizeof rules / sizeof *rules };
_Static_assert((int)RULES <= (int)GS_OOM_RULES, "the places of every rule are kept");

static void blank(gs_oom_match *m, size_t begin, size_t end)
{
	memset(m, 0, sizeof *m);
	gs_oom_init(&m->row);
	m->begin = begin;
	m->end = end;
}

/* Moves a rule to the next place of its anchor at or after from; false when there is none. */
static bool advance(const gs_text *t, gs_oom_place *p, size_t from, size_t to)
{
	size_t length = strlen(p->rule->anchor),
		   at = gs_text_find(t, from, to + length - 1, p->rule->anchor);
	p->at = at;
	return at != SIZE_MAX && at < to;
}

static void forget(gs_oom_seeker *k, size_t i)
{
	k->n--;
	memmove(&k->places[i], &k->places[i + 1], (k->n - i) * sizeof *k->places);
}

void gs_oom_seek(const gs_text *t, size_t from, size_t to, gs_oom_seeker *k)
{
	k->n = 0;
	k->to = to < t->n ? to : t->n;
	for (size_t i = 0; i < RULES; i++) {
		k->places[k->n].rule = &rules[i];
		if (advance(t, &k->places[k->n], from, k->to))
			k->n++;
	}
}

int gs_oom_text_match(const gs_text *t, size_t from, gs_oom_seeker *k, gs_oom_match *m)
{
	for (size_t i = 0; i < k->n;)
		if (k->places[i].at < from && !advance(t, &k->places[i], from, k->to))
			forget(k, i);
		else
			i++;
	while (k->n) {
		size_t first = 0;
		for (size_t i = 1; i < k->n; i++)
			if (k->places[i].at < k->places[first].at)
				first = i;
		gs_oom_place p = k->places[first];
		size_t end = p.at + strlen(p.rule->anchor);
		blank(m, p.at, end);
		int is = p.rule->matcher ? p.rule->matcher(t, p.at, m)
								 : gs_oom_match_columns(t, p.at, p.rule, m);
		if (is) {
			m->end = m->end < end ? end : m->end;
			size_t next = m->once ? gs_text_find(t, end, m->end, p.rule->anchor) : SIZE_MAX;
			if (next != SIZE_MAX)
				m->end = next;
			m->begin = m->begin < from ? from : m->begin;
			return is;
		}
		if (!advance(t, &k->places[first], p.at + 1, k->to))
			forget(k, first);
	}
	return 0;
}
