#include "analyzer/model/oom.h"

#include <string.h>

void gs_oom_init(gs_oom *o)
{
	memset(o, 0, sizeof *o);
	o->number = GS_NONE;
	o->device = -1;
	o->pool = GS_CLASS_UNKNOWN;
	o->idx = o->time_us = o->requested = o->needed = o->stream = GS_NONE;
	o->device_free = o->capacity = o->allocated = o->reserved = o->allowed = GS_NONE;
	gs_oom_told *t = &o->told;
	t->others = t->own = t->counted = t->private_free = GS_NONE;
	t->pool_free = t->pool_largest = t->line = GS_NONE;
}
