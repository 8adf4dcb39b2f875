/* Libraries whose calls are left to themselves: their allocators record what they do. Thread-safe;
 * takes no memory. */
#ifndef GS_RECORDER_PRELOAD_LEFT_OUT_H
#define GS_RECORDER_PRELOAD_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>

/* Calls whose caller lies in a loaded library whose path contains this text are left out from now
 * on, of the recording and of the pool. Without effect on PyTorch's while its cache is switched off
 * (PYTORCH_NO_CUDA_MEMORY_CACHING): it then records nothing, and every call is an allocation of the
 * program's. Exported, for the Python package. The text is copied; at most 8. */
__attribute__((visibility("default"))) void gpusnap_preload_leave_out(const char *library);

/* Whether the code at ip lies in a library that was left out. */
bool gs_left_out(uint64_t ip);

#endif
