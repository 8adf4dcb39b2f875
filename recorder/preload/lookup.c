/* How programs find CUDA's functions, and how the hooks find the real ones: symbol binding, dlsym,
 * cuGetProcAddress and cudaGetDriverEntryPoint.
 *
 * dlsym itself is hooked. For RTLD_NEXT and RTLD_DEFAULT the dynamic linker looks at the return
 * address to see who asks, so names that are not ours are handed on by a jump (a sibling call),
 * never by a call. */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "recorder/preload/hook.h"

/* The wrappers' addresses. */
#define HOOK(name, base, per_thread) GS_HOOK_EXPORT extern int name(void *, ...);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include "recorder/preload/hooks.def"
#undef HOOK

typedef struct hook_entry {
	const char *name, *base;
	bool per_thread;
	void *wrapper;
} hook_entry;

static const hook_entry entries[] = {
#define HOOK(name, base, per_thread) {#name, base, per_thread, (void *)name},
#include "recorder/preload/hooks.def"
#undef HOOK
};
#pragma GCC diagnostic pop

static _Atomic(void *) reals[GS_HOOK_COUNT];
static _Thread_local int depth;

bool gs_hook_enter(void) { return depth++ == 0; }
void gs_hook_leave(void) { depth--; }

/* --- the real functions ------------------------------------------------------------------------
 */

typedef void *dlsym_function(void *, const char *);

static dlsym_function *real_dlsym(void)
{
	static _Atomic(dlsym_function *) cached;
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
	dlsym_function *f = atomic_load_explicit(&cached, memory_order_relaxed);
	for (size_t i = 0; !f && i < sizeof versions / sizeof *versions; i++) {
		void *found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
		memcpy(&f, &found, sizeof f);
	}
	atomic_store_explicit(&cached, f, memory_order_relaxed);
	return f;
}

void *gs_hook_dlsym(void *handle, const char *name)
{
	dlsym_function *f = real_dlsym();
	return f ? f(handle, name) : NULL;
}

typedef struct search {
	const hook_entry *entry;
	void *found;
} search;

/* A library loaded with RTLD_LOCAL is not in the scope of RTLD_NEXT: ask each loaded CUDA library
 * by itself. */
static int search_module(struct dl_phdr_info *info, size_t size, void *data)
{
	search *s = data;
	(void)size;
	if (!info->dlpi_name ||
		!strstr(info->dlpi_name, s->entry->name[2] == 'd' ? "libcudart" : "libcuda.so"))
		return 0;
	void *handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return 0;
	s->found = gs_hook_dlsym(handle, s->entry->name);
	dlclose(handle);
	if (s->found == s->entry->wrapper)
		s->found = NULL;
	return s->found != NULL;
}

static void *real_address(gs_hook hook)
{
	void *real = atomic_load_explicit(&reals[hook], memory_order_acquire);
	if (real)
		return real;
	search s = {&entries[hook], NULL};
	s.found = gs_hook_dlsym(RTLD_NEXT, entries[hook].name);
	if (!s.found || s.found == s.entry->wrapper) {
		s.found = NULL;
		dl_iterate_phdr(search_module, &s);
	}
	if (s.found)
		atomic_store_explicit(&reals[hook], s.found, memory_order_release);
	return s.found;
}

gs_hook_function *gs_hook_real(gs_hook hook)
{
	void *address = real_address(hook);
	gs_hook_function *f;
	memcpy(&f, &address, sizeof f);
	return f;
}

/* --- replacing what a look-up found --------------------------------------------------------------
 */

static const hook_entry *entry_of(const char *name)
{
	if (name[0] != 'c' || name[1] != 'u')
		return NULL;
	for (size_t i = 0; i < GS_HOOK_COUNT; i++)
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	return NULL;
}

static void *replace(const hook_entry *e, void *found)
{
	if (found != e->wrapper) {
		void *none = NULL;
		atomic_compare_exchange_strong(&reals[e - entries], &none, found);
		return e->wrapper;
	}
	return real_address((gs_hook)(e - entries)) ? e->wrapper : NULL;
}

void *gs_hook_replace(const char *name, void *found)
{
	const hook_entry *e = found ? entry_of(name) : NULL;
	return e ? replace(e, found) : found;
}

void *gs_hook_replace_base(const char *base, bool per_thread, void *found)
{
	const hook_entry *best = NULL;
	if (!found || !*base)
		return found;
	for (size_t i = 0; i < GS_HOOK_COUNT; i++)
		if (!strcmp(entries[i].base, base) && (!best || entries[i].per_thread == per_thread))
			best = &entries[i];
	return best ? replace(best, found) : found;
}

/* --- dlsym --- */

#if defined(__clang__)
#define OPTIMISED /* the file is compiled with -O2 */
#else
#define OPTIMISED __attribute__((optimize("O2")))
#endif

GS_HOOK_EXPORT OPTIMISED void *dlsym(void *restrict handle, const char *restrict name)
{
	const hook_entry *e = entry_of(name);
	dlsym_function *f = real_dlsym();
	if (!f)
		return NULL;
	if (!e)
		return f(handle, name); /* a jump: see above */
	void *found = f(handle, name);
	return found ? replace(e, found) : NULL;
}
