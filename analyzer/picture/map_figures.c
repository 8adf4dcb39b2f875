/* Which free memory a failed request may use, and the largest piece of it. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/picture/map_internal.h"

static bool same_pool(gs_pool_id a, gs_pool_id b) { return a.a == b.a && a.b == b.b; }

static enum gs_map_refused refused(const gs_segment *s, const gs_oom *oom)
{
	gs_pool_id pool = {0, 0};

	if (!oom)
		return GS_MAP_SERVES;
	if (oom->has_pool_id)
		pool = oom->pool_id;
	if (!same_pool(s->pool_id, pool))
		return GS_MAP_OTHER_POOL;
	if (oom->stream != GS_NONE && s->stream != (uint64_t)oom->stream)
		return GS_MAP_OTHER_STREAM;
	if (oom->pool != GS_CLASS_UNKNOWN && s->pool != GS_CLASS_UNKNOWN && s->pool != oom->pool)
		return GS_MAP_OTHER_CLASS;
	return GS_MAP_SERVES;
}

static void device_figures(gs_map_figures *f, const gs_map_panel *panel)
{
	const gs_oom *oom = panel->oom;

	f->request = oom ? oom->requested : GS_NONE;
	f->device_free = oom && oom->device_free != GS_NONE ? oom->device_free
		: panel->layout->idx == GS_NONE                 ? panel->device->device_free
														: GS_NONE;
	f->capacity = panel->device->capacity != GS_NONE ? panel->device->capacity
		: oom                                        ? oom->capacity
													 : GS_NONE;
}

gs_status gs_map_figures_init(gs_map_figures *f, const gs_map_panel *panel, gs_error *err)
{
	const gs_layout *l = panel->layout;

	memset(f, 0, sizeof *f);
	f->hole = f->refused_hole = SIZE_MAX;
	device_figures(f, panel);
	f->refused = calloc(l->nsegments + 1, sizeof *f->refused);
	if (!f->refused)
		return gs_fail(err, GS_NO_MEMORY, "marking %zu segments", l->nsegments);
	for (size_t k = 0; k < l->nsegments; k++)
		f->refused[k] = (uint8_t)refused(&l->segments[k], panel->oom);
	return GS_OK;
}

const char *gs_map_reason(enum gs_map_refused reason, const gs_oom *oom)
{
	switch (reason) {
	case GS_MAP_OTHER_POOL: return "of another pool (CUDA graph, MemPool)";
	case GS_MAP_OTHER_STREAM: return "of another stream";
	case GS_MAP_OTHER_CLASS:
		return oom && oom->pool == GS_SMALL ? "in the large pool" : "in the small pool";
	default: return "";
	}
}

void gs_map_count_hole(gs_map_figures *f, size_t segment, const gs_block *b, size_t i)
{
	if (f->refused[segment]) {
		f->not_for_it[f->refused[segment]] += b->size;
		if (b->size > f->largest_refused) {
			f->largest_refused = b->size;
			f->refused_hole = i;
		}
		return;
	}
	f->free += b->size;
	f->holes++;
	if (b->size > f->largest) {
		f->largest = b->size;
		f->hole = i;
	}
}

void gs_map_figures_release(gs_map_figures *f)
{
	free(f->refused);
	memset(f, 0, sizeof *f);
}
