/* What-if's rows. */
#include "analyzer/api/whatif_rows.h"

#include <string.h>

static const gs_column columns[] = {
	{"conf", GS_UNIT_NONE},
	{"capacity", GS_UNIT_BYTES},
	{"fits", GS_UNIT_BOOLEAN},
	{"allocations", GS_UNIT_NONE},
	{"oom_idx", GS_UNIT_NONE},
	{"peak_reserved", GS_UNIT_BYTES},
	{"reserved", GS_UNIT_BYTES},
	{"largest_free", GS_UNIT_BYTES},
	{"retries", GS_UNIT_NONE},
	{"exact", GS_UNIT_BOOLEAN},
	{"change", GS_UNIT_NONE},
	{"peak_low", GS_UNIT_BYTES},
	{"peak_high", GS_UNIT_BYTES},
	{"note", GS_UNIT_NONE},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static gs_value number(int64_t n)
{
	return n == GS_NONE ? (gs_value){.type = GS_VALUE_NULL}
						: (gs_value){.type = GS_VALUE_INT, .integer = n};
}

static gs_value text(const char *t)
{
	return *t ? (gs_value){.type = GS_VALUE_TEXT, .text = t, .n = strlen(t)}
			  : (gs_value){.type = GS_VALUE_NULL};
}

/* Settings by what people call them; no settings are PyTorch's defaults. To programs they are the
 * text that was tried. */
static const char *conf_text(const gs_whatif_row *row, gs_format format)
{
	bool people = format == GS_FORMAT_TABLE || format == GS_FORMAT_MARKDOWN;
	if (*row->conf || !people)
		return row->conf;
	return row->change == GS_WHATIF_RECORDED ? "recorded (default)" : "default";
}

static gs_status emit_row(gs_emitter *e, const gs_whatif_row *row, gs_format format, gs_error *err)
{
	const char *conf = conf_text(row, format);
	const gs_replay_result *r = &row->result;
	gs_value values[COLUMNS] = {
		{.type = GS_VALUE_TEXT, .text = conf, .n = strlen(conf)},
		number(row->capacity),
		number(r->fits),
		number((int64_t)r->allocations),
		number(r->failed_event),
		number((int64_t)r->peak_reserved),
		number((int64_t)r->reserved),
		number((int64_t)r->largest_free),
		number((int64_t)r->retries),
		number(row->exact),
		text(gs_whatif_change_text(row->change)),
		number(row->peak_low),
		number(row->peak_high),
		text(row->note),
	};

	return gs_emit_row(e, values, err);
}

gs_status gs_whatif_emit(const gs_whatif *w, gs_whatif_question question, gs_format format,
	const gs_emit_head *head, FILE *out, uint64_t *left, gs_error *err)
{
	gs_emit_head own = *head;
	gs_emitter *e = NULL;
	gs_prose summary;
	gs_prose_clear(&summary);
	gs_whatif_sentence(w, question, &summary);
	own.query = "whatif";
	own.columns = columns;
	own.ncolumns = COLUMNS;
	own.summary = summary.text;
	gs_status status = gs_emit_open(out, format, &own, &e, err);
	if (status)
		return status;
	for (size_t i = 0; i < w->n && !status; i++) {
		status = emit_row(e, &w->rows[i], format, err);
		if (status == GS_END)
			status = GS_OK;
	}
	gs_emit_close(e, status != GS_OK, left);
	return status;
}
