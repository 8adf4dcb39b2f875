/* A recording as a folder of tables. */
#ifndef GS_TOOLS_EXPORT_TABLES_H
#define GS_TOOLS_EXPORT_TABLES_H

#include "analyzer/open/input.h"
#include "analyzer/query/emit.h"
#include "tools/options.h"

/* Writes common->output/TABLE.csv or .jsonl for each table and view that SQL is meant to ask, with
 * the rows that `query` gives for SELECT * of it. The folder must not exist, unless -f: then files
 * of the same names in it are replaced. Returns the exit status after telling what went wrong; a
 * folder that was made here is then taken away again. */
int gs_export_tables(
	const gs_input *input, const gs_arguments *files, const gs_common *common, gs_format format);

#endif
