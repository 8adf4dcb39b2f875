/* Serving from the pool: a recorder of its own, with a CUDA heap for each device that is used. */
#include "recorder/preload/pool_hooks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/device/cuda.h"
#include "recorder/preload/caller.h"
#include "recorder/preload/driver_query.h"
#include "recorder/preload/hook.h"
#include "recorder/preload/left_out.h"
#include "recorder/api/recorder.h"
#include "recorder/dump/text.h"

enum { OUT_OF_MEMORY = 2 }; /* both CUDA interfaces' code */

static struct {
	pthread_mutex_t lock;
	_Atomic int state; /* 0 not asked, 1 on, −1 off */
	gs_recorder recorder;
	gs_cuda_device *devices[GS_DEVICES_MAX];
	_Atomic bool told_export;
} hooked = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool failed_here;

bool gs_pool_hook_failed(void)
{
	bool failed = failed_here;
	failed_here = false;
	return failed;
}

/* --- opening --- */

static void say_line(const char *what, const char *why)
{
	char text[400] = "gpusnap: ";
	gs_line line = {text, strlen(text), sizeof text};
	gs_line_text(&line, what);
	gs_line_text(&line, why);
	gs_line_char(&line, '\n');
	gs_dump_write(STDERR_FILENO, text, line.n);
}

static int open_recorder(void)
{
	static gs_config config;
	gs_error err = GS_ERROR_INIT;
	const char *wanted = secure_getenv("GPUSNAP_POOL");
	gs_status bad = gs_config_read(&config, &err); /* a bad variable leaves its default */
	if (!wanted || !strcmp(wanted, "0") || config.disable)
		return -1;
	if (bad)
		say_line(err.text, "; its default is taken");
	if (gs_cuda_load(&err) || gs_recorder_init(&hooked.recorder, &config, 0, &err)) {
		say_line("no pool: ", err.text);
		return -1;
	}
	if (config.stacks & GS_STACKS_PYTHON)
		gs_recorder_hook_python(&hooked.recorder);
	return 1;
}

static bool is_on(void)
{
	int state = atomic_load_explicit(&hooked.state, memory_order_acquire);
	if (state)
		return state > 0;
	pthread_mutex_lock(&hooked.lock);
	state = atomic_load_explicit(&hooked.state, memory_order_relaxed);
	if (!state)
		atomic_store_explicit(&hooked.state, state = open_recorder(), memory_order_release);
	pthread_mutex_unlock(&hooked.lock);
	return state > 0;
}

static gs_heap *add_device(int number)
{
	if (number < 0 || number >= GS_DEVICES_MAX)
		return NULL;
	gs_error err = GS_ERROR_INIT;
	gs_heap_config c = {.number = number, .ops = &gs_cuda_ops, .fraction = -1, .refuses = true};
	pthread_mutex_lock(&hooked.lock);
	if (!gs_recorder_heap(&hooked.recorder, number) && !hooked.devices[number]) {
		if (!gs_cuda_init(&hooked.devices[number], number, &err)) {
			c.device = hooked.devices[number];
			c.name = gs_cuda_name(hooked.devices[number]);
			c.driver = gs_cuda_driver_version();
			gs_recorder_add_device(&hooked.recorder, &c, &err);
		}
		if (err.status)
			say_line("no pool: ", err.text);
	}
	pthread_mutex_unlock(&hooked.lock);
	return gs_recorder_heap(&hooked.recorder, number);
}

/* The current device's heap; NULL before the program has a context (its first call makes one and is
 * not served). */
static gs_heap *heap_here(void)
{
	int number = gs_driver_current_device();
	gs_heap *h = gs_recorder_heap(&hooked.recorder, number);
	return h ? h : add_device(number);
}

/* The heap that serves this very address. */
static gs_heap *heap_of(uint64_t address)
{
	uint64_t bytes;
	for (int i = 0; i < GS_DEVICES_MAX; i++)
		if (hooked.recorder.heaps[i] && !gs_heap_find(hooked.recorder.heaps[i], address, &bytes))
			return hooked.recorder.heaps[i];
	return NULL;
}

/* --- calls --- */

static bool alloc_inside(const gs_regs *from, size_t bytes, unsigned long long *address)
{
	gs_call call;
	uint64_t at = 0;
	gs_heap *h = heap_here();
	if (!h)
		return false;
	const char *above = gs_caller_above(from->ip);
	if (above)
		gs_heap_set_above(h, above);
	gs_recorder_call(&hooked.recorder, from, &call);
	gs_status status = gs_heap_malloc(h, &call, bytes, 0, &at, NULL, NULL);
	if (status) {
		failed_here = status == GS_DEVICE_MEMORY; /* the real call fails too, and sets the error
													 that the program may ask for */
		return false;
	}
	*address = at;
	return true;
}

bool gs_pool_hook_alloc(const gs_regs *from, size_t bytes, unsigned long long *address)
{
	bool served = false;
	/* An allocator that records itself would leave a second dump of the same failure here. */
	if (bytes && gs_hook_enter() && is_on() && !gs_left_out(from->ip))
		served = alloc_inside(from, bytes, address);
	if (bytes)
		gs_hook_leave();
	return served;
}

bool gs_pool_hook_free(uint64_t address)
{
	gs_heap *h = NULL;
	if (!address || atomic_load_explicit(&hooked.state, memory_order_acquire) <= 0)
		return false;
	if (gs_hook_enter() && (h = heap_of(address))) {
		gs_call call;
		gs_driver_synchronize(); /* as cudaFree does: nothing may be using the block when it is
								  handed out again */
		gs_recorder_call_free(&hooked.recorder, &call);
		gs_heap_free(h, &call, address);
	}
	gs_hook_leave();
	return h != NULL;
}

bool gs_pool_hook_range(uint64_t address, uint64_t *start, uint64_t *bytes)
{
	if (atomic_load_explicit(&hooked.state, memory_order_acquire) <= 0)
		return false;
	for (int i = 0; i < GS_DEVICES_MAX; i++)
		if (hooked.recorder.heaps[i] &&
			!gs_heap_locate(hooked.recorder.heaps[i], address, start, bytes))
			return true;
	return false;
}

bool gs_pool_hook_refuses_export(uint64_t address)
{
	uint64_t start, bytes;
	if (!gs_pool_hook_range(address, &start, &bytes))
		return false;
	if (!atomic_exchange(&hooked.told_export, true))
		say_line(
			"--pool cannot export memory to other processes: the block has neighbours; run without --pool",
			"");
	return true;
}
