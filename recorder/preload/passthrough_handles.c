/* Memory that has a handle before, or instead of, an address. */
#include "recorder/preload/passthrough_internal.h"

#include <errno.h>

#include "recorder/preload/caller.h"
#include "recorder/preload/left_out.h"
#include "recorder/preload/passthrough.h"

void gs_passthrough_created(const gs_regs *from, int result, uint64_t handle, uint64_t bytes)
{
	int saved = errno, number = gs_driver_current_device();
	uint64_t place = result || !handle ? 0 : gs_mappings_place(bytes);
	gs_passthrough_allocated(from, gs_caller_above(from->ip), result, place, bytes, 0);
	if (!result && handle && !gs_left_out(from->ip) && gs_passthrough_is_open()) {
		gs_passthrough_device *d = gs_passthrough_lock(number);
		if (d) {
			gs_mappings_create(&d->mappings, handle, place, &d->recorder->pages);
			pthread_mutex_unlock(&d->lock);
		}
	}
	errno = saved;
}

/* The device that knows the handle, with its lock held; NULL none. */
static gs_passthrough_device *lock_owner(uint64_t handle)
{
	for (int i = 0; handle && i < GS_PASSTHROUGH_DEVICES && gs_passthrough_is_open(); i++) {
		gs_passthrough_device *d = gs_passthrough_device_at(i);
		pthread_mutex_lock(&d->lock);
		if (gs_mappings_knows(&d->mappings, handle))
			return d;
		pthread_mutex_unlock(&d->lock);
	}
	return NULL;
}

/* One hold less; with the last one the memory goes. */
static void let_go(gs_passthrough_device *d, uint64_t handle)
{
	gs_live_block b;
	gs_call call;
	uint64_t place = gs_mappings_release(&d->mappings, handle);
	if (!place)
		return;
	gs_recorder_call_free(d->recorder, &call);
	if (gs_live_take(&d->live, place, &b))
		gs_passthrough_push_free(d, &b, call.ticks);
}

void gs_passthrough_releasing(uint64_t handle)
{
	int saved = errno;
	gs_passthrough_device *d = lock_owner(handle);
	if (d) {
		let_go(d, handle);
		pthread_mutex_unlock(&d->lock);
	}
	errno = saved;
}

void gs_passthrough_retained(uint64_t handle)
{
	int saved = errno;
	gs_passthrough_device *d = lock_owner(handle);
	if (d) {
		gs_mappings_create(&d->mappings, handle, 0, &d->recorder->pages);
		pthread_mutex_unlock(&d->lock);
	}
	errno = saved;
}

void gs_passthrough_mapped(uint64_t address, uint64_t bytes, uint64_t handle)
{
	int saved = errno;
	gs_passthrough_device *d = lock_owner(handle);
	if (d) {
		gs_mappings_map(&d->mappings, address, bytes, handle, &d->recorder->pages);
		pthread_mutex_unlock(&d->lock);
	}
	errno = saved;
}

void gs_passthrough_unmapping(uint64_t address, uint64_t bytes)
{
	int saved = errno;
	for (int i = 0; i < GS_PASSTHROUGH_DEVICES && gs_passthrough_is_open(); i++) {
		gs_passthrough_device *d = gs_passthrough_device_at(i);
		uint64_t at = address, handle;
		pthread_mutex_lock(&d->lock);
		while ((handle = gs_mappings_unmap(&d->mappings, &at, address + bytes)))
			let_go(d, handle);
		pthread_mutex_unlock(&d->lock);
	}
	errno = saved;
}
