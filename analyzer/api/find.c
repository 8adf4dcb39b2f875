/* Lives by a text. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/api/call.h"
#include "analyzer/model/frames.h"

/* What has the text, by number of the frame, stack, holder; one piece of memory. */
typedef struct marks {
	uint8_t *frames, *stacks, *holders;
	bool categories[GS_CATEGORIES];
} marks;

static bool has(const char *text, const char *wanted) { return strcasestr(text, wanted) != NULL; }

static void mark_stacks(const gs_snapshot *s, const char *wanted, marks *m)
{
	for (gs_id i = 1; i < s->nframes; i++) {
		char text[1024];
		gs_frame_text(s, i, text, sizeof text);
		m->frames[i] = has(text, wanted);
	}
	for (gs_id i = 1; i < s->nstacks; i++)
		for (uint32_t k = 0; k < s->stacks[i].n && !m->stacks[i]; k++)
			m->stacks[i] = m->frames[s->stack_frames[s->stacks[i].first + k]];
}

static gs_status mark(const gs_timeline *t, const char *wanted, marks *m)
{
	const gs_snapshot *s = t->snapshot;
	m->frames = calloc((size_t)s->nframes + s->nstacks + t->nholders + 3, 1);
	if (!m->frames)
		return GS_NO_MEMORY;
	m->stacks = m->frames + s->nframes + 1;
	m->holders = m->stacks + s->nstacks + 1;
	mark_stacks(s, wanted, m);
	for (size_t i = 0; i < t->nholders; i++)
		m->holders[i] = has(t->holders[i].where, wanted) || has(t->holders[i].called_by, wanted);
	for (unsigned i = 0; i < GS_CATEGORIES; i++)
		m->categories[i] = has(gs_category_word(NULL, i), wanted) ||
			has(gs_category_words(NULL, i), wanted);
	return GS_OK;
}

static bool matches(const gs_timeline *t, const marks *m, const char *wanted, uint32_t life)
{
	if (m->holders[t->holder[life]] || m->categories[gs_timeline_categorization(t, life).category])
		return true;
	gs_block b = gs_life_block(&t->lives, life);
	return (b.stack < t->snapshot->nstacks && m->stacks[b.stack]) ||
		(b.tag && has(gs_string_text(t->snapshot, b.tag), wanted));
}

static gs_status find(const gs_timeline *t, const char *wanted, gpusnap_found *found, gs_error *err)
{
	marks m = {.frames = NULL};
	found->life = malloc(((size_t)t->lives.n + 1) * sizeof *found->life);
	gs_status status = found->life ? mark(t, wanted, &m) : GS_NO_MEMORY;
	for (uint32_t i = 0; !status && i < t->lives.n; i++)
		if (matches(t, &m, wanted, i))
			found->life[found->n++] = i;
	free(m.frames);
	return status ? gs_fail(err, status, "no memory to search") : GS_OK;
}

void gpusnap_found_free(gpusnap_found *c)
{
	free(c->life);
	memset(c, 0, sizeof *c);
}

static gs_status answer_find(gpusnap_snapshot *s, const gs_timeline *t, const gs_api_options *o,
	void *columns, gs_error *err)
{
	const char *wanted = "";
	(void)s;
	gs_status status = gs_api_option_text(o, "text", &wanted, err);
	return status ? status : find(t, wanted, columns, err);
}

int gpusnap_snapshot_find(gpusnap_snapshot *s, const char *options, gpusnap_found *columns)
{
	static const char *const names[] = {"device", "text", NULL};
	int failed = gs_api_columns_call(s, options, names, columns, sizeof *columns, answer_find);
	if (failed)
		gpusnap_found_free(columns);
	return failed;
}
