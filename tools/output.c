/* The formats by name. */
#include "tools/output.h"

#include <string.h>

const char *const gs_format_words[] = { "auto", "table", "tsv", "csv", "json", "jsonl", "markdown", NULL };

int gs_format_parse(const char *word)
{
	for (int i = 0; gs_format_words[i]; i++)
		if (!strcmp(word, gs_format_words[i]))
			return i;
	return strcmp(word, "md") ? -1 : GS_FORMAT_MARKDOWN;
}
