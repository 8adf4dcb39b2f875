/* A recorder: devices with their heaps, what they record with, and the dumps they write. The C API,
 * the preload shim, sim and the benches stand on this.
 *
 * Opening, closing and adding devices are for one thread at a time; every other function is
 * thread-safe. A recorder reads the clock and the stack before it takes a lock. All its memory is
 * its own (pages.h), bounded by the configuration, and told by gs_recorder_bytes. */
#ifndef GS_RECORDER_API_RECORDER_H
#define GS_RECORDER_API_RECORDER_H

#include <stdatomic.h>
#include <stdint.h>

#include "recorder/capture/clock.h"
#include "recorder/api/config_read.h"
#include "recorder/dump/dump.h"
#include "recorder/api/heap.h"
#include "recorder/capture/pages.h"
#include "recorder/capture/tables.h"
#include "recorder/capture/thread.h"
#include "recorder/capture/unwind.h"

enum { GS_DEVICES_MAX = 64 };

typedef struct gs_recorder {
	gs_config config;
	gs_pages pages;
	gs_tables tables;
	gs_clock clock;
	gs_dumper dumper;
	_Atomic(gs_heap *) heaps[GS_DEVICES_MAX]; /* by device number */
	uint32_t serial; /* no two recorders of a process have the same; not 0 */
	_Atomic(gs_stack_hook *) hook;
	void *hook_arg;
	struct gs_recorder *next;                     /* of all open ones, for fork */
	gs_stream *stream;                            /* of the whole run; NULL: none yet */
	bool no_stream;                               /* it could not be opened, and that was said */
	bool listens;                                 /* for config.signal */
	gs_status (*dump_all)(gs_dump_reason reason); /* in place of the heaps' dumps; NULL: theirs */
} gs_recorder;

/* Opens without devices. manual_ns: 0, or the time a made-up clock starts at (clock.h).
 * GS_NO_MEMORY; nothing is held after a failure. */
gs_status gs_recorder_init(
	gs_recorder *r, const gs_config *config, uint64_t manual_ns, gs_error *err);
/* Gives all memory back, device memory too. No other thread may be inside. NULL-safe for a zeroed
 * recorder. */
void gs_recorder_release(gs_recorder *r);

/* Adds a device; config->number is its place (GS_EXISTS, GS_INVALID beyond GS_DEVICES_MAX). events,
 * record, every_oom and settings are set from the recorder's configuration; its CONF is applied:
 * settings that PyTorch would refuse are GS_INVALID with its words. */
gs_status gs_recorder_add_device(gs_recorder *r, gs_heap_config *config, gs_error *err);

/* The stream of config.stream, opened when it is first asked for; NULL: none. By one thread at a
 * time. */
gs_stream *gs_recorder_stream(gs_recorder *r);

/* The heap of a device, or NULL. */
static inline gs_heap *gs_recorder_heap(const gs_recorder *r, int32_t device)
{
	return (uint32_t)device < GS_DEVICES_MAX
		? atomic_load_explicit(&r->heaps[device], memory_order_acquire)
		: NULL;
}

/* Frames beside the C ones: set before devices are used, or NULL to stop. */
void gs_recorder_set_hook(gs_recorder *r, gs_stack_hook *hook, void *arg);

/* From now on allocations of threads that run Python carry its frames, whether Python is there
 * already or comes later. */
void gs_recorder_hook_python(gs_recorder *r);

/* What is to be known of a call before its lock: time, the stack that starts at from (NULL: no C
 * frames), the thread's tag. */
void gs_recorder_call(gs_recorder *r, const gs_regs *from, gs_call *call);
/* The same without a stack, for frees. */
void gs_recorder_call_free(gs_recorder *r, gs_call *call);
/* The stack of that call alone; 0: none is recorded. */
gs_id gs_recorder_place(gs_recorder *r, const gs_regs *from);
/* From now on stacks of the calling thread go on with a frame of that name and the stack place (0:
 * none); with name NULL no longer. */
void gs_recorder_work_for(gs_recorder *r, const char *name, gs_id place);

/* The calling thread's tags: its innermost is that of its allocations. */
void gs_recorder_push_tag(gs_recorder *r, const char *name);
gs_status gs_recorder_pop_tag(gs_recorder *r); /* GS_STATE where none is pushed */

/* Dumps every device that recorded anything, by the pattern. The first error. */
gs_status gs_recorder_dump_all(gs_recorder *r, gs_dump_reason reason);

/* Bytes of the recorder's own memory, threads included. */
uint64_t gs_recorder_bytes(const gs_recorder *r);

#endif
