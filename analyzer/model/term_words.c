#include "analyzer/model/term_words.h"

#include <string.h>

static const struct {
	const char *text;
	size_t length;
} action_words[] = {
#define GS_ACT(name, text) {text, sizeof text - 1},
#include "schema/actions.def"
#undef GS_ACT
};

const char *gs_action_text(gs_action action)
{
	return (unsigned)action < GS_ACTION_COUNT ? action_words[action].text : "unknown";
}

gs_action gs_action_parse(const char *word, size_t n)
{
	for (int i = 0; i < GS_ACTION_COUNT; i++)
		if (action_words[i].length == n && !memcmp(word, action_words[i].text, n))
			return (gs_action)i;
	return GS_ACTION_UNKNOWN;
}

static const char *const state_words[] = {
#define GS_STATE_ROW(name, text) text,
#include "schema/block_states.def"
#undef GS_STATE_ROW
};
static const char *const class_words[] = {
#define GS_CLASS_ROW(name, text) text,
#include "schema/pool_classes.def"
#undef GS_CLASS_ROW
};

/* Number of a word in a list; n where it is none of them. */
static int number_of(const char *word, const char *const *words, int n)
{
	int i = 0;
	while (i < n && !(word && !strcmp(word, words[i])))
		i++;
	return i;
}

const char *gs_block_state_text(gs_block_state state)
{
	return (unsigned)state < GS_BLOCK_STATES ? state_words[state] : "unknown";
}

gs_block_state gs_block_state_parse(const char *word)
{
	return (gs_block_state)number_of(word, state_words, GS_BLOCK_STATES);
}

const char *gs_class_text(int pool)
{
	return (unsigned)pool < GS_CLASS_UNKNOWN ? class_words[pool] : NULL;
}

gs_pool_class gs_class_parse(const char *word)
{
	return (gs_pool_class)number_of(word, class_words, GS_CLASS_UNKNOWN);
}
