/* What memory is for: the categories, and the rules that tell them.
 *
 * The rules are data (category_rules.def): each has an id, the category that it gives, a sentence
 * that says why, and what must be true of an allocation: words in the frames of its stack, the
 * phase of training that it was born in, its lifetime, its size. The first rule that holds decides;
 * where none does the category is `unknown`. A user adds rules of his own (gs_category_rules_read):
 * words in the frames to a name of his, which stand before ours. */
#ifndef GS_ANALYZER_MEANING_CATEGORY_H
#define GS_ANALYZER_MEANING_CATEGORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/status.h"

/* GS_CATEGORY(NAME, "word", "words for people"), in the order in which people list them. Numbers of
 * a user's categories follow. */
#define GS_CATEGORY_WORDS(GS_CATEGORY)                                 \
	GS_CATEGORY(PARAMETER, "parameter", "parameters")                  \
	GS_CATEGORY(BUFFER, "buffer", "buffers")                           \
	GS_CATEGORY(GRADIENT, "gradient", "gradients")                     \
	GS_CATEGORY(OPTIMIZER_STATE, "optimizer_state", "optimizer state") \
	GS_CATEGORY(ACTIVATION, "activation", "activations")               \
	GS_CATEGORY(INPUT, "input", "inputs")                              \
	GS_CATEGORY(WORKSPACE, "workspace", "workspace")                   \
	GS_CATEGORY(TEMPORARY, "temporary", "temporaries")                 \
	GS_CATEGORY(UNKNOWN, "unknown", "unknown")

typedef enum gs_category {
#define GS_CATEGORY(name, word, words) GS_CATEGORY_##name,
	GS_CATEGORY_WORDS(GS_CATEGORY)
#undef GS_CATEGORY
		GS_CATEGORIES,
	GS_MOST_CATEGORIES = 64 /* with those of a user's rules */
} gs_category;

/* The rules in force; NULL stands for ours alone. */
typedef struct gs_category_rules gs_category_rules;

/* Reads rules from a text, a line each: words that the path or the function of a frame contains,
 * then the name of the category after the last blank, e.g. `serving/kv_cache.py  kv_cache`. Empty
 * lines and those that begin with # are skipped. A name that is one of ours gives that category.
 * The first line that matches decides. GS_INVALID names the line that cannot be read; GS_LIMIT:
 * more than 200 rules, or more names than fit GS_MOST_CATEGORIES. Free with gs_category_rules_free,
 * after whatever was made with them. */
gs_status gs_category_rules_read(
	const char *text, size_t n, gs_category_rules **rules, gs_error *err);
void gs_category_rules_free(gs_category_rules *rules);

/* Word of a category ("optimizer_state", "optimizer state"), of a user's rule its name; "unknown"
 * out of range. */
const char *gs_category_word(const gs_category_rules *rules, unsigned category);

/* The same for people, in the plural: "optimizer state", "activations"; a user's name as it is. */
const char *gs_category_words(const gs_category_rules *rules, unsigned category);

/* The category of that name, -1 where there is none. */
int gs_category_find(const gs_category_rules *rules, const char *name);

/* What a rule says, by its number: "id: sentence"; NULL for 0 (no rule held) and out of range. */
const char *gs_category_why(const gs_category_rules *rules, unsigned rule);

#endif
