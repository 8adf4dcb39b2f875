/* Live allocations of the driver, summed by who asked. */
#include "recorder/preload/libraries.h"

#include <stdio.h>
#include <string.h>

#include "recorder/preload/passthrough_internal.h"

enum { LIBRARIES = 64, NAME = 128 };

typedef struct library {
	char name[NAME], place[NAME];
	uint64_t bytes;
} library;

static const char *last_part(const char *path, size_t n)
{
	const char *from = path;
	for (size_t i = 0; i < n; i++)
		if (path[i] == '/')
			from = path + i + 1;
	return from;
}

/* CUDA's own libraries pass on what others ask for; ours only watches. */
static bool passes_on(const char *name)
{
	static const char *const libraries[] = {
		"libcuda.", "libcudart", "libgpusnap", "libc.", "libffi"};
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (!strncmp(name, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

static void copy(char *to, const char *from, size_t n)
{
	n = n < NAME - 1 ? n : NAME - 1;
	memcpy(to, from, n);
	to[n] = 0;
}

static void name_module(library *l, const gs_tables *t, const gs_table_frame *f)
{
	const gs_module *m = &t->modules.list[f->module - 1];
	const char *path = t->modules.text + m->path, *name = last_part(path, m->path_length);
	char text[NAME];
	copy(text, name, (size_t)(path + m->path_length - name));
	if (!l->name[0] || passes_on(l->name))
		strcpy(l->name, text);
}

static void name_line(library *l, const gs_tables *t, const gs_table_frame *f)
{
	const gs_table_text *file = &t->texts[f->file], *name = &t->texts[f->name];
	const char *path = t->text_bytes + file->at, *base = last_part(path, file->n);
	if (!file->n || l->place[0])
		return;
	snprintf(l->place, sizeof l->place, "%.*s:%d %.*s", (int)(path + file->n - base), base, f->line,
		(int)(name->n < NAME / 2 ? name->n : NAME / 2), t->text_bytes + name->at);
}

/* By the stack, innermost first: the first library that asks for itself, the first line of Python.
 */
static void name_stack(library *l, const gs_tables *t, gs_id stack)
{
	l->name[0] = l->place[0] = 0;
	for (; stack; stack = t->stacks[stack].tail) {
		const gs_table_stack *s = &t->stacks[stack];
		for (uint32_t i = 0; i < s->n; i++) {
			const gs_table_frame *f = &t->frames[t->stack_frames[s->first + i]];
			if (f->address && f->module)
				name_module(l, t, f);
			else if (!f->address)
				name_line(l, t, f);
		}
	}
	if (!l->name[0])
		strcpy(l->name, "driver calls");
}

static void sum_up(library *all, unsigned *n, const library *one)
{
	unsigned i = 0;
	while (i < *n && (strcmp(all[i].name, one->name) || strcmp(all[i].place, one->place)))
		i++;
	if (i == *n && i < LIBRARIES)
		all[(*n)++] = (library){.bytes = 0};
	if (i == LIBRARIES) { /* what does not fit stands together */
		i = LIBRARIES - 1;
		strcpy(all[i].name, "other libraries");
		all[i].place[0] = 0;
	} else if (!all[i].name[0]) {
		strcpy(all[i].name, one->name);
		strcpy(all[i].place, one->place);
	}
	all[i].bytes += one->bytes;
}

void gpusnap_preload_libraries(int device, gs_library_told *tell, void *arg)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	static library all[LIBRARIES];
	unsigned n = 0;
	gs_passthrough_device *d = device >= 0 && device < GS_PASSTHROUGH_DEVICES &&
			gs_passthrough_is_open()
		? gs_passthrough_device_at(device)
		: NULL;
	if (!d)
		return;
	pthread_mutex_lock(&one_at_a_time);
	pthread_mutex_lock(&d->lock);
	for (size_t i = 0; d->ready && i < d->live.cap; i++) {
		const gs_live_block *b = &d->live.slots[i];
		library one;
		if (!b->address)
			continue;
		name_stack(&one, &gs_passthrough_recorder()->tables, b->stack);
		one.bytes = b->size;
		sum_up(all, &n, &one);
	}
	pthread_mutex_unlock(&d->lock);
	for (unsigned i = 0; i < n; i++)
		tell(arg, all[i].name, all[i].place, all[i].bytes);
	pthread_mutex_unlock(&one_at_a_time);
}
