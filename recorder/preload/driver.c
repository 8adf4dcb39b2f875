/* The hooked functions of the driver interface (libcuda.so.1). */
#include "recorder/preload/wrap.h"

enum { NO_LIBRARY = 500 }; /* CUDA_ERROR_NOT_FOUND */

typedef unsigned long long devptr;
EXPORT(cuMemAlloc_v2, devptr *out, size_t bytes)
{
	REAL(cuMemAlloc_v2, devptr *, size_t);
	gs_regs caller;
	gs_regs_of_caller(&caller);
	if (gs_pool_hook_alloc(&caller, bytes, out))
		return 0;
	RECORDED(real(out, bytes), *out, bytes, 0);
}

EXPORT(cuMemFree_v2, devptr address)
{
	REAL(cuMemFree_v2, devptr);
	if (gs_pool_hook_free(address))
		return 0;
	RECORDED_FREE(real(address), address, 0);
}

EXPORT(
	cuMemAllocPitch_v2, devptr *out, size_t *pitch, size_t width, size_t height, unsigned element)
{
	REAL(cuMemAllocPitch_v2, devptr *, size_t *, size_t, size_t, unsigned);
	gs_regs from;
	gs_regs_of_caller(&from);
	bool outermost = gs_hook_enter();
	int result = real(out, pitch, width, height, element);
	if (outermost)
		gs_passthrough_allocated(&from, gs_caller_above(from.ip), result, result ? 0 : *out,
			(result ? width : *pitch) * height, 0);
	gs_hook_leave();
	return result;
}

EXPORT(cuMemAllocManaged, devptr *out, size_t bytes, unsigned flags)
{
	REAL(cuMemAllocManaged, devptr *, size_t, unsigned);
	RECORDED(real(out, bytes, flags), *out, bytes, 0);
}

/* Stream-ordered calls, for both default streams. */
#define ALLOC_ASYNC(name)                                       \
	EXPORT(name, devptr *out, size_t bytes, void *stream)       \
	{                                                           \
		REAL(name, devptr *, size_t, void *);                   \
		ORDERED(real(out, bytes, stream), *out, bytes, stream); \
	}
#define ALLOC_FROM_POOL(name)                                         \
	EXPORT(name, devptr *out, size_t bytes, void *pool, void *stream) \
	{                                                                 \
		REAL(name, devptr *, size_t, void *, void *);                 \
		ORDERED(real(out, bytes, pool, stream), *out, bytes, stream); \
	}
#define FREE_ASYNC(name)                                       \
	EXPORT(name, devptr address, void *stream)                 \
	{                                                          \
		REAL(name, devptr, void *);                            \
		RECORDED_FREE(real(address, stream), address, stream); \
	}
ALLOC_ASYNC(cuMemAllocAsync)
ALLOC_ASYNC(cuMemAllocAsync_ptsz)
ALLOC_FROM_POOL(cuMemAllocFromPoolAsync)
ALLOC_FROM_POOL(cuMemAllocFromPoolAsync_ptsz)
FREE_ASYNC(cuMemFreeAsync)
FREE_ASYNC(cuMemFreeAsync_ptsz)

/* Physical memory without an address: its handle stands for it, until it is released and mapped
 * nowhere. */
EXPORT(cuMemCreate, unsigned long long *handle, size_t bytes, const void *properties,
	unsigned long long flags)
{
	REAL(cuMemCreate, unsigned long long *, size_t, const void *, unsigned long long);
	RECORDED_HANDLE(real(handle, bytes, properties, flags), *handle, bytes);
}

EXPORT(cuMemRelease, unsigned long long handle)
{
	REAL(cuMemRelease, unsigned long long);
	RELEASED_HANDLE(real(handle), handle);
}

EXPORT(cuMemMap, devptr address, size_t bytes, size_t offset, unsigned long long handle,
	unsigned long long flags)
{
	REAL(cuMemMap, devptr, size_t, size_t, unsigned long long, unsigned long long);
	bool outermost = gs_hook_enter();
	int result = real(address, bytes, offset, handle, flags);
	if (outermost && !result)
		gs_passthrough_mapped(address, bytes, handle);
	gs_hook_leave();
	return result;
}

