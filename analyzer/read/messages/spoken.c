/* Sentences that speak of a failure which did not happen there: source code that prints or looks
 * for a message, lists of changes, advice; and headings, which name the failure that follows. */
#include "analyzer/read/messages/spoken.h"

#include <string.h>

#include "analyzer/read/text/ascii.h"

enum { LINE = 400 /* characters of a line that are looked at, before a sentence and behind it */ };

typedef struct part {
	const char *p;
	size_t n;
} part;

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || gs_ascii_digit(c);
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* The line of a sentence up to its begin, and from there to its end. */
static part before(const gs_text *t, const gs_oom_match *m)
{
	size_t at = t->at[m->begin], from = gs_text_line_start(t, m->begin);
	from = at - from > LINE ? at - LINE : from;
	return (part){t->text + from, at - from};
}

static part behind(const gs_text *t, const gs_oom_match *m)
{
	size_t at = t->at[m->begin], left = t->ntext - at;
	const char *p = t->text + at, *end = memchr(p, '\n', left < LINE ? left : LINE);
	return (part){p, end ? (size_t)(end - p) : left < LINE ? left : LINE};
}

static bool ends(part x, const char *word)
{
	size_t n = strlen(word);
	return x.n >= n && !memcmp(x.p + x.n - n, word, n);
}

/* Whether a word stands in x, as a word, in whatever case. */
static bool has_word(part x, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= x.n; i++) {
		size_t k = 0;
		while (k < n && lower(x.p[i + k]) == word[k])
			k++;
		if (k == n && (!i || !letter(x.p[i - 1])) && (i + n == x.n || !letter(x.p[i + n])))
			return true;
	}
	return false;
}

static bool has_any_word(part x, const char *const *words)
{
	for (; *words; words++)
		if (has_word(x, *words))
			return true;
	return false;
}

/* A place for a figure that is filled in when the program runs: `%s`, `%.2f`, `{}`, `{size}`. */
static bool has_placeholder(part x)
{
	for (size_t i = 0; i + 1 < x.n; i++) {
		size_t k = i + 1;
		if (x.p[i] == '{' && memchr(x.p + k, '}', x.n - k < 40 ? x.n - k : 40) &&
			(x.p[k] == '}' || x.p[k] == ':' || letter(x.p[k])) && !gs_ascii_digit(x.p[k]))
			return true;
		if (x.p[i] != '%')
			continue;
		while (k < x.n && (memchr(".-+#lzjtq", x.p[k], 9) || gs_ascii_digit(x.p[k])))
			k++;
		if (k < x.n && memchr("sdiufgxXpv", x.p[k], 10) && (k + 1 == x.n || !letter(x.p[k + 1])))
			return true;
	}
	return false;
}

/* Whether the sentence is a string that a call gets: printf("…", throw Refused("…"). What an
 * exception's name and a bracket stand around is how Python shows one that was raised. */
static bool is_argument(part x)
{
	static const char *const raises[] = {"raise", "throw", "new", "return", "assert", NULL};
	size_t i = x.n;
	while (i && x.p[i - 1] != '"' && x.p[i - 1] != '\'' && x.p[i - 1] != '`')
		i--;
	if (!i--)
		return false;
	while (i && letter(x.p[i - 1])) /* f"…", u8"…" */
		i--;
	while (i && (x.p[i - 1] == ' ' || x.p[i - 1] == ','))
		i--;
	part call = {x.p, i};
	while (call.n && x.p[call.n - 1] != '(') /* other arguments before it */
		call.n--;
	if (!call.n || (call.n < i && memchr(x.p + call.n, ')', i - call.n)))
		return false;
	call.n--;
	if (!call.n || !letter(x.p[call.n - 1]))
		return false;
	bool exception = ends(call, "Error") || ends(call, "Exception") || ends(call, "error");
	return !exception || has_any_word(call, raises);
}

