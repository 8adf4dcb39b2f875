/* Lines of advice, one behind the other. */
#include <stdio.h>
#include <string.h>

#include "analyzer/model/array.h"
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
	if (!GS_ARRAY_ONE_MORE(d->advice, d->nadvice))
		return GS_NO_MEMORY;
	gs_advice *line = &d->advice[d->nadvice++];
	line->known = known;
	copy_shortened(line->act, sizeof line->act, act);
	copy_shortened(line->because, sizeof line->because, because);
	return GS_OK;
}
