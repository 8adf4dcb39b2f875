/* The bare cost of a database: the rows that `gpusnap load` stores for a file's events, inserted again by SQLite's C API
 * with nothing else around it. usage: insert LOADED.db OUT.db   Prints seconds (CPU). */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct row { sqlite3_int64 value[10]; unsigned char null[10]; } row;

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static row *take(const char *path, size_t *n)
{
	sqlite3 *db;
	sqlite3_stmt *q;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) ||
	    sqlite3_prepare_v2(db, "SELECT count(*) FROM packed_event", -1, &q, NULL) || sqlite3_step(q) != SQLITE_ROW)
		return NULL;
	row *rows = calloc((size_t)sqlite3_column_int64(q, 0), sizeof *rows);
	sqlite3_finalize(q);
	if (sqlite3_prepare_v2(db, "SELECT * FROM packed_event ORDER BY id", -1, &q, NULL))
		return NULL;
	for (*n = 0; sqlite3_step(q) == SQLITE_ROW; ++*n)
		for (int i = 0; i < 10; i++) {
			rows[*n].null[i] = sqlite3_column_type(q, i) == SQLITE_NULL;
			rows[*n].value[i] = sqlite3_column_int64(q, i);
		}
	sqlite3_finalize(q);
	sqlite3_close(db);
	return rows;
}

int main(int argc, char **argv)
{
	size_t n = 0;
	row *rows = argc == 3 ? take(argv[1], &n) : NULL;
	sqlite3 *db, *from;
	sqlite3_stmt *q, *schema;
	if (!rows || sqlite3_open_v2(argv[1], &from, SQLITE_OPEN_READONLY, NULL) ||
	    sqlite3_prepare_v2(from, "SELECT sql FROM sqlite_schema WHERE name = 'packed_event'", -1, &schema, NULL) ||
	    sqlite3_step(schema) != SQLITE_ROW)
		return 1;
	double start = cpu();
	if (sqlite3_open_v2(argv[2], &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) ||
	    sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
			     "PRAGMA cache_size = -8000; BEGIN", NULL, NULL, NULL) ||
	    sqlite3_exec(db, (const char *)sqlite3_column_text(schema, 0), NULL, NULL, NULL) ||
	    sqlite3_prepare_v3(db, "INSERT INTO packed_event VALUES (?,?,?,?,?,?,?,?,?,?)", -1, SQLITE_PREPARE_PERSISTENT, &q, NULL))
		return 1;
	for (size_t r = 0; r < n; r++) {
		for (int i = 0; i < 10; i++)
			if (rows[r].null[i])
				sqlite3_bind_null(q, i + 1);
			else
				sqlite3_bind_int64(q, i + 1, rows[r].value[i]);
		if (sqlite3_step(q) != SQLITE_DONE)
			return 1;
		sqlite3_reset(q);
	}
	if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL))
		return 1;
	sqlite3_finalize(q);
	sqlite3_close(db);
	printf("%.3f\n", cpu() - start);
	return 0;
}
