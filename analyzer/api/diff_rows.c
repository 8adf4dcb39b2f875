/* What two moments differ in, as rows. */
#include "analyzer/meaning/recording.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/api/diff_rows.h"

#include <stdlib.h>

/* The moments of one side, with what their memory means: by recordings that are there, else by
 * those made here. */
typedef struct side {
	const gs_snapshot *snapshot;
	gs_moments moments;
	gs_recording **recordings, *made; /* by moment */
} side;

/* Two moments of one snapshot have one recording of each device. */
static gs_recording *known_recording(gs_recordings kept, const side *other, const gs_device *d)
{
	for (size_t i = 0; i < other->moments.n; i++)
		if (other->moments.at[i].device == d)
			return other->recordings[i];
	return gs_recordings_find(kept, d, NULL);
}

static gs_status side_open(
	side *s, const gs_diff_side_options *o, int64_t device, const side *other, gs_error *err)
{
	gs_status status = gs_meaning_moments_select(o->snapshot, device, o->state, &s->moments, err);

	s->snapshot = o->snapshot;
	s->made = calloc(s->moments.n + 1, sizeof *s->made);
	s->recordings = calloc(s->moments.n + 1, sizeof *s->recordings);
	if (!status && (!s->made || !s->recordings))
		status = gs_fail(err, GS_NO_MEMORY, "histories of %zu devices", s->moments.n);
	for (size_t i = 0; i < s->moments.n && !status; i++) {
		const gs_device *d = s->moments.at[i].device;
		if (!(s->recordings[i] = known_recording(o->recordings, other, d))) {
			s->recordings[i] = &s->made[i];
			gs_recording_init(s->recordings[i], o->snapshot, d, NULL);
		}
		status = gs_recording_need_meaning(s->recordings[i], err);
	}
	return status;
}

static void side_release(side *s)
{
	for (size_t i = 0; s->made && i < s->moments.n; i++)
		gs_recording_release(&s->made[i]);
	free(s->made);
	free(s->recordings);
	gs_moments_release(&s->moments);
}

static gs_diff_side find_moment(const side *s, int32_t device)
{
	for (size_t i = 0; i < s->moments.n; i++)
		if (s->moments.at[i].device->device == device)
			return (gs_diff_side){s->snapshot, &s->moments.at[i], &s->recordings[i]->meaning};
	return (gs_diff_side){0};
}

/* Devices of the first side, then those that the second has alone. */
static gs_status compare(gs_diff *d, const side *a, const side *b, gs_error *err)
{
	gs_status status = GS_OK;

	for (size_t i = 0; i < a->moments.n && !status; i++) {
		gs_diff_side x = find_moment(a, a->moments.at[i].device->device),
					 y = find_moment(b, a->moments.at[i].device->device);
		status = gs_diff_add(d, &x, &y, err);
	}
	for (size_t i = 0; i < b->moments.n && !status; i++) {
		gs_diff_side x = find_moment(a, b->moments.at[i].device->device),
					 y = find_moment(b, b->moments.at[i].device->device);
		if (!x.moment)
			status = gs_diff_add(d, &x, &y, err);
	}
	return status;
}

gs_status gs_diff_moments(
	const gs_diff_options *options, gs_diff *d, const gs_snapshot **culprit, gs_error *err)
{
	static const side nothing;
	side from = {0}, to = {0};
	*culprit = options->a.snapshot;
	gs_status status = side_open(&from, &options->a, options->device, &nothing, err);
	if (!status) {
		*culprit = options->b.snapshot;
		status = side_open(&to, &options->b, options->device, &from, err);
	}
	if (!status)
		status = compare(d, &from, &to, err);
	side_release(&from);
	side_release(&to);
	return status;
}

/* --- rows --------------------------------------------------------------------------------------
 */

static const gs_column columns[] = {
	{"device", GS_UNIT_NONE},
	{"where", GS_UNIT_NONE},
	{"called_by", GS_UNIT_NONE},
	{"category", GS_UNIT_NONE},
	{"bytes_a", GS_UNIT_BYTES},
	{"bytes_b", GS_UNIT_BYTES},
	{"change", GS_UNIT_BYTES},
	{"blocks_a", GS_UNIT_NONE},
	{"blocks_b", GS_UNIT_NONE},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static gs_status emit_row(gs_emitter *e, const gs_diff_row *row, gs_error *err)
{
	const gs_value values[COLUMNS] = {
		gs_value_int(row->device),
		gs_value_text(row->where),
		gs_value_text(*row->called_by ? row->called_by : NULL),
		gs_value_text(gs_category_word(NULL, row->category)),
		gs_value_int((int64_t)row->bytes_a),
		gs_value_int((int64_t)row->bytes_b),
		gs_value_int(gs_diff_change(row)),
		gs_value_int((int64_t)row->blocks_a),
		gs_value_int((int64_t)row->blocks_b),
	};
	gs_status status = gs_emit_row(e, values, err);

	return status == GS_END ? GS_OK : status;
}

gs_status gs_diff_emit(const gs_diff *d, gs_format format, const gs_emit_head *head, FILE *out,
	uint64_t *left, gs_error *err)
{
	char *summary = gs_diff_summary(d);
	gs_emit_head own = *head;
	gs_emitter *e = NULL;
	own.query = "diff";
	own.columns = columns;
	own.ncolumns = COLUMNS;
	own.summary = summary;
	gs_status status = summary ? gs_emit_open(out, format, &own, &e, err)
							   : gs_fail(err, GS_NO_MEMORY, "a summary");
	for (size_t i = 0; i < d->n && !status; i++)
		status = emit_row(e, &d->rows[i], err);
	if (e)
		gs_emit_close(e, status != GS_OK, left);
	free(summary);
	return status;
}
