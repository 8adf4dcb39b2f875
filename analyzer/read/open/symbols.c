/* Symbols by libdw. */
#include "analyzer/read/open/symbols.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct gs_symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	size_t count;
};

/* The file itself is handed in; nothing else is searched for. */
static int find_no_elf(
	Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	(void)module, (void)user, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

static bool same_build(Dwfl_Module *module, const void *build_id, size_t n)
{
	const unsigned char *bits;
	GElf_Addr at;
	int length = dwfl_module_build_id(module, &bits, &at);
	return n && length > 0 && (size_t)length == n && !memcmp(bits, build_id, n);
}

gs_symbols *gs_symbols_open(const char *path, const void *build_id, size_t build_id_length)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_no_elf, .find_debuginfo = dwfl_build_id_find_debuginfo};
	struct stat about;
	if (path[0] != '/' || stat(path, &about) || !S_ISREG(about.st_mode))
		return NULL;
	gs_symbols *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->dwfl = dwfl_begin(&callbacks);
	if (m->dwfl) {
		dwfl_report_begin(m->dwfl);
		m->module = dwfl_report_elf(m->dwfl, path, path, -1, 0, true);
		dwfl_report_end(m->dwfl, NULL, NULL);
	}
	int count = m->module && same_build(m->module, build_id, build_id_length)
		? dwfl_module_getsymtab(m->module)
		: -1;
	if (count <= 0) {
		gs_symbols_close(m);
		return NULL;
	}
	m->count = (size_t)count;
	return m;
}

void gs_symbols_close(gs_symbols *m)
{
	if (m && m->dwfl)
		dwfl_end(m->dwfl);
	free(m);
}

size_t gs_symbols_cost(const gs_symbols *m) { return m->count; }

/* Compilers that write no table of address ranges (clang): ask each compilation unit. */
static void find_in_units(gs_symbols *m, uint64_t call, gs_symbol *symbol)
{
	Dwarf_Addr bias;
	for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(m->module, unit, &bias));) {
		if (dwarf_haspc(unit, call - bias) <= 0)
			continue;
		Dwarf_Line *line = dwarf_getsrc_die(unit, call - bias);
		if (line && !dwarf_lineno(line, &symbol->line))
			symbol->file = dwarf_linesrc(line, NULL, NULL);
		return;
	}
}

bool gs_symbols_find(gs_symbols *m, uint64_t return_address, gs_symbol *symbol)
{
	uint64_t call = return_address - 1;
	symbol->function = dwfl_module_addrname(m->module, call);
	symbol->file = NULL;
	symbol->line = 0;
	Dwfl_Line *line = dwfl_module_getsrc(m->module, call);
	if (line)
		symbol->file = dwfl_lineinfo(line, NULL, &symbol->line, NULL, NULL, NULL);
	else
		find_in_units(m, call, symbol);
	return symbol->function != NULL;
}
