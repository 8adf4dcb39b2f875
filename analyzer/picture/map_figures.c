/* What the map measures: the verdict's figures of the failed request and the device. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/picture/map_internal.h"

static int64_t known(int64_t first, int64_t second) { return first != GS_NONE ? first : second; }

static void device_figures(gs_map_figures *f, const gs_map_panel *panel)
{
	const gs_oom *oom = panel->oom;
	int64_t of_device = panel->layout->idx == GS_NONE ? panel->device->device_free : GS_NONE;

	f->request = oom ? known(oom->requested, oom->needed) : GS_NONE;
	f->device_free = oom ? known(oom->device_free, of_device) : of_device;
	f->capacity = known(panel->device->capacity, oom ? oom->capacity : GS_NONE);
}

gs_status gs_map_figures_init(gs_map_figures *f, const gs_map_panel *panel, gs_error *err)
{
	const gs_layout *l = panel->layout;
	const gs_policy *policy = gs_policy_of(panel->snapshot);

	gs_free_for_init(&f->free);
	device_figures(f, panel);
	f->relation = calloc(l->nsegments + 1, sizeof *f->relation);
	if (!f->relation)
		return gs_fail(err, GS_NO_MEMORY, "marking %zu segments", l->nsegments);
	if (!panel->oom)
		return GS_OK;
	gs_policy_request request = gs_policy_request_of(policy, panel->oom);
	for (size_t k = 0; k < l->nsegments; k++)
		f->relation[k] = (uint8_t)gs_policy_relation(policy, &l->segments[k], &request);
	return GS_OK;
}

const char *gs_map_reason(gs_pool_relation relation, const gs_oom *oom)
{
	switch (relation) {
	case GS_POOL_OTHER_ID: return "of another pool (CUDA graph, MemPool)";
	case GS_POOL_OTHER_STREAM: return "of another stream";
	case GS_POOL_OTHER_CLASS:
		return oom && oom->pool == GS_SMALL ? "in the large pool" : "in the small pool";
	default: return "";
	}
}

void gs_map_figures_release(gs_map_figures *f)
{
	free(f->relation);
	memset(f, 0, sizeof *f);
}
