/* Sources over a file, a pipe, memory or a function. */
#include "analyzer/read/open/source_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/model/memory.h"

enum { WINDOW = 256 * 1024 };

gs_status gs_source_new(gs_source **out, gs_error *err)
{
	gs_source *s = gs_memory_zeroed(1, sizeof *s);
	if (!s)
		return gs_fail(err, GS_NO_MEMORY, "no memory to read a file");
	s->fd = -1;
	*out = s;
	return GS_OK;
}

void gs_source_close(gs_source *s)
{
	while (s) {
		gs_source *below = s->below;
		if (s->cap)
			gs_memory_give(s->buf);
		if (s->fd > 0)
			close(s->fd);
		gs_unpack_free(s->unpack);
		gs_memory_give(s->sum);
		gs_memory_give(s);
		s = below;
	}
}

gs_status gs_source_memory(const void *data, size_t n, gs_source **out, gs_error *err)
{
	gs_source *s = NULL;
	if (gs_source_new(&s, err))
		return GS_NO_MEMORY;
	s->buf = (unsigned char *)(uintptr_t)data; /* only read */
	s->len = n;
	s->ended = true;
	s->file_size = n;
	*out = s;
	return GS_OK;
}

gs_status gs_source_take_window(gs_source *s, gs_error *err)
{
	s->buf = gs_memory_take(WINDOW);
	if (!s->buf)
		return gs_fail(err, GS_NO_MEMORY, "no memory to read a file");
	s->cap = WINDOW;
	return GS_OK;
}

gs_status gs_source_open(const char *path, gs_source **out, gs_error *err)
{
	gs_source *s = NULL;
	if (gs_source_new(&s, err))
		return GS_NO_MEMORY;
	s->fd = !strcmp(path, "-") ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	gs_status status;
	if (s->fd < 0 || fstat(s->fd, &st))
		status = gs_fail(err, GS_IO, "%s", strerror(errno));
	else if (S_ISDIR(st.st_mode))
		status = gs_fail(err, GS_IO, "is a directory");
	else
		status = gs_source_take_window(s, err);
	if (status) {
		gs_source_close(s);
		return status;
	}
	s->file_size = S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	*out = s;
	return GS_OK;
}

gs_status gs_source_stream(
	gs_source_fill *fill, void *context, uint64_t size, gs_source **out, gs_error *err)
{
	gs_source *s = NULL;
	if (gs_source_new(&s, err))
		return GS_NO_MEMORY;
	s->fill = fill;
	s->fill_context = context;
	s->file_size = size;
	if (gs_source_take_window(s, err)) {
		gs_source_close(s);
		return GS_NO_MEMORY;
	}
	*out = s;
	return GS_OK;
}
