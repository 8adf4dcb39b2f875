/* The stream under every reader: a window over a file, a pipe, memory, or another source being
 * unpacked (unpack.c). */
#include "analyzer/read/open/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/open/unpack.h"
#include "analyzer/read/open/sha256.h"

enum { WINDOW = 256 * 1024, AFTER_JUMP = 4096, MOST_PEEK = 64 * 1024, MOST_LAYERS = 3 };

struct gs_source {
	unsigned char *buf;   /* the window; memory sources: the memory itself */
	size_t pos, len, cap; /* cap 0: memory, never filled */
	uint64_t base;        /* offset of buf[0] */
	bool ended;
	gs_error error;       /* why it ended, if not plainly */
	int fd;               /* -1 none */
	gs_source_fill *fill; /* instead of fd, or NULL */
	void *fill_context;
	gs_unpack *unpack; /* NULL: bytes come from fd or memory */
	gs_source *below;  /* what unpack reads */
	uint64_t file_size;
	gs_sha256 *sum;
	bool jumped; /* the next bytes stand alone: few are read */
	const struct gs_moment_wanted *moment;
	unsigned part; /* at the bottom: the snapshot that is meant, + 1; 0 not chosen */
};

static gs_status source_new(gs_source **out, gs_error *err)
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
	if (source_new(&s, err))
		return GS_NO_MEMORY;
	s->buf = (unsigned char *)(uintptr_t)data; /* only read */
	s->len = n;
	s->ended = true;
	s->file_size = n;
	*out = s;
	return GS_OK;
}

static gs_status take_window(gs_source *s, gs_error *err)
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
	if (source_new(&s, err))
		return GS_NO_MEMORY;
	s->fd = !strcmp(path, "-") ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	gs_status status;
	if (s->fd < 0 || fstat(s->fd, &st))
		status = gs_fail(err, GS_IO, "%s", strerror(errno));
	else if (S_ISDIR(st.st_mode))
		status = gs_fail(err, GS_IO, "is a directory");
	else
		status = take_window(s, err);
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
	if (source_new(&s, err))
		return GS_NO_MEMORY;
	s->fill = fill;
	s->fill_context = context;
	s->file_size = size;
	if (take_window(s, err)) {
		gs_source_close(s);
		return GS_NO_MEMORY;
	}
	*out = s;
	return GS_OK;
}

static size_t ask_for_some(gs_source *s, unsigned char *to, size_t n)
{
	size_t got = s->fill(s->fill_context, to, n);
	if (got && got <= n)
		return got;
	s->ended = true;
	if (got)
		gs_fail(&s->error, GS_IO, "it cannot be read at byte %llu",
			(unsigned long long)(s->base + s->len));
	return 0;
}

static size_t read_some(gs_source *s, unsigned char *to, size_t n)
{
	ssize_t got;
	if (s->fill)
		return ask_for_some(s, to, n);
	n = s->jumped && n > AFTER_JUMP ? AFTER_JUMP : n;
	s->jumped = false;
	do
		got = read(s->fd, to, n);
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		s->ended = true;
		if (got < 0)
			gs_fail(&s->error, GS_IO, "%s at byte %llu", strerror(errno),
				(unsigned long long)(s->base + s->len));
		return 0;
	}
	return (size_t)got;
}

/* Unpacks into the window; an end of the packed bytes may be the end or a cut. */
static size_t unpack_some(gs_source *s, unsigned char *to, size_t n)
{
	while (!s->ended) {
		const unsigned char *in;
		size_t have = gs_source_peek(s->below, 1, &in), used = 0, made = 0;
		if (!have && gs_source_status(s->below, &s->error)) {
			s->ended = true;
			break;
		}
		gs_status status = gs_unpack_step(
			s->unpack, in, have, &used, to, n, &made, gs_source_offset(s->below), &s->error);
		gs_source_skip(s->below, used);
		s->ended = status != GS_OK;
		if (made)
			return made;
	}
	return 0;
}

static void fill_window(gs_source *s, size_t want)
{
	if (s->pos && (s->pos == s->len || s->cap - s->pos < want)) {
		memmove(s->buf, s->buf + s->pos, s->len - s->pos);
		s->base += s->pos;
		s->len -= s->pos;
		s->pos = 0;
	}
	while (!s->ended && s->len - s->pos < want) {
		unsigned char *to = s->buf + s->len;
		size_t made = s->unpack ? unpack_some(s, to, s->cap - s->len)
								: read_some(s, to, s->cap - s->len);
		if (s->sum)
			gs_sha256_add(s->sum, to, made);
		s->len += made;
	}
}

size_t gs_source_peek(gs_source *s, size_t want, const unsigned char **at)
{
	if (want > MOST_PEEK)
		want = MOST_PEEK;
	if (s->cap && s->len - s->pos < want && !s->ended)
		fill_window(s, want);
	*at = s->buf + s->pos;
	return s->len - s->pos;
}

void gs_source_skip(gs_source *s, size_t n)
{
	size_t have = s->len - s->pos;
	s->pos += n < have ? n : have;
}

/* The file itself, below all that was unwrapped. */
static gs_source *bottom(const gs_source *s)
{
	while (s->below)
		s = s->below;
	return (gs_source *)(uintptr_t)s;
}

/* A file whose bytes are what is read. */
static bool is_plain_file(const gs_source *s)
{
	return s->fd > 0 && !s->below && !s->sum && s->file_size;
}

