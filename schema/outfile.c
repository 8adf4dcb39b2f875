/* A result file that appears whole or not at all; devices and pipes are written through. */
#include "schema/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 };

static gs_status io_error(gs_error *err, int error)
{
	return gs_fail(err, GS_IO, "%s", strerror(error));
}

static gs_status exists(gs_error *err)
{
	return gs_fail(err, GS_EXISTS, "the file exists (-f replaces it)");
}

/* --- the place ---------------------------------------------------------------------------------
 */

/* The folder's part of a path, with its slash; 0 where there is none. */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (int)(slash - path + 1) : 0;
}

/* Follows the last part's symbolic links, so that a rename replaces what they point to, also where
 * that is not there yet. */
static gs_status follow(const char *path, char *place, gs_error *err)
{
	char link[GS_OUTFILE_PATH], next[2 * GS_OUTFILE_PATH];
	if ((size_t)snprintf(place, GS_OUTFILE_PATH, "%s", path) >= GS_OUTFILE_PATH)
		return io_error(err, ENAMETOOLONG);
	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t n = readlink(place, link, sizeof link - 1);
		if (n < 0)
			return GS_OK;
		link[n] = 0;
		snprintf(next, sizeof next, "%.*s%s", *link == '/' ? 0 : folder_length(place), place, link);
		if ((size_t)snprintf(place, GS_OUTFILE_PATH, "%s", next) >= GS_OUTFILE_PATH)
			return io_error(err, ENAMETOOLONG);
	}
	return io_error(err, ELOOP);
}

/* The descriptor that a path names, or -1: `-` and /dev/stdout are what standard output is, also
 * where that is a file, which must not be replaced under the shell that opened it. */
static int own_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t n = strlen(folders[i]),
			   digits = strspn(path + (strncmp(path, folders[i], n) ? 0 : n), "0123456789");
		if (!strncmp(path, folders[i], n) && digits && digits < 7 && !path[n + digits])
			return atoi(path + n);
	}
	return -1;
}

static gs_status wrap(int fd, FILE **stream, gs_error *err)
{
	if (fd < 0)
		return io_error(err, errno);
	*stream = fdopen(fd, "w");
	if (*stream)
		return GS_OK;
	close(fd);
	return gs_fail(err, GS_NO_MEMORY, "a file");
}

/* --- opening -----------------------------------------------------------------------------------
 */

static gs_status open_temporary(gs_outfile *f, const char *folder, int n, gs_error *err)
{
	int length = snprintf(f->temporary, sizeof f->temporary, "%.*s.gpusnap-XXXXXX", n, folder);
	if (length < 0 || (size_t)length >= sizeof f->temporary) {
		f->temporary[0] = 0;
		return io_error(err, ENAMETOOLONG);
	}
	gs_outfile_watch(f->temporary); /* before it is there: no moment is left out */
	int fd = mkostemp(f->temporary, O_CLOEXEC);
	if (fd < 0) {
		int error = errno;
		gs_outfile_unwatch(f->temporary);
		f->temporary[0] = 0;
		return io_error(err, error);
	}
	mode_t mask = umask(0);
	umask(mask);
	if (fchmod(fd, f->mode < 0 ? 0666 & ~mask : (mode_t)f->mode)) {
		/* a file system without modes */
	}
	return wrap(fd, &f->stream, err);
}

/* A device, pipe or descriptor: opened as it stands, neither made nor cut. */
static gs_status open_through(gs_outfile *f, int fd, gs_error *err)
{
	if (f->flags & GS_OUTFILE_BY_NAME) {
		if (fd >= 0)
			close(fd);
		return gs_fail(
			err, GS_UNSUPPORTED, "not a regular file: a database can only be written to a file");
	}
	if (f->flags & GS_OUTFILE_BINARY && fd >= 0 && isatty(fd)) {
		close(fd);
		return gs_fail(err, GS_UNSUPPORTED, "a terminal cannot show this: name a file");
	}
	if (!(f->flags & GS_OUTFILE_STAGED))
		return wrap(fd, &f->stream, err);
	gs_status status = wrap(fd, &f->through, err);
	const char *folder = getenv("TMPDIR");
	char place[GS_OUTFILE_PATH];
	snprintf(place, sizeof place, "%s/", folder && *folder ? folder : "/tmp");
	return status ? status : open_temporary(f, place, (int)strlen(place), err);
}

