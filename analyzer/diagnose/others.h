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

/* Judges all but the first of n failures beside d, the diagnosis of the first, and has d know them
 * (d->others_list, d->many, until gs_diagnosis_release). They are judged a thread a core. options:
 * of d. GS_NO_MEMORY; one that cannot be judged is unknown. */
gs_status gs_diagnose_others(gs_diagnosis *d, const gs_diagnose_options *options,
	const gs_failure *failures, size_t n, gs_error *err);

#endif
