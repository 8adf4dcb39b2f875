/* Who calls: the caching allocators that stand between a program and the driver. Thread-safe; takes
 * no memory. */
#ifndef GS_RECORDER_PRELOAD_CALLER_H
#define GS_RECORDER_PRELOAD_CALLER_H

#include <stdint.h>

/* The caching allocator that the code at ip belongs to ("pytorch"), or NULL: the program itself, or
 * a library that asks for what it uses. PyTorch's with its cache switched off
 * (PYTORCH_NO_CUDA_MEMORY_CACHING) is none. Changes no errno. */
const char *gs_caller_above(uint64_t ip);

#endif
