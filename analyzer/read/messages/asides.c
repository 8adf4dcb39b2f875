/* Figures told beside messages. */
#include "analyzer/read/messages/asides.h"

#include <string.h>

#include "analyzer/read/messages/join.h"

gs_oom *gs_oom_aside_of(gs_oom_text *o, const char *library)
{
	for (size_t k = 0; k < o->nasides; k++)
		if (!strcmp(o->asides[k].library, library))
			return &o->asides[k];
	return NULL;
}

void gs_oom_take_aside(gs_oom_text *o, gs_oom *row)
{
	gs_oom *aside = gs_oom_aside_of(o, row->library);
	if (!aside)
		return;
	gs_oom_fill(row, aside);
	*aside = o->asides[--o->nasides];
}

void gs_oom_put_aside(gs_oom_text *o, const gs_oom *row)
{
	gs_oom newer = *row, *a = gs_oom_aside_of(o, row->library);
	if (a) {
		gs_oom_fill(&newer, a);
		*a = newer;
	} else if (o->nasides < GS_OOM_ASIDES) {
		o->asides[o->nasides++] = newer;
	}
}
