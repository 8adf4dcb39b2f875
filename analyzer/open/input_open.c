/* All snapshots of a command line at once. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/open/walk.h"

typedef struct opening {
	gs_input *input;
	const gs_input_options *options;
} opening;

static gs_status read_entry(void *user, const gs_input_entry *entry, gs_snapshot *s, gs_error *err)
{
	const opening *o = user;
	return o->options->read ? o->options->read(entry, o->options->want, o->options->how, s, err)
							: gs_input_read(entry, o->options->want, s, err);
}

static gs_status keep_snapshot(void *user, gs_snapshot *s, gs_error *err)
{
	gs_input *input = ((opening *)user)->input;
	(void)err;
	input->snapshots[input->n++] = *s;
	gs_snapshot_init(s);
	return GS_OK;
}

static gs_status read_all(gs_input *input, gs_input_list *list, const char *first,
	const gs_input_options *options, gs_error *err)
{
	opening o = {input, options};
	gs_input_walk walk = {.list = list,
		.rank = options->rank,
		.keeps = true,
		.first = first,
		.note = options->note,
		.context = options->context,
		.read = read_entry,
		.each = keep_snapshot,
		.user = &o};
	input->snapshots = calloc(list->n ? list->n : 1, sizeof *input->snapshots);
	if (!input->snapshots)
		return gs_fail(err, GS_NO_MEMORY, "%zu snapshots", list->n);
	gs_status status = gs_input_walk_run(&walk, err);
	input->failed = walk.failed;
	return status;
}

gs_status gs_input_open(const char *const *paths, size_t n, const gs_input_options *options,
	gs_input *input, gs_error *err)
{
	gs_input_list list = GS_INPUT_LIST_INIT;
	*input = (gs_input)GS_INPUT_INIT;
	gs_status status = gs_input_expand(paths, n, options->note, options->context, &list, err);
	if (status) {
		input->failed = list.failed;
		list.failed = NULL;
	} else {
		status = read_all(input, &list, n ? paths[0] : NULL, options, err);
	}
	input->losses = list.losses;
	list.losses = (gs_input_losses)GS_INPUT_LOSSES_INIT;
	gs_input_list_release(&list);
	return status;
}

void gs_input_release(gs_input *input)
{
	for (size_t i = 0; i < input->n; i++)
		gs_snapshot_release(&input->snapshots[i]);
	free(input->snapshots);
	free(input->failed);
	gs_input_losses_release(&input->losses);
	*input = (gs_input)GS_INPUT_INIT;
}
