/* What-if's answer in a sentence. */
#ifndef GS_ANALYZER_ADVICE_WHATIF_SENTENCE_H
#define GS_ANALYZER_ADVICE_WHATIF_SENTENCE_H

#include "analyzer/model/prose.h"
#include "analyzer/replay/whatif.h"

/* What was asked of the rows that w holds. */
typedef enum gs_whatif_question {
	GS_WHATIF_OF_CONFS, /* these settings, or the recorded ones on another device */
	GS_WHATIF_SEARCHED, /* the recorded settings first, then a searched set */
	GS_WHATIF_MINIMIZED /* the smallest device for each row */
} gs_whatif_question;

/* Appends the answer: "Yes: it fits in 37.3 GiB, peak 19.4 GiB reserved". Nothing where there are
 * no rows. */
void gs_whatif_sentence(const gs_whatif *w, gs_whatif_question question, gs_prose *p);

#endif
