/* What the files of a source share. Private to them. */
#ifndef GS_ANALYZER_READ_OPEN_SOURCE_INTERNAL_H
#define GS_ANALYZER_READ_OPEN_SOURCE_INTERNAL_H

#include "analyzer/read/open/sha256.h"
#include "analyzer/read/open/source.h"
#include "analyzer/read/open/unpack.h"

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

/* A source of nothing; its window. GS_NO_MEMORY. */
gs_status gs_source_new(gs_source **out, gs_error *err);
gs_status gs_source_take_window(gs_source *s, gs_error *err);

/* The file itself, below all that was unwrapped. */
static inline gs_source *gs_source_bottom(const gs_source *s)
{
	while (s->below)
		s = s->below;
	return (gs_source *)(uintptr_t)s;
}

#endif
