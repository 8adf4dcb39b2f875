/* The rows of interned tables, as far as a file refers to them. */
#include "recorder/dump/encode_tables.h"

#include <string.h>

enum { DEEPEST = 1024 }; /* frames of one stack, its tails included */

/* clang-format off: it never settles on one layout of a list of macro calls */
#define EACH_MAP(DO)                  \
	DO(stacks, e->tables->max.stacks) \
	DO(frames, e->tables->max.frames) \
	DO(texts, e->tables->max.texts)   \
	DO(modules, GS_MODULES_MAX + 1)   \
	DO(tags, e->tables->max.tags)     \
	DO(stack_frames, DEEPEST)
/* clang-format on */

void gs_encoder_release(gs_encoder *e)
{
	if (!e->pages)
		return;
#define GIVE(map, count) gs_pages_give(e->pages, e->map, (size_t)(count) * sizeof(gs_id));
	EACH_MAP(GIVE)
#undef GIVE
	gs_pages_give(e->pages, e->workspace, e->workspace_bytes);
	memset(e, 0, sizeof *e);
}

gs_status gs_encoder_init(gs_encoder *e, const gs_tables *tables, int level, gs_pages *pages)
{
	bool short_of = false;
	memset(e, 0, sizeof *e);
	e->pages = pages;
	e->tables = tables;
#define TAKE(map, count) \
	short_of |= !(e->map = gs_pages_take(pages, (size_t)(count) * sizeof(gs_id)));
	EACH_MAP(TAKE)
#undef TAKE
	e->workspace_bytes = gs_writer_workspace(level);
	e->workspace = gs_pages_take(pages, e->workspace_bytes);
	if (!short_of && e->workspace)
		return GS_OK;
	gs_encoder_release(e);
	return GS_NO_MEMORY;
}

/* --- what the state refers to --- */

/* In a map: is to be put, and has no id in the file yet. */
#define PENDING ((gs_id)1 << 31)

static void want(gs_encoder *e, gs_id *entry)
{
	if (*entry)
		return;
	*entry = PENDING;
	e->pending = true;
}

static void mark_frame(gs_encoder *e, gs_id id)
{
	const gs_table_frame *f = &e->tables->frames[id];
	if (e->frames[id])
		return;
	want(e, &e->frames[id]);
	if (f->name)
		want(e, &e->texts[f->name]);
	if (f->file)
		want(e, &e->texts[f->file]);
	if (f->module)
		want(e, &e->modules[f->module]);
}

static void mark_stack(gs_encoder *e, gs_id id)
{
	if (!id || e->stacks[id])
		return;
	want(e, &e->stacks[id]);
	for (; id; id = e->tables->stacks[id].tail) {
		const gs_table_stack *s = &e->tables->stacks[id];
		for (uint32_t i = 0; i < s->n; i++)
			mark_frame(e, e->tables->stack_frames[s->first + i]);
	}
}

void gs_encoder_mark_text(gs_encoder *e, gs_id text)
{
	if (text)
		want(e, &e->texts[text]);
}

void gs_encoder_mark(gs_encoder *e, gs_id stack, uint16_t tag)
{
	mark_stack(e, stack);
	if (tag && !e->tags[tag]) {
		want(e, &e->tags[tag]);
		want(e, &e->texts[e->tables->tags[tag]]);
	}
}

/* Id 0 is none, and stays so. */
static void clear(gs_id *map, uint32_t n) { memset(map, 0, n * sizeof *map); }

/* Tables only grow: what ids below these counts mean is settled, and the state refers to no later
 * ones. */
void gs_encoder_begin(gs_encoder *e)
{
	clear(e->stacks, e->tables->nstacks);
	clear(e->frames, e->tables->nframes);
	clear(e->texts, e->tables->ntexts);
	clear(e->modules, GS_MODULES_MAX + 1);
	clear(e->tags, e->tables->ntags);
	e->pending = false;
}

static void put_texts(gs_encoder *e, gs_writer *w)
{
	const gs_tables *t = e->tables;
	for (uint32_t i = 1, n = t->ntexts; i < n; i++)
		if (e->texts[i] == PENDING)
			e->texts[i] = gs_writer_string(
				w, (gs_span){t->text_bytes + t->texts[i].at, t->texts[i].n});
}

static void put_modules(gs_encoder *e, gs_writer *w)
{
	const gs_modules *m = &e->tables->modules;
	for (uint32_t i = 1; i <= m->n; i++) {
		const gs_module *module = &m->list[i - 1];
		if (e->modules[i] != PENDING)
			continue;
		gs_row_module row = {.path = {m->text + module->path, module->path_length},
			.build_id = {module->build_id_length ? (const char *)module->build_id : NULL,
				module->build_id_length},
			.base = module->base,
			.size = module->end - module->base};
		e->modules[i] = gs_writer_module(w, &row);
	}
}

static void put_frames(gs_encoder *e, gs_writer *w)
{
	for (uint32_t i = 1, n = e->tables->nframes; i < n; i++) {
		const gs_table_frame *f = &e->tables->frames[i];
		if (e->frames[i] != PENDING)
			continue;
		gs_row_frame row = {.name = e->texts[f->name],
			.file = e->texts[f->file],
			.line = f->line < 0 ? GS_NONE : f->line,
			.address = f->address,
			.module = e->modules[f->module]};
		e->frames[i] = gs_writer_frame(w, &row);
	}
}

static void put_stacks(gs_encoder *e, gs_writer *w)
{
	for (uint32_t i = 1, n = e->tables->nstacks; i < n; i++) {
		uint32_t deep = 0;
		if (e->stacks[i] != PENDING)
			continue;
		for (gs_id id = i; id; id = e->tables->stacks[id].tail) {
			const gs_table_stack *s = &e->tables->stacks[id];
			for (uint32_t k = 0; k < s->n && deep < DEEPEST; k++)
				e->stack_frames[deep++] = e->frames[e->tables->stack_frames[s->first + k]];
		}
		e->stacks[i] = gs_writer_stack(w, e->stack_frames, deep);
	}
}

static void put_tags(gs_encoder *e, gs_writer *w)
{
	for (uint32_t i = 1, n = e->tables->ntags; i < n; i++)
		if (e->tags[i] == PENDING)
			e->tags[i] = gs_writer_tag(w, e->texts[e->tables->tags[i]]);
}

void gs_encoder_put(gs_encoder *e, gs_writer *w)
{
	put_texts(e, w);
	put_modules(e, w);
	put_frames(e, w);
	put_stacks(e, w);
	put_tags(e, w);
	e->pending = false;
}
