#include "tools/output_name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tools/message.h"
#include "tools/output.h"

static const char known[] =
	"png svg jpg jpeg gif pdf html htm md markdown json jsonl csv tsv db sqlite sqlite3 gsnap pickle pkl pftrace perfetto folded parquet zip";

/* The letters behind the last dot of the name, "" for none. */
static const char *ending_of(const char *output)
{
	const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output,
			   *dot = strrchr(name, '.');
	return dot && dot > name ? dot + 1 : "";
}

static bool listed(const char *words, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = words; n && *p; p += strspn(p, " ")) {
		size_t length = strcspn(p, " ");
		if (length == n && !strncasecmp(p, word, n))
			return true;
		p += length;
	}
	return false;
}

int gs_output_name_check(
	const char *command, const char *output, const char *kinds, const char *what)
{
	char hint[120];
	const char *ending = output ? ending_of(output) : "";
	if (!listed(known, ending) || listed(kinds, ending))
		return -1;
	snprintf(hint, sizeof hint, "its name may end in .%.*s", (int)strcspn(kinds, " "), kinds);
	return gs_fail_usage(command, *kinds ? hint : NULL, "%s cannot be written as %s", what, output);
}

static gs_format format_of(const char *ending)
{
	for (int i = GS_FORMAT_TSV; gs_format_words[i]; i++)
		if (!strcasecmp(ending, gs_format_words[i]))
			return (gs_format)i;
	return strcasecmp(ending, "md") ? GS_FORMAT_AUTO : GS_FORMAT_MARKDOWN;
}

int gs_output_name_rows(const char *command, gs_common *common)
{
	if (!common->output)
		return -1;
	gs_format told = format_of(ending_of(common->output));
	int status = gs_output_name_check(
		command, common->output, "tsv csv json jsonl md markdown", "a table of rows");
	if (status >= 0 || told == GS_FORMAT_AUTO)
		return status;
	if (common->format == GS_FORMAT_AUTO)
		common->format = (int)told;
	else if (common->format != (int)told)
		return gs_fail_usage(command, "leave --format out, or give the name its ending",
			"%s cannot be written as %s", gs_format_words[common->format], common->output);
	return -1;
}
