/* Rows of out-of-memories. */
#include <stdlib.h>

#include "analyzer/store/store_internal.h"

static const char insert_oom[] =
	"INSERT INTO main.oom VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";

static gs_status put_oom(gs_fill *f, sqlite3_stmt *q, const gs_oom *o, size_t number,
	const gs_running_totals *sums, gs_error *err)
{
	char pool_id[44];
	gs_id stack = gs_fill_stack(f, o->stack);
	gs_db_int(q, 1, f->id);
	gs_db_int(q, 2, gs_device_number(o->device));
	gs_db_int(q, 3, (int64_t)number);
	const gs_device *d = gs_snapshot_find_device(f->s, o->device);
	int64_t idx = d ? gs_event_number(&d->trace, o->idx) : o->idx;
	gs_db_int(q, 4, idx == GS_NONE && f->s->excerpt ? o->number : idx);
	gs_db_int(q, 5, o->time_us);
	gs_db_int(q, 6, o->requested);
	gs_db_int(q, 7, o->needed);
	gs_db_int(q, 8, o->stream);
	gs_db_text(q, 9, gs_class_text(o->pool));
	gs_db_text(q, 10, o->has_pool_id ? gs_pool_text(pool_id, o->pool_id) : NULL);
	gs_db_int(q, 11, o->device_free);
	gs_db_int(q, 12, o->capacity);
	gs_db_int(q, 13, o->allocated == GS_NONE && sums ? (int64_t)sums->allocated : o->allocated);
	gs_db_int(q, 14, o->reserved == GS_NONE && sums ? (int64_t)sums->reserved : o->reserved);
	gs_db_int(q, 15, o->allowed);
	gs_db_text(q, 16, o->library);
	gs_db_int(q, 17, stack ? (int64_t)stack : GS_NONE);
	gs_db_text(q, 18, o->message);
	gs_db_int(q, 19, o->told.others);
	gs_db_int(q, 20, o->told.own);
	gs_db_int(q, 21, o->told.counted);
	gs_db_int(q, 22, o->told.private_free);
	gs_db_int(q, 23, o->told.pool_free);
	gs_db_int(q, 24, o->told.pool_largest);
	gs_db_int(q, 25, o->told.line);
	gs_db_int(q, 26, (int64_t)o->told.says);
	return gs_db_do(q, err);
}

/* Bytes after the events of the device's OOM rows; sums has an entry a row, known tells which were
 * found. */
static gs_status sum_ooms(const gs_fill *f, const gs_oom *ooms, size_t n, gs_recording *r,
	gs_running_totals *sums, bool *known, gs_error *err)
{
	const gs_device *d = r->device;
	if (d->layout_at_oom && d->has_layout && n) {
		gs_totals t;
		gs_layout_totals(&d->captured, &t);
		sums[n - 1] = (gs_running_totals){t.allocated, t.pending, t.reserved};
		known[n - 1] = true;
	}
	bool missing = false;
	for (size_t i = 0; i < n; i++)
		missing |= !known[i] && ooms[i].idx != GS_NONE && ooms[i].allocated == GS_NONE;
	if (!missing || !(f->options->want & GS_WANT_OOM_SUMS) || !d->trace.n)
		return GS_OK;
	gs_status status = gs_recording_need_history(r, err);
	if (status)
		return status;
	gs_running_totals g;
	gs_running_totals_start(&r->history, &g);
	size_t at = 0;
	for (size_t i = 0; i < d->trace.n && at < n; i++) {
		gs_running_totals_step(&r->history, i, &g);
		for (; at < n && ooms[at].idx != GS_NONE && (size_t)ooms[at].idx == i; at++) {
			sums[at] = known[at] ? sums[at] : g;
			known[at] = true;
		}
	}
	return GS_OK;
}

gs_status gs_fill_ooms(gs_fill *f, size_t first, size_t n, gs_recording *r, gs_error *err)
{
	const gs_oom *ooms = f->s->ooms + first;
	gs_running_totals *sums = calloc(n + 1, sizeof *sums);
	bool *known = calloc(n + 1, sizeof *known);
	sqlite3_stmt *q = NULL;
	gs_status status = sums && known ? GS_OK : gs_fail(err, GS_NO_MEMORY, "OOM rows");
	if (!status)
		status = sum_ooms(f, ooms, n, r, sums, known, err);
	if (!status)
		status = gs_db_prepare(f->store->db, insert_oom, &q, err);
	for (size_t i = 0; i < n && !status; i++)
		status = put_oom(f, q, &ooms[i], i + 1, known[i] ? &sums[i] : NULL, err);
	sqlite3_finalize(q);
	free(sums);
	free(known);
	return status;
}

gs_status gs_fill_other_ooms(gs_fill *f, gs_error *err)
{
	const gs_snapshot *s = f->s;
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(f->store->db, insert_oom, &q, err);
	size_t number = 0;
	for (size_t i = 0; i < s->nooms && !status; i++) {
		number = i && s->ooms[i - 1].device == s->ooms[i].device ? number + 1 : 1;
		if (!gs_snapshot_find_device(s, s->ooms[i].device))
			status = put_oom(f, q, &s->ooms[i], number, NULL, err);
	}
	sqlite3_finalize(q);
	return status;
}
