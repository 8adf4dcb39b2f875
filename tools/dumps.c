/* Listing the dumps of a folder. */
#include "tools/dumps.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/model/array.h"

bool gs_dumps_folder(const char *dir, char *absolute, size_t cap)
{
	char here[PATH_MAX];
	if (!dir || !*dir)
		dir = "gpusnap-dumps";
	if (*dir == '/' || !getcwd(here, sizeof here))
		return (size_t)snprintf(absolute, cap, "%s", dir) < cap;
	return (size_t)snprintf(absolute, cap, "%s/%s", here, dir) < cap;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void keep_name(gs_dumps *d, const char *name)
{
	if (!GS_ARRAY_RESERVE(d->names, d->cap, d->n + 1))
		return;
	if ((d->names[d->n] = strdup(name)))
		d->n++;
}

void gs_dumps_list(gs_dumps *d, const char *dir)
{
	DIR *folder = opendir(dir);
	if (!folder)
		return;
	for (struct dirent *e; (e = readdir(folder));) {
		size_t n = strlen(e->d_name);
		if (*e->d_name != '.' && n > 6 && !strcmp(e->d_name + n - 6, ".gsnap"))
			keep_name(d, e->d_name);
	}
	closedir(folder);
	if (d->n)
		qsort(d->names, d->n, sizeof *d->names, by_name);
}

void gs_dumps_release(gs_dumps *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->names[i]);
	free(d->names);
	*d = (gs_dumps)GS_DUMPS_INIT;
}

void gs_dumps_new_since(
	const gs_dumps *before, const char *dir, void (*tell)(void *arg, const char *path), void *arg)
{
	gs_dumps now = GS_DUMPS_INIT;
	gs_dumps_list(&now, dir);
	for (size_t i = 0; i < now.n; i++) {
		char path[PATH_MAX];
		if (before->n &&
			bsearch(&now.names[i], before->names, before->n, sizeof *before->names, by_name))
			continue;
		if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, now.names[i]) < sizeof path)
			tell(arg, path);
	}
	gs_dumps_release(&now);
}
