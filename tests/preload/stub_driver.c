/* A stub libcuda.so.1: it keeps account of bytes and hands out distinct addresses, nothing more. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stub_cuda.h"

enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500, SLOTS = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { devptr address; size_t bytes; } live[SLOTS];
static size_t used;
static devptr next_address = 0x7f0000000000;

static size_t capacity(void)
{
	const char *mib = getenv("STUB_MIB");
	return (mib ? strtoull(mib, NULL, 10) : 64) << 20;
}

/* Handles lie close together, as a driver's do. */
static int take_as(bool handle, devptr *out, size_t bytes)
{
	int result = OUT_OF_MEMORY;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < SLOTS && used + bytes <= capacity(); i++) {
		if (live[i].address)
			continue;
		live[i].address = *out = handle ? 0x5500000000 + (devptr)i * 16 : next_address;
		live[i].bytes = bytes;
		next_address += handle ? 0 : (bytes + 0x1fffff) & ~(devptr)0x1fffff;
		used += bytes;
		result = OK;
		break;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

static int take(devptr *out, size_t bytes) { return take_as(false, out, bytes); }

static int give(devptr address)
{
	int result = address ? INVALID : OK;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < SLOTS && address; i++) {
		if (live[i].address != address)
			continue;
		used -= live[i].bytes;
		live[i].address = 0;
		result = OK;
		break;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

/* Who holds physical memory: its creator, and each mapping. */
static struct { devptr handle; int times; } holds[SLOTS];
static struct { devptr address, handle; size_t bytes; } maps[SLOTS];

static int hold(devptr handle, int change)
{
	for (int i = 0; i < SLOTS; i++)
		if (holds[i].times && holds[i].handle == handle) {
			holds[i].times += change;
			return holds[i].times ? OK : give(handle);
		}
	for (int i = 0; i < SLOTS && change > 0; i++)
		if (!holds[i].times) {
			holds[i].handle = handle;
			holds[i].times = 1;
			return OK;
		}
	return INVALID;
}

static int take_handle(void **out, size_t bytes)
{
	devptr address = 0;
	int result = take_as(true, &address, bytes);
	if (!result)
		*out = (void *)(uintptr_t)address;
	return result;
}

int cuInit(unsigned flags) { (void)flags; return OK; }
int cuCtxGetDevice(int *device) { *device = 0; return OK; }
int cuDeviceGetCount(int *n) { *n = 1; return OK; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = capacity(); return OK; }
int cuDeviceGetName(char *name, int n, int device) { (void)device; strncpy(name, "Stub GPU", (size_t)n); return OK; }
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) { *total = capacity(); *free_bytes = *total - used; return OK; }
int cuCtxSynchronize(void) { return OK; }
int cuMemAlloc_v2(devptr *out, size_t bytes) { return take(out, bytes); }
int cuMemFree_v2(devptr address) { return give(address); }
int cuMemAllocManaged(devptr *out, size_t bytes, unsigned flags) { (void)flags; return take(out, bytes); }
int cuMemAllocAsync(devptr *out, size_t bytes, void *s) { (void)s; return take(out, bytes); }
int cuMemAllocAsync_ptsz(devptr *out, size_t bytes, void *s) { (void)s; return take(out, bytes); }
int cuMemAllocFromPoolAsync(devptr *out, size_t bytes, void *p, void *s) { (void)p; (void)s; return take(out, bytes); }
int cuMemFreeAsync(devptr address, void *s) { (void)s; return give(address); }
int cuMemFreeAsync_ptsz(devptr address, void *s) { (void)s; return give(address); }
int cuArrayDestroy(void *array) { return give((uintptr_t)array); }
int cuMipmappedArrayDestroy(void *array) { return give((uintptr_t)array); }
int cuIpcGetMemHandle(void *handle, devptr address) { (void)handle; return address ? OK : INVALID; }

int cuMemAllocPitch_v2(devptr *out, size_t *pitch, size_t width, size_t height, unsigned element)
{
	(void)element;
	*pitch = (width + 511) / 512 * 512;
	return take(out, *pitch * height);
}

int cuMemCreate(unsigned long long *handle, size_t bytes, const void *properties, unsigned long long flags)
{
	(void)properties;
	(void)flags;
	int result = take_as(true, handle, bytes);
	if (!result)
		hold(*handle, 1);
	return result;
}

int cuMemRelease(unsigned long long handle) { return hold(handle, -1); }

int cuMemRetainAllocationHandle(unsigned long long *handle, void *address)
{
	for (int i = 0; i < SLOTS; i++)
		if (maps[i].bytes && maps[i].address == (uintptr_t)address) {
			*handle = maps[i].handle;
			return hold(*handle, 1);
		}
	return INVALID;
}

/* With STUB_VMM addresses can be reserved and handles mapped; else not, and a pool does without. */
int cuMemAddressReserve(devptr *p, size_t n, size_t alignment, devptr hint, unsigned long long flags)
{
	static devptr next = 0x500000000000;
	(void)alignment; (void)hint; (void)flags;
	if (!getenv("STUB_VMM"))
		return NOT_FOUND;
	*p = next;
	next += n + ((devptr)1 << 30);
	return OK;
}

int cuMemMap(devptr p, size_t n, size_t offset, unsigned long long handle, unsigned long long flags)
{
	(void)offset; (void)flags;
	for (int i = 0; i < SLOTS && getenv("STUB_VMM"); i++)
		if (!maps[i].bytes) {
			maps[i].address = p;
			maps[i].bytes = n;
			maps[i].handle = handle;
			return hold(handle, 1);
		}
	return NOT_FOUND;
}

int cuMemUnmap(devptr p, size_t n)
{
	for (int i = 0; i < SLOTS; i++)
		if (maps[i].bytes && maps[i].address >= p && maps[i].address < p + n) {
			maps[i].bytes = 0;
			hold(maps[i].handle, -1);
		}
	return OK;
}

/* width, height [, depth], format, channels: only single-byte formats here */
int cuArrayCreate_v2(void **out, const void *description)
{
	const size_t *d = description;
	return take_handle(out, d[0] * (d[1] ? d[1] : 1));
}

int cuArray3DCreate_v2(void **out, const void *description)
{
	const size_t *d = description;
	return take_handle(out, d[0] * (d[1] ? d[1] : 1) * (d[2] ? d[2] : 1));
}

int cuMipmappedArrayCreate(void **out, const void *description, unsigned levels)
{
	(void)levels;
	return cuArray3DCreate_v2(out, description);
}

int cuMemGetAddressRange_v2(devptr *base, size_t *size, devptr address)
{
	int result = INVALID;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < SLOTS; i++) {
		if (!live[i].address || address < live[i].address || address >= live[i].address + live[i].bytes)
			continue;
		*base = live[i].address;
		*size = live[i].bytes;
		result = OK;
		break;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, void *status)
{
	static const struct { const char *name; void *legacy, *per_thread; } table[] = {
		{ "cuMemAlloc", (void *)cuMemAlloc_v2, (void *)cuMemAlloc_v2 },
		{ "cuMemFree", (void *)cuMemFree_v2, (void *)cuMemFree_v2 },
		{ "cuMemAllocAsync", (void *)cuMemAllocAsync, (void *)cuMemAllocAsync_ptsz },
		{ "cuMemFreeAsync", (void *)cuMemFreeAsync, (void *)cuMemFreeAsync_ptsz },
		{ "cuCtxGetDevice", (void *)cuCtxGetDevice, (void *)cuCtxGetDevice },
		{ "cuGetProcAddress", (void *)cuGetProcAddress_v2, (void *)cuGetProcAddress_v2 },
	};
	(void)version;
	(void)status;
	*function = NULL;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(table[i].name, symbol))
			*function = flags & 2 ? table[i].per_thread : table[i].legacy;
	return *function ? OK : NOT_FOUND;
}

