/* gpusnap page: the analyzer for any browser, as one file to drop snapshots on. */
#include "tools/command.h"
#include "tools/message.h"
#include "tools/options.h"
#include "tools/output_name.h"
#include "tools/page_file.h"
#include "tools/result.h"

static int write_page(const gs_page_file *page, const gs_common *common)
{
	gs_error err = GS_ERROR_INIT;
	gs_result result;
	int status = gs_result_open(&result, common, 0);
	if (status >= 0)
		return status;
	gs_page_file_write(page, result.stream, NULL, 0, &err);
	return gs_result_close(&result, GS_EXIT_DONE);
}

int gs_cmd_page(int argc, char **argv)
{
	gs_common common = GS_COMMON_INIT;
	const gs_option options[] = {
		GS_OPTIONS_OUTPUT(common), GS_OPTIONS_QUIET(common), GS_OPTIONS_END};
	gs_page_file page;
	gs_arguments none;
	gs_error err = GS_ERROR_INIT;
	int status = gs_options_parse(options, argc, argv, 0, 0, &none);
	if (status >= 0)
		return status;
	gs_message_quiet(common.quiet);
	if (!common.output)
		return gs_fail_usage("page", NULL, "where to? (-o gpusnap.html)");
	if ((status = gs_output_name_check("page", common.output, "html htm", "a page")) >= 0)
		return status;
	status = gs_page_file_open(&page, &err) ? gs_fail_file(NULL, &err, NULL)
											: write_page(&page, &common);
	gs_page_file_release(&page);
	return status;
}
