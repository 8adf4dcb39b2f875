/* The failures beside the one that is told. */
#ifndef GS_ANALYZER_DIAGNOSE_OTHERS_H
#define GS_ANALYZER_DIAGNOSE_OTHERS_H

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/place.h"
#include "analyzer/model/failure.h"

struct gs_other {
	gs_failure failure;
	gs_step verdict;
	char where[GS_PLACE_TEXT]; /* as gs_stack_place writes it; "" unknown */
	bool alike;                /* the same verdict, place and size as the one told */
};

/* Judges all but the first of n failures beside d, the diagnosis of the first, and has d know them
 * (d->others, until gs_diagnosis_release). options: of d. GS_NO_MEMORY; one that cannot be judged
 * is unknown. */
gs_status gs_diagnose_others(gs_diagnosis *d, const gs_diagnose_options *options,
	const gs_failure *failures, size_t n, gs_error *err);

#endif