/* --- what a pool on the driver asks for besides ------------------------------------------------------ */

int cuDriverGetVersion(int *v) { *v = 13000; return OK; }
int cuDeviceGet(int *device, int i) { *device = i; return OK; }
int cuDeviceGetAttribute(int *v, int attribute, int device) { (void)attribute; (void)device; *v = 0; return OK; }
int cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; *context = &lock; return OK; }
int cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return OK; }
int cuCtxPushCurrent_v2(void *context) { (void)context; return OK; }
int cuCtxPopCurrent_v2(void **context) { if (context) *context = &lock; return OK; }
int cuMemAddressFree(devptr p, size_t n) { (void)p; (void)n; return OK; }
int cuMemSetAccess(devptr p, size_t n, const void *access, size_t count) { (void)p; (void)n; (void)access; (void)count; return OK; }
int cuEventCreate(void **event, unsigned flags) { (void)flags; *event = &lock; return OK; }
int cuEventRecord(void *event, void *stream) { (void)event; (void)stream; return OK; }
int cuEventQuery(void *event) { (void)event; return OK; }
int cuEventSynchronize(void *event) { (void)event; return OK; }
int cuEventDestroy_v2(void *event) { (void)event; return OK; }
int cuStreamSynchronize(void *stream) { (void)stream; return OK; }
int cuGetErrorString(int error, const char **text) { *text = error == OUT_OF_MEMORY ? "out of memory" : "stub error"; return OK; }
