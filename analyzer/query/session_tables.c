/* The schema as a table: what stands in the comments of schema/sql. */
#include <string.h>

#include "analyzer/query/session_internal.h"
#include "analyzer/store/db.h"
#include "schema/sql.h"

static void bind_part(sqlite3_stmt *q, int at, const char *text, size_t n)
{
	if (n)
		sqlite3_bind_text(q, at, text, (int)n, SQLITE_STATIC);
	else
		sqlite3_bind_null(q, at);
}

/* "\tsize INTEGER NOT NULL, -- bytes": the name without quotes, the word behind it, the comment. */
static gs_status put_line(sqlite3_stmt *q, const char *line, size_t n, gs_error *err)
{
	const char *name = line + 1, *comment = memmem(line, n, "-- ", 3), *type;
	size_t length = strcspn(name, " ,");
	if (name[0] == '"') {
		name++;
		length -= 2;
	}
	if (line[0] != '\t' || !length || !comment || !strncmp(name, "PRIMARY", 7) ||
		!strncmp(name, "UNIQUE", 6))
		return GS_OK;
	type = name + length + (name[length] == '"');
	type += *type == ' ';
	bind_part(q, 2, name, length);
	bind_part(q, 3, type, type < comment && *type != ',' ? strcspn(type, " ,\n") : 0);
	comment += 3;
	bind_part(q, 4, comment, (size_t)(line + n - comment));
	return gs_db_do(q, err);
}

static gs_status put_table(sqlite3_stmt *q, const char *sql, gs_error *err)
{
	const char *name = strncmp(sql, "CREATE VIEW ", 12) ? sql + strlen("CREATE TABLE ") : sql + 12;
	if (!strncmp(name, "temp.", 5))
		name += 5;
	bind_part(q, 1, name, strcspn(name, " "));
	gs_status status = GS_OK;
	for (const char *line = strchr(sql, '\n'); line && line[1] != ')' && !status;) {
		const char *end = strchr(line + 1, '\n');
		if (end)
			status = put_line(q, line + 1, (size_t)(end - line - 1), err);
		line = end;
	}
	return status;
}

gs_status gs_session_fill_tables(gs_session *session, gs_error *err)
{
	static const char *const folders[] = {"view/", "table/", "temp/"};
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(gs_store_connection(session->store),
		"INSERT INTO temp.table_column VALUES (?,?,?,?)", &q, err);
	for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
		for (const gs_sql_file *f = gs_sql_files; f->path && !status; f++)
			if (!strncmp(f->path, folders[k], strlen(folders[k])) &&
				strcmp(f->path, "temp/shown_state.sql") != 0)
				status = put_table(q, f->text, err);
	sqlite3_finalize(q);
	return status;
}
