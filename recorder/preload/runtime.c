/* The hooked functions of the runtime interface (libcudart, dynamically linked). A statically
 * linked runtime is seen where it calls the driver. */
#include "recorder/preload/wrap.h"

enum { NO_LIBRARY = 3 }; /* cudaErrorInitializationError */

EXPORT(cudaMalloc, void **out, size_t bytes)
{
	REAL(cudaMalloc, void **, size_t);
	unsigned long long address = 0;
	gs_regs caller;
	gs_regs_of_caller(&caller);
	if (gs_pool_hook_alloc(&caller, bytes, &address)) {
		*out = (void *)(uintptr_t)address;
		return 0;
	}
	RECORDED(real(out, bytes), *out, bytes, 0);
}

EXPORT(cudaFree, void *address)
{
	REAL(cudaFree, void *);
	if (gs_pool_hook_free((uintptr_t)address))
		return 0;
	RECORDED_FREE(real(address), address, 0);
}

/* Stream-ordered calls, for both default streams. */
#define ALLOC_ASYNC(name)                                       \
	EXPORT(name, void **out, size_t bytes, void *stream)        \
	{                                                           \
		REAL(name, void **, size_t, void *);                    \
		ORDERED(real(out, bytes, stream), *out, bytes, stream); \
	}
#define ALLOC_FROM_POOL(name)                                         \
	EXPORT(name, void **out, size_t bytes, void *pool, void *stream)  \
	{                                                                 \
		REAL(name, void **, size_t, void *, void *);                  \
		ORDERED(real(out, bytes, pool, stream), *out, bytes, stream); \
	}
#define FREE_ASYNC(name)                                       \
	EXPORT(name, void *address, void *stream)                  \
	{                                                          \
		REAL(name, void *, void *);                            \
		RECORDED_FREE(real(address, stream), address, stream); \
	}
ALLOC_ASYNC(cudaMallocAsync)
ALLOC_ASYNC(cudaMallocAsync_ptsz)
ALLOC_FROM_POOL(cudaMallocFromPoolAsync)
ALLOC_FROM_POOL(cudaMallocFromPoolAsync_ptsz)
FREE_ASYNC(cudaFreeAsync)
FREE_ASYNC(cudaFreeAsync_ptsz)

EXPORT(cudaMallocManaged, void **out, size_t bytes, unsigned flags)
{
	REAL(cudaMallocManaged, void **, size_t, unsigned);
	RECORDED(real(out, bytes, flags), *out, bytes, 0);
}

EXPORT(cudaMallocPitch, void **out, size_t *pitch, size_t width, size_t height)
{
	REAL(cudaMallocPitch, void **, size_t *, size_t, size_t);
	gs_regs from;
	gs_regs_of_caller(&from);
	bool outermost = gs_hook_enter();
	int result = real(out, pitch, width, height);
	if (outermost)
		gs_passthrough_allocated(&from, gs_caller_above(from.ip), result,
			result ? 0 : (uintptr_t)*out, (result ? width : *pitch) * height, 0);
	gs_hook_leave();
	return result;
}

/* --- volumes and arrays --- */

typedef struct extent {
	size_t width, height, depth;
} extent;
typedef struct pitched {
	void *address;
	size_t pitch, xsize, ysize;
} pitched;
typedef struct channels {
	int x, y, z, w, kind;
} channels;

EXPORT(cudaMalloc3D, pitched *out, extent e)
{
	REAL(cudaMalloc3D, pitched *, extent);
	gs_regs from;
	gs_regs_of_caller(&from);
	bool outermost = gs_hook_enter();
	int result = real(out, e);
	if (outermost)
		gs_passthrough_allocated(&from, gs_caller_above(from.ip), result,
			result ? 0 : (uintptr_t)out->address,
			(result ? e.width : out->pitch) * e.height * e.depth, 0);
	gs_hook_leave();
	return result;
}

static uint64_t array_bytes(const channels *c, extent e)
{
	uint64_t bits = c ? (uint64_t)(c->x + c->y + c->z + c->w) : 8;
	return e.width * (e.height ? e.height : 1) * (e.depth ? e.depth : 1) * ((bits + 7) / 8);
}

EXPORT(cudaMallocArray, void **out, const channels *c, size_t width, size_t height, unsigned flags)
{
	REAL(cudaMallocArray, void **, const channels *, size_t, size_t, unsigned);
	RECORDED_HANDLE(
		real(out, c, width, height, flags), *out, array_bytes(c, (extent){width, height, 0}));
}

EXPORT(cudaMalloc3DArray, void **out, const channels *c, extent e, unsigned flags)
{
	REAL(cudaMalloc3DArray, void **, const channels *, extent, unsigned);
	RECORDED_HANDLE(real(out, c, e, flags), *out, array_bytes(c, e));
}

EXPORT(cudaFreeArray, void *array)
{
	REAL(cudaFreeArray, void *);
	RELEASED_HANDLE(real(array), array);
}

EXPORT(cudaMallocMipmappedArray, void **out, const channels *c, extent e, unsigned levels,
	unsigned flags)
{
	REAL(cudaMallocMipmappedArray, void **, const channels *, extent, unsigned, unsigned);
	RECORDED_HANDLE(real(out, c, e, levels, flags), *out, array_bytes(c, e));
}

EXPORT(cudaFreeMipmappedArray, void *array)
{
	REAL(cudaFreeMipmappedArray, void *);
	RELEASED_HANDLE(real(array), array);
}

EXPORT(cudaIpcGetMemHandle, void *handle, void *address)
{
	REAL(cudaIpcGetMemHandle, void *, void *);
	return gs_pool_hook_refuses_export((uintptr_t)address) ? 801 /* cudaErrorNotSupported */
														   : real(handle, address);
}

/* --- ways round: older runtimes take three arguments, a fourth does no harm --- */

#define ENTRY_POINT(name, per_thread)                                                         \
	EXPORT(name, const char *symbol, void **function, unsigned long long flags, void *status) \
	{                                                                                         \
		REAL(name, const char *, void **, unsigned long long, void *);                        \
		int result = real(symbol, function, flags, status);                                   \
		if (!result && function)                                                              \
			*function = gs_hook_replace_base(                                                 \
				symbol, (per_thread) || flags & PER_THREAD_FLAG, *function);                  \
		return result;                                                                        \
	}
ENTRY_POINT(cudaGetDriverEntryPoint, false)
ENTRY_POINT(cudaGetDriverEntryPoint_ptsz, true)

#define ENTRY_POINT_BY_VERSION(name, per_thread)                                                  \
	EXPORT(name, const char *symbol, void **function, unsigned version, unsigned long long flags, \
		void *status)                                                                             \
	{                                                                                             \
		REAL(name, const char *, void **, unsigned, unsigned long long, void *);                  \
		int result = real(symbol, function, version, flags, status);                              \
		if (!result && function)                                                                  \
			*function = gs_hook_replace_base(                                                     \
				symbol, (per_thread) || flags & PER_THREAD_FLAG, *function);                      \
		return result;                                                                            \
	}
ENTRY_POINT_BY_VERSION(cudaGetDriverEntryPointByVersion, false)
ENTRY_POINT_BY_VERSION(cudaGetDriverEntryPointByVersion_ptsz, true)
