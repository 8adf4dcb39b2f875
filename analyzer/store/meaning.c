/* What memory is for, in tables: holders of a state; steps and the peak of a device. */
#include <stdlib.h>

#include "analyzer/meaning/course.h"
#include "analyzer/store/store_internal.h"

static gs_status put_holder(
	gs_fill *f, const gs_meaning *m, const gs_holder_row *row, gs_error *err)
{
	sqlite3_stmt *q = f->holder;
	gs_id stack = gs_fill_stack(f, row->stack);
	gs_db_text(q, 4, row->where);
	gs_db_text(q, 5, row->called_by[0] ? row->called_by : NULL);
	gs_db_text(q, 6, gs_category_word(m->rules, row->category));
	gs_db_int(q, 7, (int64_t)row->bytes);
	gs_db_int(q, 8, (int64_t)row->blocks);
	gs_db_int(q, 9, stack ? (int64_t)stack : GS_NONE);
	return gs_db_do(q, err);
}

gs_status gs_fill_holders(gs_fill *f, const gs_meaning *m, const gs_device *d, const gs_layout *l,
	int64_t state, gs_error *err)
{
	gs_holder_row *rows = NULL;
	size_t n = 0;
	gs_status status = f->holder
		? GS_OK
		: gs_db_prepare(f->store->db, "INSERT INTO main.all_holder VALUES (?,?,?,?,?,?,?,?,?)",
			  &f->holder, err);
	if (!status && gs_meaning_holders(m, l, &rows, &n))
		status = gs_fail(err, GS_NO_MEMORY, "holders");
	if (!status) {
		gs_db_int(f->holder, 1, f->id);
		gs_db_int(f->holder, 2, state);
		gs_db_int(f->holder, 3, gs_device_number(d->device));
	}
	for (size_t i = 0; i < n && !status; i++)
		status = put_holder(f, m, &rows[i], err);
	free(rows);
	return status;
}

static gs_status put_step(sqlite3_stmt *q, const gs_phase_step *step, gs_error *err)
{
	gs_db_int(q, 3, step->number);
	gs_db_text(q, 4, step->name);
	gs_db_int(q, 5, step->first_idx);
	gs_db_int(q, 6, step->last_idx);
	gs_db_text(q, 7, gs_step_how_word(step->how));
	gs_db_int(q, 8, (int64_t)step->start_allocated);
	gs_db_int(q, 9, (int64_t)step->peak_allocated);
	gs_db_int(q, 10, (int64_t)step->peak_reserved);
	gs_db_int(q, 11, step->peak_idx);
	gs_db_int(q, 12, (int64_t)step->end_allocated);
	gs_db_int(q, 13, step->growth);
	gs_db_int(q, 14, (int64_t)step->retries);
	gs_db_int(q, 15, step->whole);
	return gs_db_do(q, err);
}

static gs_status put_steps(
	gs_fill *f, const gs_meaning *m, const gs_phase_step *steps, size_t n, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.step VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &q, err);
	if (!status) {
		gs_db_int(q, 1, f->id);
		gs_db_int(q, 2, gs_device_number(m->history->device->device));
	}
	for (size_t i = 0; i < n && !status; i++)
		status = put_step(q, &steps[i], err);
	sqlite3_finalize(q);
	return status;
}

/* The number of the step that an event is in. */
static int64_t step_at(const gs_phase_step *steps, size_t n, int64_t idx)
{
	for (size_t i = 0; i < n; i++)
		if (idx >= steps[i].first_idx && idx <= steps[i].last_idx)
			return steps[i].number;
	return GS_NONE;
}

static gs_status put_peak(
	gs_fill *f, const gs_meaning *m, const gs_phase_step *steps, size_t n, gs_error *err)
{
	gs_peak peak;
	uint64_t own = 0;
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.peak VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &q, err);
	if (status)
		return status;
	gs_meaning_peak(m, GS_NONE, &peak);
	gs_db_int(q, 1, f->id);
	gs_db_int(q, 2, gs_device_number(m->history->device->device));
	gs_db_int(q, 3, peak.number < 0 ? GS_NONE : peak.number);
	gs_db_int(q, 4, peak.time_us);
	gs_db_int(q, 5, (int64_t)peak.allocated);
	gs_db_int(q, 6, (int64_t)peak.reserved);
	gs_db_int(q, 7, step_at(steps, n, peak.number));
	for (int k = 0; k < GS_CATEGORIES; k++)
		gs_db_int(q, 8 + k, peak.is_apart ? GS_NONE : (int64_t)peak.live.bytes[k]);
	for (int k = GS_CATEGORIES; k < GS_MOST_CATEGORIES; k++)
		own += peak.live.bytes[k];
	gs_db_int(q, 8 + GS_CATEGORIES, peak.is_apart ? GS_NONE : (int64_t)own);
	status = gs_db_do(q, err);
	sqlite3_finalize(q);
	return status;
}

/* With events numbered as the file does. */
static gs_status copy_steps(const gs_meaning *m, gs_phase_step **steps, size_t *n)
{
	const gs_trace *t = &m->history->device->trace;
	free(*steps);
	*n = 0;
	if (!(*steps = calloc(m->nsteps + 1, sizeof **steps)))
		return GS_NO_MEMORY;
	for (; *n < m->nsteps; ++*n) {
		gs_phase_step *step = &(*steps)[*n];
		*step = m->steps[*n];
		step->first_idx = gs_event_number(t, step->first_idx);
		step->last_idx = gs_event_number(t, step->last_idx);
		step->peak_idx = gs_event_number(t, step->peak_idx);
	}
	return GS_OK;
}

gs_status gs_fill_steps(gs_fill *f, const gs_meaning *m, gs_error *err)
{
	const gs_device *d = m->history->device;
	gs_phase_step *steps = NULL;
	size_t n = 0;
	gs_status status = f->s->excerpt && gs_course_is_told(d) ? gs_course_steps(f->s, d, &steps, &n)
															 : GS_OK;
	if (!status && !n)
		status = copy_steps(m, &steps, &n);
	if (status)
		gs_fail(err, status, "steps");
	if (!status)
		status = put_steps(f, m, steps, n, err);
	if (!status)
		status = put_peak(f, m, steps, n, err);
	free(steps);
	return status;
}
