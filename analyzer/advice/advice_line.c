/* Lines of advice, one behind the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/advice.h"

static void copy_shortened(char *buf, size_t cap, const char *text)
{
	size_t n = strlen(text);
	snprintf(buf, cap, "%s", text);
	if (n >= cap)
		memcpy(buf + cap - 4, "...", 4);
}

gs_status gs_diagnosis_advise(gs_diagnosis *d, gs_known known, const char *act, const char *because)
{
	gs_advice *grown = realloc(d->advice, (d->nadvice + 1) * sizeof *grown);
	if (!grown)
		return GS_NO_MEMORY;
	d->advice = grown;
	gs_advice *line = &grown[d->nadvice++];
	line->known = known;
	copy_shortened(line->act, sizeof line->act, act);
	copy_shortened(line->because, sizeof line->because, because);
	return GS_OK;
}
