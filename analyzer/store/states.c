/* Which states of a device go into the tables, and what depends on them: the shown state, OOM rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/recording.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/store/store_internal.h"

/* A file with thousands of out-of-memories would become thousands of layouts: the first and the
 * last are kept, the others are rebuilt when they are asked for. */
enum { MAX_OOM_STATES = 32 };

/* A device being added. */
typedef struct device_fill {
	gs_fill *f;
	const gs_device *d;
	gs_recording recording;
	bool has_steps, captured_done;
	int64_t captured_id;
	size_t nooms, first_oom; /* its rows of s->ooms are first_oom … first_oom + nooms - 1 */
	int64_t *oom_ids;        /* state.id by number of its OOM, 0 none */
} device_fill;

/* Of a run whose end no layout was written of, moments are rebuilt from the events alone. */
static bool wants_meaning(const device_fill *x)
{
	return x->f->options->want & (GS_WANT_CATEGORIES | GS_WANT_HOLDERS) &&
		(x->d->has_layout || x->d->trace.n);
}

static int64_t free_of(const device_fill *x, const gs_state *state)
{
	const gs_snapshot *s = x->f->s;
	if (state->oom != SIZE_MAX)
		return s->ooms[state->oom].device_free;
	if (strcmp(state->name, "captured"))
		return GS_NONE;
	if (x->d->device_free == GS_NONE && x->d->layout_at_oom && x->nooms)
		return s->ooms[x->first_oom + x->nooms - 1].device_free;
	return x->d->device_free;
}

/* The state is what the file's segments show: no rebuilding, and no events needed. */
static bool is_captured(const device_fill *x, const gs_state *state)
{
	if (state->idx == GS_NONE)
		return true;
	return x->d->layout_at_oom && state->oom != SIZE_MAX &&
		state->oom == x->first_oom + x->nooms - 1;
}

/* The name under which a state is stored: one name a state. */
static void stored_name(const device_fill *x, const gs_state *state, char *name, size_t cap)
{
	if (state->oom == SIZE_MAX)
		snprintf(name, cap, "%s", state->name);
	else
		snprintf(name, cap, "oom %zu", state->oom - x->first_oom + 1);
}

/* The captured layout with the numbers of its blocks' alloc events. */
static gs_status number_blocks(device_fill *x, gs_layout *out, gs_error *err)
{
	gs_layout built;
	gs_layout_init(&built);
	gs_status status = gs_recording_need_history(&x->recording, err);
	if (!status)
		status = gs_history_layout(
			&x->recording.history, x->recording.history.captured_at, &built, err);
	if (!status && gs_layout_copy(out, &x->d->captured))
		status = gs_fail(err, GS_NO_MEMORY, "blocks");
	for (size_t i = 0; !status && i < out->nblocks && built.nblocks == out->nblocks; i++)
		if (out->blocks[i].idx == GS_NONE && built.blocks[i].address == out->blocks[i].address)
			out->blocks[i].idx = built.blocks[i].idx;
	gs_layout_release(&built);
	return status;
}

static gs_status put_state(device_fill *x, const gs_state *state, int64_t *id, gs_error *err)
{
	char name[40];
	gs_layout built;
	gs_status status = GS_OK;
	gs_layout_init(&built);
	stored_name(x, state, name, sizeof name);
	gs_state_row row = {.name = name,
		.idx = state->idx,
		.device_free = free_of(x, state),
		.device = x->d,
		.reserved = GS_NONE,
		.allocated = GS_NONE};
	if (wants_meaning(x)) {
		status = gs_recording_need_meaning(&x->recording, err);
		row.meaning = &x->recording.meaning;
	}
	bool captured = is_captured(x, state);
	gs_state_fit fit = gs_state_captured_fit(x->f->s, x->d, state, &row.doubt);
	if (fit == GS_STATE_OWN || !x->d->has_layout)
		row.doubt = NULL;
	if (fit == GS_STATE_OTHER) {
		row.reserved = x->f->s->ooms[state->oom].reserved;
		row.allocated = x->f->s->ooms[state->oom].allocated;
	}
	if (status || fit == GS_STATE_OTHER)
		;
	else if (captured && x->d->has_layout && x->d->trace.n &&
		(row.meaning || x->f->options->want & GS_WANT_BLOCK_IDX)) {
		status = number_blocks(x, &built, err);
		row.layout = &built;
	} else if (captured)
		row.layout = x->d->has_layout ? &x->d->captured : NULL;
	else {
		status = gs_recording_need_history(&x->recording, err);
		if (!status)
			status = gs_history_layout(&x->recording.history, state->idx, &built, err);
		row.layout = &built;
	}
	if (!status)
		status = gs_fill_state(x->f, &row, id, err);
	gs_layout_release(&built);
	return status;
}

