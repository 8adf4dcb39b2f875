// Between PyTorch's CUDAPluggableAllocator and libgpusnap. Compiled on first use against the user's PyTorch, so that a failure
// becomes torch.OutOfMemoryError: an allocator that returns NULL would make a tensor with address 0.
#include <cstdint>
#include <functional>
#include <utility>

#include <c10/util/Exception.h>

extern "C" {
struct gpusnap_pool_id { uint64_t a, b; };
int gpusnap_malloc(int device, size_t bytes, void *stream, void **ptr);
int gpusnap_free(int device, void *ptr);
int gpusnap_record_stream(int device, void *ptr, void *stream);
int gpusnap_empty_cache(int device);
int gpusnap_devices(void);
int gpusnap_set_memory_fraction(int device, double fraction);
int gpusnap_block_size(int device, void *ptr, size_t *bytes);
int gpusnap_pool_begin_if(int device, gpusnap_pool_id pool, bool (*accepts)(void *, uint64_t), void *arg, unsigned flags);
int gpusnap_pool_end(int device, gpusnap_pool_id pool);
int gpusnap_pool_release(int device, gpusnap_pool_id pool);
const char *gpusnap_error(void);
}

#define EXPORT extern "C" __attribute__((visibility("default")))
using pool_id = std::pair<unsigned long long, unsigned long long>;
using filter = std::function<bool(void *)>;
enum { OUT_OF_MEMORY = 1, CAPTURE = 2 };

EXPORT void *gpusnap_torch_alloc(size_t bytes, int device, void *stream)
{
	void *ptr = nullptr;
	int status = gpusnap_malloc(device, bytes, stream, &ptr);
	TORCH_CHECK_WITH(OutOfMemoryError, status != OUT_OF_MEMORY, gpusnap_error());
	TORCH_CHECK(status == 0, "gpusnap: ", gpusnap_error());
	return ptr;
}

// For a MemPool: there the native allocator deals with NULL.
EXPORT void *gpusnap_torch_alloc_or_null(size_t bytes, int device, void *stream)
{
	void *ptr = nullptr;
	return gpusnap_malloc(device, bytes, stream, &ptr) ? nullptr : ptr;
}

EXPORT void gpusnap_torch_free(void *ptr, size_t, int device, void *)
{
	gpusnap_free(device, ptr);
}

// PyTorch does not say which device: the address belongs to one only.
EXPORT void gpusnap_torch_record_stream(void *ptr, void *stream)
{
	for (int device = 0; device < gpusnap_devices(); device++)
		if (gpusnap_record_stream(device, ptr, stream) == 0)
			return;
}

EXPORT void gpusnap_torch_reset(void)
{
	for (int device = 0; device < gpusnap_devices(); device++)
		gpusnap_empty_cache(device);
}

EXPORT void gpusnap_torch_fraction(double fraction, int device)
{
	gpusnap_set_memory_fraction(device, fraction);
}

EXPORT void *gpusnap_torch_base(void *ptr, size_t *bytes)
{
	for (int device = 0; device < gpusnap_devices(); device++)
		if (gpusnap_block_size(device, ptr, bytes) == 0)
			break;
	return ptr;
}

// The filter lives until its pool's end call; captures are few, so what is left over is not looked for.
static bool accepts(void *arg, uint64_t stream)
{
	return (*static_cast<filter *>(arg))(reinterpret_cast<void *>(stream));
}

EXPORT void gpusnap_torch_begin(int device, pool_id id, filter wanted)
{
	gpusnap_pool_begin_if(device, { id.first, id.second }, accepts, new filter(std::move(wanted)), id.first ? CAPTURE : 0);
}

EXPORT void gpusnap_torch_end(int device, pool_id id)
{
	gpusnap_pool_end(device, { id.first, id.second });
}

EXPORT void gpusnap_torch_release(int device, pool_id id)
{
	gpusnap_pool_release(device, { id.first, id.second });
}
