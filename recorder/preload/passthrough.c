/* Recording what passes through. One recorder for the process; a lock, a ring and the live
 * allocations a device.
 *
 * A refused driver call is not yet an out-of-memory: caching allocators give memory back and ask
 * again. So the dump of a refusal is provisional: it goes when a call of at least that size
 * succeeds. After a few false alarms a device's first refusal only raises a flag; the dump is
 * written when the next call is refused too, or when the process ends. */
#include "recorder/preload/passthrough.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/preload/caller.h"
#include "recorder/preload/driver_query.h"
#include "recorder/preload/hook.h"
#include "recorder/preload/left_out.h"
#include "recorder/dump/live_allocations.h"
#include "recorder/preload/mappings.h"
#include "recorder/preload/pool_hooks.h"
#include "recorder/api/env.h"
#include "recorder/api/recorder.h"
#include "recorder/api/signal.h"

enum { DEVICES = 16, TOO_MANY_ALARMS = 8 };

typedef struct pass_device {
	pthread_mutex_t lock;
	gs_ring ring;
	gs_staging stage;
	gs_live live;
	gs_lane *lane; /* of the stream; NULL: none */
	gs_mappings mappings;
	const char *above; /* the last caching allocator that asked */
	bool ready;
	gs_driver_device device_facts; /* name, capacity, driver */
	gs_stage_oom refusals[GS_OOMS_KEPT];
	uint64_t nrefusals, pending; /* pending: of them, that the program has not got over */
	uint32_t false_alarms;
	bool flagged;          /* refused, not dumped */
	uint64_t refused_size; /* of the flag, or of the provisional dump */
	gs_id refused_stack;
	bool provisional;                   /* dump is there */
	char dump[PATH_MAX + NAME_MAX + 2]; /* its path */
} pass_device;

static struct {
	pthread_mutex_t opening;
	_Atomic int state; /* 0 not opened, 1 open, −1 off */
	gs_recorder recorder;
	pass_device devices[DEVICES];
} recording = {.opening = PTHREAD_MUTEX_INITIALIZER};

/* --- opening
 * ------------------------------------------------------------------------------------------- */

static void before_fork(void)
{
	for (int i = 0; i < DEVICES; i++)
		pthread_mutex_lock(&recording.devices[i].lock);
}

static void in_parent(void)
{
	for (int i = 0; i < DEVICES; i++)
		pthread_mutex_unlock(&recording.devices[i].lock);
}

/* What the parent wrote stays the parent's. */
static void in_child(void)
{
	for (int i = 0; i < DEVICES; i++)
		recording.devices[i].provisional = recording.devices[i].flagged = false;
	in_parent();
}

static void dump_devices(void *arg);

static int open_recorder(void)
{
	gs_config config;
	gs_error err = GS_ERROR_INIT;
	gs_config_read(&config, &err); /* a bad variable leaves its default */
	int number = config.signal;
	config.signal = 0; /* the recorder has no heaps: devices listen for it here */
	if (config.disable || gs_recorder_init(&recording.recorder, &config, 0, &err))
		return -1;
	recording.recorder.config.signal = number;
	if (config.stacks & GS_STACKS_PYTHON)
		gs_recorder_hook_python(&recording.recorder);
	for (int i = 0; i < DEVICES; i++)
		pthread_mutex_init(&recording.devices[i].lock, NULL);
	pthread_atfork(before_fork, in_parent, in_child);
	if (number)
		gs_signal_add(number, dump_devices, NULL, &err);
	return 1;
}

static bool is_open(void)
{
	int state = atomic_load_explicit(&recording.state, memory_order_acquire);
	if (state)
		return state > 0;
	pthread_mutex_lock(&recording.opening);
	state = atomic_load_explicit(&recording.state, memory_order_relaxed);
	if (!state)
		atomic_store_explicit(&recording.state, state = open_recorder(), memory_order_release);
	pthread_mutex_unlock(&recording.opening);
	return state > 0;
}

