/* Opening what a command line names. */
#include "tools/inputs.h"

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
	gs_input_ask ask = {want, common->rank, gs_inputs_note, NULL};
	gs_progress_begin(files->n ? files->text[0] : "the newest dump");
	gs_status status = gs_input_open(
		(const char *const *)files->text, (size_t)files->n, &ask, input, &err);
	gs_progress_end();
	return status ? gs_fail_file(input->failed, &err, NULL) : -1;
}
