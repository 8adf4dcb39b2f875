/* What was refused. A refused driver call is not yet an out-of-memory: caching allocators give
 * memory back and ask again. So the dump of a refusal is provisional: it goes when a call of at
 * least that size succeeds. After a few false alarms a device's first refusal only raises a flag;
 * the dump is written when the next call is refused too, or when the process ends. */
#include "recorder/preload/passthrough_internal.h"

#include <string.h>

#include "recorder/api/heap_outsiders.h"
#include "recorder/preload/hook.h"

enum { TOO_MANY_ALARMS = 8 };

static void drop_dump(gs_passthrough_device *d)
{
	gs_dumper_forget(&d->recorder->dumper, d->dump);
	d->provisional = false;
}

void gs_passthrough_name_outsiders(gs_passthrough_device *d, gs_staging *s)
{
	gs_hook_enter();
	gs_staging_processes(s, d->number, d->facts.pci, (int64_t)d->live.bytes);
	gs_hook_leave();
}

static void copy_to_staging(gs_passthrough_device *d, bool at_refusal, uint64_t device_free)
{
	gs_staging *s = &d->staging;
	uint32_t n = d->nrefusals < GS_OOMS_KEPT ? (uint32_t)d->nrefusals : GS_OOMS_KEPT;
	gs_live_copy(&d->live, s);
	memset(&s->stats, 0, sizeof s->stats);
	s->stats.array[GS_STAT_ALLOCATED_BYTES][GS_STAT_ALL].current =
		s->stats.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].current = (int64_t)d->live.bytes;
	s->stats.array[GS_STAT_ALLOCATED_BYTES][GS_STAT_ALL].peak =
		s->stats.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].peak = (int64_t)d->live.peak;
	s->stats.num_ooms = (int64_t)d->nrefusals;
	s->library = "cuda";
	s->above = d->above;
	s->allowed = GS_NONE;
	s->device_free = device_free ? (int64_t)device_free : GS_NONE;
	s->at_oom = at_refusal;
	s->nevents = gs_ring_kept(&d->ring);
	s->count = d->ring.count;
	memcpy(s->pools, d->ring.pools, sizeof s->pools);
	gs_ring_copy(&d->ring, s->events);
	for (uint32_t i = 0; i < n; i++)
		s->ooms[i] = d->refusals[(d->nrefusals - n + i) % GS_OOMS_KEPT];
	s->nooms = n;
	gs_passthrough_name_outsiders(d, s);
}

/* Writes the dump of a refusal; an earlier provisional one goes when the new one is there. The lock
 * is held: the program's other calls on this device wait, so that the state is that of the failure.
 */
static void write_dump(gs_passthrough_device *d, bool at_refusal, uint64_t device_free)
{
	char now[sizeof d->dump];
	gs_dump_device device = gs_passthrough_facts(d);
	gs_dump_failure failure = {d->refused_stack, d->refused_size, d->number};
	gs_dump_request request = {.reason = GS_DUMP_REFUSED, .failure = &failure, .quiet = true};
	copy_to_staging(d, at_refusal, device_free);
	if (gs_dumper_write(
			&d->recorder->dumper, &d->staging, &device, &request, now, sizeof now, NULL))
		return;
	if (d->provisional)
		drop_dump(d);
	memcpy(d->dump, now, sizeof now);
	d->provisional = true;
	d->flagged = false;
}

void gs_passthrough_refused(gs_passthrough_device *d, gs_live_block *b, uint64_t ticks)
{
	uint64_t device_free = 0, capacity = 0;
	gs_driver_memory(&device_free, &capacity);
	gs_stage_oom *o = &d->refusals[d->nrefusals % GS_OOMS_KEPT];
	*o = (gs_stage_oom){.number = d->ring.count, .ticks = ticks};
	o->figures = (gs_pool_oom){.requested = b->size,
		.rounded = b->size,
		.needed = b->size,
		.stream = b->stream,
		.pool = GS_CLASS_UNKNOWN,
		.device_free = device_free,
		.capacity = capacity,
		.allocated = d->live.bytes,
		.reserved = d->live.bytes,
		.allowed = UINT64_MAX,
		.ctx = {b->stack, b->tag},
		.device = d->number};
	d->nrefusals++;
	d->pending++;
	if (d->lane)
		gs_lane_push_oom(d->lane, o);
	b->address = device_free; /* of the event: a refusal has no address */
	gs_passthrough_push(d, GS_ACTION_REFUSED, b, ticks);
	if (d->provisional && b->size == d->refused_size && b->stack == d->refused_stack)
		return; /* the same failure again: the first one's dump stands for it */
	bool trusted = d->false_alarms < TOO_MANY_ALARMS || d->flagged;
	d->refused_size = b->size;
	d->refused_stack = b->stack;
	d->flagged = true;
	if (trusted)
		write_dump(d, true, device_free);
}

void gs_passthrough_got_over(gs_passthrough_device *d, uint64_t size)
{
	if ((!d->provisional && !d->flagged) || size < d->refused_size)
		return;
	d->false_alarms++;
	d->flagged = false;
	d->nrefusals -= d->pending < d->nrefusals ? d->pending : d->nrefusals;
	d->pending = 0;
	if (d->provisional)
		drop_dump(d);
}

void gs_passthrough_dump(gs_passthrough_device *d)
{
	gs_dump_device device = gs_passthrough_facts(d);
	gs_dump_request request = {.reason = GS_DUMP_SIGNAL};
	copy_to_staging(d, false, 0);
	gs_dumper_write(&d->recorder->dumper, &d->staging, &device, &request, NULL, 0, NULL);
}

void gs_passthrough_end(gs_passthrough_device *d)
{
	if (d->flagged)
		write_dump(d, false, 0);
}
