/* A value as the text of a cell. */
#include "analyzer/query/emit_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schema/markdown.h"
#include "schema/printable.h"
#include "schema/size.h"

static void time_text(char *buf, size_t cap, int64_t us)
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm t;
	char text[32];
	if (us < 0 || !gmtime_r(&seconds, &t) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &t))
		snprintf(buf, cap, "%" PRId64, us);
	else
		snprintf(buf, cap, "%s.%06d", text, (int)(us % 1000000));
}

static void number_text(char *buf, size_t cap, int64_t n, gs_unit unit)
{
	if (unit == GS_UNIT_BYTES && n < 0 && n > INT64_MIN && cap > 1) { /* a change */
		*buf = '-';
		gs_size_format(buf + 1, cap - 1, (uint64_t)-n);
	} else if (unit == GS_UNIT_BYTES)
		gs_size_format(buf, cap, (uint64_t)n);
	else if (unit == GS_UNIT_ADDRESS)
		snprintf(buf, cap, "0x%" PRIx64, (uint64_t)n);
	else if (unit == GS_UNIT_TIME)
		time_text(buf, cap, n);
	else if (unit == GS_UNIT_BOOLEAN)
		snprintf(buf, cap, "%s", n ? "yes" : "no");
	else
		snprintf(buf, cap, "%" PRId64, n);
}

char *gs_emit_one_line(const gs_value *v)
{
	size_t room = 4 * v->n + 1;
	char *copy = malloc(v->n + 1), *plain = malloc(room + 16), *out = malloc(5 * room);
	if (copy && plain && out) {
		memcpy(copy, v->text, v->n);
		copy[v->n] = 0;
		size_t at = 0;
		for (char *line = copy, *next; line; line = next) {
			next = strchr(line, '\n');
			if (next)
				*next++ = 0;
			gs_printable(plain, room + 16, line);
			size_t length = strlen(plain);
			memcpy(out + at, plain, length);
			at += length;
			if (next && *next) {
				memcpy(out + at, " ← ", 5);
				at += 5;
			}
		}
		out[at] = 0;
	} else {
		free(out);
		out = NULL;
	}
	free(copy);
	free(plain);
	return out;
}

char *gs_emit_marked_down(char *text)
{
	size_t room = text ? 3 * strlen(text) + 16 : 0;
	char *out = text ? malloc(room) : NULL;
	if (out)
		gs_markdown_plain(out, room, text);
	free(text);
	return out;
}

char *gs_emit_cell(const gs_emitter *e, const gs_value *v, const gs_column *column)
{
	char buf[64];
	gs_unit unit = column->unit;
	switch (v->type) {
	case GS_VALUE_TEXT:
		return e->format == GS_FORMAT_MARKDOWN ? gs_emit_marked_down(gs_emit_one_line(v))
											   : gs_emit_one_line(v);
	case GS_VALUE_INT: number_text(buf, sizeof buf, v->integer, unit); return strdup(buf);
	case GS_VALUE_REAL: snprintf(buf, sizeof buf, "%.4g", v->real); return strdup(buf);
	default: return strdup("-");
	}
}