/* Where the state is among those stored, its id, else 0. */
static int64_t stored(const device_fill *x, const gs_state *state)
{
	if (state->oom != SIZE_MAX)
		return x->oom_ids ? x->oom_ids[state->oom - x->first_oom] : 0;
	return !strcmp(state->name, "captured") && x->captured_done ? x->captured_id : 0;
}

static gs_status put_steps(device_fill *x, gs_error *err)
{
	if (x->has_steps)
		return GS_OK;
	x->has_steps = true;
	return gs_fill_steps(x->f, &x->recording.meaning, err);
}

static gs_status find_state(device_fill *x, const char *selector, gs_state *state, gs_error *err)
{
	int64_t number;
	bool peak;
	gs_status status = GS_OK;
	if (gs_step_selector(selector, &number, &peak))
		status = gs_recording_need_meaning(&x->recording, err);
	if (!status && x->recording.has_meaning && gs_step_selector(selector, &number, &peak))
		status = put_steps(x, err); /* where the step is missing, these are told */
	return status ? status
				  : gs_meaning_state_find(x->f->s, x->d, gs_recording_history(&x->recording),
						gs_recording_meaning(&x->recording), selector, state, err);
}

static bool keep_oom(const device_fill *x, size_t i)
{
	return x->nooms <= MAX_OOM_STATES || i < MAX_OOM_STATES / 2 ||
		i >= x->nooms - MAX_OOM_STATES / 2;
}

static gs_status put_named(device_fill *x, const char *selector, int64_t *id, gs_error *err)
{
	gs_state state;
	gs_status status = find_state(x, selector, &state, err);
	return status ? status : put_state(x, &state, id, err);
}

/* A message has no event, so no state of its own unless the layout was printed with it. */
static bool has_state(const device_fill *x, size_t i)
{
	return x->f->s->ooms[x->first_oom + i].idx != GS_NONE ||
		(x->d->layout_at_oom && i == x->nooms - 1);
}

static gs_status put_all(device_fill *x, gs_error *err)
{
	char selector[32];
	int64_t ignored;
	gs_status status = put_named(x, "captured", &x->captured_id, err);
	x->captured_done = true;
	for (size_t i = 0; i < x->nooms && !status; i++) {
		snprintf(selector, sizeof selector, "oom %zu", i + 1);
		if (has_state(x, i) && keep_oom(x, i))
			status = put_named(x, selector, &x->oom_ids[i], err);
	}
	if (!status && x->d->trace.n) {
		status = gs_recording_need_history(&x->recording, err);
		if (!status)
			status = put_named(x, "peak", &ignored, err);
		if (!status)
			status = put_named(x, "peak reserved", &ignored, err);
	}
	return status;
}

static gs_status show_state(device_fill *x, const gs_state *state, int64_t id, gs_error *err)
{
	sqlite3_stmt *q = NULL;
	gs_status status = gs_db_prepare(
		x->f->store->db, "INSERT INTO temp.shown_state VALUES (?,?,?,?)", &q, err);
	if (status)
		return status;
	gs_db_int(q, 1, x->f->id);
	gs_db_int(q, 2, id);
	gs_db_int(q, 3, gs_device_number(x->d->device));
	gs_db_text(q, 4, state->name);
	status = gs_db_do(q, err);
	sqlite3_finalize(q);
	return status;
}

/* Devices without the state asked for are not shown, unless it is the one device asked about. */
static gs_status put_selected(device_fill *x, gs_error *err)
{
	const gs_store_options *options = x->f->options;
	if (options->device != GS_NONE && options->device != x->d->device)
		return GS_OK;
	gs_state state;
	gs_error why = GS_ERROR_INIT;
	gs_status status = find_state(x, options->state, &state, &why);
	if (status == GS_NOT_FOUND) /* other devices or snapshots may have it */
		return GS_OK;
	if (status)
		return gs_fail(err, status, "%s", why.text);
	int64_t id = stored(x, &state);
	if (!id)
		status = put_state(x, &state, &id, err);
	return status ? status : show_state(x, &state, id, err);
}

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

