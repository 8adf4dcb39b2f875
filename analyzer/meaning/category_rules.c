/* Categories, our rules, and those that a user adds. */
#include "analyzer/meaning/category_rules.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/memory.h"

const gs_category_rule gs_own_rules[] = {
#define GS_RULE(id, category, phase, trait, life, size, why)                                      \
	{id, id ": " why, GS_CATEGORY_##category, GS_PHASE_##phase, GS_TRAIT_##trait, GS_LIFE_##life, \
		GS_SIZE_##size},
#include "analyzer/meaning/category_rules.def"
#undef GS_RULE
};
enum { OWN_RULES = sizeof gs_own_rules / sizeof *gs_own_rules, MOST_RULES = 255 - OWN_RULES };
const unsigned gs_own_rules_count = OWN_RULES;

static const char *const words[] = {
#define GS_CATEGORY(name, word, people) word,
	GS_CATEGORY_WORDS(GS_CATEGORY)
#undef GS_CATEGORY
};

typedef struct user_rule {
	char *words; /* in the path or the function */
	char *why;   /* as the file has it */
	uint8_t category;
} user_rule;

struct gs_category_rules {
	user_rule *rules;
	size_t nrules;
	char *names[GS_MOST_CATEGORIES - GS_CATEGORIES];
	size_t nnames;
};

const char *gs_category_word(const gs_category_rules *rules, unsigned category)
{
	if (category < GS_CATEGORIES)
		return words[category];
	size_t own = category - GS_CATEGORIES;
	return rules && own < rules->nnames ? rules->names[own] : words[GS_CATEGORY_UNKNOWN];
}

const char *gs_category_words(const gs_category_rules *rules, unsigned category)
{
	static const char *const for_people[] = {
#define GS_CATEGORY(name, word, people) people,
		GS_CATEGORY_WORDS(GS_CATEGORY)
#undef GS_CATEGORY
	};
	return category < GS_CATEGORIES ? for_people[category] : gs_category_word(rules, category);
}

/* How many there are, numbered from 0. */
static unsigned count_categories(const gs_category_rules *rules)
{
	return GS_CATEGORIES + (rules ? (unsigned)rules->nnames : 0);
}

int gs_category_find(const gs_category_rules *rules, const char *name)
{
	for (unsigned i = 0; i < count_categories(rules); i++)
		if (!strcmp(gs_category_word(rules, i), name))
			return (int)i;
	return -1;
}

const char *gs_category_why(const gs_category_rules *rules, unsigned rule)
{
	if (!rule)
		return NULL;
	if (rule <= OWN_RULES)
		return gs_own_rules[rule - 1].why;
	size_t own = rule - OWN_RULES - 1;
	return rules && own < rules->nrules ? rules->rules[own].why : NULL;
}

unsigned gs_category_of_rule(const gs_category_rules *rules, unsigned rule)
{
	if (rule && rule <= OWN_RULES)
		return gs_own_rules[rule - 1].category;
	size_t own = rule - OWN_RULES - 1;
	return rule && rules && own < rules->nrules ? rules->rules[own].category : GS_CATEGORY_UNKNOWN;
}

unsigned gs_category_rules_user(const gs_category_rules *rules, const char *name, const char *file)
{
	for (size_t i = 0; rules && i < rules->nrules; i++)
		if (strstr(file, rules->rules[i].words) || strstr(name, rules->rules[i].words))
			return OWN_RULES + 1 + (unsigned)i;
	return 0;
}

/* --- reading -------------------------------------------------------------------------------------
 */

static char *copy(const char *text, size_t n)
{
	char *to = malloc(n + 1);
	if (to) {
		memcpy(to, text, n);
		to[n] = 0;
	}
	return to;
}

/* The number of a name, made when new; GS_MOST_CATEGORIES where there are too many, -1 without
 * memory. */
static int number_of(gs_category_rules *r, const char *name, size_t n)
{
	for (unsigned i = 0; i < count_categories(r); i++) {
		const char *word = gs_category_word(r, i);
		if (strlen(word) == n && !memcmp(word, name, n))
			return (int)i;
	}
	if (r->nnames == GS_MOST_CATEGORIES - GS_CATEGORIES)
		return GS_MOST_CATEGORIES;
	if (!(r->names[r->nnames] = copy(name, n)))
		return -1;
	return (int)(GS_CATEGORIES + r->nnames++);
}

static gs_status add_rule(gs_category_rules *r, const char *line, size_t words_n, const char *name,
	size_t name_n, size_t number, gs_error *err)
{
	if (r->nrules == MOST_RULES)
		return gs_fail(err, GS_LIMIT, "line %zu: more than %d rules", number, (int)MOST_RULES);
	int category = number_of(r, name, name_n);
	if (category == GS_MOST_CATEGORIES)
		return gs_fail(err, GS_LIMIT, "line %zu: more than %d names of categories", number,
			GS_MOST_CATEGORIES - GS_CATEGORIES);
	bool room = GS_ARRAY_ONE_MORE(r->rules, r->nrules);
	char *text = room ? copy(line, words_n) : NULL, *why = text ? malloc(words_n + 32) : NULL;
	if (!why || category < 0) {
		free(text);
		free(why);
		return gs_fail(err, GS_NO_MEMORY, "rules");
	}
	snprintf(why, words_n + 32, "rule %zu: %s", r->nrules + 1, text);
	for (char *p = text; *p; p++)
		*p = *p == '\\' ? '/' : *p;
	r->rules[r->nrules++] = (user_rule){text, why, (uint8_t)category};
	return GS_OK;
}

static gs_status read_line(
	gs_category_rules *r, const char *line, size_t n, size_t number, gs_error *err)
{
	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	while (n && isspace((unsigned char)*line))
		line++, n--;
	if (!n || *line == '#')
		return GS_OK;
	size_t name = n;
	while (name && !isspace((unsigned char)line[name - 1]))
		name--;
	size_t words_n = name;
	while (words_n && isspace((unsigned char)line[words_n - 1]))
		words_n--;
	if (!words_n || n - name > 40 || words_n > 1000 || memchr(line, 0, n))
		return gs_fail(err, GS_INVALID,
			"line %zu: a rule is words of a path or function, a blank, and a name", number);
	return add_rule(r, line, words_n, line + name, n - name, number, err);
}

gs_status gs_category_rules_read(const char *text, size_t n, gs_category_rules **out, gs_error *err)
{
	gs_category_rules *r = calloc(1, sizeof *r);
	gs_status status = r ? GS_OK : gs_fail(err, GS_NO_MEMORY, "rules");
	size_t number = 1;
	for (size_t at = 0; at < n && !status; number++) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t length = end ? (size_t)(end - text) - at : n - at;
		status = read_line(r, text + at, length, number, err);
		at += length + 1;
	}
	if (status) {
		gs_category_rules_free(r);
		r = NULL;
	}
	*out = r;
	return status;
}

void gs_category_rules_free(gs_category_rules *r)
{
	for (size_t i = 0; r && i < r->nrules; i++) {
		free(r->rules[i].words);
		free(r->rules[i].why);
	}
	for (size_t i = 0; r && i < r->nnames; i++)
		free(r->names[i]);
	if (r)
		gs_memory_give(r->rules);
	free(r);
}
