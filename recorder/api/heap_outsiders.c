#include "recorder/api/heap_outsiders.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "recorder/device/nvml.h"
#include "recorder/dump/outsiders.h"
#include "recorder/dump/text.h"
#include "schema/terms.h"

typedef void tell_libraries(int, void (*)(void *, const char *, const char *, uint64_t), void *);

static tell_libraries *libraries; /* of the preload, NULL: there is none */

/* The pool records what it asks of the driver: where it is a library of its own, the preload need
 * not record that too, as if some library had taken it. */
static void leave_out_own_calls(void)
{
	void (*leave_out)(const char *) = NULL;
	Dl_info own;
	*(void **)&leave_out = dlsym(RTLD_DEFAULT, "gpusnap_preload_leave_out");
	if (leave_out && dladdr((void *)&libraries, &own) && own.dli_fname &&
		strstr(own.dli_fname, "libgpusnap.so"))
		leave_out(own.dli_fname);
}

void gs_heap_outsiders_prepare(void)
{
	*(void **)&libraries = dlsym(RTLD_DEFAULT, "gpusnap_preload_libraries");
	leave_out_own_calls();
	gs_nvml_load();
}

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* Processes that have a row of their own; the others of them share one, libraries have the rest. */
enum { NAMED = GS_STAGE_OUTSIDERS / 2 };

static void add_more(gs_staging *s, int32_t device, unsigned n, int64_t bytes)
{
	char text[40];
	gs_line line = GS_LINE(text);
	text[0] = 0;
	gs_line_number(&line, n, 1);
	gs_line_text(&line, n == 1 ? " more process" : " more processes");
	gs_outsiders_add(s, device, 0, bytes, "nvml", text);
}

void gs_staging_processes(gs_staging *s, int32_t device, const char *pci, int64_t held)
{
	static gs_nvml_process rows[GS_NVML_PROCESSES]; /* guarded by one_at_a_time */
	unsigned more = 0;
	int64_t bytes_more = 0;
	memset(&s->outside, 0, sizeof s->outside);
	pthread_mutex_lock(&one_at_a_time);
	int n = gs_nvml_processes(NULL, pci, held, rows, GS_NVML_PROCESSES);
	s->outside.known = n >= 0;
	for (int i = 0; i < n; i++) {
		if (rows[i].own || !rows[i].bytes)
			continue;
		s->outside.known &= rows[i].bytes > 0;
		if (rows[i].bytes < 0)
			continue;
		s->outside.processes += rows[i].bytes;
		if (s->outside.n < NAMED)
			gs_outsiders_add(s, device, rows[i].pid, rows[i].bytes, "nvml",
				rows[i].name[0] ? rows[i].name : "process");
		else
			more++, bytes_more += rows[i].bytes;
	}
	if (more)
		add_more(s, device, more, bytes_more);
	s->outside.nprocesses = s->outside.n;
	pthread_mutex_unlock(&one_at_a_time);
}

typedef struct telling {
	gs_staging *staging;
	int32_t device;
	int64_t left; /* of the device, that nobody is known to hold */
} telling;

static void add_library(void *arg, const char *library, const char *place, uint64_t bytes)
{
	telling *t = arg;
	char known[160];
	gs_line line = GS_LINE(known);
	gs_line_text(&line, *place ? "driver calls of " : "driver calls");
	gs_line_text(&line, place);
	t->left -= bytes < (uint64_t)INT64_MAX ? (int64_t)bytes : INT64_MAX;
	if (t->left < 0)
		return;
	gs_outsiders_add(t->staging, t->device, 0, (int64_t)bytes, known, library);
	t->staging->outside.libraries += (int64_t)bytes;
}

/* What this allocator asked the driver for is not theirs, too: where the preload does not leave our
 * calls out, the sum would be more than the device has. */
static void add_libraries(telling *t)
{
	gs_staging *s = t->staging;
	s->outside.n = s->outside.nprocesses;
	s->outside.libraries = 0;
	if (libraries && t->left > 0)
		libraries(t->device, add_library, t);
	if (t->left >= 0)
		return;
	s->outside.n = s->outside.nprocesses;
	s->outside.libraries = 0;
}

static telling telling_of(gs_staging *s, int32_t device, int64_t capacity)
{
	int64_t held = s->stats.array[GS_STAT_RESERVED_BYTES][GS_STAT_ALL].current;
	return (telling){s, device, capacity - held};
}

void gs_heap_outsiders_ask(gs_staging *s, int32_t device, const char *pci, int64_t capacity)
{
	telling t = telling_of(s, device, capacity);
	gs_staging_processes(s, device, pci, capacity - t.left);
	t.left -= s->outside.processes + (s->device_free == GS_NONE ? 0 : s->device_free);
	add_libraries(&t);
}

void gs_heap_outsiders_again(gs_staging *s, int32_t device, int64_t capacity)
{
	telling t = telling_of(s, device, capacity);
	t.left -= s->outside.processes;
	add_libraries(&t);
}
