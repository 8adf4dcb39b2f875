#!/bin/sh
# Writes C that embeds SQL files: one array element a file (path below schema/sql, text), sorted by path.
# usage: embed-sql.sh schema/sql/a.sql …
echo '/* generated from schema/sql */'
echo '#include "schema/sql.h"'
echo 'const gs_sql_file gs_sql_files[] = {'
for f in "$@"; do
	printf '\t{ "%s",\n' "${f#schema/sql/}"
	sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/\t  "&\\n"/' "$f"
	printf '\t},\n'
done
echo '	{ 0, 0 }'
echo '};'
