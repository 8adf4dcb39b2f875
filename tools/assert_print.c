/* What is not true, in rows and in words. */
#include "tools/assert.h"

#include <stdio.h>

#include "schema/size.h"
#include "tools/command.h"
#include "tools/message.h"
#include "tools/output.h"
#include "tools/result.h"

enum { EXIT_FALSE = 20 };

static const gs_column columns[] = {
	{"rank", GS_UNIT_NONE},
	{"snapshot", GS_UNIT_NONE},
	{"device", GS_UNIT_NONE},
	{"assertion", GS_UNIT_NONE},
	{"holds", GS_UNIT_BOOLEAN},
	{"figure", GS_UNIT_NONE},
	{"value", GS_UNIT_NONE},
	{"says", GS_UNIT_NONE},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

void gs_assert_say(gs_broken *b)
{
	const gs_assertion *a = b->assertion;
	const gs_figure *f = a->told < 0 ? NULL : &gs_figures[a->told];
	char size[32];
	int n = 0;
	if (f && b->value.type == GS_VALUE_NULL)
		n = snprintf(
			b->says, sizeof b->says, "%s is not known%s%s", f->name, *b->why ? ": " : "", b->why);
	else if (f && b->value.type == GS_VALUE_REAL)
		n = snprintf(b->says, sizeof b->says, "%s is %.3g", f->name, b->value.real);
	else if (f && f->unit == GS_UNIT_BYTES && b->value.integer >= 0)
		n = snprintf(b->says, sizeof b->says, "%s is %s", f->name,
			gs_size_format(size, sizeof size, (uint64_t)b->value.integer));
	else if (f)
		n = snprintf(b->says, sizeof b->says, "%s is %lld", f->name, (long long)b->value.integer);
	if (b->unknown && (!f || b->value.type != GS_VALUE_NULL))
		snprintf(b->says + n, sizeof b->says - (size_t)n, "%sunknown: a figure is not known",
			n ? ", " : "");
}

/* For people a figure of bytes is a size. */
static gs_value shown_value(const gs_broken *b, gs_format format, char size[32])
{
	const gs_assertion *a = b->assertion;
	bool people = format == GS_FORMAT_TABLE || format == GS_FORMAT_MARKDOWN;
	if (!people || a->told < 0 || gs_figures[a->told].unit != GS_UNIT_BYTES ||
		b->value.type != GS_VALUE_INT || b->value.integer < 0)
		return b->value;
	return gs_value_text(gs_size_format(size, 32, (uint64_t)b->value.integer));
}

static gs_status put_row(gs_emitter *e, const gs_broken *b, gs_format format, gs_error *err)
{
	char size[32];
	const gs_value row[COLUMNS] = {gs_value_int(b->rank), gs_value_text(b->snapshot),
		gs_value_int(b->device), gs_value_text(b->assertion->text),
		b->unknown ? (gs_value){.type = GS_VALUE_NULL} : gs_value_int(0),
		gs_value_text(b->assertion->told < 0 ? NULL : gs_figures[b->assertion->told].name),
		shown_value(b, format, size), gs_value_text(b->says)};
	gs_status status = gs_emit_row(e, row, err);
	return status == GS_END ? GS_OK : status;
}

static void summarise(
	const gs_assert_options *o, const gs_assert_outcome *out, char *text, size_t cap)
{
	const char *s = o->n == 1 ? "" : "s", *devices = out->devices == 1 ? "" : "s";
	if (!out->devices)
		snprintf(text, cap, "no device to assert anything of");
	else if (!out->n)
		snprintf(text, cap, "%zu assertion%s hold%s on %zu device%s", o->n, s, o->n == 1 ? "s" : "",
			out->devices, devices);
	else
		snprintf(text, cap, "%zu of %zu assertion%s on %zu device%s %s not true", out->n,
			o->n * out->devices, o->n * out->devices == 1 ? "" : "s", out->devices, devices,
			out->n == 1 ? "is" : "are");
}

int gs_assert_print(const gs_assert_options *o, const gs_assert_outcome *out)
{
	gs_result result;
	gs_error err = GS_ERROR_INIT;
	gs_emitter *e = NULL;
	char summary[160];
	uint64_t left = 0;
	int status = gs_result_open(&result, &o->common, 0);
	if (status >= 0)
		return status;
	summarise(o, out, summary, sizeof summary);
	gs_emit_head head = {"assert", *out->state ? out->state : NULL, out->complete, columns, COLUMNS,
		gs_output_limit(&o->common), gs_output_width(), false, summary};
	gs_format format = gs_output_format_of(&o->common);
	gs_status wrote = GS_OK;
	if (format == GS_FORMAT_TABLE && !out->n)
		fprintf(result.stream, "%s\n", summary); /* a head without rows says nothing more */
	else
		wrote = gs_emit_open(result.stream, format, &head, &e, &err);
	for (size_t i = 0; i < out->n && !wrote; i++)
		wrote = put_row(e, &out->all[i], format, &err);
	if (e)
		gs_emit_close(e, wrote != GS_OK, &left);
	gs_output_left(left);
	status = wrote                ? gs_fail_file(result.name, &err, NULL)
		: out->n || !out->devices ? EXIT_FALSE
								  : GS_EXIT_DONE;
	return gs_result_close(&result, status);
}