/* Several devices may come at once; the recorder's stream is for one thread at a time. */
static void add_lane(pass_device *d, int number)
{
	const gs_dump_device device = {
		number, d->device_facts.name, d->device_facts.driver, d->device_facts.capacity};
	pthread_mutex_lock(&recording.opening);
	gs_stream *stream = gs_recorder_stream(&recording.recorder);
	d->lane = stream ? gs_stream_lane(stream, &device, &d->ring, "cuda", NULL) : NULL;
	pthread_mutex_unlock(&recording.opening);
}

/* The current device's record with its lock held, made ready at first use; NULL when there is none.
 */
static pass_device *lock_device(int number)
{
	if (number < 0 || number >= DEVICES)
		return NULL;
	pass_device *d = &recording.devices[number];
	pthread_mutex_lock(&d->lock);
	if (d->ready)
		return d;
	gs_pages *pages = &recording.recorder.pages;
	d->ready = !gs_ring_init(&d->ring, recording.recorder.config.events, pages) &&
		!gs_staging_init(&d->stage, recording.recorder.config.events, pages) &&
		!gs_staging_reserve(&d->stage, gs_live_staging_bytes(&d->live));
	if (d->ready) {
		gs_driver_read(&d->device_facts, number);
		add_lane(d, number);
		return d;
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* --- events
 * ------------------------------------------------------------------------------------------- */

static void push_event(pass_device *d, gs_action action, const gs_live_block *b, uint64_t ticks)
{
	gs_ring_event e = {{b->address}, b->size, ticks, b->stream, b->stack, b->tag,
		gs_ring_pool(&d->ring, (gs_pool_id){0, 0}), (uint8_t)action};
	gs_ring_push(&d->ring, &e);
	if (d->lane)
		gs_lane_push(d->lane, &e);
}

static void drop_dump(pass_device *d)
{
	gs_dumper_forget(&recording.recorder.dumper, d->dump);
	d->provisional = false;
}

static void keep_allocation(pass_device *d, const gs_live_block *b, uint64_t ticks)
{
	push_event(d, GS_ACTION_SEGMENT_ALLOC, b, ticks);
	push_event(d, GS_ACTION_ALLOC, b, ticks);
	gs_live_add(&d->live, b, &recording.recorder.pages);
	if (gs_live_staging_bytes(&d->live) / 48 >= d->stage.room)
		gs_staging_reserve(&d->stage, gs_live_staging_bytes(&d->live));
	if ((d->provisional || d->flagged) && b->size >= d->refused_size) {
		d->false_alarms++;
		d->flagged = false;
		d->nrefusals -= d->pending < d->nrefusals ? d->pending : d->nrefusals;
		d->pending = 0;
		if (d->provisional)
			drop_dump(d);
	}
}

/* --- refusals
 * ------------------------------------------------------------------------------------------- */

static void stage(pass_device *d, bool at_refusal, uint64_t device_free)
{
	gs_staging *s = &d->stage;
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
}

/* Writes the dump of a refusal; an earlier provisional one goes when the new one is there. The lock
 * is held: the program's other calls on this device wait, so that the state is that of the failure.
 */
static void write_dump(pass_device *d, int number, bool at_refusal, uint64_t device_free)
{
	char now[sizeof d->dump];
	gs_dump_device device = {
		number, d->device_facts.name, d->device_facts.driver, d->device_facts.capacity};
	gs_failure failure = {d->refused_stack, d->refused_size, number};
	gs_dump_request request = {.reason = GS_DUMP_REFUSED, .failure = &failure, .quiet = true};
	stage(d, at_refusal, device_free);
	if (gs_dumper_write(
			&recording.recorder.dumper, &d->stage, &device, &request, now, sizeof now, NULL))
		return;
	if (d->provisional)
		drop_dump(d);
	memcpy(d->dump, now, sizeof now);
	d->provisional = true;
	d->flagged = false;
}

static void keep_refusal(pass_device *d, int number, gs_live_block *b, uint64_t ticks)
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
		.device = number};
	d->nrefusals++;
	d->pending++;
	if (d->lane)
		gs_lane_push_oom(d->lane, o);
	b->address = device_free; /* of the event: a refusal has no address */
	push_event(d, GS_ACTION_REFUSED, b, ticks);
	if (d->provisional && b->size == d->refused_size && b->stack == d->refused_stack)
		return; /* the same failure again: the first one's dump stands for it */
	bool trusted = d->false_alarms < TOO_MANY_ALARMS || d->flagged;
	d->refused_size = b->size;
	d->refused_stack = b->stack;
	d->flagged = true;
	if (trusted)
		write_dump(d, number, true, device_free);
}