/* What lies beyond the window: the place moves, up to the file's end. */
static uint64_t jump(gs_source *s, uint64_t n)
{
	uint64_t from = s->base + s->len;
	struct stat st;
	if (fstat(s->fd, &st) || st.st_size < 0)
		return 0;
	uint64_t size = (uint64_t)st.st_size, left = size > from ? size - from : 0;
	n = n < left ? n : left;
	if (lseek(s->fd, (off_t)(from + n), SEEK_SET) < 0)
		return 0;
	s->base = from + n;
	s->pos = s->len = 0;
	s->jumped = true;
	return n;
}

uint64_t gs_source_pass(gs_source *s, uint64_t n)
{
	uint64_t passed = 0;
	while (passed < n) {
		const unsigned char *at;
		uint64_t left = n - passed, have = s->len - s->pos;
		if (left > have && is_plain_file(s)) {
			s->pos = s->len;
			return passed + have + jump(s, left - have);
		}
		if (!have && !(have = gs_source_peek(s, 1, &at)))
			break;
		have = have < left ? have : left;
		gs_source_skip(s, have);
		passed += have;
	}
	return passed;
}

bool gs_source_rewind(gs_source *s) { return gs_source_seek(s, 0); }

bool gs_source_seek(gs_source *s, uint64_t offset)
{
	if (!s->cap && !s->below) {
		s->pos = offset < s->len ? (size_t)offset : s->len;
		return true;
	}
	if (!is_plain_file(s))
		return false;
	if (offset >= s->base && offset <= s->base + s->len) { /* it is in the window */
		s->pos = (size_t)(offset - s->base);
		return true;
	}
	if (offset > INT64_MAX || lseek(s->fd, (off_t)offset, SEEK_SET) < 0)
		return false;
	s->base = offset;
	s->pos = s->len = 0;
	s->ended = false;
	s->jumped = offset > 0;
	return true;
}

void gs_source_choose_moment(gs_source *s, const struct gs_moment_wanted *moment)
{
	bottom(s)->moment = moment;
}

const struct gs_moment_wanted *gs_source_moment(const gs_source *s) { return bottom(s)->moment; }

uint64_t gs_source_offset(const gs_source *s) { return s->base + s->pos; }

gs_status gs_source_status(const gs_source *s, gs_error *err)
{
	if (s->error.status && err)
		*err = s->error;
	return s->error.status;
}

uint64_t gs_source_file_size(const gs_source *s) { return bottom(s)->file_size; }

uint64_t gs_source_bytes(const gs_source *s)
{
	s = bottom(s);
	return s->file_size ? s->file_size : s->base + s->pos;
}

bool gs_source_packed(const gs_source *s)
{
	for (; s; s = s->below)
		if (s->unpack && gs_unpack_packing(s->unpack) != GS_PACKING_BASE64)
			return true;
	return false;
}

size_t gs_source_held(const gs_source *s)
{
	size_t held = 0;
	for (; s; s = s->below)
		held += s->unpack ? gs_unpack_held(s->unpack) : 0;
	return held;
}

/* *s keeps its address, so the packed source moves into a new one below it. */
static gs_status unwrap_layer(gs_source *s, gs_packing packing, gs_error *err)
{
	gs_source *below = NULL;
	gs_status status = source_new(&below, err);
	if (status)
		return status;
	*below = *s;
	memset(s, 0, sizeof *s);
	s->fd = -1;
	s->below = below;
	status = gs_unpack_new(packing, gs_source_file_size(below), &s->unpack, err);
	return status ? status : take_window(s, err);
}

gs_status gs_source_unwrap(gs_source *s, gs_error *err)
{
	for (int layer = 0; layer < MOST_LAYERS; layer++) {
		const unsigned char *head;
		size_t n = gs_source_peek(s, 4, &head);
		gs_packing packing = gs_packing_of(head, n);
		if (!packing)
			return GS_OK;
		gs_status status = unwrap_layer(s, packing, err);
		if (status)
			return status;
	}
	return gs_fail(err, GS_LIMIT, "packed more than %d times", MOST_LAYERS - 1);
}

gs_status gs_source_unwrap_base64(gs_source *s, gs_error *err)
{
	return unwrap_layer(s, GS_PACKING_BASE64, err);
}

void gs_source_unwrap_undo(gs_source *s)
{
	for (bool done = false; s->below && !done;) {
		gs_source *below = s->below;
		done = gs_unpack_packing(s->unpack) == GS_PACKING_BASE64;
		gs_unpack_free(s->unpack);
		gs_memory_give(s->buf);
		*s = *below;
		gs_memory_give(below);
	}
}

void gs_source_choose_part(gs_source *s, unsigned part) { bottom(s)->part = part + 1; }
bool gs_source_part_chosen(const gs_source *s) { return bottom(s)->part; }

unsigned gs_source_part(const gs_source *s)
{
	unsigned part = bottom(s)->part;
	return part ? part - 1 : 0;
}

void gs_source_hash(gs_source *s)
{
	s = bottom(s);
	if (!s->sum && (s->sum = gs_memory_take(sizeof *s->sum))) {
		gs_sha256_init(s->sum);
		gs_sha256_add(s->sum, s->buf, s->len);
	}
}

gs_status gs_source_digest(gs_source *s, char hex[65], gs_error *err)
{
	s = bottom(s);
	if (!s->sum)
		return gs_fail(err, GS_STATE, "no sum was asked for");
	while (s->cap && !s->ended) {
		s->pos = s->len;
		fill_window(s, 1);
	}
	if (gs_source_status(s, err))
		return s->error.status;
	gs_sha256_finish(s->sum, hex);
	gs_memory_give(s->sum);
	s->sum = NULL;
	return GS_OK;
}
