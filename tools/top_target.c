#include "tools/top_target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/bytes.h"
#include "schema/gsnap_read.h"

enum { DEEPEST = 4 };

const char gs_top_how[] = "record one: `gpusnap run --record run.gsnap COMMAND`, or "
						  "GPUSNAP_STREAM=run.gsnap, or attach(stream=\"run.gsnap\") in Python";

static bool is_stream(int fd, ssize_t *n)
{
	unsigned char head[24];
	*n = pread(fd, head, sizeof head, 0);
	return *n == (ssize_t)sizeof head && gs_gsnap_probe(head, (size_t)*n) &&
		gs_get_le(head + 18, 2) == GS_GSNAP_STREAM;
}

gs_status gs_top_is_stream(const char *path, gs_error *err)
{
	struct stat about;
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &about)) {
		gs_status status = gs_fail(err, GS_IO, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return status;
	}
	bool regular = S_ISREG(about.st_mode), stream = regular && is_stream(fd, &n);
	close(fd);
	if (stream)
		return GS_OK;
	if (regular && n >= 0 && n < 24)
		return GS_TRUNCATED;
	return gs_fail(err, GS_UNKNOWN_KIND, "it is no recording of a whole run");
}

static bool is_same_file(const char *path, const struct stat *about)
{
	struct stat other;
	return !access(path, R_OK) && !stat(path, &other) && other.st_dev == about->st_dev &&
		other.st_ino == about->st_ino;
}

/* The stream behind a descriptor of a process, if it writes one there: by its name as we see it;
 * as the process sees it, which may be in a container; where it has lost its name, by the
 * descriptor. */
static bool look_at(long pid, const char *name, char path[PATH_MAX])
{
	char theirs[PATH_MAX];
	struct stat about;
	ssize_t n = readlink(name, path, PATH_MAX - 1), got;
	if (n <= 0 || path[0] != '/' || stat(name, &about) || !S_ISREG(about.st_mode))
		return false;
	path[n] = '\0';
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	bool found = fd >= 0 && is_stream(fd, &got);
	if (fd >= 0)
		close(fd);
	if (!found || is_same_file(path, &about))
		return found;
	bool fits = snprintf(theirs, sizeof theirs, "/proc/%ld/root%s", pid, path) < PATH_MAX;
	strcpy(path, fits && is_same_file(theirs, &about) ? theirs : name);
	return true;
}

static bool find_among_files(long pid, char path[PATH_MAX])
{
	char folder[64], name[400];
	bool found = false;
	snprintf(folder, sizeof folder, "/proc/%ld/fd", pid);
	DIR *files = opendir(folder);
	for (struct dirent *e; files && !found && (e = readdir(files));) {
		snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
		found = *e->d_name != '.' && look_at(pid, name, path);
	}
	if (files)
		closedir(files);
	return found;
}

static bool find(long pid, int depth, char path[PATH_MAX])
{
	char name[80];
	long child;
	if (find_among_files(pid, path))
		return true;
	snprintf(name, sizeof name, "/proc/%ld/task/%ld/children", pid, pid);
	FILE *children = depth < DEEPEST ? fopen(name, "re") : NULL;
	bool found = false;
	while (children && !found && fscanf(children, "%ld", &child) == 1)
		found = find(child, depth + 1, path);
	if (children)
		fclose(children);
	return found;
}

gs_status gs_top_target(const char *text, char path[PATH_MAX], gs_error *err)
{
	char *end, folder[64];
	long pid = strtol(text, &end, 10);
	if (!access(text, F_OK) || !isdigit((unsigned char)*text) || *end || pid < 1 ||
		pid > INT32_MAX) {
		if (strlen(text) >= PATH_MAX)
			return gs_fail(err, GS_IO, "the name is too long");
		strcpy(path, text);
		return GS_OK;
	}
	snprintf(folder, sizeof folder, "/proc/%ld/fd", pid);
	if (access(folder, R_OK | X_OK))
		return gs_fail(err, GS_NOT_FOUND, "%s",
			errno == ENOENT ? "there is no such process" : strerror(errno));
	if (!find(pid, 0, path))
		return gs_fail(err, GS_NOT_FOUND, "this process records no whole run");
	return GS_OK;
}

bool gs_top_is_gone(const char *host, int64_t pid)
{
	char own[256] = "";
	if (pid <= 0 || pid > INT32_MAX || gethostname(own, sizeof own - 1) || strcmp(own, host))
		return false;
	return kill((pid_t)pid, 0) && errno == ESRCH;
}
