/* The model as PyTorch's nested dictionaries. */
#include "analyzer/export/pytorch.h"

#include <stdlib.h>

#include "analyzer/export/pytorch_internal.h"
#include "analyzer/state/state.h"

/* Pinned host memory, as PyTorch has it: its events are one list. */
static void host(gs_pytorch_writer *x)
{
	const gs_device *d = NULL;
	for (size_t i = 0; i < x->s->ndevices && !d; i++)
		d = gs_device_is_host(x->s, &x->s->devices[i]) ? &x->s->devices[i] : NULL;
	if (!d)
		return;
	gs_pytorch_segments(x, true);
	gs_pytorch_key(x, "host_traces");
	gs_pickler_list(&x->p);
	for (size_t k = 0; k < d->trace.n; k++)
		gs_pytorch_event(x, &d->trace.events[k]);
	gs_pickler_list_end(&x->p);
}

static void everything(gs_pytorch_writer *x)
{
	gs_pickler_dict(&x->p);
	gs_pytorch_segments(x, false);
	gs_pytorch_traces(x);
	host(x);
	gs_pytorch_facts(x);
	gs_pickler_dict_end(&x->p);
}

/* A stream's last layout is of an earlier moment; PyTorch's segments are those after the trace. */
static gs_status build_layouts(gs_pytorch_writer *x, gs_error *err)
{
	gs_status status = GS_OK;
	for (size_t i = 0; i < x->s->ndevices; i++)
		gs_layout_init(&x->built[i]);
	for (size_t i = 0; i < x->s->ndevices && !status; i++) {
		const gs_device *d = &x->s->devices[i];
		if (d->captured.idx != GS_NONE)
			status = gs_state_select(x->s, d, "captured", &x->built[i], NULL, err);
	}
	return status;
}

static void release_layouts(gs_pytorch_writer *x)
{
	for (size_t i = 0; x->built && i < x->s->ndevices; i++)
		gs_layout_release(&x->built[i]);
	free(x->built);
}

static bool has_anything(const gs_snapshot *s)
{
	for (size_t i = 0; i < s->ndevices; i++)
		if (s->devices[i].captured.nsegments || s->devices[i].trace.n)
			return true;
	return s->kind == GS_KIND_PYTORCH || s->kind == GS_KIND_GSNAP;
}

gs_status gs_export_pytorch(
	const gs_snapshot *s, gs_sink sink, void *arg, size_t *left_out, gs_error *err)
{
	if (!has_anything(s))
		return gs_fail(err, GS_UNSUPPORTED, "it has neither segments nor events to export");
	gs_pytorch_writer *x = calloc(1, sizeof *x);
	gs_status status;
	if (!x)
		return gs_no_memory(err);
	x->s = s;
	x->strings = calloc(s->nstrings + 1, sizeof *x->strings);
	x->frames = calloc(s->nframes + 1, sizeof *x->frames);
	x->stacks = calloc(s->nstacks + 1, sizeof *x->stacks);
	x->more = calloc(s->nstrings + 1, sizeof *x->more);
	x->built = calloc(s->ndevices + 1, sizeof *x->built);
	status = x->strings && x->frames && x->stacks && x->more && x->built ? build_layouts(x, err)
																		 : gs_no_memory(err);
	if (!status) {
		gs_pickler_init(&x->p, sink, arg);
		everything(x);
		status = gs_pickler_finish(&x->p, err);
	}
	if (left_out)
		*left_out = x->left_out;
	for (uint32_t i = 0; x->more && i < s->nstrings; i++)
		free(x->more[i].at);
	release_layouts(x);
	free(x->more);
	free(x->strings);
	free(x->frames);
	free(x->stacks);
	free(x);
	return status;
}
