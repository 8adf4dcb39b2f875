/* Stacks of PyTorch 2.0's pages: chains of (string, rest) in the table of suffixes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/model/want.h"
#include "analyzer/read/html/html_columns_internal.h"

enum { MOST_CHAIN = 1024, MOST_STEPS = 1 << 24 };

/* "file:line:name"; the first number between colons is the line. Other texts are no frames. */
static gs_id frame_of_text(gs_html_page *p, const char *text)
{
	for (const char *c = strchr(text, ':'); c; c = strchr(c + 1, ':')) {
		char *end;
		long line = isdigit((unsigned char)c[1]) ? strtol(c + 1, &end, 10) : -1;
		if (line < 0 || *end != ':')
			continue;
		gs_id file = gs_snapshot_string(p->s, text, (size_t)(c - text)),
			  name = gs_snapshot_string(p->s, end + 1, strlen(end + 1));
		return gs_snapshot_frame(p->s, name, file, line);
	}
	return 0;
}

/* The next in a chain; -1 at its end. Counts, for a chain may be made to run in a circle. */
static int64_t next_suffix(gs_html_page *p, int64_t at)
{
	int64_t next = gs_html_cell(p, GS_HTML_SUFFIXES, 2 * (size_t)at + 1);
	if (p->steps++ == MOST_STEPS)
		gs_fail(&p->error, GS_LIMIT, "too many frames in the page");
	return next >= 0 && (uint64_t)next < p->columns[GS_HTML_SUFFIXES].n / 2 &&
			p->steps <= MOST_STEPS
		? next
		: -1;
}

static gs_id frame_at(gs_html_page *p, int64_t at)
{
	uint32_t *frame = &p->frame_of_suffix[at];
	if (!*frame)
		*frame = frame_of_text(
					 p, gs_html_string(p, gs_html_cell(p, GS_HTML_SUFFIXES, 2 * (size_t)at))) +
			1;
	return *frame - 1;
}

gs_id gs_html_stack(gs_html_page *p, int64_t suffix)
{
	gs_id frames[MOST_CHAIN];
	size_t nsuffixes = p->columns[GS_HTML_SUFFIXES].n / 2;
	uint32_t n = 0;
	if (suffix < 0 || (uint64_t)suffix >= nsuffixes || !(p->want & GS_WANT_STACKS))
		return 0;
	if (!p->stack_of_suffix)
		p->stack_of_suffix = gs_memory_zeroed(nsuffixes, sizeof *p->stack_of_suffix);
	if (!p->frame_of_suffix)
		p->frame_of_suffix = gs_memory_zeroed(nsuffixes, sizeof *p->frame_of_suffix);
	if (!p->stack_of_suffix || !p->frame_of_suffix)
		return 0;
	while (suffix >= 0 && !p->stack_of_suffix[suffix] &&
		!frame_at(p, suffix)) /* an element's title, each its own */
		suffix = next_suffix(p, suffix);
	if (suffix < 0 || p->stack_of_suffix[suffix])
		return suffix < 0 ? 0 : p->stack_of_suffix[suffix] - 1;
	for (int64_t at = suffix; at >= 0 && n < MOST_CHAIN; at = next_suffix(p, at)) {
		gs_id frame = frame_at(p, at);
		if (frame)
			frames[n++] = frame;
	}
	gs_id stack = gs_snapshot_stack(p->s, frames, n);
	p->stack_of_suffix[suffix] = stack + 1;
	return stack;
}
