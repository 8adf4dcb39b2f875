/* What to do about a failure: lines of advice, in the order in which to try them, each with the
 * figure that it rests on and how that is known. */
#ifndef GS_ANALYZER_ADVICE_ADVICE_H
#define GS_ANALYZER_ADVICE_ADVICE_H

#include "analyzer/diagnose/diagnose.h"

/* Fills d->advice from the verdict, from who holds and pins memory and what it is for and, with
 * replays, from what the recorded run does under other settings. GS_NO_MEMORY. */
gs_status gs_advise(gs_diagnosis *d, bool replays, gs_error *err);

/* Appends a line. act and because may hold texts of the file as they are; what is too long for a
 * gs_advice ends in an ellipsis. GS_NO_MEMORY. */
gs_status gs_diagnosis_advise(
	gs_diagnosis *d, gs_known known, const char *act, const char *because);

/* Appends the setting under which the recorded run, the failed request included, passes on the same
 * device. Says nothing where a replay of the recorded settings does not fail as the recording did.
 * *tried tells whether there was a run to replay. */
gs_status gs_advise_settings(gs_diagnosis *d, bool *tried, gs_error *err);

/* Appends, for memory that is really short, what would need less: by the categories of what is
 * live. */
gs_status gs_advise_less(gs_diagnosis *d);

#endif
