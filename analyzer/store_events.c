/* Events in their compact form: what the bulk of a database is. */
#include "analyzer/store_inner.h"

static int64_t first_time(const gs_trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->events[i].time_us != GS_NONE)
			return t->events[i].time_us;
	return 0;
}

static gs_status put_trace(gs_fill *f, const gs_device *d, int64_t base, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(f->store->db, "INSERT INTO main.trace VALUES (?,?,?,?,?)", &q, err);
	if (status)
		return status;
	gs_db_int(q, 1, f->id);
	gs_db_int(q, 2, d->device);
	gs_db_int(q, 3, f->store->next_event);
	gs_db_int(q, 4, (int64_t)d->trace.n);
	gs_db_int(q, 5, base);
	status = gs_db_do(q, err);
	sqlite3_finalize(q);
	return status;
}

/* The texts of the pool ids, each once. */
typedef char pool_text[44];

static void bind_event(const gs_fill *f, sqlite3_stmt *q, const gs_event *e, int64_t base, pool_text *pools)
{
	gs_action action = gs_event_action(e);
	gs_id stack = gs_fill_stack(f, e->stack), tag = gs_event_tag(e);
	sqlite3_bind_int(q, 3, (int)action);
	if (action == GS_ACTION_OOM)
		sqlite3_bind_null(q, 4);
	else
		sqlite3_bind_int64(q, 4, (int64_t)e->address);
	sqlite3_bind_int64(q, 5, (int64_t)e->size);
	if (e->stream < f->s->nstreams)
		sqlite3_bind_int64(q, 6, (int64_t)f->s->streams[e->stream]);
	else
		sqlite3_bind_null(q, 6);
	gs_db_text(q, 7, e->pool && e->pool <= f->s->npools ? pools[e->pool - 1] : NULL);
	gs_db_int(q, 8, e->time_us == GS_NONE ? GS_NONE : (int64_t)((uint64_t)e->time_us - (uint64_t)base));
	if (stack)
		sqlite3_bind_int64(q, 9, stack);
	else
		sqlite3_bind_null(q, 9);
	if (tag)
		sqlite3_bind_int64(q, 10, tag);
	else
		sqlite3_bind_null(q, 10);
}

static gs_status put_events(gs_fill *f, const gs_device *d, int64_t base, pool_text *pools, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(f->store->db, "INSERT INTO main.packed_event VALUES (?,?,?,?,?,?,?,?,?,?)", &q, err);
	if (status)
		return status;
	sqlite3_bind_int64(q, 1, f->id);
	for (size_t i = 0; i < d->trace.n; i++) {
		sqlite3_bind_int64(q, 2, f->store->next_event++);
		bind_event(f, q, &d->trace.events[i], base, pools);
		int rc = sqlite3_step(q);
		if (rc != SQLITE_DONE) {
			status = gs_db_fail(f->store->db, rc, sqlite3_sql(q), err);
			break;
		}
		sqlite3_reset(q);
	}
	sqlite3_finalize(q);
	return status;
}

gs_status gs_fill_events(gs_fill *f, const gs_device *d, gs_error *err)
{
	if (!d->trace.n)
		return GS_OK;
	int64_t base = first_time(&d->trace);
	pool_text *pools = sqlite3_malloc64((f->s->npools + 1) * sizeof *pools);
	if (!pools)
		return gs_fail(err, GS_NO_MEMORY, "pool ids");
	for (uint32_t i = 0; i < f->s->npools; i++)
		gs_pool_text(pools[i], f->s->pools[i]);
	gs_status status = put_trace(f, d, base, err);
	if (!status)
		status = put_events(f, d, base, pools, err);
	sqlite3_free(pools);
	return status;
}
