/* The symbols of a build without elfutils' libdw: none is known, frames stay addresses. */
#include "analyzer/read/open/symbols.h"

gs_symbols *gs_symbols_open(const char *path, const void *build_id, size_t build_id_length)
{
	(void)path, (void)build_id, (void)build_id_length;
	return NULL;
}

void gs_symbols_close(gs_symbols *m) { (void)m; }

bool gs_symbols_find(gs_symbols *m, uint64_t return_address, gs_symbol *symbol)
{
	(void)m, (void)return_address, (void)symbol;
	return false;
}

size_t gs_symbols_cost(const gs_symbols *m)
{
	(void)m;
	return 0;
}