/* Behind the blanks and the mark of a list's item at the beginning of a line; x.p where none is. */
static part item_of(part x, bool *item)
{
	while (x.n && (*x.p == ' ' || *x.p == '\t'))
		x.p++, x.n--;
	size_t n = 0;
	while (n < x.n && gs_ascii_digit(x.p[n]))
		n++;
	if (n && n + 1 < x.n && (x.p[n] == '.' || x.p[n] == ')'))
		n++;
	else
		n = x.n > 1 && memchr("-*+", *x.p, 3);
	*item = n && n < x.n && x.p[n] == ' ';
	return *item ? (part){x.p + n + 1, x.n - n - 1} : x;
}

static part first_word(part x)
{
	size_t n = 0;
	while (n < x.n && letter(x.p[n]))
		n++;
	return (part){x.p, n};
}

/* What was done about such failures: an item that tells of a change, or a line that begins with it.
 */
static bool is_change(part x)
{
	static const char *const changes[] = {"add", "added", "adds", "avoid", "avoids", "catch",
		"catches", "caught", "clarify", "detect", "detects", "document", "fix", "fixed", "fixes",
		"handle", "handled", "handles", "ignore", "ignores", "improve", "improved", "prevent",
		"prevents", "recover", "report", "resolve", "resolved", "resolves", "retry", "skip",
		"support", "update", "updated", "workaround", NULL};
	bool item;
	part rest = item_of(x, &item);
	bool capital = rest.n && *rest.p >= 'A' && *rest.p <= 'Z';
	return (item || capital) && has_any_word(item ? rest : first_word(rest), changes);
}

/* What is said of failures that may come. */
static bool is_advice(part x)
{
	static const char *const words[] = {"if you", "in case of", "when you", "to avoid", "you may",
		"you might", "you will", "may get", "might get", "can cause", "may cause", "such as",
		"e.g.", NULL};
	return has_any_word(x, words);
}

bool gs_oom_is_spoken_of(const gs_text *t, const gs_oom_match *m)
{
	const gs_oom *r = &m->row;
	if (r->requested != GS_NONE || r->capacity != GS_NONE || r->device_free != GS_NONE ||
		r->allocated != GS_NONE || r->reserved != GS_NONE)
		return false; /* it tells figures: it was said by a program */
	part x = before(t, m), y = behind(t, m);
	size_t i = 0;
	while (i < x.n && (x.p[i] == ' ' || x.p[i] == '\t'))
		i++;
	bool comment = x.n - i >= 2 && x.p[i] == '/' && (x.p[i + 1] == '/' || x.p[i + 1] == '*');
	return comment || has_placeholder(y) || is_argument(x) || is_change(x) || is_advice(x);
}

/* Whether the line behind the one at [from, to) underlines it. */
static bool underlined(const gs_text *t, size_t to)
{
	size_t i = to + 1;
	if (i + 3 > t->ntext || (t->text[i] != '=' && t->text[i] != '-'))
		return false;
	char c = t->text[i];
	while (i < t->ntext && t->text[i] == c)
		i++;
	return i - to > 3 && (i >= t->ntext || t->text[i] == '\n');
}

bool gs_oom_is_heading(const gs_text *t, const gs_oom_match *m)
{
	static const char *const titles[] = {"#", "title:", "subject:", "<h1", "<h2", "<title"};
	size_t from = gs_text_line_start(t, m->begin), to = t->at[m->end - 1] + 1;
	const char *end = memchr(t->text + from, '\n', t->ntext - from);
	to = end && (size_t)(end - t->text) < to ? (size_t)(end - t->text) : to;
	for (size_t k = 0; k < sizeof titles / sizeof *titles; k++) {
		size_t n = 0;
		while (from + n < to && titles[k][n] && lower(t->text[from + n]) == titles[k][n])
			n++;
		if (!titles[k][n])
			return true;
	}
	size_t line_end = end ? (size_t)(end - t->text) : t->ntext;
	bool alone = line_end + 1 >= t->ntext || t->text[line_end + 1] == '\n';
	bool first = t->line == 1 && from == 0;
	return underlined(t, line_end) || (first && alone && line_end + 1 < t->ntext);
}
