/* Keeping the lines of advice in order. */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/advice/advice.h"

gs_status gs_diagnosis_advise(
	gs_diagnosis *d, uint64_t regains, const char *act, const char *because)
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
