/* The failures beside the one that is told. */
#ifndef GS_ANALYZER_DIAGNOSE_OTHERS_H
#define GS_ANALYZER_DIAGNOSE_OTHERS_H

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/diagnose/standing.h"
#include "analyzer/model/place.h"
#include "analyzer/model/failure.h"

struct gs_other {
	gs_failure failure;
	gs_step verdict;
	char where[GS_PLACE_TEXT]; /* as gs_stack_place writes it; "" unknown */
	bool alike;                /* the same verdict, place and size as the one told */
	gs_standing standing;
	uint8_t unlike; /* in what it stands apart from them all (standing.h) */
};

/* The one that is told and the others, as they stand among each other. */
struct gs_many {
	gs_standing standing; /* of the one that is told */
	uint8_t unlike;
	gs_usual usual;
};

/* gs_diagnose of the first of n failures (s: its snapshot; n may be 0), then the others beside it,
 * unless a state is asked for: d knows them until gs_diagnosis_release (d->others_list, d->many).
 * They are judged a thread a core. GS_NO_MEMORY and what gs_diagnose returns; another that cannot
 * be judged is unknown. d is to be released in any case. */
gs_status gs_diagnose_failures(const gs_snapshot *s, const gs_diagnose_options *options,
	const gs_failure *failures, size_t n, gs_diagnosis *d, gs_error *err);

#endif
