/* Files that came with the command: they lie beside it as built, and as installed. */
#ifndef GS_TOOLS_BESIDE_H
#define GS_TOOLS_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* The first of places (patterns of the shell, relative to the command's folder, ended by NULL) that
 * can be read. path of cap bytes gets its name. False where there is none. */
bool gs_beside_command(const char *const *places, char *path, size_t cap);

#endif
