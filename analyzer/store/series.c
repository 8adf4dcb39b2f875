/* What is computed from all events of a device: bytes over time, stacks of many sizes, stacks that
 * only grow. */
#include <stdlib.h>

#include "analyzer/meaning/course.h"
#include "analyzer/meaning/meaning.h"
#include "analyzer/store/store_internal.h"

enum { SAMPLES = 1024 };

/* --- bytes over time --- */

/* Events that stand out are kept whatever the step: those of out-of-memories and the peaks. */
static bool stands_out(const gs_history *h, size_t i, const int64_t peaks[2])
{
	return i == 0 || i + 1 == h->n || (int64_t)i == peaks[0] || (int64_t)i == peaks[1] ||
		gs_event_action(&h->device->trace.events[i]) == GS_ACTION_OOM;
}

static gs_status put_sample(
	sqlite3_stmt *q, const gs_history *h, size_t i, const gs_running_totals *g, gs_error *err)
{
	gs_db_int(q, 3, gs_event_number(&h->device->trace, (int64_t)i));
	gs_db_int(q, 4, h->device->trace.events[i].time_us);
	gs_db_int(q, 5, (int64_t)g->allocated);
	gs_db_int(q, 6, (int64_t)g->reserved);
	return gs_db_do(q, err);
}

static gs_status put_point(sqlite3_stmt *q, uint64_t idx, int64_t time, uint64_t allocated,
	uint64_t reserved, gs_error *err)
{
	gs_db_int(q, 3, (int64_t)idx);
	gs_db_int(q, 4, time);
	gs_db_int(q, 5, (int64_t)allocated);
	gs_db_int(q, 6, (int64_t)reserved);
	return gs_db_do(q, err);
}

/* Of a run that is not in memory: of each group of figures the most and the last. The time of the
 * most is that of its figures' end. */
static gs_status put_course(sqlite3_stmt *q, const gs_trace *t, gs_error *err)
{
	size_t step = (2 * t->nfigures + SAMPLES - 1) / SAMPLES;
	const gs_run_figures *most = NULL;
	gs_status status = GS_OK;
	for (size_t i = 0; i < t->nfigures && !status; i++) {
		const gs_run_figures *f = &t->figures[i];
		if (!most || f->most_allocated > most->most_allocated)
			most = f;
		if ((i + 1) % step && i + 1 < t->nfigures)
			continue;
		uint64_t last = f->first + f->events - 1;
		if (most->allocated_idx != last)
			status = put_point(q, most->allocated_idx, most->until_us, most->most_allocated,
				most->reserved_then, err);
		if (!status)
			status = put_point(q, last, f->until_us, f->allocated, f->reserved, err);
		most = NULL;
	}
	return status;
}

static gs_status put_timeline(gs_fill *f, const gs_history *h, gs_error *err)
{
	size_t step = (h->n + SAMPLES - 1) / SAMPLES;
	const int64_t peaks[2] = {gs_history_peak(h, false), gs_history_peak(h, true)};
	sqlite3_stmt *q = NULL;
	gs_running_totals g;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.timeline VALUES (?,?,?,?,?,?)", &q, err);
	if (status)
		return status;
	gs_db_int(q, 1, f->id);
	gs_db_int(q, 2, gs_device_number(h->device->device));
	gs_running_totals_start(h, &g);
	bool part = f->s->excerpt && gs_course_is_told(h->device);
	if (part)
		status = put_course(q, &h->device->trace, err);
	for (size_t i = 0; i < h->n && !status && !part; i++) {
		gs_running_totals_step(h, i, &g);
		if (i % step == 0 || stands_out(h, i, peaks))
			status = put_sample(q, h, i, &g, err);
	}
	sqlite3_finalize(q);
	return status;
}

/* --- stacks --- */

gs_status gs_series_compute(gs_series *x, const gs_meaning *m, gs_error *err)
{
	const gs_history *h = m->history;
	if (x->computed)
		return GS_OK;
	if (gs_blame_varying(h->snapshot, h->device, &x->varying, &x->nvarying))
		return gs_fail(err, GS_NO_MEMORY, "sizes by stack");
	if (gs_meaning_growth(m, GS_NONE, &x->growing, &x->ngrowing))
		return gs_fail(err, GS_NO_MEMORY, "growth by stack");
	x->computed = true;
	return GS_OK;
}

void gs_series_release(gs_series *x)
{
	free(x->varying);
	free(x->growing);
	*x = (gs_series){0};
}

static gs_status put_varying_sizes(
	gs_fill *f, const gs_device *d, const gs_series *x, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.varying_size VALUES (?,?,?,?,?,?,?)", &q, err);
	for (size_t i = 0; i < x->nvarying && !status; i++) {
		const gs_varying *row = &x->varying[i];
		gs_db_int(q, 1, f->id);
		gs_db_int(q, 2, gs_device_number(d->device));
		gs_db_int(q, 3, gs_fill_stack(f, row->stack));
		gs_db_int(q, 4, (int64_t)row->requests);
		gs_db_int(q, 5, (int64_t)row->sizes);
		gs_db_int(q, 6, (int64_t)row->min);
		gs_db_int(q, 7, (int64_t)row->max);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

static gs_status put_growth(gs_fill *f, const gs_device *d, const gs_series *x, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		f->store->db, "INSERT INTO main.growth VALUES (?,?,?,?,?,?,?,?)", &q, err);
	for (size_t i = 0; i < x->ngrowing && !status; i++) {
		const gs_growth *row = &x->growing[i];
		gs_db_int(q, 1, f->id);
		gs_db_int(q, 2, gs_device_number(d->device));
		gs_db_int(q, 3, gs_fill_stack(f, row->stack));
		gs_db_int(q, 4, (int64_t)row->blocks);
		gs_db_int(q, 5, (int64_t)row->bytes);
		gs_db_int(q, 6, gs_event_number(&d->trace, row->first_idx));
		gs_db_int(q, 7, gs_event_number(&d->trace, row->last_idx));
		gs_db_int(q, 8, row->estimated);
		status = gs_db_do(q, err);
	}
	sqlite3_finalize(q);
	return status;
}

gs_status gs_fill_series(gs_fill *f, const gs_meaning *m, const gs_series *x, gs_error *err)
{
	gs_status status = put_timeline(f, m->history, err);
	if (!status)
		status = put_varying_sizes(f, m->history->device, x, err);
	return status ? status : put_growth(f, m->history->device, x, err);
}
