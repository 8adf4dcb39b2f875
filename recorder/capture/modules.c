/* The loader's list, copied. */
#include "recorder/capture/modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "recorder/capture/unwind.h"

gs_status gs_modules_init(gs_modules *m, gs_pages *pages)
{
	memset(m, 0, sizeof *m);
	m->pages = pages;
	m->list = gs_pages_take(pages, GS_MODULES_MAX * sizeof *m->list);
	m->text = gs_pages_take(pages, GS_MODULES_TEXT);
	if (m->list && m->text)
		return GS_OK;
	gs_modules_release(m);
	return GS_NO_MEMORY;
}

void gs_modules_release(gs_modules *m)
{
	if (!m->pages)
		return;
	gs_pages_give(m->pages, m->list, GS_MODULES_MAX * sizeof *m->list);
	gs_pages_give(m->pages, m->text, GS_MODULES_TEXT);
	memset(m, 0, sizeof *m);
}

/* The note "GNU", type NT_GNU_BUILD_ID, in a segment of notes. */
static void read_build_id(gs_module *module, const uint8_t *at, size_t n)
{
	while (n >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		memcpy(&note, at, sizeof note);
		size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3,
			   desc = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > n - sizeof note || desc > n - sizeof note - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			!memcmp(at + sizeof note, "GNU", 4) && note.n_descsz <= GS_BUILD_ID_MAX) {
			memcpy(module->build_id, at + sizeof note + name, note.n_descsz);
			module->build_id_length = (uint8_t)note.n_descsz;
			return;
		}
		at += sizeof note + name + desc;
		n -= sizeof note + name + desc;
	}
}

static void read_headers(gs_module *module, const struct dl_phdr_info *info)
{
	module->base = info->dlpi_addr;
	module->start = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD) {
			if (at < module->start)
				module->start = at;
			if (at + p->p_memsz > module->end)
				module->end = at + p->p_memsz;
		} else if (p->p_type == PT_NOTE && !module->build_id_length) {
			read_build_id(module, (const uint8_t *)(uintptr_t)at, p->p_memsz); /* NOLINT */
		}
	}
}

static void set_path(gs_modules *m, gs_module *module, const char *name)
{
	char own[4096];
	size_t n = strlen(name);
	if (!n && m->n == 0) { /* the program itself has no name in the list */
		ssize_t got = readlink("/proc/self/exe", own, sizeof own);
		name = own;
		n = got > 0 ? (size_t)got : 0;
	}
	if (n > GS_MODULES_TEXT - m->text_used)
		n = 0;
	memcpy(m->text + m->text_used, name, n);
	module->path = m->text_used;
	module->path_length = (uint32_t)n;
	m->text_used += (uint32_t)n;
}

static int see_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	gs_modules *m = arg;
	gs_module seen = {.loaded = true, .seen = true};
	(void)size;
	read_headers(&seen, info);
	for (uint32_t i = 0; i < m->n; i++) {
		gs_module *known = &m->list[i];
		if (known->loaded && known->start == seen.start && known->end == seen.end &&
			known->build_id_length == seen.build_id_length &&
			!memcmp(known->build_id, seen.build_id, seen.build_id_length)) {
			known->seen = true;
			return 0;
		}
	}
	if (m->n < GS_MODULES_MAX && seen.start < seen.end) {
		set_path(m, &seen, info->dlpi_name ? info->dlpi_name : "");
		m->list[m->n++] = seen;
	}
	return 0;
}

void gs_modules_refresh(gs_modules *m)
{
	unsigned long long loads = gs_unwind_loads();
	bool gone = false;
	if (m->loads == loads)
		return;
	for (uint32_t i = 0; i < m->n; i++)
		m->list[i].seen = false;
	dl_iterate_phdr(see_module, m);
	for (uint32_t i = 0; i < m->n; i++) {
		gone |= m->list[i].loaded && !m->list[i].seen;
		m->list[i].loaded = m->list[i].seen;
	}
	m->loads = loads;
	__atomic_store_n(&m->generation, m->generation + gone, __ATOMIC_RELAXED);
}

static bool holds(const gs_module *m, uint64_t address)
{
	return m->loaded && address >= m->start && address < m->end;
}

uint32_t gs_modules_find(gs_modules *m, uint64_t address)
{
	if (m->last && holds(&m->list[m->last - 1], address))
		return m->last;
	for (uint32_t i = 0; i < m->n; i++)
		if (holds(&m->list[i], address))
			return m->last = i + 1;
	return 0;
}
