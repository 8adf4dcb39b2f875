/* What shrinks with a category: of activations what else a batch makes. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning_internal.h"

/* Under autocast weights are cast to half their bytes: then most of the parameters' sizes are seen
 * halved in the forward pass, and these do not depend on the batch. */
bool gs_meaning_casts_weights(const gs_meaning *m)
{
	enum { LEAST_BYTES = 4096 };
	const gs_meaning_internal *w = m->internal;
	size_t large = 0, halved = 0;
	bool *seen = calloc(w->nparameter_sizes + 1, sizeof *seen);
	if (!seen)
		return false;
	for (size_t i = 0; i < m->history->n; i++) {
		if (gs_meaning_action(m, i) != GS_ACTION_ALLOC ||
			gs_phase_of(&w->phases, gs_meaning_stack(m, i)) != GS_PHASE_FORWARD)
			continue;
		size_t at = gs_parameter_size_at(w, m->history->device->trace.events[i].size * 2);
		if (at != SIZE_MAX)
			seen[at] = true;
	}
	for (size_t k = 0; k < w->nparameter_sizes; k++) {
		large += w->parameter_sizes[k] >= LEAST_BYTES;
		halved += w->parameter_sizes[k] >= LEAST_BYTES && seen[k];
	}
	free(seen);
	return halved > 1 && halved * 5 >= large * 3;
}

/* Temporaries of forward and backward come with the batch too, but for casts of weights, and for
 * those of a parameter's size in a backward pass that adds to older gradients: they may be on their
 * way there. */
bool gs_meaning_goes_with(const gs_meaning *m, size_t event, unsigned category, bool casts_weights)
{
	const gs_meaning_internal *w = m->internal;
	gs_sense sense = m->events[event];
	uint8_t phase = gs_phase_of(&w->phases, gs_meaning_stack(m, event));
	uint64_t size = m->history->device->trace.events[event].size;
	if (category != GS_CATEGORY_ACTIVATION)
		return sense.category == category;
	if (casts_weights && phase == GS_PHASE_FORWARD && gs_parameter_size_at(w, size * 2) != SIZE_MAX)
		return false;
	if (sense.category == GS_CATEGORY_ACTIVATION || sense.category == GS_CATEGORY_INPUT)
		return true;
	if (sense.category != GS_CATEGORY_TEMPORARY)
		return sense.category == GS_CATEGORY_UNKNOWN && phase == GS_PHASE_FORWARD;
	if (phase == GS_PHASE_BACKWARD)
		return (w->passes[w->pass_at[event]].gradients ||
				   gs_parameter_size_at(w, size) == SIZE_MAX) &&
			!(casts_weights && gs_parameter_size_at(w, size * 2) != SIZE_MAX);
	return phase == GS_PHASE_FORWARD || phase == GS_PHASE_RECOMPUTE || phase == GS_PHASE_USER;
}
