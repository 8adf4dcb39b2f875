/* The stream under every reader: a window over a file, a pipe, memory, or another source being
 * unpacked (unpack.c). */
#include "analyzer/read/open/source_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/model/memory.h"

enum { AFTER_JUMP = 4096, MOST_PEEK = 64 * 1024 };

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

void gs_source_choose_moment(gs_source *s, const struct gs_moment_wanted *moment)
{
	gs_source_bottom(s)->moment = moment;
}

const struct gs_moment_wanted *gs_source_moment(const gs_source *s)
{
	return gs_source_bottom(s)->moment;
}

uint64_t gs_source_offset(const gs_source *s) { return s->base + s->pos; }

gs_status gs_source_status(const gs_source *s, gs_error *err)
{
	if (s->error.status && err)
		*err = s->error;
	return s->error.status;
}

uint64_t gs_source_file_size(const gs_source *s) { return gs_source_bottom(s)->file_size; }

uint64_t gs_source_bytes(const gs_source *s)
{
	s = gs_source_bottom(s);
	return s->file_size ? s->file_size : s->base + s->pos;
}

void gs_source_choose_part(gs_source *s, unsigned part) { gs_source_bottom(s)->part = part + 1; }
bool gs_source_part_chosen(const gs_source *s) { return gs_source_bottom(s)->part; }

unsigned gs_source_part(const gs_source *s)
{
	unsigned part = gs_source_bottom(s)->part;
	return part ? part - 1 : 0;
}

void gs_source_hash(gs_source *s)
{
	s = gs_source_bottom(s);
	if (!s->sum && (s->sum = gs_memory_take(sizeof *s->sum))) {
		gs_sha256_init(s->sum);
		gs_sha256_add(s->sum, s->buf, s->len);
	}
}

gs_status gs_source_digest(gs_source *s, char hex[65], gs_error *err)
{
	s = gs_source_bottom(s);
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
