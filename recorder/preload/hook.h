/* The preload's hooks: which functions, how the real ones are found, and the guard that makes a
 * call inside a hooked call count once, at the outermost.
 *
 * The wrappers (runtime.c, driver.c) have the exact names and binary interfaces of the functions
 * they stand before, without CUDA's headers: handles and pointers are plain machine words there.
 * Everything here is thread-safe and never allocates. */
#ifndef GS_RECORDER_PRELOAD_HOOK_H
#define GS_RECORDER_PRELOAD_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gs_hook {
#define HOOK(name, base, per_thread) GS_HOOK_##name,
#include "recorder/preload/hooks.def"
#undef HOOK
	GS_HOOK_COUNT
} gs_hook;

typedef void gs_hook_function(void); /* to be cast to the function's own type */

/* The function that the program would have called without the preload; NULL where no loaded library
 * has it. */
gs_hook_function *gs_hook_real(gs_hook hook);

/* What a look-up of a hooked name should give the program, when the real look-up gave `found`: the
 * wrapper, which from then on calls `found`. Other names, and NULL, are handed back as they are. */
void *gs_hook_replace(const char *name, void *found);

/* The same for a name as cuGetProcAddress knows it (no _v2, no _ptsz), per_thread telling which
 * default stream was asked for. */
void *gs_hook_replace_base(const char *base, bool per_thread, void *found);

/* The dynamic linker's own dlsym, without the hook. */
void *gs_hook_dlsym(void *handle, const char *name);

/* Depth of hooked calls on this thread. enter returns true at the outermost call of a thread that
 * is not inside the recorder; every enter is paired with a leave. */
bool gs_hook_enter(void);
void gs_hook_leave(void);

#define GS_HOOK_EXPORT __attribute__((visibility("default")))

#endif
