/* Advice where memory is really short: what would need less of it, by what it is for. */
#include "analyzer/advice/advice.h"
#include <string.h>

#include "analyzer/advice/answer.h"

/* Categories below this share of what is live are not worth a line, in percent. */
enum { WORTH_SAYING = 10, HALF = 50, LARGEST_CUT = 60 };

static const gs_voice plain = {.width = 80, .utf8 = true};

static uint64_t live(const gs_diagnosis *d) { return d->totals.allocated + d->totals.pending; }

/* Live bytes of a category where they are worth saying, else 0. */
static uint64_t worth(const gs_diagnosis *d, unsigned category)
{
	for (size_t i = 0; i < d->ncategories; i++)
		if (d->categories[i].category == category)
			return d->categories[i].bytes >= live(d) / 100 * WORTH_SAYING ? d->categories[i].bytes
																		  : 0;
	return 0;
}

/* "61.8 of 78.3 GiB" */
static void say_share(gs_prose *p, const gs_diagnosis *d, uint64_t bytes)
{
	gs_say_size(p, (int64_t)bytes);
	gs_say(p, " of ");
	gs_say_size(p, (int64_t)live(d));
}

static gs_status advise(gs_diagnosis *d, const gs_prose *act, const gs_prose *why)
{
	return gs_diagnosis_advise(d, GS_KNOWN_ESTIMATED, act->text, why->text);
}

/* Activations follow the size of the batch. */
static gs_status advise_batch(gs_diagnosis *d)
{
	uint64_t bytes = worth(d, GS_CATEGORY_ACTIVATION);
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	if (!bytes || d->missing < 0)
		return GS_OK;
	uint64_t percent = (uint64_t)((double)d->missing * 100 / (double)bytes) + 1;
	if (percent > LARGEST_CUT)
		return GS_OK;
	gs_say(&act, "a smaller batch");
	gs_say(&why, "activations are ");
	say_share(&why, d, bytes);
	gs_say(&why, "; %llu %% fewer would do", (unsigned long long)percent);
	return advise(d, &act, &why);
}

/* The place whose activations are most worth computing again instead of keeping. */
static gs_status advise_checkpoint(gs_diagnosis *d)
{
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	if (!worth(d, GS_CATEGORY_ACTIVATION))
		return GS_OK;
	for (size_t i = 0; i < d->nholders; i++) {
		const gs_holder_row *h = &d->holders[i];
		if (h->category != GS_CATEGORY_ACTIVATION || !*h->where)
			continue;
		gs_say(&act, "use activation checkpointing at ");
		gs_say_where(&act, &plain, h->where, h->called_by);
		gs_say(&why, "its activations are ");
		gs_say_size(&why, (int64_t)h->bytes);
		gs_say(&why, " in ");
		gs_say_count(&why, h->blocks, "block");
		return advise(d, &act, &why);
	}
	return GS_OK;
}

static gs_status advise_category(
	gs_diagnosis *d, unsigned category, const char *act_text, const char *noun)
{
	uint64_t bytes = worth(d, category);
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	if (!bytes)
		return GS_OK;
	gs_say(&act, "%s", act_text);
	gs_say(&why, "%s ", noun);
	say_share(&why, d, bytes);
	return advise(d, &act, &why);
}

/* The request that failed is one more of what most memory is, and nothing tells what that is for:
 * of a forward pass it would be activations. */
static gs_status advise_if_activations(gs_diagnosis *d)
{
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	const gs_holder_row *h = d->nholders ? &d->holders[0] : NULL;
	gs_prose act, why;
	if (!h || h->category != GS_CATEGORY_UNKNOWN || h->blocks < 2 || d->ngrowth ||
		h->bytes < live(d) / 100 * HALF || !gs_diagnosis_of_pytorch(d) ||
		!gs_stack_place(d->snapshot, d->stack, where, called_by) || strcmp(where, h->where) ||
		strcmp(called_by, h->called_by))
		return GS_OK;
	gs_prose_clear(&act), gs_prose_clear(&why);
	gs_say(&act, "a smaller batch, or activation checkpointing at ");
	gs_say_where(&act, &plain, h->where, h->called_by);
	gs_say(&why, "if its ");
	gs_say_count(&why, h->blocks, "block");
	gs_say(&why, " are what a pass keeps for its backward");
	return gs_diagnosis_advise(d, GS_KNOWN_UNTRIED, act.text, why.text);
}

/* What can always be said. */
static gs_status advise_any_less(gs_diagnosis *d)
{
	gs_prose act, why;
	gs_prose_clear(&act), gs_prose_clear(&why);
	if (d->missing < 0)
		return GS_OK;
	gs_say(&act, "hold ");
	gs_say_size(&act, d->missing);
	gs_say(&act, " less, or use a larger device");
	for (size_t i = 0; i < d->nholders && !why.n; i++) {
		if (!gs_names_somebody(d, d->holders[i].stack))
			continue;
		gs_say(&why, "most is held by ");
		gs_say_where(&why, &plain, d->holders[i].where, d->holders[i].called_by);
	}
	return gs_diagnosis_advise(d, GS_KNOWN_COMPUTED, act.text, why.text);
}

gs_status gs_advise_less(gs_diagnosis *d)
{
	size_t before = d->nadvice;
	gs_status status = advise_batch(d);
	if (!status)
		status = advise_checkpoint(d);
	if (!status)
		status = advise_category(d, GS_CATEGORY_OPTIMIZER_STATE,
			"an optimizer with less state (8-bit), or its state sharded over ranks",
			"optimizer state is");
	if (!status)
		status = advise_category(d, GS_CATEGORY_GRADIENT,
			"gradients in a smaller type, or sharded over ranks", "gradients are");
	if (!status)
		status = advise_category(d, GS_CATEGORY_PARAMETER,
			"parameters in a smaller type, or sharded over ranks", "parameters are");
	if (status || d->nadvice > before)
		return status;
	status = advise_if_activations(d);
	return status ? status : advise_any_less(d);
}
