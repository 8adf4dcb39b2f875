/* Events of PyTorch 2.0's pages. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/memory.h"
#include "analyzer/read/html/html_columns_internal.h"

enum { MOST_STREAMS = 4096 };

static gs_status add_event(gs_html_page *p, gs_trace *t, gs_action action, uint64_t address,
	int64_t size, int64_t stream, gs_id stack)
{
	gs_event *e = gs_trace_append(t);
	uint32_t index = gs_snapshot_stream(p->s, stream == GS_NONE ? 0 : (uint64_t)stream);
	if (!e || index == UINT32_MAX)
		return gs_no_memory(&p->error);
	if (index >= MOST_STREAMS)
		return gs_fail(&p->error, GS_LIMIT, "more than %d streams", MOST_STREAMS);
	e->address = address;
	e->size = size == GS_NONE ? 0 : (uint64_t)size;
	e->stream = (uint16_t)index;
	e->stack = stack;
	e->tag_action = action;
	return GS_OK;
}

/* The page folds a free_requested and the free_completed right behind it into "free". */
gs_status gs_html_add_events(gs_html_page *p, gs_trace *t)
{
	for (size_t i = 0; i < p->columns[GS_HTML_EVENT_ACTION].n && !p->error.status; i++) {
		const char *word = gs_html_string(p, gs_html_cell(p, GS_HTML_EVENT_ACTION, i));
		bool both = !strcmp(word, "free");
		gs_action action = both ? GS_ACTION_FREE_REQUESTED : gs_action_parse(word, strlen(word));
		uint64_t address = (uint64_t)gs_html_cell(p, GS_HTML_EVENT_ADDRESS, i);
		int64_t size = gs_html_cell(p, GS_HTML_EVENT_SIZE, i),
				stream = gs_html_cell(p, GS_HTML_EVENT_STREAM, i);
		gs_id stack = gs_html_stack(p, gs_html_cell(p, GS_HTML_EVENT_FRAMES, i));
		add_event(p, t, action, address, size, stream, stack);
		if (both && !p->error.status)
			add_event(p, t, GS_ACTION_FREE_COMPLETED, address, size, stream, stack);
	}
	return p->error.status;
}

/* An element's first line begins with b or s (a segment), its address, and how often that was used
 * before. */
static uint64_t element_address(const char *line, bool *segment)
{
	*segment = line[0] == 's';
	if ((line[0] != 'b' && line[0] != 's') || !isxdigit((unsigned char)line[1]))
		return 0;
	char *end;
	uint64_t address = strtoull(line + 1, &end, 16);
	return *end == '_' ? address : 0;
}

gs_status gs_html_add_actions(gs_html_page *p, gs_trace *t)
{
	int sizes = p->columns[GS_HTML_ELEMENT_SIZE].n ? GS_HTML_ELEMENT_SIZE
												   : GS_HTML_OLD_ELEMENT_SIZE,
		infos = p->columns[GS_HTML_ELEMENT_SIZE].n ? GS_HTML_ELEMENT_INFO
												   : GS_HTML_OLD_ELEMENT_INFO;
	size_t n = p->columns[sizes].n;
	unsigned char *live = gs_memory_zeroed(n + 1, 1);
	if (!live)
		return gs_no_memory(&p->error);
	for (size_t i = 0; i < p->columns[GS_HTML_INITIALLY].n; i++)
		if ((uint64_t)p->columns[GS_HTML_INITIALLY].v[i] < n)
			live[p->columns[GS_HTML_INITIALLY].v[i]] = 1;
	for (size_t i = 0; i < p->columns[GS_HTML_ACTIONS].n && !p->error.status; i++) {
		uint64_t e = (uint64_t)p->columns[GS_HTML_ACTIONS].v[i];
		if (e >= n)
			continue;
		int64_t info = gs_html_cell(p, infos, e);
		bool segment;
		uint64_t address = element_address(
			gs_html_string(p, info >= 0 ? gs_html_cell(p, GS_HTML_SUFFIXES, 2 * (size_t)info) : -1),
			&segment);
		gs_action come = segment ? GS_ACTION_SEGMENT_ALLOC : GS_ACTION_ALLOC,
				  go = segment ? GS_ACTION_SEGMENT_FREE : GS_ACTION_FREE_COMPLETED;
		add_event(p, t, live[e] ? go : come, address ? address : e + 1, gs_html_cell(p, sizes, e),
			0, gs_html_stack(p, info));
		live[e] = !live[e];
	}
	gs_memory_give(live);
	return p->error.status;
}
