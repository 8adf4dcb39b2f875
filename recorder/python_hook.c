/* Keys of Python frames become frames of a recorder's tables. */
#include "recorder/python_hook.h"

#include <stdatomic.h>
#include <string.h>

#include "recorder/python_stack.h"
#include "recorder/recorder.h"

/* Frame of a key in one recorder's tables; guessable keys are few. The cache belongs to the recorder that used it last. */
enum { CACHED = 1 << 16 };
static _Atomic uint64_t cache[CACHED]; /* serial << 32 | frame */

static gs_id frame_of(gs_tables *tables, uint32_t serial, uint32_t key)
{
	_Atomic uint64_t *slot = &cache[key % CACHED];
	uint64_t known = key < CACHED ? atomic_load_explicit(slot, memory_order_relaxed) : 0;
	if (known >> 32 == serial)
		return (gs_id)known;
	gs_python_frame f = gs_python_frame_of(key);
	gs_id name = gs_tables_text(tables, f.name, strlen(f.name)), file = gs_tables_text(tables, f.file, strlen(f.file));
	gs_id id = gs_tables_frame(tables, name, file, f.line ? f.line : -1);
	if (id && key < CACHED)
		atomic_store_explicit(slot, (uint64_t)serial << 32 | id, memory_order_relaxed);
	return id;
}

static uint32_t python_frames(void *arg, gs_tables *tables, gs_id *frames, uint32_t max)
{
	const gs_recorder *r = arg;
	uint32_t keys[GS_UNWIND_MAX], n = 0;
	unsigned got = gs_python_present() ? gs_python_capture(keys, max) : 0;
	for (unsigned i = 0; i < got; i++) {
		gs_id id = frame_of(tables, r->serial, keys[i]);
		if (id)
			frames[n++] = id;
	}
	return n;
}

void gs_python_hook_install(gs_recorder *r) { gs_recorder_set_hook(r, python_frames, r); }
