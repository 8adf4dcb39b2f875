/* The CUDA device of a build without CUDA's headers: there is none. */
#include "recorder/device/cuda.h"

const gs_device_ops gs_cuda_ops = {.name = "cuda"};

gs_status gs_cuda_load(gs_error *err)
{
	return gs_fail(err, GS_UNSUPPORTED,
		"this build of gpusnap has no CUDA device (CUDA's headers were not found)");
}

gs_status gs_cuda_init(gs_cuda_device **device, int32_t number, gs_error *err)
{
	(void)device;
	(void)number;
	return gs_cuda_load(err);
}

int gs_cuda_count(void) { return 0; }
const char *gs_cuda_driver_version(void) { return 0; }
void gs_cuda_release(gs_cuda_device *device) { (void)device; }
const char *gs_cuda_name(const gs_cuda_device *device)
{
	(void)device;
	return 0;
}
