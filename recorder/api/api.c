/* The C API: one recorder for the process, devices made when first named. */
#include "recorder/gpusnap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/api/api_config.h"
#include "recorder/api/error.h"
#include "recorder/api/opened.h"
#include "recorder/device/cuda.h"
#include "recorder/api/env.h"
#include "recorder/pool/sim_device.h"
#include "recorder/api/recorder.h"
#include "recorder/capture/python_stack.h"
#include "recorder/dump/text.h"
#include "schema/version.h"

static struct {
	pthread_mutex_t lock; /* guards opening, closing and the making of devices */
	_Atomic int open;
	gs_recorder recorder;
	const gs_rules *rules;
	double fraction; /* < 0: none */
	int simulated;
	uint64_t simulated_bytes;
	void *devices[GS_DEVICES_MAX]; /* gs_sim or gs_cuda_device */
} api = {.lock = PTHREAD_MUTEX_INITIALIZER};

const char *gpusnap_version(void) { return GS_RELEASE; }

/* --- opening --- */

/* What is not of the recorder's configuration. */
static gs_status apply_devices(const gpusnap_config *config, gs_error *err)
{
	api.rules = config->rules ? gs_rules_find(config->rules) : NULL;
	api.fraction = config->memory_fraction;
	api.simulated = config->simulated > 0 ? (int)config->simulated : 0;
	api.simulated_bytes = config->simulated_bytes;
	if (config->rules && !api.rules)
		return gs_fail(err, GS_INVALID, "\"%.40s\" is no release of PyTorch", config->rules);
	if (config->simulated > GS_DEVICES_MAX || (api.simulated && !api.simulated_bytes))
		return gs_fail(err, GS_INVALID,
			"simulated devices: from 1 to %d, with simulated_bytes each", GS_DEVICES_MAX);
	return api.simulated ? GS_OK : gs_cuda_load(err);
}

static gs_status open_locked(const gpusnap_config *config, gs_error *err)
{
	static gs_config c; /* too large for a thread's stack */
	gpusnap_config full;
	if (api.open)
		return gs_fail(err, GS_STATE, "gpusnap is open already");
	gs_status status = gs_api_whole_config(&full, config, err);
	if (!status)
		status = gs_config_read(&c, err);
	if (!status)
		status = gs_api_apply(&c, &full, err);
	if (!status)
		status = apply_devices(&full, err);
	if (!status)
		status = gs_recorder_init(&api.recorder, &c, 0, err);
	if (status)
		return status;
	if (!c.disable && (c.stacks & GS_STACKS_PYTHON))
		gs_recorder_hook_python(&api.recorder);
	gs_opened_set(GS_OPENED_POOL, c.disable ? NULL : &api.recorder);
	atomic_store(&api.open, 1);
	return GS_OK;
}

gpusnap_status gpusnap_open(const gpusnap_config *config)
{
	gs_error *err = gs_api_error();
	pthread_mutex_lock(&api.lock);
	gs_status status = open_locked(config, err);
	pthread_mutex_unlock(&api.lock);
	return gs_api_result(status);
}

void gpusnap_close(void)
{
	pthread_mutex_lock(&api.lock);
	if (api.open) {
		atomic_store(&api.open, 0);
		gs_opened_set(GS_OPENED_POOL, NULL);
		gs_recorder_release(&api.recorder);
		for (int i = 0; i < GS_DEVICES_MAX; i++) {
			if (api.simulated)
				gs_sim_release(api.devices[i]);
			else
				gs_cuda_release(api.devices[i]);
			api.devices[i] = NULL;
		}
	}
	pthread_mutex_unlock(&api.lock);
}

int gpusnap_devices(void)
{
	if (!api.open)
		return 0;
	return api.simulated ? api.simulated : gs_cuda_count();
}

/* --- devices --- */

static gs_status make_device(int number, gs_heap_config *c, gs_error *err)
{
	if (api.simulated) {
		gs_sim_config sim = {.capacity = api.simulated_bytes, .number = number};
		gs_sim *device = NULL;
		gs_status status = gs_sim_init(&device, &sim);
		api.devices[number] = device;
		c->ops = &gs_sim_ops;
		c->name = "simulated device";
		return status ? gs_fail(err, status, "no memory for a simulated device") : GS_OK;
	}
	gs_cuda_device *device = NULL;
	gs_status status = gs_cuda_init(&device, number, err);
	api.devices[number] = device;
	c->ops = &gs_cuda_ops;
	c->name = device ? gs_cuda_name(device) : NULL;
	c->driver = gs_cuda_driver_version();
	c->pci = device ? gs_cuda_pci(device) : NULL;
	return status;
}

