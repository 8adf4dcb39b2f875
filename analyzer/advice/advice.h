/* What to do about a failure: lines of advice, each with the figure that it rests on. */
#ifndef GS_ANALYZER_ADVICE_H
#define GS_ANALYZER_ADVICE_H

#include "analyzer/diagnose/diagnose.h"

/* Fills d->advice of a diagnosis from its verdict and from who is to blame and, with replays, from
 * what replays under other settings show. GS_NO_MEMORY, or what a replay failed with. */
gs_status gs_advise(gs_diagnosis *d, bool replays, gs_error *err);

/* Appends one line of advice (kept in order of regains). */
gs_status gs_diagnosis_advise(
	gs_diagnosis *d, uint64_t regains, const char *act, const char *because);

/* Appends the settings under which the recorded run, the failed request included, passes on the
 * same device. Says nothing where there is no trace, or where a replay of the recorded settings
 * does not fail as the recording did. */
gs_status gs_advise_settings(gs_diagnosis *d, gs_error *err);

#endif
