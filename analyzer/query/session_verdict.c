/* Tables that are computed in C when a question reads them: the steps of the verdict, the cheapest
 * evictions. */
#include "analyzer/store/db.h"
#include "analyzer/diagnose/diagnose.h"
#include "analyzer/query/session_internal.h"
#include "analyzer/store/store_internal.h"

static gs_status put_fit(sqlite3 *db, int64_t id, const gs_diagnosis *d, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(db, "INSERT INTO temp.fit VALUES (?,?,?,?,?,?,?)", &q, err);
	for (int i = 0; i < d->nladder && !status; i++) {
		const gs_rung *r = &d->ladder[i];
		gs_db_int(q, 1, id);
		gs_db_int(q, 2, d->device ? gs_device_number(d->device->device) : GS_NONE);
		gs_db_text(q, 3, gs_step_word(r->step));
		gs_db_text(q, 4, gs_step_question(r->step));
		gs_db_int(q, 5, r->available);
		gs_db_int(q, 6, r->needed);
		gs_db_int(q, 7, r->fits < 0 ? GS_NONE : r->fits);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

static gs_status put_evictions(sqlite3 *db, int64_t id, const gs_diagnosis *d, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		db, "INSERT INTO temp.eviction VALUES (?,?,?,?,?,?,?,?)", &q, err);
	for (size_t i = 0; i < d->nevictions && !status; i++) {
		const gs_eviction *e = &d->evictions[i];
		bool several = e->segment >= d->layout.nsegments;
		gs_db_int(q, 1, id);
		gs_db_int(q, 2, gs_device_number(d->device->device));
		gs_db_int(q, 3, several ? GS_NONE : (int64_t)d->layout.segments[e->segment].address);
		gs_db_int(q, 4, several ? GS_NONE : (int64_t)e->address);
		gs_db_int(q, 5, (int64_t)e->size);
		gs_db_int(q, 6, (int64_t)e->live_bytes);
		gs_db_int(q, 7, (int64_t)e->live_blocks);
		gs_db_int(q, 8, e->sufficient);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

static gs_status judge_failure(gs_session *session, const gs_snapshot *s, int64_t id, unsigned want,
	gs_diagnose_options *o, gs_error *err)
{
	gs_diagnosis d = GS_DIAGNOSIS_INIT;
	sqlite3 *db = gs_store_connection(session->store);
	gs_status status = want & GS_WANT_EVICTION ? gs_diagnose(s, o, &d, err)
											   : gs_diagnose_ladder(s, o, &d, err);
	if (!status)
		status = put_fit(db, id, &d, err);
	if (!status && want & GS_WANT_EVICTION)
		status = put_evictions(db, id, &d, err);
	gs_diagnosis_release(&d);
	return status;
}

static bool has_oom(const gs_snapshot *s, int32_t device)
{
	for (size_t i = 0; i < s->nooms; i++)
		if (s->ooms[i].device == device)
			return true;
	return false;
}

/* Each device that failed is judged in the state that is shown for it. */
gs_status gs_session_fill_verdict(
	gs_session *session, const gs_snapshot *s, int64_t id, unsigned want, gs_error *err)
{
	gs_status status = GS_OK;
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	if (!(want & (GS_WANT_FIT | GS_WANT_EVICTION)))
		return GS_OK;
	o.state = session->options.state;
	o.recordings = session->options.recordings;
	for (size_t i = 0; i < s->ndevices && !status; i++) {
		int32_t device = s->devices[i].device;
		if (!has_oom(s, device) ||
			(session->options.device != GS_NONE && session->options.device != device))
			continue;
		o.any_device = false;
		o.device = device;
		gs_error why = GS_ERROR_INIT;
		status = judge_failure(session, s, id, want, &o, &why);
		if (status == GS_NOT_FOUND && session->options.device == GS_NONE)
			status = GS_OK;
		else if (status)
			gs_fail(err, status, "%s", why.text);
	}
	o.any_device = true;
	if (!status && has_oom(s, -1) && !gs_snapshot_find_device(s, -1) &&
		session->options.device == GS_NONE)
		status = judge_failure(session, s, id, want, &o, err);
	return status;
}