static gs_status add_device(int number, gs_error *err)
{
	if (number < 0 || number >= gpusnap_devices())
		return gs_fail(
			err, GS_NOT_FOUND, "there is no device %d (%d in all)", number, gpusnap_devices());
	if (gs_recorder_heap(&api.recorder, number))
		return GS_OK;
	gs_heap_config c = {.number = number, .rules = api.rules, .fraction = api.fraction};
	gs_status status = api.devices[number] ? GS_OK : make_device(number, &c, err);
	if (status)
		return status;
	c.device = api.devices[number];
	status = gs_recorder_add_device(&api.recorder, &c, err);
	if (status) {
		if (api.simulated)
			gs_sim_release(api.devices[number]);
		else
			gs_cuda_release(api.devices[number]);
		api.devices[number] = NULL;
	}
	return status;
}

static gs_heap *heap_slowly(int device, gs_status *status)
{
	gs_error *err = gs_api_error();
	pthread_mutex_lock(&api.lock);
	*status = api.open ? add_device(device, err) : gs_fail(err, GS_STATE, "gpusnap is not open");
	gs_heap *h = *status ? NULL : gs_recorder_heap(&api.recorder, device);
	pthread_mutex_unlock(&api.lock);
	return h;
}

/* The heap of a device, made now if need be. */
static inline gs_heap *heap_of(int device, gs_status *status)
{
	gs_heap *h = atomic_load_explicit(&api.open, memory_order_relaxed)
		? gs_recorder_heap(&api.recorder, device)
		: NULL;
	*status = GS_OK;
	return __builtin_expect(h != NULL, 1) ? h : heap_slowly(device, status);
}

/* --- allocation --- */

static uint64_t handle(gpusnap_stream stream) { return (uint64_t)(uintptr_t)stream; }

__attribute__((noinline)) gpusnap_status gpusnap_malloc(
	int device, size_t bytes, gpusnap_stream stream, void **ptr)
{
	gs_regs from;
	gs_call call;
	gs_status status;
	uint64_t address;
	gs_regs_of_caller(&from);
	gs_heap *h = heap_of(device, &status);
	if (!h)
		return gs_api_result(status);
	gs_recorder_call(&api.recorder, &from, &call);
	status = gs_heap_malloc(
		h, &call, bytes, handle(stream), &address, gs_api_long_text(), gs_api_error());
	if (status)
		return status == GS_DEVICE_MEMORY ? gs_api_long_result(status) : gs_api_result(status);
	*ptr = (void *)(uintptr_t)address; /* NOLINT: a device address */
	return GPUSNAP_OK;
}

gpusnap_status gpusnap_free(int device, void *ptr)
{
	gs_call call;
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (!h)
		return gs_api_result(status);
	gs_recorder_call_free(&api.recorder, &call);
	status = gs_heap_free(h, &call, (uint64_t)(uintptr_t)ptr);
	return status ? gs_api_fail(status, "%p is no live allocation of device %d", ptr, device)
				  : GPUSNAP_OK;
}

gpusnap_status gpusnap_record_stream(int device, void *ptr, gpusnap_stream stream)
{
	gs_call call;
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (!h)
		return gs_api_result(status);
	gs_recorder_call_free(&api.recorder, &call);
	status = gs_heap_record_stream(h, &call, (uint64_t)(uintptr_t)ptr, handle(stream));
	return status ? gs_api_fail(status, "%p is no live allocation of device %d", ptr, device)
				  : GPUSNAP_OK;
}

gpusnap_status gpusnap_empty_cache(int device)
{
	gs_call call;
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (!h)
		return gs_api_result(status);
	gs_recorder_call_free(&api.recorder, &call);
	status = gs_heap_empty_cache(h, &call);
	return status ? gs_api_fail(status, "the driver did not take memory back") : GPUSNAP_OK;
}

