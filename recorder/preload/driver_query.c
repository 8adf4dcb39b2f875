/* Questions to the driver. */
#include "recorder/preload/driver_query.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdatomic.h>
#include <string.h>

#include "recorder/preload/hook.h"
#include "recorder/dump/text.h"
#include "schema/terms.h"

/* A function of the driver that is loaded already; NULL without one. */
static void *driver_function(const char *name)
{
	static _Atomic(void *) library;
	void *handle = atomic_load(&library);
	if (!handle && (handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)))
		atomic_store(&library, handle);
	return gs_hook_dlsym(handle ? handle : RTLD_DEFAULT, name);
}

#define ASK(name, result, ...)               \
	do {                                     \
		int (*f)(__VA_ARGS__);               \
		void *found = driver_function(name); \
		memcpy(&f, &found, sizeof f);        \
		gs_hook_enter();                     \
		failed = !f || f result;             \
		gs_hook_leave();                     \
	} while (0)

int gs_driver_current_device(void)
{
	int device = -1, failed;
	ASK("cuCtxGetDevice", (&device), int *);
	return failed ? -1 : device;
}

void gs_driver_memory(uint64_t *free_bytes, uint64_t *total)
{
	size_t f_bytes = 0, t_bytes = 0;
	int failed;
	ASK("cuMemGetInfo_v2", (&f_bytes, &t_bytes), size_t *, size_t *);
	if (failed)
		return;
	*free_bytes = f_bytes;
	*total = t_bytes;
}

void gs_driver_synchronize(void)
{
	int failed;
	ASK("cuCtxSynchronize", (), void);
	(void)failed;
}

/* By the driver, else by the runtime that the program has loaded. */
static void find_address(gs_driver_device *c, int device)
{
	int failed, (*runtime)(char *, int, int);
	ASK("cuDeviceGetPCIBusId", (c->pci, (int)sizeof c->pci - 1, device), char *, int, int);
	void *found = gs_hook_dlsym(RTLD_DEFAULT, "cudaDeviceGetPCIBusId");
	memcpy(&runtime, &found, sizeof runtime);
	if ((failed || !c->pci[0]) && runtime) {
		gs_hook_enter();
		failed = runtime(c->pci, (int)sizeof c->pci - 1, device);
		gs_hook_leave();
	}
	if (failed)
		c->pci[0] = 0;
}

void gs_driver_read(gs_driver_device *c, int device)
{
	size_t bytes = 0;
	int failed, version = 0;
	gs_line line = GS_LINE(c->driver);
	memset(c, 0, sizeof *c);
	ASK("cuDeviceTotalMem_v2", (&bytes, device), size_t *, int);
	c->capacity = failed ? GS_NONE : (int64_t)bytes;
	ASK("cuDeviceGetName", (c->name, (int)sizeof c->name - 1, device), char *, int, int);
	find_address(c, device);
	ASK("cuDriverGetVersion", (&version), int *);
	if (failed || version <= 0)
		return;
	gs_line_number(&line, (uint64_t)version / 1000, 1);
	gs_line_char(&line, '.');
	gs_line_number(&line, (uint64_t)version % 1000 / 10, 1);
}
