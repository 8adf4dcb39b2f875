/* Recording what passes through. */
#include "recorder/preload/passthrough_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/api/env.h"
#include "recorder/api/signal.h"
#include "recorder/preload/left_out.h"
#include "recorder/preload/passthrough.h"
#include "recorder/preload/pool_hooks.h"

static void keep_allocation(gs_passthrough_device *d, const gs_live_block *b, uint64_t ticks)
{
	gs_passthrough_push(d, GS_ACTION_SEGMENT_ALLOC, b, ticks);
	gs_passthrough_push(d, GS_ACTION_ALLOC, b, ticks);
	gs_live_add(&d->live, b, &d->recorder->pages);
	if (gs_live_staging_bytes(&d->live) / 48 >= d->staging.room)
		gs_staging_reserve(&d->staging, gs_live_staging_bytes(&d->live));
	gs_passthrough_got_over(d, b->size);
}

/* The live allocations for the stream, between two operations. */
static void stream_layout(gs_passthrough_device *d)
{
	if (gs_lane_reserve(d->lane, gs_live_staging_bytes(&d->live)))
		return;
	gs_live_copy(&d->live, &d->lane->staging);
	gs_passthrough_name_outsiders(d, &d->lane->staging);
	gs_lane_layout_ready(d->lane);
}

/* GPUSNAP_SIGNAL: all devices that recorded anything. */
static void dump_devices(void *arg)
{
	(void)arg;
	for (int i = 0; i < GS_PASSTHROUGH_DEVICES; i++) {
		gs_passthrough_device *d = gs_passthrough_device_at(i);
		pthread_mutex_lock(&d->lock);
		if (d->ready && d->ring.count)
			gs_passthrough_dump(d);
		pthread_mutex_unlock(&d->lock);
	}
}

/* The current device's record with its lock held, or NULL; with what is to be known of the call. */
static gs_passthrough_device *begin_call(const gs_regs *from, gs_call *call)
{
	int number = gs_driver_current_device();
	if (number < 0 || !gs_passthrough_open(dump_devices))
		return NULL;
	gs_recorder_call(gs_passthrough_recorder(), from, call);
	gs_passthrough_device *d = gs_passthrough_lock(number);
	if (d && d->lane && gs_lane_layout_due(d->lane))
		stream_layout(d);
	return d;
}

static void record_allocation(const gs_regs *from, const char *above, int result, uint64_t address,
	uint64_t bytes, uint64_t stream)
{
	gs_call call;
	gs_passthrough_device *d = begin_call(from, &call);
	if (!d)
		return;
	if (above)
		d->above = above;
	gs_live_block b = {
		.address = address, .size = bytes, .stream = stream, .stack = call.stack, .tag = call.tag};
	if (result)
		gs_passthrough_refused(d, &b, call.ticks);
	else
		keep_allocation(d, &b, call.ticks);
	pthread_mutex_unlock(&d->lock);
}

void gs_passthrough_allocated(const gs_regs *from, const char *above, int result, uint64_t address,
	uint64_t bytes, uint64_t stream)
{
	int saved = errno;
	bool dumped = gs_pool_hook_failed();
	if ((!result && address && bytes) ||
		(result == GS_PASSTHROUGH_OUT_OF_MEMORY && bytes && !dumped))
		if (!gs_left_out(from->ip))
			record_allocation(from, above, result, address, bytes, stream);
	errno = saved;
}

void gs_passthrough_push_free(gs_passthrough_device *d, const gs_live_block *b, uint64_t ticks)
{
	gs_passthrough_push(d, GS_ACTION_FREE_REQUESTED, b, ticks);
	gs_passthrough_push(d, GS_ACTION_FREE_COMPLETED, b, ticks);
	gs_passthrough_push(d, GS_ACTION_SEGMENT_FREE, b, ticks);
}

void gs_passthrough_freeing(uint64_t address, uint64_t stream)
{
	int saved = errno;
	gs_call call;
	(void)stream;
	if (!address || !gs_passthrough_is_open())
		return;
	gs_recorder_call_free(gs_passthrough_recorder(), &call);
	for (int i = 0; i < GS_PASSTHROUGH_DEVICES; i++) {
		gs_passthrough_device *d = gs_passthrough_device_at(i);
		gs_live_block b;
		pthread_mutex_lock(&d->lock);
		bool found = gs_live_take(&d->live, address, &b);
		if (found)
			gs_passthrough_push_free(d, &b, call.ticks);
		pthread_mutex_unlock(&d->lock);
		if (found)
			break;
	}
	errno = saved;
}

/* The signal is caught before the program can be sent it, also while nothing is recorded yet. */
__attribute__((constructor)) static void at_start(void)
{
	static gs_config config;
	const char *text = secure_getenv("GPUSNAP_SIGNAL"), *off = secure_getenv("GPUSNAP_DISABLE");
	if (!text || !*text || (off && *off && strcmp(off, "0")))
		return;
	if (!gs_config_set(&config, GS_ENV_SIGNAL, text, NULL) && config.signal)
		gs_signal_catch(config.signal);
}

/* The process ends: a refusal that was only flagged, and that nothing put right, becomes a dump. */
__attribute__((destructor)) static void at_end(void)
{
	if (!gs_passthrough_is_open())
		return;
	for (int i = 0; i < GS_PASSTHROUGH_DEVICES; i++) {
		gs_passthrough_device *d = gs_passthrough_device_at(i);
		if (pthread_mutex_trylock(&d->lock))
			continue;
		gs_passthrough_end(d);
		if (d->lane && d->lane->layout != 2)
			stream_layout(d);
		pthread_mutex_unlock(&d->lock);
	}
}