gpusnap_status gpusnap_block_size(int device, void *ptr, size_t *bytes)
{
	gs_status status;
	uint64_t size = 0;
	gs_heap *h = heap_of(device, &status);
	if (!h)
		return gs_api_result(status);
	if (gs_heap_find(h, (uint64_t)(uintptr_t)ptr, &size))
		return gs_api_fail(GS_NOT_FOUND, "%p is no live allocation of device %d", ptr, device);
	*bytes = (size_t)size;
	return GPUSNAP_OK;
}

gpusnap_status gpusnap_configure(int device, const char *conf)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	return gs_api_result(h ? gs_heap_configure(h, conf, gs_api_error()) : status);
}

gpusnap_status gpusnap_set_memory_fraction(int device, double fraction)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	return gs_api_result(h ? gs_heap_set_fraction(h, fraction, gs_api_error()) : status);
}

/* --- private pools --- */

static bool is_stream(void *user, uint64_t stream) { return (uint64_t)(uintptr_t)user == stream; }

gpusnap_status gpusnap_pool_begin_if(
	int device, gpusnap_pool_id pool, gpusnap_filter *accepts, void *arg, unsigned flags)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (h)
		status = gs_heap_begin_private(h, (gs_pool_id){pool.a, pool.b},
			flags & GPUSNAP_ANY_STREAM ? NULL : accepts, arg, flags & GPUSNAP_CAPTURE);
	return status ? gs_api_fail(status, "pool (%llu, %llu) cannot be begun",
						(unsigned long long)pool.a, (unsigned long long)pool.b)
				  : GPUSNAP_OK;
}

gpusnap_status gpusnap_pool_begin(
	int device, gpusnap_pool_id pool, gpusnap_stream stream, unsigned flags)
{
	return gpusnap_pool_begin_if(device, pool, is_stream, stream, flags);
}

gpusnap_status gpusnap_pool_end(int device, gpusnap_pool_id pool)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (h)
		status = gs_heap_end_private(h, (gs_pool_id){pool.a, pool.b});
	return status ? gs_api_fail(status, "pool (%llu, %llu) is not begun",
						(unsigned long long)pool.a, (unsigned long long)pool.b)
				  : GPUSNAP_OK;
}

gpusnap_status gpusnap_pool_release(int device, gpusnap_pool_id pool)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (h)
		status = gs_heap_drop_private(h, (gs_pool_id){pool.a, pool.b});
	return status ? gs_api_fail(status, "there is no pool (%llu, %llu)", (unsigned long long)pool.a,
						(unsigned long long)pool.b)
				  : GPUSNAP_OK;
}

/* --- tags, figures, dumps --- */

gpusnap_status gpusnap_push_tag(const char *name)
{
	gs_recorder *r = gs_opened_any();
	if (!r && !api.open)
		return gs_api_fail(GS_STATE, "gpusnap is not open");
	if (!name)
		return gs_api_fail(GS_INVALID, "a tag has a name");
	if (r)
		gs_recorder_push_tag(r, name);
	return GPUSNAP_OK;
}

gpusnap_status gpusnap_pop_tag(void)
{
	gs_recorder *r = gs_opened_any();
	if ((!r && !api.open) || (r && gs_recorder_pop_tag(r)))
		return gs_api_fail(GS_STATE, "no tag is pushed in this thread");
	return GPUSNAP_OK;
}

static void put_mark(gs_recorder *r, const char *name, gs_mark_stage stage, bool apart)
{
	if (r)
		gs_marks_put(&r->dumper.marks, name, stage,
			apart ? gs_clock_ticks_apart(&r->clock) : gs_clock_ticks(&r->clock));
}

static gpusnap_status mark(const char *name, gs_mark_stage stage, bool apart)
{
	if (!gs_opened_any())
		return gs_api_fail(GS_STATE, "nothing is recorded");
	put_mark(gs_opened_get(GS_OPENED_POOL), name, stage, apart);
	put_mark(gs_opened_get(GS_OPENED_WATCH), name, stage, apart);
	return GPUSNAP_OK;
}

gpusnap_status gpusnap_annotate(const char *name, const char *stage)
{
	bool start = stage && !strcmp(stage, "START"), end = stage && !strcmp(stage, "END");
	if (!name)
		return gs_api_fail(GS_INVALID, "a moment has a name");
	if (stage && *stage && !start && !end)
		return gs_api_fail(GS_INVALID, "the stage of a moment is START, END or NULL");
	return mark(name, start ? GS_MARK_START : end ? GS_MARK_END : GS_MARK_MOMENT, false);
}

