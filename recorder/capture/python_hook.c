/* Keys of Python frames become frames of a recorder's tables. */
#include "recorder/capture/python_hook.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "recorder/capture/python_stack.h"
#include "recorder/capture/thread.h"
#include "recorder/capture/unwind.h"

/* Frame of a key in one recorder's tables; guessable keys are few. The cache belongs to the
 * recorder that used it last. */
enum { CACHED = 1 << 16 };
static _Atomic uint64_t cache[CACHED]; /* serial << 32 | frame */

static gs_id frame_of(gs_tables *tables, uint32_t serial, uint32_t key)
{
	_Atomic uint64_t *slot = &cache[key % CACHED];
	uint64_t known = key < CACHED ? atomic_load_explicit(slot, memory_order_relaxed) : 0;
	if (known >> 32 == serial)
		return (gs_id)known;
	gs_python_frame f = gs_python_frame_of(key);
	gs_id name = gs_tables_text(tables, f.name, strlen(f.name)),
		  file = gs_tables_text(tables, f.file, strlen(f.file));
	gs_id id = gs_tables_frame(tables, name, file, f.line ? f.line : -1);
	if (id && key < CACHED)
		atomic_store_explicit(slot, (uint64_t)serial << 32 | id, memory_order_relaxed);
	return id;
}

/* Looking Python's functions up costs microseconds where there are none: it is done again only
 * after modules were loaded. loads is the loader's count, as the thread saw it last. */
static bool python_may_be_here(unsigned long long loads)
{
	static _Atomic unsigned long long absent,
		here; /* counts at which the look-up failed, and found it */
	if (atomic_load_explicit(&here, memory_order_relaxed) == loads)
		return true;
	if (atomic_load_explicit(&absent, memory_order_relaxed) == loads)
		return false;
	bool found = dlsym(RTLD_DEFAULT, "Py_IsInitialized") != NULL;
	atomic_store_explicit(found ? &here : &absent, loads, memory_order_relaxed);
	return found;
}

/* The walk in full. */
static gs_id walk_stack(
	uint32_t serial, gs_tables *tables, uint32_t depth, gs_id tail, gs_python_trail *trail)
{
	uint32_t keys[GS_STACK_HOOK_MAX], n = 0;
	gs_id frames[GS_STACK_HOOK_MAX];
	unsigned got = gs_python_capture(keys, GS_STACK_HOOK_MAX, depth, trail);
	for (unsigned i = 0; i < got; i++) {
		gs_id id = frame_of(tables, serial, keys[i]);
		if (id)
			frames[n++] = id;
		else
			trail->n = 0;
	}
	return n ? gs_tables_stack(tables, frames, n, NULL, 0, tail) : tail;
}

gs_id gs_python_stack(void *number, gs_tables *tables, uint32_t depth, gs_id tail)
{
	gs_thread *thread = gs_thread_self();
	uint32_t serial = (uint32_t)(uintptr_t)number;
	gs_id stack = thread ? gs_python_known(&thread->python, serial, tail) : 0;
	if (stack || !thread || !python_may_be_here(thread->unwinder.loads) || !gs_python_present())
		return stack ? stack : tail;
	gs_python_trail trail;
	stack = walk_stack(serial, tables, depth, tail, &trail);
	if (stack)
		gs_python_remember(&thread->python, serial, tail, stack, &trail);
	return stack;
}

void gs_python_hook_prepare(void) { python_may_be_here(gs_unwind_loads()); }
