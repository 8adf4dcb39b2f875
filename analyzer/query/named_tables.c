/* The schema as SQLite's shell shows it: .tables and .schema. */
#include "analyzer/query/query.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "schema/sql.h"

/* Tables that only carry what a view shows. */
static bool is_inner(const char *name, size_t n)
{
	static const char *const inner[] = {"trace", "packed_event", "more", "shown_state"};
	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
		if (strlen(inner[i]) == n && !strncmp(name, inner[i], n))
			return true;
	return false;
}

/* Views first: they are what is asked most. */
static const char *const folders[] = {"view/", "table/", "temp/"};
enum { FOLDERS = sizeof folders / sizeof *folders };

/* The name of the table or view in a file of that folder of the schema, NULL where it is of
 * another. */
static const char *table_of(const gs_sql_file *f, const char *folder, size_t *n)
{
	size_t skip = strlen(folder);
	if (strncmp(f->path, folder, skip))
		return NULL;
	*n = strcspn(f->path + skip, ".");
	return f->path + skip;
}

const char *gs_query_tables(char *text, size_t cap)
{
	size_t at = 0, n;
	*text = 0;
	for (size_t k = 0; k < FOLDERS; k++)
		for (const gs_sql_file *f = gs_sql_files; f->path; f++) {
			const char *name = table_of(f, folders[k], &n);
			if (name && !is_inner(name, n) && at + n + 3 < cap)
				at += (size_t)snprintf(text + at, cap - at, "%s%.*s", at ? ", " : "", (int)n, name);
		}
	return text;
}

static bool is_table(const char *typed)
{
	size_t n;
	for (size_t k = 0; k < FOLDERS; k++)
		for (const gs_sql_file *f = gs_sql_files; f->path; f++) {
			const char *name = table_of(f, folders[k], &n);
			if (name && strlen(typed) == n && !strncasecmp(typed, name, n))
				return true;
		}
	return false;
}

static const char tables_sql[] =
	"SELECT \"table\" FROM table_column WHERE \"table\" NOT IN ('trace', 'packed_event', 'more', 'shown_state')"
	" GROUP BY 1 ORDER BY min(rowid)";
static const char schema_sql[] =
	"SELECT \"table\", \"column\", type, meaning FROM table_column"
	" WHERE :table IS NULL OR \"table\" = :table COLLATE NOCASE ORDER BY rowid";

gs_status gs_query_find_dot(const char *typed, gs_query *q, gs_error *err)
{
	size_t n = strcspn(typed, " \t");
	const char *table = typed + n + strspn(typed + n, " \t");
	memset(q, 0, sizeof *q);
	snprintf(q->name, sizeof q->name, "%.40s", typed);
	if (n == 7 && !strncasecmp(typed, ".tables", n) && !*table) {
		q->sql = tables_sql;
		return GS_OK;
	}
	if (n != 7 || strncasecmp(typed, ".schema", n))
		return gs_fail(err, GS_NOT_FOUND, "`%.60s` is not known; .tables and .schema are", typed);
	if (*table && !is_table(table))
		return gs_fail(err, GS_NOT_FOUND, "there is no table `%.60s`", table);
	q->sql = schema_sql;
	q->table = *table ? table : NULL;
	return GS_OK;
}
