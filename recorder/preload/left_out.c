/* The executable segments of libraries that are left out. */
#include "recorder/preload/left_out.h"

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT_OUT_MAX = 8 };

static struct {
	pthread_mutex_t lock;
	struct {
		uint64_t start, end;
	} at[LEFT_OUT_MAX];
	_Atomic unsigned n;
} out = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int note_library(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!info->dlpi_name || !strstr(info->dlpi_name, data))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		unsigned n = atomic_load(&out.n);
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || n == LEFT_OUT_MAX)
			continue;
		out.at[n].start = info->dlpi_addr + p->p_vaddr;
		out.at[n].end = out.at[n].start + p->p_memsz;
		atomic_store(&out.n, n + 1);
	}
	return 0;
}

void gpusnap_preload_leave_out(const char *library)
{
	char text[256];
	if (strstr(library, "c10_cuda") && secure_getenv("PYTORCH_NO_CUDA_MEMORY_CACHING"))
		return;
	size_t n = strnlen(library, sizeof text - 1);
	memcpy(text, library, n);
	text[n] = '\0';
	pthread_mutex_lock(&out.lock);
	dl_iterate_phdr(note_library, text);
	pthread_mutex_unlock(&out.lock);
}

bool gs_left_out(uint64_t ip)
{
	unsigned n = atomic_load_explicit(&out.n, memory_order_acquire);
	for (unsigned i = 0; i < n; i++)
		if (ip >= out.at[i].start && ip < out.at[i].end)
			return true;
	return false;
}
