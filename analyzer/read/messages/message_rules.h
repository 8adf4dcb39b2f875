/* A rule says how one kind of message is recognised and what it tells. All rules are rows of
 * message_rules.def; this is what its columns mean.
 *
 * Texts are squeezed (window.h): phrases are lower case without blanks. A list of phrases is
 * `a|b|c`. A condition is `+N:a|b` (one of the phrases stands in the N characters from the anchor's
 * begin on), `-N:a|b` (before it) or `~N:a|b` (either); `!` in front turns it round. Several are
 * separated by a blank. */
#ifndef GS_ANALYZER_READ_MESSAGES_MESSAGE_RULES_H
#define GS_ANALYZER_READ_MESSAGES_MESSAGE_RULES_H

#include "analyzer/read/messages/message.h"

/* The anchor stands at i. 1: a message, m filled (it comes with all figures unknown, begin = i, end
 * behind the anchor); -1: no row, m->reason and m->end filled; 0: not this. */
typedef int gs_oom_matcher(const gs_text *t, size_t i, gs_oom_match *m);

enum gs_rule_flags {
	GS_RULE_STATES = 1,      /* only where it is said as a statement (gs_oom_states) */
	GS_RULE_ONCE = 2,        /* see gs_oom_match.once */
	GS_RULE_AGAIN = 4,       /* see gs_oom_match.again */
	GS_RULE_SIZE = 8,        /* the size asked for follows the anchor, else it is not this */
	GS_RULE_NEEDS_SIZE = 16, /* some figure tells the size asked for, else it is not this */
	GS_RULE_ASIDE = 32, /* no failure: figures that belong to one beside it (gs_oom_match.aside) */
	GS_RULE_NO_ROW = 64 /* no failure of a GPU's memory: `reason` */
};

typedef struct gs_oom_rule {
	const char *anchor;      /* whose presence makes a sentence a candidate */
	gs_oom_matcher *matcher; /* for what the columns cannot say, which then do not count; NULL */
	const char
		*library; /* whose message it is; `?x`: the nearest that the surroundings name, else x */
	gs_oom_kind kind;
	gs_oom_not reason;
	unsigned flags;
	unsigned says;        /* GS_SAYS_ bits: what the sentence proves */
	const char *follows;  /* phrases, one of which stands behind the anchor (and its size) */
	const char *needs;    /* conditions that must all hold, else it is not this */
	const char *host;     /* conditions of which one makes it host memory: no row */
	const char *harmless; /* … one makes it no failure */
	const char *figures;  /* `field<label`: the first size right behind the label is the field;
							 `field>label`: the last right before it; several separated by blanks */
	const char *device;   /* phrases behind which the number of the device stands */
	const char *until;    /* phrases: the message reaches behind the one that stands last */
	unsigned span;        /* characters in which figures, device and until are looked for; 0: 240 */
} gs_oom_rule;

/* Matches by the columns of the rule. */
int gs_oom_match_columns(const gs_text *t, size_t i, const gs_oom_rule *rule, gs_oom_match *m);

/* Whether what begins at i is said as a statement: at the beginning of a line, after a colon, a
 * quote or a bracket. */
bool gs_oom_states(const gs_text *t, size_t i);

/* Whether what stands at [i, end) is a string that source code looks for: 'out of memory' in
 * str(e), s.startswith("…"), == "…". */
bool gs_oom_listed(const gs_text *t, size_t i, size_t end);

/* Whether any of the phrases (ended by NULL) stands in [from, to) / within n squeezed characters
 * around i. */
bool gs_oom_any(const gs_text *t, size_t from, size_t to, const char *const *phrases);
bool gs_oom_near(const gs_text *t, size_t i, size_t n, const char *const *phrases);

/* The physical line of i, up to i, from its logger's prefix on; whether it has a word. */
typedef struct gs_oom_log_line {
	const char *text;
	size_t n;
} gs_oom_log_line;
gs_oom_log_line gs_oom_log_line_of(const gs_text *t, size_t i);
bool gs_oom_log_line_has(gs_oom_log_line l, const char *word);

/* Whose log the line of i is, by the path of the source file in its prefix: jax, tensorflow; NULL
 * where it tells none. */
const char *gs_oom_log_library(const gs_text *t, size_t i);

/* The library that the surroundings of i name, else what. */
const char *gs_oom_library(const gs_text *t, size_t i, const char *what);

/* The size at i into *field; returns the position behind it, i where there is none or where the
 * text was cut before its unit. */
size_t gs_oom_size_at(const gs_text *t, size_t i, int64_t *field);

/* The size behind the first of the phrase in [from, to) into *field; returns the position behind
 * it, from where there is none. */
size_t gs_oom_size_after(
	const gs_text *t, size_t from, size_t to, const char *phrase, int64_t *field);

/* n squeezed characters before i / behind i, within the window. */
static inline size_t gs_oom_back(size_t i, size_t n) { return i > n ? i - n : 0; }
static inline size_t gs_oom_ahead(const gs_text *t, size_t i, size_t n)
{
	return i + n < t->n ? i + n : t->n;
}

/* Makes m a row that ends with the line of last. */
int gs_oom_found(
	const gs_text *t, gs_oom_match *m, const char *library, gs_oom_kind kind, size_t last);

/* Makes m a sentence that is no row. */
int gs_oom_not_row(gs_oom_match *m, gs_oom_not reason, size_t end);

#endif
