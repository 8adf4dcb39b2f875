/* CUDA devices on the driver API. */
#include "recorder/device/cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/device/driver.h"

/* Every driver function in use. Some names are macros for a later version (cuMemAlloc is
 * cuMemAlloc_v2): they are turned into text after that, so that the function asked for is the one
 * the header declares. */
/* clang-format off: it never settles on one layout of a list of macro calls */
#define CUDA_FUNCTIONS(CUDA)        \
	CUDA(cuInit)                    \
	CUDA(cuDriverGetVersion)        \
	CUDA(cuDeviceGetCount)          \
	CUDA(cuDeviceGet)               \
	CUDA(cuDeviceGetName)           \
	CUDA(cuDeviceGetAttribute)      \
	CUDA(cuDevicePrimaryCtxRetain)  \
	CUDA(cuDevicePrimaryCtxRelease) \
	CUDA(cuCtxPushCurrent)          \
	CUDA(cuCtxPopCurrent)           \
	CUDA(cuMemGetInfo)              \
	CUDA(cuMemAlloc)                \
	CUDA(cuMemFree)                 \
	CUDA(cuMemAddressReserve)       \
	CUDA(cuMemAddressFree)          \
	CUDA(cuMemCreate)               \
	CUDA(cuMemRelease)              \
	CUDA(cuMemMap)                  \
	CUDA(cuMemUnmap)                \
	CUDA(cuMemSetAccess)            \
	CUDA(cuEventCreate)             \
	CUDA(cuEventRecord)             \
	CUDA(cuEventQuery)              \
	CUDA(cuEventSynchronize)        \
	CUDA(cuEventDestroy)            \
	CUDA(cuStreamSynchronize)       \
	CUDA(cuGetErrorString)
/* clang-format on */

#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

/* The driver's functions; set once, before any device is there. */
static struct {
#define POINTER(name) __typeof__(name) *p_##name;
	CUDA_FUNCTIONS(POINTER)
#undef POINTER
} driver;

#define DRIVER(name) driver.p_##name

/* The one that recording can do without: by a device's address NVML is asked of it. */
static __typeof__(cuDeviceGetPCIBusId) *pci_bus_id;

