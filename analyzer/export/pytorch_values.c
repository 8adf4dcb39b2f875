/* What every record of PyTorch's dictionaries is made of, written once and referred to. */
#include "analyzer/export/pytorch_internal.h"

#include <string.h>

#include "analyzer/export/pickle_json.h"

void gs_pytorch_key(gs_pytorch_writer *x, const char *name)
{
	size_t i = 0;
	while (x->keys[i].key && x->keys[i].key != name)
		i++;
	if (x->keys[i].key) {
		gs_pickler_get(&x->p, x->keys[i].memo);
		return;
	}
	gs_pickler_text(&x->p, name, strlen(name));
	if (i + 1 < sizeof x->keys / sizeof *x->keys) {
		x->keys[i].key = name;
		x->keys[i].memo = gs_pickler_put(&x->p);
	}
}

void gs_pytorch_string(gs_pytorch_writer *x, gs_id id)
{
	const gs_string *t = id && id < x->s->nstrings ? &x->s->strings[id] : NULL;
	if (t && x->strings[id]) {
		gs_pickler_get(&x->p, x->strings[id]);
		return;
	}
	gs_pickler_text(&x->p, t ? t->text : "", t ? t->length : 0);
	if (t)
		x->strings[id] = gs_pickler_put(&x->p);
}

void gs_pytorch_unsigned(gs_pytorch_writer *x, const char *name, uint64_t u)
{
	gs_pytorch_key(x, name);
	gs_pickler_unsigned(&x->p, u);
}

static void frame(gs_pytorch_writer *x, gs_id id)
{
	const gs_frame *f = &x->s->frames[id];
	if (x->frames[id]) {
		gs_pickler_get(&x->p, x->frames[id]);
		return;
	}
	gs_pickler_dict(&x->p);
	gs_pytorch_key(x, "name");
	gs_pytorch_string(x, f->name);
	gs_pytorch_key(x, "filename");
	gs_pytorch_string(x, f->file);
	gs_pytorch_key(x, "line");
	gs_pickler_integer(&x->p, f->line == GS_NONE ? 0 : f->line);
	gs_pickler_dict_end(&x->p);
	x->frames[id] = gs_pickler_put(&x->p);
}

void gs_pytorch_frames(gs_pytorch_writer *x, gs_id stack)
{
	gs_pytorch_key(x, "frames");
	if (!stack || stack >= x->s->nstacks) {
		gs_pickler_raw(&x->p, "]", 1);
		return;
	}
	if (x->stacks[stack]) {
		gs_pickler_get(&x->p, x->stacks[stack]);
		return;
	}
	const gs_stack *k = &x->s->stacks[stack];
	gs_pickler_list(&x->p);
	for (uint32_t i = 0; i < k->n; i++)
		frame(x, x->s->stack_frames[k->first + i]);
	gs_pickler_list_end(&x->p);
	x->stacks[stack] = gs_pickler_put(&x->p);
}

void gs_pytorch_pool(gs_pytorch_writer *x, const char *name, gs_pool_id id)
{
	gs_pytorch_key(x, name);
	gs_pickler_pair(&x->p, id.a, id.b);
}

void gs_pytorch_more(gs_pytorch_writer *x, gs_id id)
{
	const gs_string *text = id && id < x->s->nstrings ? &x->s->strings[id] : NULL;
	if (!text || text->length > GS_MOST_MORE)
		return; /* a long one, which each of a million events may name, would fill the disk */
	struct members *m = &x->more[id];
	if (!m->at && !x->p.status)
		x->p.status = gs_pickle_json_members(text->text, text->length, &m->at, &m->n);
	if (m->n)
		gs_pickler_raw(&x->p, m->at, m->n);
}