/* --- what the hooks call
 * ---------------------------------------------------------------------------------- */

/* The live allocations for the stream, between two operations. */
static void stream_layout(pass_device *d)
{
	if (gs_lane_reserve(d->lane, gs_live_staging_bytes(&d->live)))
		return;
	gs_live_copy(&d->live, &d->lane->stage);
	gs_lane_layout_ready(d->lane);
}

/* The current device's record with its lock held, or NULL; with what is to be known of the call. */
static pass_device *begin(const gs_regs *from, gs_call *call, int *number)
{
	*number = gs_driver_current_device();
	if (*number < 0 || !is_open())
		return NULL;
	gs_recorder_call(&recording.recorder, from, call);
	pass_device *d = lock_device(*number);
	if (d && d->lane && gs_lane_layout_due(d->lane))
		stream_layout(d);
	return d;
}

static void allocated(const gs_regs *from, const char *above, int result, uint64_t address,
	uint64_t bytes, uint64_t stream)
{
	gs_call call;
	int number;
	pass_device *d = begin(from, &call, &number);
	if (!d)
		return;
	if (above)
		d->above = above;
	gs_live_block b = {address, bytes, stream, call.stack, call.tag};
	if (result)
		keep_refusal(d, number, &b, call.ticks);
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
			allocated(from, above, result, address, bytes, stream);
	errno = saved;
}

static void push_free(pass_device *d, const gs_live_block *b, uint64_t ticks)
{
	push_event(d, GS_ACTION_FREE_REQUESTED, b, ticks);
	push_event(d, GS_ACTION_FREE_COMPLETED, b, ticks);
	push_event(d, GS_ACTION_SEGMENT_FREE, b, ticks);
}

void gs_passthrough_freeing(uint64_t address, uint64_t stream)
{
	int saved = errno;
	gs_call call;
	(void)stream;
	if (!address || atomic_load_explicit(&recording.state, memory_order_acquire) <= 0)
		return;
	gs_recorder_call_free(&recording.recorder, &call);
	for (int i = 0; i < DEVICES; i++) {
		pass_device *d = &recording.devices[i];
		gs_live_block b;
		pthread_mutex_lock(&d->lock);
		bool found = gs_live_take(&d->live, address, &b);
		if (found)
			push_free(d, &b, call.ticks);
		pthread_mutex_unlock(&d->lock);
		if (found)
			break;
	}
	errno = saved;
}

/* --- physical memory and its mappings
 * -------------------------------------------------------------------- */

void gs_pass_created(const gs_regs *from, int result, uint64_t handle, uint64_t bytes)
{
	int saved = errno, number = gs_driver_current_device();
	uint64_t place = result || !handle ? 0 : gs_mappings_place(bytes);
	gs_passthrough_allocated(from, gs_caller_above(from->ip), result, place, bytes, 0);
	if (!result && handle && !gs_left_out(from->ip) && atomic_load(&recording.state) > 0) {
		pass_device *d = lock_device(number);
		if (d) {
			gs_mappings_create(&d->mappings, handle, place, &recording.recorder.pages);
			pthread_mutex_unlock(&d->lock);
		}
	}
	errno = saved;
}

/* The device that knows the handle, with its lock held; NULL none. */
static pass_device *lock_owner(uint64_t handle)
{
	for (int i = 0; handle && i < DEVICES && atomic_load(&recording.state) > 0; i++) {
		pass_device *d = &recording.devices[i];
		pthread_mutex_lock(&d->lock);
		if (gs_mappings_knows(&d->mappings, handle))
			return d;
		pthread_mutex_unlock(&d->lock);
	}
	return NULL;
}

