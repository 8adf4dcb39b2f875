/* System calls around a dump's file. */
#include "recorder/dump/dump_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h> /* RENAME_NOREPLACE */
#include <stdio.h>    /* renameat */
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/dump/file_error.h"
#include "recorder/dump/text.h"

int gs_dump_write(int fd, const void *data, size_t n)
{
	const char *at = data;
	while (n) {
		ssize_t done = write(fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? errno : EIO;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

static gs_status failed(gs_error *err, gs_status status, const char *path, int error)
{
	if (err) {
		gs_line line = GS_LINE(err->text);
		err->status = status;
		gs_line_text(&line, path);
		gs_line_text(&line, ": ");
		gs_line_text(&line, gs_file_error(error));
	}
	return status;
}

/* mkdir -p, as far as it goes. */
static void make_folders(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		mkdir(path, 0777);
		*p = '/';
	}
	mkdir(path, 0777);
}

void gs_dump_make_folders(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	gs_line line = GS_LINE(folder);
	if (!slash || slash == path)
		return;
	gs_line_bytes(&line, path, (size_t)(slash - path));
	make_folders(folder);
}

void gs_dump_say(const gs_config *config, const char *text, size_t n)
{
	if (!strcmp(config->log, "none"))
		return;
	if (!strcmp(config->log, "stderr")) {
		gs_dump_write(STDERR_FILENO, text, n);
		return;
	}
	int fd = open(config->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd >= 0) {
		gs_dump_write(fd, text, n);
		close(fd);
	}
}

/* Never 0, 1 or 2: if the program closed one of these, others write there still. */
static int above_standard(int fd)
{
	if (fd < 0 || fd > 2)
		return fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	int error = errno;
	close(fd);
	errno = error;
	return high;
}

static void split(gs_dump_file *f, const char *path, bool is_folder)
{
	gs_line folder = GS_LINE(f->folder), name = GS_LINE(f->name);
	const char *slash = is_folder ? path + strlen(path) : strrchr(path, '/');
	if (slash)
		gs_line_bytes(&folder, path, slash == path ? 1 : (size_t)(slash - path));
	else
		gs_line_text(&folder, ".");
	if (!is_folder)
		gs_line_text(&name, slash ? slash + 1 : path);
}

static void make_temp_name(gs_dump_file *f, unsigned attempt)
{
	struct timespec t;
	gs_line line = GS_LINE(f->temp);
	clock_gettime(CLOCK_MONOTONIC, &t);
	gs_line_text(&line, ".gpusnap-");
	gs_line_signed(&line, getpid());
	gs_line_char(&line, '-');
	gs_line_number(&line, (uint64_t)t.tv_nsec + attempt, 1);
	gs_line_text(&line, ".tmp");
}

/* A file without a name, which nobody sees before it is whole; it gets its name through /proc,
 * which a chroot may lack. */
static int open_nameless(int dir, int flags)
{
	if (access("/proc/self/fd", X_OK)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return openat(dir, ".", flags | O_TMPFILE, 0600);
}

gs_status gs_dump_file_begin(
	gs_dump_file *f, const char *path, bool is_folder, uint64_t most, gs_error *err)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOCTTY; /* read only where it has to be copied */
	f->most = most;
	split(f, path, is_folder);
	if (is_folder)
		make_folders(f->folder);
	f->dir = above_standard(open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (f->dir < 0)
		return failed(err, GS_IO, f->folder, errno);
	f->fd = above_standard(open_nameless(f->dir, flags));
	f->temp[0] = 0;
	for (unsigned attempt = 0; f->fd < 0 && attempt < 16;
		 attempt++) { /* a file system without nameless files */
		int error = errno;
		if (attempt == 0 && error != EOPNOTSUPP && error != EISDIR && error != EINVAL &&
			error != ENOENT)
			break;
		if (attempt && error != EEXIST)
			break;
		make_temp_name(f, attempt);
		f->fd = above_standard(openat(f->dir, f->temp, flags | O_CREAT | O_EXCL, 0600));
	}
	if (f->fd < 0) {
		f->temp[0] = 0;
		return failed(err, GS_IO, f->folder, errno);
	}
	return GS_OK;
}

gs_status gs_dump_file_sink(void *arg, const void *data, size_t n)
{
	gs_dump_file *f = arg;
	if (n > f->most - f->bytes) {
		f->full = true;
		return GS_LIMIT;
	}
	f->failed = gs_dump_write(f->fd, data, n);
	if (f->failed)
		return GS_IO;
	f->bytes += n;
	return GS_OK;
}

void gs_dump_file_explain(const gs_dump_file *f, gs_status status, gs_error *err)
{
	if (f->failed) {
		failed(err, GS_IO, f->folder, f->failed);
		return;
	}
	gs_line line = GS_LINE(err->text);
	err->status = status;
	gs_line_text(&line,
		f->full ? "dumps of this process would be larger than GPUSNAP_MAX_MB"
				: gs_status_text(status));
}

/* Of an fsync: the bytes are not there. Other errors only say that it cannot be made sure. */
static bool is_lost(int error) { return error == EIO || error == ENOSPC || error == EDQUOT; }

gs_status gs_dump_file_sync(gs_dump_file *f, bool sync, gs_error *err)
{
	f->synced = sync;
	return sync && fsync(f->fd) && is_lost(errno) ? failed(err, GS_IO, f->folder, errno) : GS_OK;
}

/* By /proc, or, for a process that may, without it. */
static int link_nameless(const gs_dump_file *f, const char *name)
{
	char proc[40] = "/proc/self/fd/";
	gs_line line = {proc, strlen(proc), sizeof proc};
	gs_line_signed(&line, f->fd);
	int failed = linkat(AT_FDCWD, proc, f->dir, name, AT_SYMLINK_FOLLOW);
	if (failed && errno != EEXIST)
		failed = linkat(f->fd, "", f->dir, name, AT_EMPTY_PATH);
	return failed;
}

static int copy(int from, int to)
{
	char part[8192];
	off_t at = 0;
	ssize_t n;
	while ((n = pread(from, part, sizeof part, at)) > 0) {
		int error = gs_dump_write(to, part, (size_t)n);
		if (error) {
			errno = error;
			return -1;
		}
		at += n;
	}
	return n ? -1 : 0;
}

/* A nameless file that cannot be given a name (no /proc, linkat refused): its bytes go into a named
 * one. */
static int take_a_name(gs_dump_file *f)
{
	make_temp_name(f, 0);
	int fd = above_standard(
		openat(f->dir, f->temp, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_CREAT | O_EXCL, 0600));
	if (fd < 0) {
		f->temp[0] = 0;
		return -1;
	}
	int failed = copy(f->fd, fd);
	if (!failed && f->synced && fsync(fd) && is_lost(errno))
		failed = -1;
	int error = errno;
	close(f->fd);
	f->fd = fd;
	errno = error;
	return failed;
}

/* renameat2 as the kernel has it: not every C library wraps it. */
static int rename_as(const gs_dump_file *f, const char *name, unsigned flags)
{
	return (int)syscall(SYS_renameat2, f->dir, f->temp, f->dir, name, flags);
}

/* From the temporary name to its own: without replacing, as well as the system can. */
static int rename_temp(gs_dump_file *f, const char *name, bool overwrite)
{
	if (!rename_as(f, name, overwrite ? 0 : RENAME_NOREPLACE)) {
		f->temp[0] = 0;
		return 0;
	}
	if (errno == EEXIST)
		return -1;
	if (!overwrite) {
		if (!linkat(f->dir, f->temp, f->dir, name, 0))
			return 0; /* the temporary name goes at the end */
		if (errno == EEXIST || !faccessat(f->dir, name, F_OK, AT_SYMLINK_NOFOLLOW)) {
			errno = EEXIST;
			return -1;
		}
	}
	if (renameat(f->dir, f->temp, f->dir, name))
		return -1;
	f->temp[0] = 0;
	return 0;
}

/* Names the file; 0 or −1 and errno. */
static int place(gs_dump_file *f, const char *name, bool overwrite)
{
	if (!f->temp[0] && !overwrite) {
		if (!link_nameless(f, name))
			return 0;
		if (errno == EEXIST)
			return -1;
	}
	if (!f->temp[0] && overwrite) { /* only a named file can replace another */
		make_temp_name(f, 0);
		if (link_nameless(f, f->temp))
			f->temp[0] = 0;
	}
	if (!f->temp[0] && take_a_name(f))
		return -1;
	return rename_temp(f, name, overwrite);
}

gs_status gs_dump_file_place(gs_dump_file *f, const char *name, bool overwrite, gs_error *err)
{
	gs_line path = GS_LINE(f->path);
	if (!name)
		name = f->name;
	gs_line_text(&path, f->folder);
	if (strcmp(f->folder, "/"))
		gs_line_char(&path, '/');
	gs_line_text(&path, name);
	if (!place(f, name, overwrite))
		return GS_OK;
	return failed(err, errno == EEXIST ? GS_EXISTS : GS_IO, f->path, errno);
}

void gs_dump_file_end(gs_dump_file *f, bool sync)
{
	if (f->temp[0] && f->dir >= 0)
		unlinkat(f->dir, f->temp, 0);
	if (f->fd >= 0)
		close(f->fd);
	if (f->dir >= 0) {
		if (sync)
			fsync(f->dir);
		close(f->dir);
	}
	f->fd = f->dir = -1;
}

void gs_dump_hold_signals(gs_dump_signals *s)
{
	sigset_t pending, both;
	sigpending(&pending);
	s->pipe = sigismember(&pending, SIGPIPE) == 1;
	s->size = sigismember(&pending, SIGXFSZ) == 1;
	sigemptyset(&both);
	sigaddset(&both, SIGPIPE);
	sigaddset(&both, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &both, &s->before);
}

/* Takes away a signal that our own writes caused. */
static void swallow(int number, bool was_pending)
{
	static const struct timespec at_once = {0, 0};
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, number);
	while (!was_pending && sigtimedwait(&one, NULL, &at_once) < 0 && errno == EINTR)
		;
}

void gs_dump_release_signals(gs_dump_signals *s)
{
	int error = errno;
	swallow(SIGPIPE, s->pipe);
	swallow(SIGXFSZ, s->size);
	pthread_sigmask(SIG_SETMASK, &s->before, NULL);
	errno = error;
}
