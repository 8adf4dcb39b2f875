/* A stub libcudart: each call goes to the stub driver, as the real one's do, by dlopen and dlsym. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stub_cuda.h"

static void *driver(const char *name)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY);
	void *f = library ? dlsym(library, name) : NULL;
	if (!f)
		abort();
	return f;
}

#define CALL(name, type, ...) ((type)driver(#name))(__VA_ARGS__)
typedef int alloc_function(devptr *, size_t);
typedef int alloc_async_function(devptr *, size_t, void *);
typedef int free_function(devptr);
typedef int free_async_function(devptr, void *);

int cudaGetDevice(int *device) { *device = 0; return 0; }

static int out_pointer(int result, void **out, const devptr *address)
{
	if (!result)
		*out = (void *)(uintptr_t)*address;
	return result;
}

int cudaMalloc(void **out, size_t bytes)
{
	devptr a = 0;
	return out_pointer(CALL(cuMemAlloc_v2, alloc_function *, &a, bytes), out, &a);
}

int cudaFree(void *address) { return CALL(cuMemFree_v2, free_function *, (uintptr_t)address); }

int cudaMallocAsync(void **out, size_t bytes, void *stream)
{
	devptr a = 0;
	return out_pointer(CALL(cuMemAllocAsync, alloc_async_function *, &a, bytes, stream), out, &a);
}

int cudaFreeAsync(void *address, void *stream) { return CALL(cuMemFreeAsync, free_async_function *, (uintptr_t)address, stream); }

int cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *stream)
{
	(void)pool;
	return cudaMallocAsync(out, bytes, stream);
}

int cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
	(void)flags;
	return cudaMalloc(out, bytes);
}

int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
	*pitch = (width + 511) / 512 * 512;
	return cudaMalloc(out, *pitch * height);
}

int cudaMalloc3D(pitched *out, extent e)
{
	out->pitch = (e.width + 511) / 512 * 512;
	return cudaMalloc(&out->address, out->pitch * e.height * e.depth);
}

int cudaMallocArray(void **out, const channels *c, size_t width, size_t height, unsigned flags)
{
	(void)flags;
	return cudaMalloc(out, width * (height ? height : 1) * (size_t)(c->x + c->y + c->z + c->w) / 8);
}

int cudaMalloc3DArray(void **out, const channels *c, extent e, unsigned flags)
{
	return cudaMallocArray(out, c, e.width * (e.depth ? e.depth : 1), e.height, flags);
}

int cudaFreeArray(void *array) { return cudaFree(array); }

int cudaMallocMipmappedArray(void **out, const channels *c, extent e, unsigned levels, unsigned flags)
{
	(void)levels;
	return cudaMalloc3DArray(out, c, e, flags);
}

int cudaFreeMipmappedArray(void *array) { return cudaFree(array); }

int cudaIpcGetMemHandle(void *handle, void *address)
{
	return CALL(cuIpcGetMemHandle, int (*)(void *, devptr), handle, (uintptr_t)address);
}

int cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, void *status)
{
	return CALL(cuGetProcAddress_v2, int (*)(const char *, void **, int, unsigned long long, void *), symbol, function, 12000, flags, status);
}
