/* Recording of actions. */
#include "recorder/dump/log.h"

#include <string.h>

gs_status gs_log_init(gs_log *l, uint32_t events, gs_pages *pages)
{
	memset(l, 0, sizeof *l);
	gs_status status = gs_ring_init(&l->ring, events, pages);
	if (!status)
		status = gs_staging_init(&l->staging, events, pages);
	if (status)
		gs_log_release(l, pages);
	return status;
}

void gs_log_release(gs_log *l, gs_pages *pages)
{
	gs_staging_release(&l->staging);
	gs_ring_release(&l->ring, pages);
	memset(l, 0, sizeof *l);
}

void gs_log_action(gs_log *l, const gs_pool *pool, const gs_pool_action *a, uint64_t ticks)
{
	gs_ring_event e = {{a->address}, a->size, ticks, a->stream, a->ctx.stack, (uint16_t)a->ctx.tag,
		gs_ring_pool(&l->ring, a->pool_id), (uint8_t)a->action};
	if (__builtin_expect(a->action == GS_ACTION_OOM, 0)) {
		const gs_pool_oom *figures = gs_pool_last_oom(pool);
		e.device_free = a->device_free;
		if (l->refuses)
			e.action = GS_ACTION_REFUSED;
		l->pending += l->refuses;
		if (figures)
			l->ooms[l->nooms++ % GS_OOMS_KEPT] = (gs_stage_oom){l->ring.count, ticks, *figures};
		if (figures && l->lane)
			gs_lane_push_oom(l->lane, &(gs_stage_oom){l->ring.count, ticks, *figures});
	}
	gs_ring_push(&l->ring, &e);
	if (l->lane)
		gs_lane_push(l->lane, &e, a->block);
}

void gs_log_copy_for_stream(gs_log *l, const gs_pool *pool)
{
	l->lane->staging.in_use = false; /* a layout under way when room was made is written by now */
	gs_staging_copy(&l->lane->staging, pool, &l->ring);
	memcpy(l->lane->staging.conf, l->conf, sizeof l->conf);
}

void gs_log_forgive(gs_log *l)
{
	l->nooms = l->pending >= GS_OOMS_KEPT || l->pending > l->nooms ? 0 : l->nooms - l->pending;
	l->pending = 0;
}

void gs_log_set_conf(gs_log *l, const char *conf)
{
	size_t n = strlen(conf);
	if (n > sizeof l->conf - 1)
		n = sizeof l->conf - 1;
	memcpy(l->conf, conf, n);
	l->conf[n] = 0;
}

void gs_log_stage(gs_log *l, const gs_pool *pool, int64_t device_free)
{
	gs_staging *s = &l->staging;
	uint32_t n = l->nooms < GS_OOMS_KEPT ? (uint32_t)l->nooms : GS_OOMS_KEPT;
	gs_staging_copy(s, pool, &l->ring);
	for (uint32_t i = 0; i < n; i++)
		s->ooms[i] = l->ooms[(l->nooms - n + i) % GS_OOMS_KEPT];
	s->nooms = n;
	s->at_oom = n && s->ooms[n - 1].number + 1 == l->ring.count;
	s->device_free = s->at_oom ? (int64_t)s->ooms[n - 1].figures.device_free : device_free;
	memcpy(s->conf, l->conf, sizeof s->conf);
}