/* Bytes after the events of the device's OOM rows; sums has nooms entries, known tells which were
 * found. */
static gs_status oom_sums(device_fill *x, gs_running_totals *sums, bool *known, gs_error *err)
{
	const gs_oom *ooms = x->f->s->ooms + x->first_oom;
	if (x->d->layout_at_oom && x->d->has_layout && x->nooms) {
		gs_totals t;
		gs_layout_totals(&x->d->captured, &t);
		sums[x->nooms - 1] = (gs_running_totals){t.allocated, t.pending, t.reserved};
		known[x->nooms - 1] = true;
	}
	bool missing = false;
	for (size_t i = 0; i < x->nooms; i++)
		missing |= !known[i] && ooms[i].idx != GS_NONE && ooms[i].allocated == GS_NONE;
	if (!missing || !(x->f->options->want & GS_WANT_OOM_SUMS) || !x->d->trace.n)
		return GS_OK;
	gs_status status = gs_recording_need_history(&x->recording, err);
	if (status)
		return status;
	gs_running_totals g;
	gs_running_totals_start(&x->recording.history, &g);
	size_t at = 0;
	for (size_t i = 0; i < x->d->trace.n && at < x->nooms; i++) {
		gs_running_totals_step(&x->recording.history, i, &g);
		for (; at < x->nooms && ooms[at].idx != GS_NONE && (size_t)ooms[at].idx == i; at++) {
			sums[at] = known[at] ? sums[at] : g;
			known[at] = true;
		}
	}
	return GS_OK;
}

static gs_status put_ooms(device_fill *x, gs_error *err)
{
	gs_running_totals *sums = calloc(x->nooms + 1, sizeof *sums);
	bool *known = calloc(x->nooms + 1, sizeof *known);
	sqlite3_stmt *q = NULL;
	gs_status status = sums && known ? GS_OK : gs_fail(err, GS_NO_MEMORY, "OOM rows");
	if (!status)
		status = oom_sums(x, sums, known, err);
	if (!status)
		status = gs_db_prepare(x->f->store->db, insert_oom, &q, err);
	for (size_t i = 0; i < x->nooms && !status; i++)
		status = put_oom(
			x->f, q, &x->f->s->ooms[x->first_oom + i], i + 1, known[i] ? &sums[i] : NULL, err);
	sqlite3_finalize(q);
	free(sums);
	free(known);
	return status;
}

/* s->ooms is ordered by device: the rows of one stand together. */
static void find_ooms(device_fill *x, int32_t device)
{
	const gs_snapshot *s = x->f->s;
	while (x->first_oom < s->nooms && s->ooms[x->first_oom].device != device)
		x->first_oom++;
	while (x->first_oom + x->nooms < s->nooms && s->ooms[x->first_oom + x->nooms].device == device)
		x->nooms++;
}

static gs_status fill_states(device_fill *x, gs_error *err)
{
	gs_status status = GS_OK;
	x->oom_ids = calloc(x->nooms + 1, sizeof *x->oom_ids);
	if (!x->oom_ids)
		return gs_fail(err, GS_NO_MEMORY, "states");
	if (x->f->options->want & GS_WANT_STATES)
		status = put_all(x, err);
	if (!status && x->f->store->shadowed)
		status = put_selected(x, err);
	if (!status)
		status = put_ooms(x, err);
	bool series = x->f->options->want & GS_WANT_SERIES && x->d->trace.n,
		 steps = x->f->options->want & GS_WANT_STEPS && (x->d->trace.n || x->d->has_layout);
	if (!status && (series || steps))
		status = gs_recording_need_meaning(&x->recording, err);
	if (!status && series)
		status = gs_fill_series(x->f, &x->recording.meaning, err);
	if (!status && steps)
		status = put_steps(x, err);
	return status;
}

/* Rows of devices that have no figures of their own, or that a message does not name. */
static gs_status put_other_ooms(gs_fill *f, gs_error *err)
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

gs_status gs_fill_device(gs_fill *f, const gs_device *d, gs_error *err)
{
	if (!d)
		return put_other_ooms(f, err);
	if (gs_device_is_empty(f->s, d))
		return GS_OK;
	device_fill x = {.f = f, .d = d};
	gs_recording_init(&x.recording, f->s, d, f->options->rules);
	find_ooms(&x, d->device);
	gs_status status = fill_states(&x, err);
	gs_recording_release(&x.recording);
	free(x.oom_ids);
	return status;
}
