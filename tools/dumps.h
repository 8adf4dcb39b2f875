/* Which dumps a folder holds, to tell afterwards which are new. Not thread-safe. */
#ifndef GS_TOOLS_DUMPS_H
#define GS_TOOLS_DUMPS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gs_dumps {
	char **names; /* sorted, owned */
	size_t n, cap;
} gs_dumps;
#define GS_DUMPS_INIT \
	{                 \
		NULL, 0, 0    \
	}

/* The folder as an absolute path (NULL: gpusnap-dumps in the current one); false when it does not
 * fit. It need not exist. */
bool gs_dumps_folder(const char *dir, char *absolute, size_t cap);

/* Names of *.gsnap in dir, sorted; a folder that cannot be read holds none. */
void gs_dumps_list(gs_dumps *d, const char *dir);
void gs_dumps_release(gs_dumps *d);

/* Calls tell with the path of each dump in dir that before does not list, in the order of their
 * names. */
void gs_dumps_new_since(
	const gs_dumps *before, const char *dir, void (*tell)(void *arg, const char *path), void *arg);

#endif
