/* Opening what a command line names. */
#include "tools/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int gs_inputs_open(
	const gs_arguments *files, const gs_common *common, unsigned want, gs_input *input)
{
	gs_error err = GS_ERROR_INIT;
	gs_input_options ask = {want, common->rank, gs_inputs_note, NULL};
	gs_progress_begin(files->n ? files->text[0] : "the newest dump");
	gs_status status = gs_input_open(
		(const char *const *)files->text, (size_t)files->n, &ask, input, &err);
	gs_progress_end();
	return status ? gs_fail_file(input->failed, &err, NULL) : -1;
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
