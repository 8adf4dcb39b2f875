#include "tools/picture_file.h"

#include <stdio.h>
#include <string.h>

#include "tools/message.h"
#include "tools/outfile.h"

int gs_picture_file_check(const char *command, const gs_common *common)
{
	if (!common->output)
		return gs_fail_usage(command, NULL, "where to? (-o FILE.png or FILE.svg)");
	if (gs_picture_form_of(common->output) == GS_PICTURE_FORMS)
		return gs_fail_usage(command, "its name may end in .png or .svg",
			"a picture cannot be written as %s", common->output);
	return -1;
}

static int write_stdout(const gs_picture *picture)
{
	gs_error err = GS_ERROR_INIT;

	if (gs_picture_write(picture, GS_PICTURE_PNG, "picture", stdout, &err) && !ferror(stdout))
		return gs_fail_file(NULL, &err, NULL);
	return gs_finish_stdout(GS_EXIT_DONE);
}

int gs_picture_file(const gs_picture *picture, const gs_common *common)
{
	gs_outfile file = GS_OUTFILE_INIT;
	gs_error err = GS_ERROR_INIT;
	gs_status status;

	if (!strcmp(common->output, "-"))
		return write_stdout(picture);
	status = gs_outfile_open(&file, common->output, common->force, &err);
	if (!status)
		status = gs_picture_write(
			picture, gs_picture_form_of(common->output), "picture", file.stream, &err);
	if (!status)
		status = gs_outfile_commit(&file, &err);
	gs_outfile_drop(&file);
	return status ? gs_fail_file(common->output, &err, NULL) : GS_EXIT_DONE;
}
