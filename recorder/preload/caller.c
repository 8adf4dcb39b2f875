/* The module of a caller, looked up once a module. */
#include "recorder/preload/caller.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN_MAX = 64 };

typedef struct module {
	uint64_t start, end;
	const char *above;
} module;

static struct {
	pthread_mutex_t lock;
	module at[KNOWN_MAX];
	unsigned n;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool has_no_cache(const char *allocator)
{
	return !strcmp(allocator, "pytorch") && secure_getenv("PYTORCH_NO_CUDA_MEMORY_CACHING");
}

/* By a part of the library's file name. */
static const char *allocator_of(const char *path)
{
	static const char *const libraries[][2] = {
		{"libc10_cuda", "pytorch"},
		{"libtensorflow", "tensorflow"},
		{"_pywrap_tensorflow", "tensorflow"},
		{"xla_cuda_plugin", "jax"},
		{"xla_extension", "jax"},
		{"librmm", "rmm"},
		{"cupy_backends", "cupy"},
		{"libonnxruntime", "onnxruntime"},
		{"libpaddle", "paddle"},
		{"libmxnet", "mxnet"},
	};
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (strstr(path, libraries[i][0]) && !has_no_cache(libraries[i][1]))
			return libraries[i][1];
	return NULL;
}

typedef struct search {
	uint64_t ip;
	module found;
} search;

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	search *s = data;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD || s->ip < start || s->ip - start >= p->p_memsz)
			continue;
		s->found = (module){
			start, start + p->p_memsz, info->dlpi_name ? allocator_of(info->dlpi_name) : NULL};
		return 1;
	}
	return 0;
}

const char *gs_caller_above(uint64_t ip)
{
	search s = {ip, {ip, ip + 1, NULL}};
	int saved = errno;
	pthread_mutex_lock(&known.lock);
	for (unsigned i = 0; i < known.n; i++)
		if (ip >= known.at[i].start && ip < known.at[i].end) {
			const char *above = known.at[i].above;
			pthread_mutex_unlock(&known.lock);
			return above;
		}
	pthread_mutex_unlock(&known.lock);
	dl_iterate_phdr(look, &s); /* not under our lock: the dynamic linker has one of its own */
	pthread_mutex_lock(&known.lock);
	if (known.n < KNOWN_MAX)
		known.at[known.n++] = s.found;
	pthread_mutex_unlock(&known.lock);
	errno = saved;
	return s.found.above;
}