static struct {
	pthread_mutex_t lock;
	bool loaded;
	int count;
	char version[16];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { EVENTS_KEPT = 256 };

struct gs_cuda_device {
	CUdevice device;
	CUcontext context;
	int32_t number;
	bool virtual_memory;
	char name[256], pci[32];
	CUevent
		spare[EVENTS_KEPT]; /* events to use again; guarded by the pool's lock, as all calls are */
	unsigned nspare;
};

static const char *reason(CUresult result)
{
	const char *text = NULL;
	if (!DRIVER(cuGetErrorString) || DRIVER(cuGetErrorString)(result, &text) || !text)
		return "unknown error";
	return text;
}

static gs_status status_of(CUresult result)
{
	if (result == CUDA_SUCCESS)
		return GS_OK;
	return result == CUDA_ERROR_OUT_OF_MEMORY ? GS_DEVICE_MEMORY : GS_DEVICE;
}

/* --- the driver --- */

static gs_status resolve(void *library, gs_error *err)
{
	const struct {
		const char *name;
		void *slot;
	} all[] = {
#define SLOT(name) {NAME_OF(name), &driver.p_##name},
		CUDA_FUNCTIONS(SLOT)
#undef SLOT
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		void *symbol = dlsym(library, all[i].name);
		if (!symbol)
			return gs_fail(
				err, GS_UNSUPPORTED, "the CUDA driver is too old: it has no %s", all[i].name);
		memcpy(all[i].slot, &symbol, sizeof symbol);
	}
	return GS_OK;
}

static gs_status load(gs_error *err)
{
	int version = 0;
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return gs_fail(err, GS_UNSUPPORTED, "no CUDA driver: %s", dlerror());
	gs_status status = resolve(library, err);
	if (status)
		return status;
	*(void **)&pci_bus_id = dlsym(library, NAME_OF(cuDeviceGetPCIBusId));
	CUresult result = DRIVER(cuInit)(0);
	if (!result)
		result = DRIVER(cuDeviceGetCount)(&state.count);
	if (result || !state.count)
		return gs_fail(err, GS_UNSUPPORTED, "no CUDA device: %s",
			result ? reason(result) : "the driver finds none");
	DRIVER(cuDriverGetVersion)(&version);
	snprintf(state.version, sizeof state.version, "%d.%d", version / 1000, version % 1000 / 10);
	return GS_OK;
}

gs_status gs_cuda_load(gs_error *err)
{
	gs_status status = GS_OK;
	pthread_mutex_lock(&state.lock);
	if (!state.loaded)
		status = load(err);
	state.loaded = !status;
	pthread_mutex_unlock(&state.lock);
	return status;
}

int gs_cuda_count(void) { return state.count; }
const char *gs_cuda_driver_version(void) { return state.version[0] ? state.version : NULL; }
/* --- a device --- */

/* The device's context is current between the two, on the calling thread. */
static CUresult enter(const gs_cuda_device *d) { return DRIVER(cuCtxPushCurrent)(d->context); }

static void leave(void)
{
	CUcontext was;
	DRIVER(cuCtxPopCurrent)(&was);
}

gs_status gs_cuda_init(gs_cuda_device **out, int32_t number, gs_error *err)
{
	int supported = 0;
	if (number < 0 || number >= state.count)
		return gs_fail(
			err, GS_NOT_FOUND, "there is no CUDA device %d (%d in all)", number, state.count);
	gs_cuda_device *d = calloc(1, sizeof *d);
	if (!d)
		return gs_fail(err, GS_NO_MEMORY, "no memory for CUDA device %d", number);
	d->number = number;
	CUresult result = DRIVER(cuDeviceGet)(&d->device, number);
	if (!result)
		result = DRIVER(cuDeviceGetName)(d->name, (int)sizeof d->name - 1, d->device);
	if (!result)
		result = DRIVER(cuDeviceGetAttribute)(
			&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, d->device);
	if (!result)
		result = DRIVER(cuDevicePrimaryCtxRetain)(&d->context, d->device);
	if (result) {
		free(d);
		return gs_fail(err, GS_DEVICE, "CUDA device %d: %s", number, reason(result));
	}
	if (!pci_bus_id || pci_bus_id(d->pci, (int)sizeof d->pci - 1, d->device))
		d->pci[0] = 0;
	d->virtual_memory = supported;
	*out = d;
	return GS_OK;
}

void gs_cuda_release(gs_cuda_device *d)
{
	if (!d)
		return;
	if (!enter(d)) {
		while (d->nspare)
			DRIVER(cuEventDestroy)(d->spare[--d->nspare]);
		leave();
	}
	DRIVER(cuDevicePrimaryCtxRelease)(d->device);
	free(d);
}

const char *gs_cuda_name(const gs_cuda_device *d) { return d->name; }

const char *gs_cuda_pci(const gs_cuda_device *d) { return d->pci; }

/* --- memory --- */

static gs_status mem_alloc(void *device, uint64_t bytes, uint64_t *address)
{
	CUdeviceptr at = 0;
	CUresult result = enter(device);
	if (result)
		return GS_DEVICE;
	result = DRIVER(cuMemAlloc)(&at, bytes);
	leave();
	if (!result)
		*address = at;
	return status_of(result);
}

static gs_status mem_free(void *device, uint64_t address, uint64_t bytes)
{
	(void)bytes;
	if (enter(device))
		return GS_DEVICE;
	CUresult result = DRIVER(cuMemFree)((CUdeviceptr)address);
	leave();
	return status_of(result);
}

static gs_status mem_info(void *device, uint64_t *free_bytes, uint64_t *total_bytes)
{
	size_t free_now = 0, total = 0;
	if (enter(device))
		return GS_DEVICE;
	CUresult result = DRIVER(cuMemGetInfo)(&free_now, &total);
	leave();
	if (!result) {
		*free_bytes = free_now;
		*total_bytes = total;
	}
	return status_of(result);
}

/* --- virtual memory --- */

static gs_status reserve(void *device, uint64_t bytes, uint64_t *address)
{
	const gs_cuda_device *d = device;
	CUdeviceptr at = 0;
	if (!d->virtual_memory)
		return GS_UNSUPPORTED;
	if (enter(d))
		return GS_DEVICE;
	CUresult result = DRIVER(cuMemAddressReserve)(&at, bytes, 0, 0, 0);
	leave();
	if (!result)
		*address = at;
	return status_of(result);
}

static gs_status unreserve(void *device, uint64_t address, uint64_t bytes)
{
	if (enter(device))
		return GS_DEVICE;
	CUresult result = DRIVER(cuMemAddressFree)((CUdeviceptr)address, bytes);
	leave();
	return status_of(result);
}

static CUresult drop_pages(uint64_t address, uint64_t page, uint32_t pages, const uint64_t *handles)
{
	CUresult first = CUDA_SUCCESS;
	for (uint32_t i = 0; i < pages; i++) {
		CUresult result = DRIVER(cuMemUnmap)((CUdeviceptr)(address + i * page), page);
		if (!result)
			result = DRIVER(cuMemRelease)((CUmemGenericAllocationHandle)handles[i]);
		if (result && !first)
			first = result;
	}
	return first;
}

/* One page, mapped but not accessible yet. */
static CUresult map_page(int device, uint64_t address, uint64_t page, uint64_t *handle)
{
	CUmemAllocationProp prop;
	CUmemGenericAllocationHandle made;
	memset(&prop, 0, sizeof prop);
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	prop.location.id = device;
	CUresult result = DRIVER(cuMemCreate)(&made, page, &prop, 0);
	if (result)
		return result;
	result = DRIVER(cuMemMap)((CUdeviceptr)address, page, 0, made, 0);
	if (result)
		DRIVER(cuMemRelease)(made);
	else
		*handle = made;
	return result;
}

static gs_status map(
	void *device, uint64_t address, uint64_t page, uint32_t pages, uint64_t *handles)
{
	const gs_cuda_device *d = device;
	CUmemAccessDesc access;
	uint32_t mapped = 0;
	CUresult result = enter(d);
	if (result)
		return GS_DEVICE;
	while (!result && mapped < pages) {
		result = map_page(d->device, address + mapped * page, page, &handles[mapped]);
		mapped += !result;
	}
	if (!result) {
		memset(&access, 0, sizeof access);
		access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
		access.location.id = d->device;
		access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
		result = DRIVER(cuMemSetAccess)((CUdeviceptr)address, page * pages, &access, 1);
	}
	if (result)
		drop_pages(address, page, mapped, handles);
	leave();
	return status_of(result);
}

static gs_status unmap(
	void *device, uint64_t address, uint64_t page, uint32_t pages, const uint64_t *handles)
{
	if (enter(device))
		return GS_DEVICE;
	CUresult result = drop_pages(address, page, pages, handles);
	leave();
	return status_of(result);
}

/* --- events and streams --- */

static uint64_t number_of(CUevent event) { return (uint64_t)(uintptr_t)event; }
static CUevent event_of(uint64_t number)
{
	return (CUevent)(uintptr_t)number;
} /* NOLINT: the driver's handle */
static CUstream stream_of(uint64_t handle) { return (CUstream)(uintptr_t)handle; } /* NOLINT */

static gs_status event_record(void *device, uint64_t stream, uint64_t *event)
{
	gs_cuda_device *d = device;
	CUevent made = NULL;
	CUresult result = enter(d);
	if (result)
		return GS_DEVICE;
	if (d->nspare)
		made = d->spare[--d->nspare];
	else
		result = DRIVER(cuEventCreate)(&made, CU_EVENT_DISABLE_TIMING);
	if (!result) {
		result = DRIVER(cuEventRecord)(made, stream_of(stream));
		if (result)
			DRIVER(cuEventDestroy)(made);
	}
	leave();
	if (!result)
		*event = number_of(made);
	return status_of(result);
}

static gs_status event_query(void *device, uint64_t event, bool *ready)
{
	if (enter(device))
		return GS_DEVICE;
	CUresult result = DRIVER(cuEventQuery)(event_of(event));
	leave();
	if (result && result != CUDA_ERROR_NOT_READY)
		return GS_DEVICE;
	*ready = !result;
	return GS_OK;
}

static gs_status event_sync(void *device, uint64_t event)
{
	if (enter(device))
		return GS_DEVICE;
	CUresult result = DRIVER(cuEventSynchronize)(event_of(event));
	leave();
	return status_of(result);
}

static void event_release(void *device, uint64_t event)
{
	gs_cuda_device *d = device;
	if (d->nspare < EVENTS_KEPT) {
		d->spare[d->nspare++] = event_of(event);
		return;
	}
	if (enter(d))
		return;
	DRIVER(cuEventDestroy)(event_of(event));
	leave();
}

static gs_status stream_sync(void *device, uint64_t stream)
{
	if (enter(device))
		return GS_DEVICE;
	CUresult result = DRIVER(cuStreamSynchronize)(stream_of(stream));
	leave();
	return status_of(result);
}

const gs_device_ops gs_cuda_ops = {
	.name = "cuda",
	.mem_alloc = mem_alloc,
	.mem_free = mem_free,
	.mem_info = mem_info,
	.reserve = reserve,
	.map = map,
	.unmap = unmap,
	.unreserve = unreserve,
	.event_record = event_record,
	.event_query = event_query,
	.event_sync = event_sync,
	.event_release = event_release,
	.stream_sync = stream_sync,
};
