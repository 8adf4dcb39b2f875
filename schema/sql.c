/* Look-up of an embedded SQL file. */
#include "schema/sql.h"

#include <string.h>

const char *gs_sql_text(const char *path)
{
	for (const gs_sql_file *f = gs_sql_files; f->path; f++)
		if (!strcmp(f->path, path))
			return f->text;
	return NULL;
}
