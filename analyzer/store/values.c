/* How the model's values are written in columns, for all that fill tables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/store/store_internal.h"

char *gs_pool_text(char *buf, gs_pool_id id)
{
	snprintf(buf, 44, "%" PRIu64 ",%" PRIu64, id.a, id.b);
	return buf;
}

gs_pool_id gs_pool_parse(const char *text)
{
	gs_pool_id id = {0, 0};
	char *end = NULL;
	if (text) {
		id.a = strtoull(text, &end, 10);
		if (*end == ',')
			id.b = strtoull(end + 1, NULL, 10);
	}
	return id;
}

gs_id gs_fill_stack(const gs_fill *f, gs_id local)
{
	return local && local < f->s->nstacks ? f->stack_of[local] : 0;
}

int64_t gs_device_number(int32_t device) { return device < 0 ? GS_NONE : device; }

bool gs_device_is_empty(const gs_snapshot *s, const gs_device *d)
{
	if (d->captured.nsegments || d->trace.n || d->trace.skipped || d->reserved != GS_NONE ||
		d->allocated != GS_NONE)
		return false;
	for (size_t i = 0; i < s->nooms; i++)
		if (s->ooms[i].device == d->device)
			return false;
	return true;
}
