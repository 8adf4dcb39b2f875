/* NVML by dlopen: the few functions that are needed, each where the driver has it. */
#include "recorder/device/nvml.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/terms.h"

/* What a process holds: the first form ends behind used, the others are whole. */
typedef struct told_process {
	unsigned pid;
	unsigned long long used;
	unsigned gpu, compute;
} told_process;

typedef struct first_process {
	unsigned pid;
	unsigned long long used;
} first_process;

typedef int handle_by(const char *, void **);
typedef int list_processes(void *, unsigned *, void *);
typedef int name_process(unsigned, char *, unsigned);

static struct {
	pthread_mutex_t lock; /* the library is asked by one thread at a time */
	bool tried, ready;
	handle_by *by_uuid, *by_pci;
	list_processes *list, *first_list;
	name_process *name;
} nvml = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *look_up(void *library, const char *const *names)
{
	void *found = NULL;
	for (; *names && !found; names++)
		found = dlsym(library, *names);
	return found;
}

#define FIND(function, ...) \
	(*(void **)&(function) = look_up(library, (const char *const[]){__VA_ARGS__, NULL}))

static void load(void)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	int (*init)(void) = NULL;
	nvml.tried = true;
	if (!library)
		return;
	FIND(init, "nvmlInit_v2", "nvmlInit");
	FIND(nvml.by_uuid, "nvmlDeviceGetHandleByUUID");
	FIND(nvml.by_pci, "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId");
	FIND(nvml.list, "nvmlDeviceGetComputeRunningProcesses_v3",
		"nvmlDeviceGetComputeRunningProcesses_v2");
	FIND(nvml.first_list, "nvmlDeviceGetComputeRunningProcesses");
	FIND(nvml.name, "nvmlSystemGetProcessName");
	nvml.ready = init && !init() && (nvml.list || nvml.first_list);
}

void gs_nvml_load(void)
{
	pthread_mutex_lock(&nvml.lock);
	if (!nvml.tried)
		load();
	pthread_mutex_unlock(&nvml.lock);
}

static bool find_handle(const char *uuid, const char *pci, void **handle)
{
	return (uuid && *uuid && nvml.by_uuid && !nvml.by_uuid(uuid, handle)) ||
		(pci && *pci && nvml.by_pci && !nvml.by_pci(pci, handle));
}

/* -1 where it fails. */
static int list(void *handle, told_process *rows)
{
	first_process older[GS_NVML_PROCESSES];
	unsigned n = GS_NVML_PROCESSES;
	if (nvml.list)
		return nvml.list(handle, &n, rows) || n > GS_NVML_PROCESSES ? -1 : (int)n;
	if (nvml.first_list(handle, &n, older) || n > GS_NVML_PROCESSES)
		return -1;
	for (unsigned i = 0; i < n; i++)
		rows[i] = (told_process){older[i].pid, older[i].used, 0, 0};
	return (int)n;
}

/* Ends a command line behind its program. Names of files may hold blanks too: what is a file here
 * is one; else the first blank ends it. */
static void cut_arguments(char *text)
{
	char *blank;
	if (*text != '/')
		text[strcspn(text, " ")] = 0;
	while (*text && access(text, F_OK) && (blank = strrchr(text, ' ')))
		*blank = 0;
}

/* The program's file alone; where the library does not tell, the kernel may. */
static void name_of(gs_nvml_process *row)
{
	char text[256] = "", path[64];
	if (!nvml.name || nvml.name(row->pid, text, sizeof text - 1))
		text[0] = 0;
	cut_arguments(text);
	if (!text[0]) {
		snprintf(path, sizeof path, "/proc/%u/comm", row->pid);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
		text[n > 0 ? n : 0] = 0;
		text[strcspn(text, "\n")] = 0;
		if (fd >= 0)
			close(fd);
	}
	const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
	snprintf(row->name, sizeof row->name, "%.95s", name);
}

static bool find_own(gs_nvml_process *rows, int n, int64_t held)
{
	int may = 0, which = -1;
	for (int i = 0; i < n; i++)
		if (rows[i].pid == (uint32_t)getpid())
			return rows[i].own = true;
	for (int i = 0; i < n; i++)
		if (rows[i].bytes >= held)
			may++, which = i;
	if (n != 1 && may != 1)
		return false;
	return rows[n == 1 ? 0 : which].own = true;
}

int gs_nvml_processes(
	const char *uuid, const char *pci, int64_t held, gs_nvml_process *rows, int cap)
{
	static told_process told[GS_NVML_PROCESSES]; /* under the lock: too large for a stack */
	void *handle = NULL;
	pthread_mutex_lock(&nvml.lock);
	if (!nvml.tried)
		load();
	int n = nvml.ready && find_handle(uuid, pci, &handle) ? list(handle, told) : -1;
	n = n < cap ? n : cap;
	for (int i = 0; i < n; i++) {
		rows[i] = (gs_nvml_process){
			.pid = told[i].pid, .bytes = told[i].used >> 62 ? GS_NONE : (int64_t)told[i].used};
		name_of(&rows[i]);
	}
	pthread_mutex_unlock(&nvml.lock);
	return n > 0 && find_own(rows, n, held) ? n : -1;
}
