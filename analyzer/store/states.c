/* Which states of a device go into the tables, and which of them is shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/step_state.h"
#include "analyzer/model/parallel.h"
#include "analyzer/store/store_internal.h"

/* A file with thousands of out-of-memories would become thousands of layouts: the first and the
 * last are kept, the others are rebuilt when they are asked for. */
enum { MAX_OOM_STATES = 32 };

/* A device being added. */
typedef struct device_fill {
	gs_fill *f;
	const gs_device *d;
	gs_recording *recording; /* the caller's or own */
	gs_recording own;
	gs_series series;
	bool has_steps, captured_done;
	int64_t captured_id;
	size_t nooms, first_oom; /* its rows of s->ooms are first_oom … first_oom + nooms - 1 */
	int64_t *oom_ids;        /* state.id by number of its OOM, 0 none */
} device_fill;

static bool wants_series(const device_fill *x)
{
	return x->f->options->want & GS_WANT_SERIES && x->d->trace.n;
}

static bool wants_steps(const device_fill *x)
{
	return x->f->options->want & GS_WANT_STEPS && (x->d->trace.n || x->d->has_layout);
}

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
	gs_status status = gs_recording_need_history(x->recording, err);
	if (!status)
		status = gs_history_layout(
			&x->recording->history, x->recording->history.captured_at, &built, err);
	if (!status && gs_layout_copy(out, &x->d->captured))
		status = gs_fail(err, GS_NO_MEMORY, "blocks");
	for (size_t i = 0; !status && i < out->nblocks && built.nblocks == out->nblocks; i++)
		if (out->blocks[i].idx == GS_NONE && built.blocks[i].address == out->blocks[i].address)
			out->blocks[i].idx = built.blocks[i].idx;
	gs_layout_release(&built);
	return status;
}

/* The layout of a state: the captured one, with its blocks' events where they are asked for, or one
 * rebuilt in *built; NULL where the input has none. */
static gs_status layout_of(device_fill *x, const gs_state *state, bool numbered, gs_layout *built,
	const gs_layout **layout, gs_error *err)
{
	*layout = built;
	if (is_captured(x, state)) {
		if (x->d->has_layout && x->d->trace.n && numbered)
			return number_blocks(x, built, err);
		*layout = x->d->has_layout ? &x->d->captured : NULL;
		return GS_OK;
	}
	gs_status status = gs_recording_need_history(x->recording, err);
	return status ? status : gs_history_layout(&x->recording->history, state->idx, built, err);
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
		status = gs_recording_need_meaning(x->recording, err);
		row.meaning = &x->recording->meaning;
	}
	gs_state_fit fit = gs_state_captured_fit(x->f->s, x->d, state, &row.doubt);
	if (fit == GS_STATE_OWN || !x->d->has_layout)
		row.doubt = NULL;
	if (fit == GS_STATE_OTHER) {
		row.reserved = x->f->s->ooms[state->oom].reserved;
		row.allocated = x->f->s->ooms[state->oom].allocated;
	} else if (!status) {
		bool numbered = row.meaning || x->f->options->want & GS_WANT_BLOCK_IDX;
		status = layout_of(x, state, numbered, &built, &row.layout, err);
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
	return gs_fill_steps(x->f, &x->recording->meaning, err);
}

static gs_status find_state(device_fill *x, const char *selector, gs_state *state, gs_error *err)
{
	int64_t number;
	bool peak;
	gs_status status = GS_OK;
	if (gs_step_selector(selector, &number, &peak))
		status = gs_recording_need_meaning(x->recording, err);
	if (!status && x->recording->has_meaning && gs_step_selector(selector, &number, &peak))
		status = put_steps(x, err); /* where the step is missing, these are told */
	return status ? status
				  : gs_meaning_state_find(x->f->s, x->d, gs_recording_history(x->recording),
						gs_recording_meaning(x->recording), selector, state, err);
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
		status = gs_recording_need_history(x->recording, err);
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
		status = gs_fill_ooms(x->f, x->first_oom, x->nooms, x->recording, err);
	if (!status && (wants_series(x) || wants_steps(x)))
		status = gs_recording_need_meaning(x->recording, err);
	if (!status && wants_series(x))
		status = gs_series_compute(&x->series, &x->recording->meaning, err);
	if (!status && wants_series(x))
		status = gs_fill_series(x->f, &x->recording->meaning, &x->series, err);
	if (!status && wants_steps(x))
		status = put_steps(x, err);
	return status;
}

/* Writing a device's events and computing what they mean: neither needs the other, each takes its
 * part of a second for a million events, and only one of them uses SQLite. */
typedef struct events_fill {
	device_fill *x;
	gs_status written, computed;
	gs_error not_written, not_computed;
} events_fill;

static void compute_meaning(void *context)
{
	events_fill *e = context;
	device_fill *x = e->x;
	if (!wants_meaning(x) && !wants_series(x) && !wants_steps(x))
		return;
	e->computed = gs_recording_need_meaning(x->recording, &e->not_computed);
	if (!e->computed && wants_series(x))
		e->computed = gs_series_compute(&x->series, &x->recording->meaning, &e->not_computed);
}

static void write_events(void *context)
{
	events_fill *e = context;
	e->written = gs_fill_events(e->x->f, e->x->d, &e->not_written);
}

static gs_status fill_events(device_fill *x, gs_error *err)
{
	events_fill e = {.x = x, .not_written = GS_ERROR_INIT, .not_computed = GS_ERROR_INIT};
	if (!(x->f->options->want & GS_WANT_EVENTS) || !x->d->trace.n)
		return GS_OK;
	gs_parallel_beside(compute_meaning, write_events, &e);
	if (e.written)
		return gs_fail(err, e.written, "%s", e.not_written.text);
	return e.computed ? gs_fail(err, e.computed, "%s", e.not_computed.text) : GS_OK;
}

gs_status gs_fill_device(gs_fill *f, const gs_device *d, gs_error *err)
{
	if (gs_device_is_empty(f->s, d))
		return GS_OK;
	device_fill x = {.f = f, .d = d};
	gs_recording_init(&x.own, f->s, d, f->options->rules);
	x.recording = gs_recordings_find(f->options->recordings, d, f->options->rules);
	if (!x.recording)
		x.recording = &x.own;
	find_ooms(&x, d->device);
	gs_status status = fill_events(&x, err);
	if (!status)
		status = fill_states(&x, err);
	gs_series_release(&x.series);
	gs_recording_release(&x.own);
	free(x.oom_ids);
	return status;
}
