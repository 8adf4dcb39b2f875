/* CUDA devices by the driver API, which is loaded from libcuda.so.1 when first asked for: nothing
 * links it, and no header of CUDA is needed. */
#ifndef GS_RECORDER_DEVICE_CUDA_H
#define GS_RECORDER_DEVICE_CUDA_H

#include "recorder/pool/device.h"

typedef struct gs_cuda_device gs_cuda_device;

/* Its device argument is a gs_cuda_device *. Streams are CUstream handles. Thread-safe as the
 * driver is; calls make the device's primary context current for their duration. mem_alloc is
 * refused inside a stream capture by the driver, not here. */
extern const gs_device_ops gs_cuda_ops;

/* Loads and initialises the driver (once; thread-safe). GS_UNSUPPORTED: no driver or no
 * device, and why. */
gs_status gs_cuda_load(gs_error *err);
int gs_cuda_count(void);                  /* devices; 0 before a successful load */
const char *gs_cuda_driver_version(void); /* "13.0"; NULL before */

/* Takes a device into use (retains its primary context). GS_NOT_FOUND: no such number; GS_DEVICE:
 * the driver's reason. */
gs_status gs_cuda_init(gs_cuda_device **device, int32_t number, gs_error *err);
void gs_cuda_release(gs_cuda_device *device); /* NULL allowed */

/* The device's name, which lives as long as it. */
const char *gs_cuda_name(const gs_cuda_device *device);
const char *gs_cuda_pci(const gs_cuda_device *device); /* "0000:17:00.0", "" unknown */

#endif
