/* Going on and back. */
#include "analyzer/read/open/source_internal.h"

#include <sys/stat.h>
#include <unistd.h>

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
