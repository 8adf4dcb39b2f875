/* The stub CUDA libraries of the preload tests: a device of STUB_MIB (default 64) mebibytes that only keeps account. */
#ifndef STUB_CUDA_H
#define STUB_CUDA_H

#include <stddef.h>

typedef unsigned long long devptr;

/* Driver. */
int cuInit(unsigned flags);
int cuCtxGetDevice(int *device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetName(char *name, int n, int device);
int cuDeviceGetCount(int *n);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
int cuMemAlloc_v2(devptr *out, size_t bytes);
int cuMemFree_v2(devptr address);
int cuMemAllocPitch_v2(devptr *out, size_t *pitch, size_t width, size_t height, unsigned element);
int cuMemAllocManaged(devptr *out, size_t bytes, unsigned flags);
int cuMemAllocAsync(devptr *out, size_t bytes, void *stream);
int cuMemAllocAsync_ptsz(devptr *out, size_t bytes, void *stream);
int cuMemAllocFromPoolAsync(devptr *out, size_t bytes, void *pool, void *stream);
int cuMemFreeAsync(devptr address, void *stream);
int cuMemFreeAsync_ptsz(devptr address, void *stream);
int cuMemCreate(unsigned long long *handle, size_t bytes, const void *properties, unsigned long long flags);
int cuMemRelease(unsigned long long handle);
int cuMemAddressReserve(devptr *p, size_t n, size_t alignment, devptr hint, unsigned long long flags);
int cuMemMap(devptr p, size_t n, size_t offset, unsigned long long handle, unsigned long long flags);
int cuMemUnmap(devptr p, size_t n);
int cuMemRetainAllocationHandle(unsigned long long *handle, void *address);
int cuArrayCreate_v2(void **out, const void *description);
int cuArray3DCreate_v2(void **out, const void *description);
int cuArrayDestroy(void *array);
int cuMipmappedArrayCreate(void **out, const void *description, unsigned levels);
int cuMipmappedArrayDestroy(void *array);
int cuMemGetAddressRange_v2(devptr *base, size_t *size, devptr address);
int cuIpcGetMemHandle(void *handle, devptr address);
int cuCtxSynchronize(void);
int cuGetProcAddress_v2(const char *symbol, void **function, int version, unsigned long long flags, void *status);

/* Runtime. */
typedef struct extent { size_t width, height, depth; } extent;
typedef struct pitched { void *address; size_t pitch, xsize, ysize; } pitched;
typedef struct channels { int x, y, z, w, kind; } channels;
int cudaGetDevice(int *device);
int cudaMalloc(void **out, size_t bytes);
int cudaFree(void *address);
int cudaMallocAsync(void **out, size_t bytes, void *stream);
int cudaFreeAsync(void *address, void *stream);
int cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *stream);
int cudaMallocManaged(void **out, size_t bytes, unsigned flags);
int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
int cudaMalloc3D(pitched *out, extent e);
int cudaMallocArray(void **out, const channels *c, size_t width, size_t height, unsigned flags);
int cudaMalloc3DArray(void **out, const channels *c, extent e, unsigned flags);
int cudaFreeArray(void *array);
int cudaMallocMipmappedArray(void **out, const channels *c, extent e, unsigned levels, unsigned flags);
int cudaFreeMipmappedArray(void *array);
int cudaIpcGetMemHandle(void *handle, void *address);
int cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, void *status);

#endif
