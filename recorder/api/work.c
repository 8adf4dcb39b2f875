/* Work that was ordered elsewhere: who ordered it goes into the stacks of who does it. */
#include "recorder/api/opened.h"
#include "recorder/gpusnap.h"

/* The recorder that the glue between PyTorch and us serves: attach() watches, use() opens the pool
 * and has closed the other. */
static gs_recorder *served(void)
{
	gs_recorder *r = gs_opened_get(GS_OPENED_WATCH);
	return r ? r : gs_opened_get(GS_OPENED_POOL);
}

__attribute__((noinline)) gpusnap_id gpusnap_place(void)
{
	gs_regs from;
	gs_recorder *r = served();
	gs_regs_of_caller(&from);
	return r ? gs_recorder_place(r, &from) : 0;
}

void gpusnap_work_for(const char *name, gpusnap_id place)
{
	gs_recorder *r = served();
	if (r)
		gs_recorder_work_for(r, name, place);
}

bool gpusnap_wants_places(void)
{
	const gs_recorder *r = served();
	return r && r->config.places && r->config.stacks;
}
