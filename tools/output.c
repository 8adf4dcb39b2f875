/* Where results go and in which form. */
#include "tools/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/message.h"

enum { TERMINAL_ROWS = 40 };

const char *const gs_format_words[] = {
	"auto", "table", "tsv", "csv", "json", "jsonl", "markdown", NULL};

int gs_format_parse(const char *word)
{
	for (int i = 0; gs_format_words[i]; i++)
		if (!strcmp(word, gs_format_words[i]))
			return i;
	return strcmp(word, "md") ? -1 : GS_FORMAT_MARKDOWN;
}

bool gs_output_is_terminal(void) { return isatty(STDOUT_FILENO); }

gs_format gs_output_format(int format)
{
	if (format != GS_FORMAT_AUTO)
		return (gs_format)format;
	return gs_output_is_terminal() ? GS_FORMAT_TABLE : GS_FORMAT_TSV;
}

gs_format gs_output_format_of(const gs_common *common)
{
	return common->output && common->format == GS_FORMAT_AUTO ? GS_FORMAT_TSV
															  : gs_output_format(common->format);
}

uint64_t gs_output_limit(const gs_common *common)
{
	if (common->rows != GS_UNSET)
		return (uint64_t)common->rows;
	return !common->output && gs_output_is_terminal() &&
			gs_output_format_of(common) == GS_FORMAT_TABLE
		? TERMINAL_ROWS
		: 0;
}

void gs_output_left(uint64_t left)
{
	if (left)
		gs_note("%llu more row%s; -n 0 shows all", (unsigned long long)left, left == 1 ? "" : "s");
}

/* COLUMNS, where it is exported, is what the user wants, also for a pipe. */
int gs_output_width(void)
{
	struct winsize w;
	const char *columns = getenv("COLUMNS");
	int n = columns ? atoi(columns) : 0;
	if (n > 0)
		return n;
	if (!gs_output_is_terminal())
		return 0;
	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col ? w.ws_col : 80;
}

gs_status gs_output_copy(FILE *from, FILE *to, gs_error *err)
{
	char buf[65536];
	size_t n;
	if (fflush(from) || ferror(from))
		return gs_fail(err, GS_IO, "temporary file: %s", strerror(errno));
	rewind(from);
	while ((n = fread(buf, 1, sizeof buf, from)))
		if (fwrite(buf, 1, n, to) != n)
			return gs_fail(err, GS_IO, "%s", strerror(errno));
	return GS_OK;
}
