/* Events in their compact form: what the bulk of a database is. */
#include "analyzer/store/store_internal.h"

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
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.trace VALUES (?,?,?,?,?)", &q, err);
	if (status)
		return status;
	gs_db_int(q, 1, f->id);
	gs_db_int(q, 2, gs_device_number(d->device));
	gs_db_int(q, 3, f->store->next_event);
	gs_db_int(q, 4, (int64_t)d->trace.n);
	gs_db_int(q, 5, base);
	status = gs_db_do(q, err);
	sqlite3_finalize(q);
	return status;
}

gs_status gs_fill_events(gs_fill *f, const gs_device *d, gs_error *err)
{
	if (!d->trace.n)
		return GS_OK;
	char(*pools)[44] = sqlite3_malloc64((f->s->npools + 1) * sizeof *pools);
	if (!pools)
		return gs_fail(err, GS_NO_MEMORY, "pool ids");
	for (uint32_t i = 0; i < f->s->npools; i++)
		gs_pool_text(pools[i], f->s->pools[i]);
	f->store->rows = (gs_trace_rows){f->s, &d->trace, f->stack_of, (const char(*)[44])pools, f->id,
		f->store->next_event, first_time(&d->trace)};
	gs_status status = put_trace(f, d, f->store->rows.base_us, err);
	if (!status)
		status = gs_db_run(
			f->store->db, "INSERT INTO main.packed_event SELECT * FROM gs_trace_rows", err);
	f->store->next_event += (int64_t)d->trace.n;
	f->store->rows = (gs_trace_rows){NULL, NULL, NULL, NULL, 0, 0, 0};
	sqlite3_free(pools);
	return status;
}
