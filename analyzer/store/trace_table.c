/* A trace as a table that SQL can select from. */
#include "analyzer/store/trace_table.h"

#include <stdlib.h>
#include <string.h>

typedef struct rows_table {
	sqlite3_vtab base;
	gs_trace_rows *rows;
} rows_table;
typedef struct rows_cursor {
	sqlite3_vtab_cursor base;
	const gs_trace_rows *rows;
	size_t at;
} rows_cursor;

static int connect(
	sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
	(void)argc;
	(void)argv;
	(void)message;
	int rc = sqlite3_declare_vtab(db,
		"CREATE TABLE x (snapshot_id, id, action, address, size, stream, pool_id, time, stack_id, tag_id, more_id)");
	if (rc)
		return rc;
	rows_table *t = sqlite3_malloc(sizeof *t);
	if (!t)
		return SQLITE_NOMEM;
	memset(t, 0, sizeof *t);
	t->rows = aux;
	*out = &t->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *t, sqlite3_index_info *info)
{
	const gs_trace_rows *rows = ((rows_table *)t)->rows;
	info->estimatedCost = 1e6;
	info->estimatedRows = rows->trace ? (sqlite3_int64)rows->trace->n : 0;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	rows_cursor *c = sqlite3_malloc(sizeof *c);
	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, sizeof *c);
	c->rows = ((rows_table *)t)->rows;
	*out = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

static int filter(
	sqlite3_vtab_cursor *c, int number, const char *text, int argc, sqlite3_value **argv)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	((rows_cursor *)c)->at = 0;
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *c)
{
	((rows_cursor *)c)->at++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *c)
{
	const rows_cursor *r = (const rows_cursor *)c;
	return !r->rows->trace || r->at >= r->rows->trace->n;
}

static int rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *id)
{
	*id = (sqlite3_int64)((rows_cursor *)c)->at;
	return SQLITE_OK;
}

/* Ids of 0 are none. */
static void result_id(sqlite3_context *x, gs_id id)
{
	if (id)
		sqlite3_result_int64(x, id);
}

static void result_pool(sqlite3_context *x, const gs_trace_rows *r, const gs_event *e)
{
	if (e->pool && e->pool <= r->snapshot->npools)
		sqlite3_result_text(x, r->pool_texts[e->pool - 1], -1, SQLITE_STATIC);
}

static int column(sqlite3_vtab_cursor *c, sqlite3_context *x, int number)
{
	const rows_cursor *cursor = (const rows_cursor *)c;
	const gs_trace_rows *r = cursor->rows;
	const gs_event *e = &r->trace->events[cursor->at];
	switch (number) {
	case 0: sqlite3_result_int64(x, r->snapshot_id); break;
	case 1: sqlite3_result_int64(x, r->first_id + (int64_t)cursor->at); break;
	case 2: sqlite3_result_int(x, (int)gs_event_action(e)); break;
	case 3: /* an out-of-memory has no address */
		if (gs_event_action(e) != GS_ACTION_OOM)
			sqlite3_result_int64(x, (int64_t)e->address);
		break;
	case 4: sqlite3_result_int64(x, (int64_t)e->size); break;
	case 5:
		if (e->stream < r->snapshot->nstreams)
			sqlite3_result_int64(x, (int64_t)r->snapshot->streams[e->stream]);
		break;
	case 6: result_pool(x, r, e); break;
	case 7:
		if (e->time_us != GS_NONE)
			sqlite3_result_int64(x, (int64_t)((uint64_t)e->time_us - (uint64_t)r->base_us));
		break;
	case 8: result_id(x, e->stack < r->snapshot->nstacks ? r->stack_of[e->stack] : 0); break;
	case 9: result_id(x, gs_event_tag(e)); break;
	default: result_id(x, e->more);
	}
	return SQLITE_OK;
}

int gs_trace_rows_register(sqlite3 *db, gs_trace_rows *rows)
{
	static const sqlite3_module module = {
		.xConnect = connect,
		.xBestIndex = best_index,
		.xDisconnect = disconnect,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = filter,
		.xNext = next,
		.xEof = at_end,
		.xColumn = column,
		.xRowid = rowid,
	};
	return sqlite3_create_module_v2(db, "gs_trace_rows", &module, rows, NULL);
}
