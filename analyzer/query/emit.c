/* Results as TSV, CSV, JSON, JSON lines; tables and Markdown, which wait for all rows, are in
 * emit_table.c. */
#include "analyzer/query/emit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/query/emit_internal.h"
#include "schema/json.h"
#include "schema/printable.h"

gs_value gs_value_text(const char *text)
{
	return text ? (gs_value){GS_VALUE_TEXT, 0, 0, text, strlen(text)}
				: (gs_value){GS_VALUE_NULL, 0, 0, NULL, 0};
}

gs_value gs_value_int(int64_t n)
{
	return n == INT64_MIN ? (gs_value){GS_VALUE_NULL, 0, 0, NULL, 0}
						  : (gs_value){GS_VALUE_INT, n, 0, NULL, 0};
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_text(FILE *out, const char *text, size_t n)
{
	char small[1024], *buf = 6 * n + 3 <= sizeof small ? small : malloc(6 * n + 3);
	if (!buf)
		return;
	fputs(gs_json_quote(buf, 6 * n + 3, text, n), out);
	if (buf != small)
		free(buf);
}

static void json_string(FILE *out, const char *text)
{
	if (text)
		json_text(out, text, strlen(text));
	else
		fputs("null", out);
}

static void json_value(FILE *out, const gs_value *v, gs_unit unit)
{
	if (v->type == GS_VALUE_TEXT)
		json_text(out, v->text, v->n);
	else if (v->type == GS_VALUE_INT && unit == GS_UNIT_BOOLEAN)
		fputs(v->integer ? "true" : "false", out);
	else if (v->type == GS_VALUE_INT)
		fprintf(out, "%" PRId64, v->integer);
	else if (v->type == GS_VALUE_REAL && isfinite(v->real))
		fprintf(out, "%.15g", v->real);
	else
		fputs("null", out);
}

static void json_head(gs_emitter *e)
{
	fputs("{\"schema_version\":1,\"query\":", e->out);
	json_string(e->out, e->head.query);
	if (e->head.summary) {
		fputs(",\"summary\":", e->out);
		json_string(e->out, e->head.summary);
	}
	fputs(",\"state\":", e->out);
	json_string(e->out, e->head.state);
	fprintf(e->out, ",\"complete\":%s,\"columns\":[", e->head.complete ? "true" : "false");
	for (size_t i = 0; i < e->head.ncolumns; i++) {
		fputs(i ? "," : "", e->out);
		json_string(e->out, e->names[i]);
	}
	fputs("],\"rows\":[", e->out);
}

static void json_row(gs_emitter *e, const gs_value *row)
{
	for (size_t i = 0; i < e->head.ncolumns; i++) {
		fputs(i ? "," : "{", e->out);
		json_string(e->out, e->names[i]);
		fputc(':', e->out);
		json_value(e->out, &row[i], e->head.columns[i].unit);
	}
	fputs(e->head.ncolumns ? "}" : "{}", e->out);
}

/* --- lines of text ---------------------------------------------------------------------------- */

/* Bytes from the start of text that every format writes as they are. */
static size_t easy(const char *text, size_t n)
{
	size_t i = 0;
	while (i < n && text[i] >= ' ' && text[i] < 0x7f && text[i] != '\\' && text[i] != '"')
		i++;
	return i;
}

/* TSV keeps a row on a line: tab, newline, return and backslash are written as \t \n \r \\. */
static void tsv_text(FILE *out, const char *text, size_t n)
{
	static const char from[] = "\t\n\r\\", to[] = "tnr\\";
	for (size_t i = 0; i < n;) {
		size_t run = easy(text + i, n - i);
		fwrite(text + i, 1, run, out);
		if ((i += run) == n)
			break;
		size_t len = gs_utf8_length(text + i, n - i);
		const char *known = text[i] ? strchr(from, text[i]) : NULL;
		if (known)
			fprintf(out, "\\%c", to[known - from]);
		else if (!len || gs_utf8_steers(text + i, len))
			for (size_t k = i; k < i + (len ? len : 1); k++)
				fprintf(out, "\\x%02x", (unsigned char)text[k]);
		else
			fwrite(text + i, 1, len, out);
		i += len ? len : 1;
	}
}

/* Spreadsheets take a cell that begins so for a formula, also in its full-width form. */
static bool begins_formula(const char *text, size_t n)
{
	static const char *const wide[] = {
		"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
	if (n && text[0] && strchr("=+-@\t\r\n", text[0]))
		return true;
	for (size_t i = 0; n >= 3 && i < sizeof wide / sizeof *wide; i++)
		if (!memcmp(text, wide[i], 3))
			return true;
	return false;
}

/* CSV as RFC 4180 has it: quoted where needed, quotes doubled. Bytes that steer a terminal are
 * shown as \xNN; what a spreadsheet would take for a formula gets an apostrophe in front. */
static void csv_text(FILE *out, const char *text, size_t n)
{
	bool quote = n == 0;
	for (size_t i = 0; i < n && !quote; i++)
		quote = text[i] && strchr(",\"\n\r", text[i]);
	if (quote)
		fputc('"', out);
	if (begins_formula(text, n))
		fputc('\'', out);
	for (size_t i = 0; i < n;) {
		size_t run = easy(text + i, n - i);
		fwrite(text + i, 1, run, out);
		if ((i += run) == n)
			break;
		size_t len = gs_utf8_length(text + i, n - i);
		if (text[i] == '"')
			fputs("\"\"", out);
		else if (text[i] != '\n' && text[i] != '\t' && text[i] != '\r' &&
			(!len || gs_utf8_steers(text + i, len)))
			for (size_t k = i; k < i + (len ? len : 1); k++)
				fprintf(out, "\\x%02x", (unsigned char)text[k]);
		else
			fwrite(text + i, 1, len, out);
		i += len ? len : 1;
	}
	if (quote)
		fputc('"', out);
}

static void line_value(gs_emitter *e, const gs_value *v)
{
	if (v->type == GS_VALUE_INT)
		fprintf(e->out, "%" PRId64, v->integer);
	else if (v->type == GS_VALUE_REAL)
		fprintf(e->out, "%.15g", v->real);
	else if (v->type == GS_VALUE_TEXT && e->format == GS_FORMAT_CSV)
		csv_text(e->out, v->text, v->n);
	else if (v->type == GS_VALUE_TEXT)
		tsv_text(e->out, v->text, v->n);
}

static void line_row(gs_emitter *e, const gs_value *row)
{
	for (size_t i = 0; i < e->head.ncolumns; i++) {
		if (i)
			fputc(e->format == GS_FORMAT_CSV ? ',' : '\t', e->out);
		line_value(e, &row[i]);
	}
	fputs("\n", e->out);
}

static void line_head(gs_emitter *e)
{
	for (size_t i = 0; i < e->head.ncolumns; i++) {
		if (i)
			fputc(e->format == GS_FORMAT_CSV ? ',' : '\t', e->out);
		gs_value name = {
			GS_VALUE_TEXT, 0, 0, e->head.columns[i].name, strlen(e->head.columns[i].name)};
		line_value(e, &name);
	}
	fputs("\n", e->out);
}

/* --- the emitter ------------------------------------------------------------------------------ */

/* The second column of a name gets NAME_2, the third NAME_3, so that no key of a JSON object is
 * lost. */
static gs_status unique_names(gs_emitter *e)
{
	e->names = calloc(e->head.ncolumns + 1, sizeof *e->names);
	if (!e->names)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < e->head.ncolumns; i++) {
		const char *name = e->head.columns[i].name;
		size_t room = strlen(name) + 24;
		if (!(e->names[i] = malloc(room)))
			return GS_NO_MEMORY;
		strcpy(e->names[i], name);
		for (size_t k = 0, number = 2; k < i; k++)
			if (!strcmp(e->names[k], e->names[i])) {
				snprintf(e->names[i], room, "%s_%zu", name, number++);
				k = (size_t)-1;
			}
	}
	return GS_OK;
}

static void release(gs_emitter *e)
{
	for (size_t i = 0; e->names && i < e->head.ncolumns; i++)
		free(e->names[i]);
	free(e->names);
	gs_emit_table_release(e);
	free(e);
}

gs_status gs_emit_open(
	FILE *out, gs_format format, const gs_emit_head *head, gs_emitter **emitter, gs_error *err)
{
	gs_emitter *e = calloc(1, sizeof *e);
	if (!e)
		return gs_fail(err, GS_NO_MEMORY, "output");
	e->out = out;
	e->format = format == GS_FORMAT_AUTO ? GS_FORMAT_TSV : format;
	e->head = *head;
	if (unique_names(e)) {
		release(e);
		return gs_fail(err, GS_NO_MEMORY, "output");
	}
	if (e->format == GS_FORMAT_JSON)
		json_head(e);
	else if (e->format == GS_FORMAT_TSV || e->format == GS_FORMAT_CSV)
		line_head(e);
	*emitter = e;
	return GS_OK;
}

gs_status gs_emit_row(gs_emitter *e, const gs_value *row, gs_error *err)
{
	if (e->head.limit && e->rows >= e->head.limit) {
		e->left++;
		return GS_END;
	}
	switch (e->format) {
	case GS_FORMAT_JSON:
		if (e->rows)
			fputc(',', e->out);
		json_row(e, row);
		break;
	case GS_FORMAT_JSONL:
		json_row(e, row);
		fputc('\n', e->out);
		break;
	case GS_FORMAT_TSV:
	case GS_FORMAT_CSV: line_row(e, row); break;
	default:
		if (gs_emit_table_add(e, row))
			return gs_fail(err, GS_NO_MEMORY, "output");
	}
	e->rows++;
	return GS_OK;
}

void gs_emit_close(gs_emitter *e, bool cut, uint64_t *left)
{
	if (left)
		*left = e->left;
	if (!cut && e->format == GS_FORMAT_JSON)
		fprintf(e->out, "],\"truncated\":%s}\n", e->left ? "true" : "false");
	if (!cut && (e->format == GS_FORMAT_TABLE || e->format == GS_FORMAT_MARKDOWN))
		gs_emit_table_write(e);
	release(e);
}
