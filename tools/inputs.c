/* Opening what a command line names. */
#include "tools/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/failure.h"
#include "analyzer/query/part.h"
#include "tools/message.h"

void gs_inputs_note(void *context, const char *file, const char *text)
{
	(void)context;
	gs_progress_end();
	if (file)
		gs_warn(file, text);
	else
		gs_note("%s", text);
}

void gs_inputs_tell_losses(const gs_input_losses *losses)
{
	if (!losses)
		return;
	if (losses->skipped)
		gs_note("skipped %zu other file%s", losses->skipped, losses->skipped == 1 ? "" : "s");
	for (size_t i = 0; i < losses->n; i++)
		gs_fail_after(losses->all[i].path, &losses->all[i].error);
}

static gs_status read_part(
	const gs_input_entry *entry, unsigned want, const void *how, gs_snapshot *s, gs_error *err)
{
	return gs_part_read(entry, want, how, s, err);
}

/* What somebody needs who named what is no file here. */
static const char *hint_of(const gs_input *input, const gs_error *err)
{
	bool address = input->failed && strstr(input->failed, "://") && err->status == GS_NOT_FOUND;
	return address
		? "files are read from this machine alone: fetch it first (curl -O), or pipe it in"
		: NULL;
}

static int open_at(const gs_arguments *files, const gs_common *common, unsigned want,
	const gs_part_wanted *part, gs_input *input)
{
	gs_error err = GS_ERROR_INIT;
	gs_input_options options = {.want = want,
		.rank = common->rank,
		.read = part ? read_part : NULL,
		.how = part,
		.note = gs_inputs_note};
	gs_progress_begin(files->n ? files->text[0] : "the newest dump");
	gs_status status = gs_input_open(
		(const char *const *)files->text, (size_t)files->n, &options, input, &err);
	gs_progress_end();
	gs_inputs_tell_losses(&input->losses);
	return status ? gs_fail_file(input->failed, &err, hint_of(input, &err)) : -1;
}

int gs_inputs_open(
	const gs_arguments *files, const gs_common *common, unsigned want, gs_input *input)
{
	return open_at(files, common, want, NULL, input);
}

int gs_inputs_open_state(
	const gs_arguments *files, const gs_common *common, unsigned want, gs_input *input)
{
	return gs_inputs_open_part(files, common, want, common->state, input);
}

int gs_inputs_open_part(const gs_arguments *files, const gs_common *common, unsigned want,
	const char *selector, gs_input *input)
{
	const gs_part_wanted part = {.selector = selector,
		.whole_below = GS_INPUT_WHOLE_EVENTS,
		.reach = GS_INPUT_WHOLE_EVENTS / 4,
		.course = true};
	return open_at(files, common, want, &part, input);
}

static bool has_device(const gs_snapshot *s, int64_t device)
{
	for (size_t i = 0; i < s->ndevices; i++)
		if (s->devices[i].device == device)
			return true;
	return false;
}

const gs_snapshot *gs_inputs_healthy(const gs_input *input, int64_t device)
{
	for (size_t i = 0; device != GS_UNSET && i < input->n; i++)
		if (has_device(&input->snapshots[i], device))
			return &input->snapshots[i];
	return &input->snapshots[0];
}

const gs_snapshot *gs_inputs_first(const gs_input *input, const gs_common *common, const char *done)
{
	gs_failure *failures = NULL;
	size_t n = 0;
	gs_error err = GS_ERROR_INIT;
	bool any_device = common->device == GS_UNSET;
	if (input->n == 1)
		return &input->snapshots[0];
	if (gs_failures_of(input->snapshots, input->n, any_device,
			any_device ? 0 : (int32_t)common->device, &failures, &n)) {
		gs_fail(&err, GS_NO_MEMORY, "%zu failures", input->n);
		gs_fail_file(NULL, &err, NULL);
		return NULL;
	}
	const gs_snapshot *s = n ? failures[0].snapshot : gs_inputs_healthy(input, common->device);
	gs_note("%zu snapshots; %s: %s%s (another: --rank, or name its file)", input->n, done,
		s->path ? s->path : "the first", n > 1 ? ", which failed first" : "");
	free(failures);
	return s;
}

int gs_inputs_with_first(const gs_arguments *files, const gs_common *common, unsigned want,
	uint64_t whole_below, bool untold, const char *done,
	int (*work)(const void *context, const gs_snapshot *s), const void *context)
{
	gs_input input = GS_INPUT_INIT;
	const gs_part_wanted part = {.selector = common->state,
		.whole_below = whole_below,
		.reach = GS_INPUT_WHOLE_EVENTS / 4,
		.course = true,
		.untold = untold};
	int status = open_at(files, common, want, &part, &input);
	if (status < 0) {
		const gs_snapshot *s = gs_inputs_first(&input, common, done);
		status = s ? work(context, s) : GS_EXIT_FAILED;
	}
	gs_input_release(&input);
	return status;
}

enum { MOST_RULES_TEXT = 1 << 20 };

int gs_inputs_rules(const char *path, gs_category_rules **rules)
{
	gs_error err = GS_ERROR_INIT;
	*rules = NULL;
	if (!path)
		return -1;
	FILE *in = fopen(path, "re");
	char *text = in ? malloc(MOST_RULES_TEXT + 1) : NULL;
	size_t n = text ? fread(text, 1, MOST_RULES_TEXT + 1, in) : 0;
	if (!text || ferror(in))
		gs_fail(&err, GS_IO, "%s", strerror(errno));
	else if (n > MOST_RULES_TEXT)
		gs_fail(&err, GS_LIMIT, "more than a megabyte of rules");
	else
		gs_category_rules_read(text, n, rules, &err);
	free(text);
	if (in)
		fclose(in);
	return err.status ? gs_fail_file(path, &err, NULL) : -1;
}