static gs_status open_place(gs_outfile *f, const char *path, gs_error *err)
{
	struct stat st;
	gs_status status = follow(path, f->path, err);
	if (status)
		return status;
	bool there = !stat(f->path, &st);
	if (there && S_ISDIR(st.st_mode))
		return io_error(err, EISDIR);
	if (there && S_ISBLK(st.st_mode))
		return gs_fail(err, GS_UNSUPPORTED, "a block device: it would lose what it holds");
	if (there && !S_ISREG(st.st_mode)) {
		int fd = f->flags & GS_OUTFILE_BY_NAME ? -1
											   : open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		f->path[0] = 0;
		return open_through(f, fd, err);
	}
	if (there && !(f->flags & GS_OUTFILE_FORCE))
		return exists(err);
	f->mode = there ? (int)(st.st_mode & 07777) : -1;
	return open_temporary(f, f->path, folder_length(f->path), err);
}

gs_status gs_outfile_open(gs_outfile *f, const char *path, unsigned flags, gs_error *err)
{
	*f = (gs_outfile)GS_OUTFILE_INIT;
	f->flags = flags;
	int own = own_descriptor(path);
	gs_status status = own >= 0 ? open_through(f, fcntl(own, F_DUPFD_CLOEXEC, 3), err)
								: open_place(f, path, err);
	if (status)
		gs_outfile_drop(f);
	return status;
}

/* --- the end -----------------------------------------------------------------------------------
 */

/* Closes; 0 or what went wrong since it was opened. */
static int finish(FILE **stream, bool sync)
{
	errno = 0;
	int error = fflush(*stream) || ferror(*stream) ? errno ? errno : EIO : 0;
	if (!error && sync && fsync(fileno(*stream)) && errno != EINVAL && errno != EROFS)
		error = errno;
	if (fclose(*stream) && !error)
		error = errno;
	*stream = NULL;
	return error;
}

/* What was written under the temporary name; whoever wrote it may have replaced the file we made.
 */
static gs_status copy_through(gs_outfile *f, gs_error *err)
{
	char buf[65536];
	size_t n;
	FILE *from = fopen(f->temporary, "re");
	if (!from)
		return io_error(err, errno);
	while ((n = fread(buf, 1, sizeof buf, from)) && fwrite(buf, 1, n, f->through) == n)
		;
	int error = ferror(from) ? EIO : finish(&f->through, false);
	fclose(from);
	return error ? io_error(err, error) : GS_OK;
}

static gs_status move(gs_outfile *f, gs_error *err)
{
	bool force = f->flags & GS_OUTFILE_FORCE;
	if (force ? rename(f->temporary, f->path) : link(f->temporary, f->path)) {
		if (errno == EEXIST)
			return exists(err);
		/* a file system without hard links */
		if (force || !access(f->path, F_OK) || rename(f->temporary, f->path))
			return io_error(err, errno);
	} else if (!force)
		unlink(f->temporary);
	gs_outfile_unwatch(f->temporary);
	f->temporary[0] = 0;
	return GS_OK;
}

gs_status gs_outfile_commit(gs_outfile *f, gs_error *err)
{
	int error = finish(&f->stream, f->temporary[0] && !f->through);
	gs_status status = error ? io_error(err, error) : GS_OK;
	if (!status && f->through)
		status = copy_through(f, err);
	else if (!status && f->temporary[0])
		status = move(f, err);
	gs_outfile_drop(f);
	return status;
}

void gs_outfile_drop(gs_outfile *f)
{
	if (f->stream)
		fclose(f->stream);
	if (f->through)
		fclose(f->through);
	f->stream = f->through = NULL;
	if (f->temporary[0]) {
		gs_outfile_remove(f->temporary);
		gs_outfile_unwatch(f->temporary);
	}
	f->temporary[0] = 0;
}

gs_status gs_outfile_sink(void *arg, const void *data, size_t n)
{
	gs_outfile *f = arg;
	return fwrite(data, 1, n, f->stream) == n ? GS_OK : GS_IO;
}
