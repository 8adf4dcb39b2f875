/* The request that failed at a moment, and how each segment lies to it. */
#ifndef GS_ANALYZER_API_REQUEST_H
#define GS_ANALYZER_API_REQUEST_H

#include <stdio.h>

#include "analyzer/timeline/timeline.h"

/* The member "request" of an answer about the layout after event idx (GS_NONE: as captured): null
 * where nothing failed there. Rules: analyzer/diagnose/serving.h. */
void gs_put_request(const gs_timeline *t, const gs_layout *l, int64_t idx, FILE *out);

#endif
