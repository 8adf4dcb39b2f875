/* The snapshots that a session shows. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/query/session_internal.h"
#include "analyzer/store/db.h"

gs_status gs_session_add_item(
	gs_session *session, int64_t id, int64_t rank, const char *path, gs_error *err)
{
	if (!GS_ARRAY_ONE_MORE(session->items, session->n))
		return gs_fail(err, GS_NO_MEMORY, "a list of snapshots");
	session->items[session->n++] = (gs_session_item){id, rank, path ? strdup(path) : NULL};
	return gs_db_runf(gs_store_connection(session->store), err,
		"INSERT INTO temp.chosen VALUES (%lld)", (long long)id);
}

static int by_id(const void *key, const void *element)
{
	int64_t id = *(const int64_t *)key, other = ((const gs_session_item *)element)->id;
	return (id > other) - (id < other);
}

bool gs_session_snapshot(
	const gs_session *session, int64_t snapshot_id, int64_t *rank, const char **path)
{
	const gs_session_item *x = session->n
		? bsearch(&snapshot_id, session->items, session->n, sizeof *x, by_id)
		: NULL;
	if (!x)
		return false;
	*rank = x->rank;
	*path = x->path;
	return true;
}
