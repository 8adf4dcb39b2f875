/* What all views of a snapshot have in common, as JSON. */
#ifndef GS_ANALYZER_API_OUTLINE_H
#define GS_ANALYZER_API_OUTLINE_H

#include <stdio.h>

#include "analyzer/timeline/timeline.h"

/* A device: an object. */
void gs_outline_device(const gs_timeline *t, FILE *out);

/* The words of categories and actions: two members, after a comma. */
void gs_outline_words(FILE *out);

#endif
