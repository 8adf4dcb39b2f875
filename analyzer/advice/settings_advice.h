/* Advice on settings, from replays alone: the diagnosis's seam for it. */
#ifndef GS_ANALYZER_WHATIF_ADVICE_H
#define GS_ANALYZER_WHATIF_ADVICE_H

#include "analyzer/diagnose/diagnose.h"

/* For gs_diagnose_options.advise_settings (context unused): appends the settings under which the
 * recorded run, the failed request included, passes on the same device. Says nothing where there is
 * no trace, or where a replay of the recorded settings does not fail as the recording did. */
gs_status gs_whatif_advise_settings(gs_diagnosis *d, void *context, gs_error *err);

#endif
