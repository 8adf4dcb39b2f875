/* The shapes that wrappers share. A file that includes it defines NO_LIBRARY, the error when no
 * loaded library has the function. */
#ifndef GS_RECORDER_PRELOAD_WRAP_H
#define GS_RECORDER_PRELOAD_WRAP_H

#include "recorder/preload/caller.h"
#include "recorder/preload/hook.h"
#include "recorder/preload/passthrough.h"
#include "recorder/preload/pool_hooks.h"

#define EXPORT(name, ...)                 \
	GS_HOOK_EXPORT int name(__VA_ARGS__); \
	GS_HOOK_EXPORT int name(__VA_ARGS__)

/* Finds the real function, or returns NO_LIBRARY from the wrapper. */
#define REAL(name, ...)                                                            \
	int (*real)(__VA_ARGS__) = (int (*)(__VA_ARGS__))gs_hook_real(GS_HOOK_##name); \
	if (!real)                                                                     \
	return NO_LIBRARY

/* Calls the real function and, at the outermost call, tells what it gave: `tell` sees the caller in
 * `from` and the error in `result`. */
#define TOLD_AFTER(call, tell)            \
	do {                                  \
		gs_regs from;                     \
		gs_regs_of_caller(&from);         \
		bool outermost = gs_hook_enter(); \
		int result = (call);              \
		if (outermost)                    \
			tell;                         \
		gs_hook_leave();                  \
		return result;                    \
	} while (0)

/* Tells at the outermost call what the real function takes back, then calls it. */
#define TOLD_BEFORE(call, tell)           \
	do {                                  \
		bool outermost = gs_hook_enter(); \
		if (outermost)                    \
			tell;                         \
		int result = (call);              \
		gs_hook_leave();                  \
		return result;                    \
	} while (0)

/* Memory by its address; address and bytes are looked at after success. ORDERED: of the driver's
 * own pools, which no allocator keeps a cache of. */
#define RECORDED(call, address, bytes, stream) \
	RECORDED_AS(gs_caller_above(from.ip), call, address, bytes, stream)
#define ORDERED(call, address, bytes, stream) RECORDED_AS(NULL, call, address, bytes, stream)
#define RECORDED_AS(above, call, address, bytes, stream)                                    \
	TOLD_AFTER(call,                                                                        \
		gs_passthrough_allocated(&from, (above), result, result ? 0 : (uintptr_t)(address), \
			(bytes), (uintptr_t)(stream)))
#define RECORDED_FREE(call, address, stream) \
	TOLD_BEFORE(call, gs_passthrough_freeing((uintptr_t)(address), (uintptr_t)(stream)))

/* The same for memory that has a handle and no address. */
#define RECORDED_HANDLE(call, handle, bytes) \
	TOLD_AFTER(                              \
		call, gs_passthrough_created(&from, result, result ? 0 : (uintptr_t)(handle), (bytes)))
#define RELEASED_HANDLE(call, handle) \
	TOLD_BEFORE(call, gs_passthrough_releasing((uintptr_t)(handle)))

enum {
	PER_THREAD_FLAG = 2
}; /* of cuGetProcAddress and cudaGetDriverEntryPoint: the per-thread default stream */

#endif
