/* Who asked the driver for what is live: the library that called, and the program's line. */
#ifndef GS_RECORDER_PRELOAD_LIBRARIES_H
#define GS_RECORDER_PRELOAD_LIBRARIES_H

#include <stdint.h>

/* A library (the last part of its path) and the innermost Python line of the calls ("train.py:12
 * step", "" where there is none), and the bytes of its live allocations. */
typedef void gs_library_told(void *arg, const char *library, const char *place, uint64_t bytes);

/* Tells of each library and line that holds memory of the device by calls that passed through: what
 * was asked for by allocators that are left out is not among it. Exported, for the recorder's
 * library, which finds it by name. Thread-safe; tells nothing where nothing was recorded. */
__attribute__((visibility("default"))) void gpusnap_preload_libraries(
	int device, gs_library_told *tell, void *arg);

#endif
