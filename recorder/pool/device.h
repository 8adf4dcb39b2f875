/* The device below a pool: a small vtable. CUDA (recorder/), simulated (sim_device.h) and stubs of
 * tests implement it.
 *
 * Sizes in bytes, addresses and stream handles as unsigned 64-bit. The pool makes every call while
 * its caller holds whatever lock guards the pool. mem_alloc is called while the pool's structures
 * are whole, so a wrapper may drop its lock inside it (and take it again before returning); no
 * other call may. No call may use the pool it serves. */
#ifndef GS_RECORDER_POOL_DEVICE_H
#define GS_RECORDER_POOL_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/status.h"

typedef struct gs_device_ops {
	const char *name;

	/* Memory of its own. Pre: bytes > 0. Post: GS_OK and *address, a multiple of 512 that nothing
	 * live overlaps; or GS_DEVICE_MEMORY when the device is short of memory (the pool then
	 * retries); any other status is an error that the pool hands up as it is, nothing having
	 * changed. */
	gs_status (*mem_alloc)(void *device, uint64_t bytes, uint64_t *address);
	/* Pre: an address that mem_alloc gave, and its bytes. The memory is no longer in use by any
	 * stream as far as the pool knows; the call may wait for the device (cudaFree does). */
	gs_status (*mem_free)(void *device, uint64_t address, uint64_t bytes);
	/* Post: total is the device's memory, free what any process could still get of it; total never
	 * changes. */
	gs_status (*mem_info)(void *device, uint64_t *free_bytes, uint64_t *total_bytes);

	/* Address ranges for expandable segments; all four NULL where the device has none
	 * (expandable_segments:True is then ignored). reserve: a range of bytes (a multiple of the
	 * page) without memory behind it. */
	gs_status (*reserve)(void *device, uint64_t bytes, uint64_t *address);
	/* Puts memory behind [address, address + pages × page), inside one reservation, none of it
	 * mapped. All or nothing: GS_DEVICE_MEMORY when there is not enough for every page. Writes one
	 * handle a page (their meaning is the device's). */
	gs_status (*map)(
		void *device, uint64_t address, uint64_t page, uint32_t pages, uint64_t *handles);
	/* Takes the memory away from pages that are mapped; handles as map wrote them. */
	gs_status (*unmap)(
		void *device, uint64_t address, uint64_t page, uint32_t pages, const uint64_t *handles);
	/* Pre: no page of it is mapped. */
	gs_status (*unreserve)(void *device, uint64_t address, uint64_t bytes);

	/* An event behind all work so far in that stream. The pool releases each event once, by
	 * event_release. All four NULL where a device has no streams: record_stream is then ignored. */
	gs_status (*event_record)(void *device, uint64_t stream, uint64_t *event);
	/* Post: *ready tells whether the work before the event is done. Never waits. */
	gs_status (*event_query)(void *device, uint64_t event, bool *ready);
	gs_status (*event_sync)(void *device, uint64_t event); /* waits for it */
	void (*event_release)(void *device, uint64_t event);

	/* Waits for all work in a stream; called before its pages are unmapped. NULL: nothing to wait
	 * for. */
	gs_status (*stream_sync)(void *device, uint64_t stream);
} gs_device_ops;

#endif
