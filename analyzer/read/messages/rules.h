/* The rules of oom_text_match: an anchor, a phrase whose presence makes a sentence a candidate, and
 * a function that judges it. */
#ifndef GS_ANALYZER_READ_OOM_TEXT_RULES_H
#define GS_ANALYZER_READ_OOM_TEXT_RULES_H

#include "analyzer/read/messages/message.h"

/* The anchor stands at i. 1: a message, m filled (it comes with all figures unknown, begin = i, end
 * behind the anchor); -1: no row, m->reason and m->end filled; 0: not this. */
typedef int gs_oom_judge(const gs_text *t, size_t i, gs_oom_match *m);

typedef struct gs_oom_rule {
	const char *anchor;
	gs_oom_judge *judge;
} gs_oom_rule;

/* Each ended by NULL. */
extern const gs_oom_rule gs_oom_rules_torch[], gs_oom_rules_xla[], gs_oom_rules_paddle[],
	gs_oom_rules_ggml[], gs_oom_rules_others[], gs_oom_rules_apps[];

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