/* One hold less; with the last one the memory goes. */
static void let_go(pass_device *d, uint64_t handle)
{
	gs_live_block b;
	gs_call call;
	uint64_t place = gs_mappings_release(&d->mappings, handle);
	if (!place)
		return;
	gs_recorder_call_free(&recording.recorder, &call);
	if (gs_live_take(&d->live, place, &b))
		push_free(d, &b, call.ticks);
}

void gs_pass_releasing(uint64_t handle)
{
	int saved = errno;
	pass_device *d = lock_owner(handle);
	if (d) {
		let_go(d, handle);
		pthread_mutex_unlock(&d->lock);
	}
	errno = saved;
}

void gs_pass_retained(uint64_t handle)
{
	int saved = errno;
	pass_device *d = lock_owner(handle);
	if (d) {
		gs_mappings_create(&d->mappings, handle, 0, &recording.recorder.pages);
		pthread_mutex_unlock(&d->lock);
	}
	errno = saved;
}

void gs_pass_mapped(uint64_t address, uint64_t bytes, uint64_t handle)
{
	int saved = errno;
	pass_device *d = lock_owner(handle);
	if (d) {
		gs_mappings_map(&d->mappings, address, bytes, handle, &recording.recorder.pages);
		pthread_mutex_unlock(&d->lock);
	}
	errno = saved;
}

void gs_pass_unmapping(uint64_t address, uint64_t bytes)
{
	int saved = errno;
	for (int i = 0; i < DEVICES && atomic_load(&recording.state) > 0; i++) {
		pass_device *d = &recording.devices[i];
		uint64_t at = address, handle;
		pthread_mutex_lock(&d->lock);
		while ((handle = gs_mappings_unmap(&d->mappings, &at, address + bytes)))
			let_go(d, handle);
		pthread_mutex_unlock(&d->lock);
	}
	errno = saved;
}

/* --- dumps on demand, and at the end
 * -------------------------------------------------------------------- */

/* GPUSNAP_SIGNAL: all devices that recorded anything. */
static void dump_devices(void *arg)
{
	(void)arg;
	for (int i = 0; i < DEVICES; i++) {
		pass_device *d = &recording.devices[i];
		gs_dump_device device = {
			i, d->device_facts.name, d->device_facts.driver, d->device_facts.capacity};
		gs_dump_request request = {.reason = GS_DUMP_SIGNAL};
		pthread_mutex_lock(&d->lock);
		if (d->ready && d->ring.count) {
			stage(d, false, 0);
			gs_dumper_write(
				&recording.recorder.dumper, &d->stage, &device, &request, NULL, 0, NULL);
		}
		pthread_mutex_unlock(&d->lock);
	}
}

/* The signal is caught before the program can be sent it, also while nothing is recorded yet. */
__attribute__((constructor)) static void at_start(void)
{
	static gs_config config;
	const char *text = secure_getenv("GPUSNAP_SIGNAL"), *off = secure_getenv("GPUSNAP_DISABLE");
	if (!text || !*text || (off && *off && strcmp(off, "0")))
		return;
	if (!gs_config_set(&config, GS_ENV_SIGNAL, text, NULL) && config.signal)
		gs_signal_catch(config.signal, NULL);
}

/* The process ends: a refusal that was only flagged, and that nothing put right, becomes a dump. */
__attribute__((destructor)) static void at_end(void)
{
	if (atomic_load(&recording.state) <= 0)
		return;
	for (int i = 0; i < DEVICES; i++) {
		pass_device *d = &recording.devices[i];
		if (pthread_mutex_trylock(&d->lock))
			continue;
		if (d->flagged)
			write_dump(d, i, false, 0);
		if (d->lane && d->lane->layout != 2)
			stream_layout(d);
		pthread_mutex_unlock(&d->lock);
	}
}
