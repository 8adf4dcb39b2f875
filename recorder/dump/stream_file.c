/* The stream's file: its name, its beginning and end, and what is said where it cannot be written.
 */
#include "recorder/dump/stream_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* rename */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/dump/dump_file.h"
#include "recorder/dump/dump.h"
#include "recorder/dump/file_error.h"
#include "recorder/dump/file_name.h"
#include "recorder/dump/text.h"

void gs_stream_say(const gs_stream *s, const char *text)
{
	char whole[PATH_MAX + 300] = "gpusnap: ";
	gs_line line = {whole, strlen(whole), sizeof whole};
	gs_line_text(&line, s->path);
	gs_line_text(&line, ": ");
	gs_line_text(&line, text);
	gs_line_char(&line, '\n');
	gs_dump_say(s->config, whole, line.n);
}

void gs_stream_fail(gs_stream *s, int error)
{
	char text[200] = "the stream ends here: ";
	gs_line line = {text, strlen(text), sizeof text};
	s->failed = error ? error : EIO;
	gs_line_text(&line, gs_file_error(s->failed));
	gs_stream_say(s, text);
}

/* Whole sections come here; a part of one is taken back. */
static gs_status write_sections(void *arg, const void *data, size_t n)
{
	gs_stream *s = arg;
	if (s->failed)
		return GS_IO;
	int error = gs_dump_write(s->fd, data, n);
	if (!error) {
		s->bytes += n;
		return GS_OK;
	}
	if (ftruncate(s->fd, (off_t)s->bytes)) /* cut where it is, the reader manages */
		errno = 0;
	gs_stream_fail(s, error);
	return GS_IO;
}

/* run.gsnap → run-PID.gsnap */
static void add_to_name(char *path, size_t cap, const char *word)
{
	char end[PATH_MAX] = "";
	size_t n = strlen(path);
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	gs_line ending = GS_LINE(end);
	if (dot && (!slash || dot > slash + 1)) {
		gs_line_text(&ending, dot);
		n = (size_t)(dot - path);
	}
	gs_line line = {path, n, cap};
	gs_line_char(&line, '-');
	gs_line_text(&line, word);
	gs_line_text(&line, end);
}

static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY | O_APPEND, 0600);
	if (fd < 0 || fd > 2)
		return fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return high;
}

/* errno of a name that is taken: what no stream can be, such as a folder, is told as what it is. */
static int taken_by(const char *path)
{
	struct stat about;
	if (stat(path, &about) || S_ISREG(about.st_mode))
		return EEXIST;
	return S_ISDIR(about.st_mode) ? EISDIR : EOPNOTSUPP;
}

/* Where the file of that name is another's: run-PID.gsnap, run-PID-2.gsnap, run-PID-3.gsnap … */
static int create_beside(gs_stream *s)
{
	char taken[PATH_MAX];
	int fd = -1;
	memcpy(taken, s->path, sizeof taken);
	errno = EEXIST;
	for (uint64_t n = 1; fd < 0 && errno == EEXIST && n <= GS_STREAM_SAME_NAMES; n++) {
		char text[48];
		gs_line word = GS_LINE(text);
		gs_line_signed(&word, s->pid);
		if (n > 1) {
			gs_line_char(&word, '-');
			gs_line_number(&word, n, 1);
		}
		memcpy(s->path, taken, sizeof taken);
		add_to_name(s->path, sizeof s->path, text);
		fd = create(s->path);
	}
	return fd;
}

/* The pattern's file; where another process has it, one that is named after ours. */
static int create_own(gs_stream *s)
{
	const gs_name_facts facts = {
		s->config->host, s->pid, s->config->rank, 0, gs_clock_scale_now(s->clock).real, 1, true};
	gs_line path = GS_LINE(s->path);
	gs_name_put(&path, s->config->stream, &facts);
	int fd = create(s->path);
	if (fd < 0 && errno == ENOENT) {
		gs_dump_make_folders(s->path);
		fd = create(s->path);
	}
	if (fd < 0 && errno == EEXIST && (errno = taken_by(s->path)) == EEXIST)
		fd = create_beside(s);
	return fd;
}

static gs_status begin(gs_stream *s)
{
	s->bytes = 0;
	memset(s->names, 0, sizeof s->names);
	gs_encoder_begin(&s->encoder);
	gs_status status = gs_writer_init_stream(s->encoder.workspace, s->encoder.workspace_bytes,
		s->config->level, write_sections, s, &s->w);
	s->headed = s->settled = s->told_full = false;
	for (uint32_t i = 0; i < s->nlanes; i++) {
		gs_lane *l = s->lanes[i];
		l->base = l->tail;
		l->last_layout = l->tail;
		gs_stream_begin_figures(l);
		uint32_t none = 0;
		atomic_compare_exchange_strong(&l->layout, &none, 1);
	}
	return status;
}

/* A file that not even its header fitted into is not left behind. */
bool gs_stream_begin_file(gs_stream *s)
{
	gs_dump_signals signals;
	gs_dump_hold_signals(&signals);
	s->fd = create_own(s);
	bool good = s->fd >= 0 && !begin(s);
	int error = errno;
	gs_dump_release_signals(&signals);
	if (good)
		return true;
	if (s->fd >= 0)
		unlink(s->path);
	if (!s->failed) /* a failed write has told it */
		gs_stream_fail(s, error);
	return false;
}

void gs_stream_end_file(gs_stream *s)
{
	for (uint32_t i = 0; i < s->nlanes; i++) {
		gs_lane *l = s->lanes[i];
		gs_stream_count_held(s, l, (l->figures.held.size + 511) / 512 * 512); /* the least it is */
		gs_stream_put_figures(s, l);
	}
	gs_writer_index(s->w);
	gs_writer_finish(s->w);
	close(s->fd);
	s->fd = -1;
	s->w = NULL;
}

bool gs_stream_is_half_full(const gs_stream *s)
{
	return s->config->stream_bytes && s->bytes > s->config->stream_bytes / 2;
}

void gs_stream_rotate(gs_stream *s)
{
	char old[PATH_MAX + 8];
	gs_stream_end_file(s);
	if (s->failed)
		return;
	memcpy(old, s->path, sizeof s->path);
	add_to_name(old, sizeof old, "old");
	s->fd = rename(s->path, old) ? -1 : create(s->path);
	if ((s->fd < 0 || begin(s)) && !s->failed)
		gs_stream_fail(s, errno);
}
