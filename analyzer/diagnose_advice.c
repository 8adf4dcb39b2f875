/* Advice: what to do, and the figure that says so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose_work.h"

gs_status gs_diagnosis_advise(gs_diagnosis *d, uint64_t regains, const char *act, const char *because)
{
	gs_advice *grown = realloc(d->advice, (d->nadvice + 1) * sizeof *grown);
	if (!grown)
		return GS_NO_MEMORY;
	d->advice = grown;
	size_t at = d->nadvice++;
	for (; at && grown[at - 1].regains < regains; at--)
		grown[at] = grown[at - 1];
	grown[at].regains = regains;
	snprintf(grown[at].act, sizeof grown[at].act, "%s", act);
	snprintf(grown[at].because, sizeof grown[at].because, "%s", because);
	return GS_OK;
}

gs_status gs_diagnose_advice(gs_diagnosis *d)
{
	(void)d;
	return GS_OK;
}
