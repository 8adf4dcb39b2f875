/* A result file that appears whole or not at all. */
#include "tools/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gs_status exists(gs_error *err)
{
	return gs_fail(err, GS_EXISTS, "the file exists (-f replaces it)");
}

gs_status gs_outfile_open(gs_outfile *f, const char *path, bool force, gs_error *err)
{
	struct stat st;
	*f = (gs_outfile){path, "", force, NULL};
	bool there = !stat(path, &st);
	if (there && S_ISDIR(st.st_mode))
		return gs_fail(err, GS_IO, "%s", strerror(EISDIR));
	if (there && !S_ISREG(st.st_mode)) { /* /dev/stdout, a pipe: written as it stands */
		f->stream = fopen(path, "w");
		return f->stream ? GS_OK : gs_fail(err, GS_IO, "%s", strerror(errno));
	}
	if (there && !force)
		return exists(err);
	const char *slash = strrchr(path, '/');
	int n = snprintf(f->temporary, sizeof f->temporary, "%.*s.gpusnap-XXXXXX",
		slash ? (int)(slash - path + 1) : 0, path);
	if (n < 0 || (size_t)n >= sizeof f->temporary) {
		f->temporary[0] = 0;
		return gs_fail(err, GS_IO, "%s", strerror(ENAMETOOLONG));
	}
	int fd = mkostemp(f->temporary, O_CLOEXEC);
	if (fd < 0) {
		f->temporary[0] = 0;
		return gs_fail(err, GS_IO, "%s", strerror(errno));
	}
	mode_t mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	f->stream = fdopen(fd, "w");
	return f->stream ? GS_OK : gs_fail(err, GS_NO_MEMORY, "a file");
}

static gs_status move(gs_outfile *f, gs_error *err)
{
	if (f->force ? rename(f->temporary, f->path) : link(f->temporary, f->path)) {
		if (errno == EEXIST)
			return exists(err);
		/* a file system without hard links */
		if (f->force || !access(f->path, F_OK) || rename(f->temporary, f->path))
			return gs_fail(err, GS_IO, "%s", strerror(errno));
	} else if (!f->force)
		unlink(f->temporary);
	f->temporary[0] = 0;
	return GS_OK;
}

gs_status gs_outfile_commit(gs_outfile *f, gs_error *err)
{
	bool bad = fflush(f->stream) || ferror(f->stream);
	int why = errno;
	if (!bad && f->temporary[0] && fsync(fileno(f->stream))) {
		bad = true;
		why = errno;
	}
	if (fclose(f->stream) && !bad) {
		bad = true;
		why = errno;
	}
	f->stream = NULL;
	gs_status status = bad ? gs_fail(err, GS_IO, "%s", strerror(why)) : GS_OK;
	if (!status && f->temporary[0])
		status = move(f, err);
	gs_outfile_drop(f);
	return status;
}

void gs_outfile_drop(gs_outfile *f)
{
	if (f->stream)
		fclose(f->stream);
	f->stream = NULL;
	if (f->temporary[0])
		unlink(f->temporary);
	f->temporary[0] = 0;
}
