/* What changes with a category: the size that an allocation would have, were parameters, optimizer
 * state … made smaller or larger by a factor. With activations (another batch) go inputs, the
 * temporaries of forward and backward, and what the program itself keeps of an activation's size;
 * but not what a layer makes of its weights alone, nor what a library takes for any batch. */
#ifndef GS_ANALYZER_MEANING_SCALING_H
#define GS_ANALYZER_MEANING_SCALING_H

#include "analyzer/meaning/meaning.h"

typedef struct gs_scaling {
	const gs_meaning *m;
	uint8_t *fixed;        /* by event: the allocation is the same for any batch */
	uint64_t *activations; /* different sizes of what forward makes or takes, ascending */
	size_t nactivations;
} gs_scaling;

/* Linear in the events. The meaning must outlive it. GS_OK or GS_NO_MEMORY. Release in any case. */
gs_status gs_scaling_init(gs_scaling *s, const gs_meaning *m);
void gs_scaling_release(gs_scaling *s);

/* The size of an allocation (or of a refused one), in parts of what it was: the factor where it
 * goes with the category, else 1; 0 for scratch that a smaller batch does without. */
double gs_scaling_factor(const gs_scaling *s, size_t event, unsigned category, double factor);

#endif
