/* Whose message it is, by what stands around it. */
#include <string.h>

#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/message_rules.h"
#include "analyzer/read/text/figure.h"

enum { LOG_LINE = 4096 /* characters of a line in which its logger's prefix is looked for */ };

bool gs_oom_log_line_has(gs_oom_log_line l, const char *word)
{
	return memmem(l.text, l.n, word, strlen(word)) != NULL;
}

gs_oom_log_line gs_oom_log_line_of(const gs_text *t, size_t i)
{
	size_t first = i, to = i < t->n ? t->at[i] : t->ntext;
	while (first > 0 && first < t->n && t->gap[first] != GS_GAP_LINE && i - first < 300)
		first--; /* where the record begins, however it was wrapped */
	size_t start = gs_text_line_start(t, first), end = first < t->n ? t->at[first] : t->ntext;
	while (end > start && t->text[end - 1] == ' ')
		end--;
	if (start == end && start > 1) /* wrapped right behind the prefix */
		for (start--; start > 0 && t->text[start - 1] != '\n';)
			start--;
	return (gs_oom_log_line){t->text + start, to - start < LOG_LINE ? to - start : LOG_LINE};
}

/* jaxlib is built with XLA as an external repository, TensorFlow has it inside or as
 * external/local_…. */
const char *gs_oom_log_library(const gs_text *t, size_t i)
{
	static const char *const jax_paths[] = {
		"external/org_tensorflow", "external/xla/", "external/tsl/", "jaxlib"};
	gs_oom_log_line line = gs_oom_log_line_of(t, i);
	for (size_t k = 0; k < sizeof jax_paths / sizeof *jax_paths; k++)
		if (gs_oom_log_line_has(line, jax_paths[k]))
			return "jax";
	return gs_oom_log_line_has(line, "tensorflow") || gs_oom_log_line_has(line, "external/local_")
		? "tensorflow"
		: NULL;
}

const char *gs_oom_library(const gs_text *t, size_t i, const char *what)
{
	static const struct {
		const char *word, *library;
	} known[] = {
#define GS_WORD_OF(word, library) {word, library},
#include "analyzer/read/messages/libraries.def"
#undef GS_WORD_OF
	};
	size_t best = 400;
	const char *library = what, *logged = gs_oom_log_library(t, i);
	if (logged)
		return logged;
	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		size_t nearer = best / 3 + 1 + strlen(known[k].word),
			   to = i + (nearer < 300 ? nearer : 300);
		size_t left = gs_text_find_last(t, gs_oom_back(i, best), i, known[k].word),
			   right = gs_text_find(t, i, to, known[k].word);
		size_t d = left != SIZE_MAX ? i - left : SIZE_MAX;
		if (right != SIZE_MAX && (right - i) * 3 < d) /* what comes before says more */
			d = (right - i) * 3;
		if (d < best) {
			best = d;
			library = known[k].library;
		}
	}
	return library;
}
