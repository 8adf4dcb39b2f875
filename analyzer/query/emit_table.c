/* Tables for a terminal and for Markdown, row by row: what stands above them, which form they take.
 */
#include "analyzer/query/emit_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/prose.h"

gs_status gs_emit_table_add(gs_emitter *e, const gs_value *row)
{
	size_t n = e->head.ncolumns, used = e->rows * n;
	if (!e->right && !(e->right = malloc(n + 1)))
		return GS_NO_MEMORY;
	if (!used)
		memset(e->right, 1, n + 1);
	if (!GS_ARRAY_RESERVE(e->cells, e->cap, used + n))
		return GS_NO_MEMORY;
	for (size_t i = 0; i < n; i++) {
		if (!(e->cells[used + i] = gs_emit_cell(e, &row[i], &e->head.columns[i]))) {
			while (i--)
				free(e->cells[used + i]);
			return GS_NO_MEMORY;
		}
		if (row[i].type == GS_VALUE_TEXT)
			e->right[i] = false;
	}
	return GS_OK;
}

static void write_markdown(const gs_emitter *e)
{
	size_t n = e->head.ncolumns;
	for (size_t i = 0; i < n; i++) {
		const char *heading = e->head.columns[i].name;
		gs_value name = {GS_VALUE_TEXT, 0, 0, heading, strlen(heading)};
		char *text = gs_emit_marked_down(gs_emit_one_line(&name));
		fprintf(e->out, "| %s ", text ? text : "");
		free(text);
	}
	fputs("|\n", e->out);
	for (size_t i = 0; i < n; i++)
		fputs(e->rows && e->right[i] ? "|---:" : "|---", e->out);
	fputs("|\n", e->out);
	for (size_t r = 0; r < e->rows; r++) {
		for (size_t i = 0; i < n; i++)
			fprintf(e->out, "| %s ", e->cells[r * n + i]);
		fputs("|\n", e->out);
	}
}

static void write_summary(const gs_emitter *e)
{
	gs_voice voice = GS_VOICE_INIT;
	if (!e->head.summary)
		return;
	voice.utf8 = true;
	voice.markdown = e->format == GS_FORMAT_MARKDOWN || e->head.width <= 0;
	voice.width = e->head.width;
	gs_prose_write(e->out, &voice, 0, 0, e->head.summary, NULL);
	fputc('\n', e->out);
}

/* Bytes of the folder that all paths of a column begin with, 0 none. */
static size_t common_folder(const gs_emitter *e, size_t column)
{
	const char *first = e->cells[column], *slash;
	size_t n = e->head.ncolumns, common = strlen(first);
	for (size_t r = 1; r < e->rows; r++) {
		const char *other = e->cells[r * n + column];
		size_t i = 0;
		while (i < common && other[i] == first[i])
			i++;
		common = i;
	}
	for (slash = first + common; slash > first && slash[-1] != '/'; slash--)
		;
	return (size_t)(slash - first);
}

/* On a terminal a folder that all paths share is told once, so that their ends are read whole. */
static void tell_folder(gs_emitter *e)
{
	size_t n = e->head.ncolumns;
	for (size_t i = 0; i < n && e->head.width > 0 && e->rows > 1; i++) {
		size_t length = gs_column_is_path(&e->head.columns[i]) ? common_folder(e, i) : 0;
		if (length < 2)
			continue;
		fprintf(e->out, "in %.*s\n\n", (int)length, e->cells[i]);
		for (size_t r = 0; r < e->rows; r++) {
			char *path = e->cells[r * n + i];
			memmove(path, path + length, strlen(path + length) + 1);
		}
	}
}

void gs_emit_table_write(gs_emitter *e)
{
	gs_table t;
	write_summary(e);
	if (e->format != GS_FORMAT_MARKDOWN)
		tell_folder(e);
	if (e->format == GS_FORMAT_MARKDOWN) {
		write_markdown(e);
		return;
	}
	bool upright = gs_table_init(&t, e) || (e->rows && (e->head.upright || !gs_table_fit(&t)));
	if (!upright && !e->rows)
		gs_table_fit(&t);
	if (upright || gs_table_write_rows(&t))
		gs_table_write_upright(e);
	gs_table_release(&t);
}

void gs_emit_table_release(gs_emitter *e)
{
	for (size_t k = 0; k < e->rows * e->head.ncolumns && e->cells; k++)
		free(e->cells[k]);
	free(e->cells);
	free(e->right);
}
