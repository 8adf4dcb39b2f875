/* Names of code addresses, from the object files on this machine, by elfutils' libdw.
 *
 * Only a regular file whose build-id equals the recorded one is looked at, so that a name is never
 * that of another build; separate debug files are found below /usr/lib/debug, never over the
 * network. Not thread-safe. */
#ifndef GS_ANALYZER_READ_OPEN_SYMBOLS_H
#define GS_ANALYZER_READ_OPEN_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_symbols gs_symbols;

typedef struct gs_symbol {
	const char *function; /* as the symbol table has it; live until close */
	const char *file;     /* of the source; NULL without debug information */
	int line;
} gs_symbol;

/* NULL where the file is missing, another build, or cannot be read. */
gs_symbols *gs_symbols_open(const char *path, const void *build_id, size_t build_id_length);
void gs_symbols_close(gs_symbols *m); /* NULL allowed */

/* The function that the call before a return address (as an address in the file) is in; false where
 * none is known. */
bool gs_symbols_find(gs_symbols *m, uint64_t return_address, gs_symbol *symbol);

/* How many symbols a search looks at: what one find costs. */
size_t gs_symbols_cost(const gs_symbols *m);

#endif
