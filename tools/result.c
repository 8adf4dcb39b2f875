/* Standard output, or a file that appears when the command has succeeded. */
#include "tools/result.h"

#include <string.h>

#include "tools/message.h"

int gs_result_open(gs_result *r, const gs_common *common, unsigned flags)
{
	gs_error err = GS_ERROR_INIT;
	*r = (gs_result){stdout, "standard output", GS_OUTFILE_INIT};
	if (!common->output)
		return -1;
	r->name = strcmp(common->output, "-") ? common->output : r->name;
	if (gs_outfile_open(
			&r->file, common->output, flags | (common->force ? GS_OUTFILE_FORCE : 0), &err))
		return gs_fail_file(r->name, &err, NULL);
	r->stream = r->file.stream;
	return -1;
}

int gs_result_close(gs_result *r, int status)
{
	gs_error err = GS_ERROR_INIT;
	bool failed = status == GS_EXIT_FAILED || status == GS_EXIT_USAGE;
	if (r->stream == stdout)
		return gs_finish_stdout(status);
	if (!failed && gs_outfile_commit(&r->file, &err))
		status = gs_fail_file(r->name, &err, NULL);
	gs_outfile_drop(&r->file);
	return status;
}