/* Steps part events by their times, in microseconds: none shares its own with what was before. */
gpusnap_status gpusnap_step(int64_t number)
{
	char text[32] = "step ";
	gs_line line = {text, strlen(text), sizeof text};
	gs_line_signed(&line, number);
	return mark(text, GS_MARK_MOMENT, true);
}

void gpusnap_hide_python(const char *folder) { gs_python_hide(folder); }

gpusnap_status gpusnap_reset_peak_stats(int device)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (h)
		gs_heap_reset_stats(h, true, false);
	return gs_api_result(status);
}

gpusnap_status gpusnap_reset_accumulated_stats(int device)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (h)
		gs_heap_reset_stats(h, false, true);
	return gs_api_result(status);
}

gpusnap_status gpusnap_stat(int device, const char *name, int64_t *value)
{
	gs_status status;
	gs_pool_stats stats;
	gs_heap *h = heap_of(device, &status);
	if (!h)
		return gs_api_result(status);
	gs_heap_stats(h, &stats);
	if (gs_api_stat_value(&stats, name, value))
		return gs_api_fail(GS_NOT_FOUND, "there is no statistic \"%.60s\"", name);
	return GPUSNAP_OK;
}

gpusnap_status gpusnap_memory_info(int device, uint64_t *free_bytes, uint64_t *total_bytes)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (!h)
		return gs_api_result(status);
	status = gs_heap_memory(h, free_bytes, total_bytes);
	return status ? gs_api_fail(status, "device %d does not tell its memory", device) : GPUSNAP_OK;
}

typedef struct layout {
	int device;
	gpusnap_segment_row *segments;
	gpusnap_block_row *blocks;
	size_t room_segments, room_blocks, nsegments, nblocks;
} layout;

static gs_status put_segment(void *user, const gs_pool_segment_info *i)
{
	layout *l = user;
	if (l->nsegments++ < l->room_segments)
		l->segments[l->nsegments - 1] = (gpusnap_segment_row){.size = sizeof *l->segments,
			.device = l->device,
			.address = i->address,
			.bytes = i->size,
			.stream = i->stream,
			.pool_id = {i->pool_id.a, i->pool_id.b},
			.pool = (gpusnap_pool_class)i->pool,
			.expandable = i->expandable};
	return GS_OK;
}

static gs_status put_block(void *user, const gs_pool_block_info *i)
{
	layout *l = user;
	if (l->nblocks++ < l->room_blocks)
		l->blocks[l->nblocks - 1] = (gpusnap_block_row){.size = sizeof *l->blocks,
			.device = l->device,
			.address = i->address,
			.bytes = i->size,
			.requested = (int64_t)i->requested,
			.state = (gpusnap_block_state)i->state,
			.event = GPUSNAP_UNKNOWN};
	return GS_OK;
}

gpusnap_status gpusnap_layout(int device, gpusnap_segment_row *segments, size_t *nsegments,
	gpusnap_block_row *blocks, size_t *nblocks)
{
	static const gs_pool_visitor visitor = {put_segment, put_block};
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (!h)
		return gs_api_result(status);
	layout l = {device, segments, blocks, *nsegments, *nblocks, 0, 0};
	gs_heap_walk(h, &visitor, &l);
	*nsegments = l.nsegments;
	*nblocks = l.nblocks;
	return GPUSNAP_OK;
}

gpusnap_status gpusnap_self_check(int device)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	return gs_api_result(h ? gs_heap_check(h, gs_api_error()) : status);
}

uint64_t gpusnap_recorder_bytes(void) { return api.open ? gs_recorder_bytes(&api.recorder) : 0; }

gpusnap_status gpusnap_dump(int device, const char *path, char *written, size_t cap)
{
	gs_status status;
	gs_heap *h = heap_of(device, &status);
	if (!h)
		return gs_api_result(status);
	gs_dump_request request = {.reason = GS_DUMP_DEMAND, .path = path, .quiet = true};
	status = gs_heap_dump(h, &request, written, cap, gs_api_error());
	return gs_api_result(status);
}
