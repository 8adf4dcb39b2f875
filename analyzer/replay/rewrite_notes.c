/* What a rewrite did, in sentences. */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/meaning/category.h"
#include "analyzer/replay/replay.h"
#include "schema/size.h"

static bool say_all(const gs_replay_rewrite *w, const gs_replay_changes *c, char *text, size_t cap)
{
	if (!gs_replay_rewrites(w))
		return false;
	snprintf(text, cap, "the run was rewritten: %" PRIu64 " request%s changed", c->requests,
		c->requests == 1 ? "" : "s");
	return true;
}

/* A category that is not there is told, for "no change" alone would leave people guessing. */
static bool say_scale(
	const gs_replay_rewrite *w, const gs_replay_changes *c, size_t i, char *text, size_t cap)
{
	const gs_replay_scale *scale = &w->scales[i];
	const gs_replay_scaled *did = &c->scales[i];
	const char *words = gs_category_words(w->category_rules, (unsigned)scale->category);
	const char *word = gs_category_word(w->category_rules, (unsigned)scale->category);
	if (did->found || scale->factor == 1)
		return false;
	if (did->changed)
		snprintf(text, cap,
			"no %s were found in the recording: what --scale %s=%g changed are inputs, temporaries and what a forward pass makes",
			words, word, scale->factor);
	else if (did->before)
		snprintf(text, cap,
			"--scale %s=%g changes nothing: the %s (%" PRIu64
			" block%s) were there before the recording began, and stay as they are",
			word, scale->factor, words, did->before, did->before == 1 ? "" : "s");
	else
		snprintf(text, cap,
			"--scale %s=%g changes nothing: no request of the recording is known to be for %s (`gpusnap query FILE categories` lists what is known)",
			word, scale->factor, words);
	return true;
}

static bool say_free(const gs_replay_rewrite *w, const gs_replay_changes *c, char *text, size_t cap)
{
	if (!w->free_pattern || c->freed)
		return false;
	snprintf(text, cap, "--free changes nothing: no live block has \"%.100s\" in its stack",
		w->free_pattern);
	return true;
}

static bool say_without(
	const gs_replay_rewrite *w, const gs_replay_changes *c, char *text, size_t cap)
{
	if (!w->without_tag || c->left_out)
		return false;
	snprintf(
		text, cap, "--without changes nothing: no block has the tag \"%.100s\"", w->without_tag);
	return true;
}

static bool say_pad(const gs_replay_rewrite *w, const gs_replay_changes *c, char *text, size_t cap)
{
	char to[32], from[32];
	if (!w->pad_to || c->padded)
		return false;
	gs_size_format(to, sizeof to, w->pad_to);
	gs_size_format(from, sizeof from, w->pad_from);
	snprintf(text, cap, "--pad-to changes nothing: every request%s%s is a multiple of %s already",
		w->pad_from ? " of at least " : "", w->pad_from ? from : "", to);
	return true;
}

bool gs_replay_changes_note(
	const gs_replay_rewrite *w, const gs_replay_changes *c, size_t n, char *text, size_t cap)
{
	size_t at = 0;
	if (say_all(w, c, text, cap) && at++ == n)
		return true;
	for (size_t i = 0; i < w->nscales; i++)
		if (say_scale(w, c, i, text, cap) && at++ == n)
			return true;
	return (say_free(w, c, text, cap) && at++ == n) ||
		(say_without(w, c, text, cap) && at++ == n) || (say_pad(w, c, text, cap) && at++ == n);
}
