#include "tools/picture_file.h"

#include "tools/message.h"
#include "tools/result.h"

int gs_picture_file_check(const char *command, const gs_common *common)
{
	if (!common->output)
		return gs_fail_usage(command, NULL, "where to? (-o FILE.png or FILE.svg)");
	if (gs_picture_form_of(common->output) == GS_PICTURE_FORMS)
		return gs_fail_usage(command, "its name may end in .png or .svg",
			"a picture cannot be written as %s", common->output);
	return -1;
}

int gs_picture_file(const gs_picture *picture, const gs_common *common)
{
	gs_result result;
	gs_error err = GS_ERROR_INIT;
	int status = gs_result_open(&result, common, GS_OUTFILE_BINARY);

	if (status >= 0)
		return status;
	status = gs_picture_write(
				 picture, gs_picture_form_of(common->output), "picture", result.stream, &err)
		? gs_fail_file(result.name, &err, NULL)
		: GS_EXIT_DONE;
	return gs_result_close(&result, status);
}