EXPORT(cuMemUnmap, devptr address, size_t bytes)
{
	REAL(cuMemUnmap, devptr, size_t);
	bool outermost = gs_hook_enter();
	if (outermost)
		gs_passthrough_unmapping(address, bytes);
	int result = real(address, bytes);
	gs_hook_leave();
	return result;
}

EXPORT(cuMemRetainAllocationHandle, unsigned long long *handle, void *address)
{
	REAL(cuMemRetainAllocationHandle, unsigned long long *, void *);
	bool outermost = gs_hook_enter();
	int result = real(handle, address);
	if (outermost && !result)
		gs_passthrough_retained(*handle);
	gs_hook_leave();
	return result;
}

/* --- arrays: the handle stands for the memory, the size is that of the elements ----------------
 */

typedef struct array_2d {
	size_t width, height;
	unsigned format, channels;
} array_2d;
typedef struct array_3d {
	size_t width, height, depth;
	unsigned format, channels, flags;
} array_3d;

static uint64_t element_bytes(unsigned format, unsigned channels)
{
	uint64_t bytes = format == 0x01 || format == 0x08        ? 1
		: format == 0x02 || format == 0x09 || format == 0x10 ? 2
															 : 4;
	return bytes * (channels ? channels : 1);
}

static uint64_t array_bytes(const array_3d *a)
{
	return a->width * (a->height ? a->height : 1) * (a->depth ? a->depth : 1) *
		element_bytes(a->format, a->channels);
}

EXPORT(cuArrayCreate_v2, void **out, const array_2d *a)
{
	REAL(cuArrayCreate_v2, void **, const array_2d *);
	array_3d flat = {a->width, a->height, 0, a->format, a->channels, 0};
	RECORDED_HANDLE(real(out, a), *out, array_bytes(&flat));
}

EXPORT(cuArray3DCreate_v2, void **out, const array_3d *a)
{
	REAL(cuArray3DCreate_v2, void **, const array_3d *);
	RECORDED_HANDLE(real(out, a), *out, array_bytes(a));
}

EXPORT(cuArrayDestroy, void *array)
{
	REAL(cuArrayDestroy, void *);
	RELEASED_HANDLE(real(array), array);
}

/* The levels below the first add a third at most; their exact layout is the driver's secret. */
EXPORT(cuMipmappedArrayCreate, void **out, const array_3d *a, unsigned levels)
{
	REAL(cuMipmappedArrayCreate, void **, const array_3d *, unsigned);
	RECORDED_HANDLE(real(out, a, levels), *out, array_bytes(a));
}

EXPORT(cuMipmappedArrayDestroy, void *array)
{
	REAL(cuMipmappedArrayDestroy, void *);
	RELEASED_HANDLE(real(array), array);
}

/* --- questions about an address that --pool serves ----------------------------------------------
 */

EXPORT(cuMemGetAddressRange_v2, devptr *base, size_t *size, devptr address)
{
	REAL(cuMemGetAddressRange_v2, devptr *, size_t *, devptr);
	uint64_t start, bytes;
	if (!gs_pool_hook_range(address, &start, &bytes))
		return real(base, size, address);
	if (base)
		*base = start;
	if (size)
		*size = bytes;
	return 0;
}

EXPORT(cuIpcGetMemHandle, void *handle, devptr address)
{
	REAL(cuIpcGetMemHandle, void *, devptr);
	return gs_pool_hook_refuses_export(address) ? 801 /* CUDA_ERROR_NOT_SUPPORTED */
												: real(handle, address);
}

/* --- ways round --- */

EXPORT(cuGetProcAddress, const char *symbol, void **function, int version, unsigned long long flags)
{
	REAL(cuGetProcAddress, const char *, void **, int, unsigned long long);
	int result = real(symbol, function, version, flags);
	if (!result && function)
		*function = gs_hook_replace_base(symbol, flags & PER_THREAD_FLAG, *function);
	return result;
}

EXPORT(cuGetProcAddress_v2, const char *symbol, void **function, int version,
	unsigned long long flags, void *status)
{
	REAL(cuGetProcAddress_v2, const char *, void **, int, unsigned long long, void *);
	int result = real(symbol, function, version, flags, status);
	if (!result && function)
		*function = gs_hook_replace_base(symbol, flags & PER_THREAD_FLAG, *function);
	return result;
}
