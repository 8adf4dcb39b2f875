#include "tools/beside.h"

#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The command's folder: by the kernel's word, or, without /proc, by the path that it was started
 * with. */
static bool find_folder(char folder[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	const char *started = (const char *)(uintptr_t)getauxval(AT_EXECFN);
	if (n > 0)
		folder[n] = '\0';
	else if (!started || !realpath(started, folder))
		return false;
	*strrchr(folder, '/') = '\0';
	return true;
}

bool gs_beside_command(const char *const *places, char *path, size_t cap)
{
	char folder[PATH_MAX];
	if (!find_folder(folder))
		return false;
	for (; *places; places++) {
		glob_t found;
		if ((size_t)snprintf(path, cap, "%s/%s", folder, *places) >= cap ||
			glob(path, 0, NULL, &found))
			continue;
		bool fits = (size_t)snprintf(path, cap, "%s", found.gl_pathv[0]) < cap;
		globfree(&found);
		if (fits && !access(path, R_OK))
			return true;
	}
	return false;
}
