/* The SQL of schema/sql, embedded at build. Constant data, thread-safe. */
#ifndef GS_SCHEMA_SQL_H
#define GS_SCHEMA_SQL_H

typedef struct gs_sql_file {
	const char
		*path; /* below schema/sql, e.g. "query/largest_free_block.sql"; NULL ends the list */
	const char *text;
} gs_sql_file;

/* All files, sorted by path, ended by an entry whose path is NULL. */
extern const gs_sql_file gs_sql_files[];

/* The text of one file, or NULL where there is none of that path. */
const char *gs_sql_text(const char *path);

#endif
