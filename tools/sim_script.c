/* Script lines: reading and taking apart. */
#include "tools/sim_script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	sim_op op;
	int least, most;
	const char *form;
} words[] = {
	{"conf", SIM_CONF, 0, -1, "conf SETTINGS"},
	{"frac", SIM_FRAC, 1, 1, "frac X"},
	{"malloc", SIM_MALLOC, 2, 4, "malloc ID BYTES [k|m] [STREAM]"},
	{"free", SIM_FREE, 1, 1, "free ID"},
	{"record", SIM_RECORD, 2, 2, "record ID STREAM"},
	{"complete", SIM_COMPLETE, 0, 0, "complete"},
	{"empty", SIM_EMPTY, 0, 0, "empty"},
	{"snap", SIM_SNAP, 0, 0, "snap"},
	{"stats", SIM_STATS, 0, 0, "stats"},
	{"tag", SIM_TAG, 1, 1, "tag NAME"},
	{"untag", SIM_UNTAG, 0, 0, "untag"},
	{"begin", SIM_BEGIN, 1, 2, "begin mN or begin gN [STREAM]"},
	{"end", SIM_END, 1, 1, "end POOL"},
	{"release", SIM_RELEASE, 1, 1, "release POOL"},
};

enum { MAX_WORDS = 64 };

static gs_status wrong(const sim_call *call, gs_error *err, const char *what)
{
	return gs_fail(err, GS_INVALID, "%s:%u: %s", call->file, call->line, what);
}

static bool to_number(const char *text, uint64_t most, uint64_t *n)
{
	if (!*text)
		return false;
	for (*n = 0; *text; text++) {
		if (*text < '0' || *text > '9' || *n > (most - (uint64_t)(*text - '0')) / 10)
			return false;
		*n = *n * 10 + (uint64_t)(*text - '0');
	}
	return true;
}

static bool parse_size(char **w, int n, sim_call *call)
{
	uint64_t unit = 1;
	int i = 3;
	if (n > 3 && (!strcmp(w[3], "k") || !strcmp(w[3], "m")))
		unit = w[i++][0] == 'k' ? 1 << 10 : 1 << 20;
	if (!to_number(w[2], INT64_MAX / unit, &call->bytes))
		return false;
	call->bytes *= unit;
	if (i < n && !to_number(w[i++], UINT32_MAX, &call->stream))
		return false;
	return i == n;
}

static bool is_pool_name(const char *s)
{
	uint64_t n;
	return (*s == 'm' || *s == 'g') && to_number(s + 1, UINT32_MAX, &n) && n;
}

static void join(char **w, int n, char *out)
{
	size_t at = 0;
	*out = 0;
	for (int i = 1; i < n; i++)
		at += (size_t)snprintf(out + at, SIM_LINE_MAX - at, "%s%s", i > 1 ? " " : "", w[i]);
}

static gs_status parse_arguments(sim_call *call, char **w, int n, gs_error *err)
{
	char *end;
	bool good = true;
	switch (call->op) {
	case SIM_CONF:
		join(w, n, call->rest);
		call->argument = call->rest;
		break;
	case SIM_FRAC:
		call->fraction = strtod(w[1], &end);
		good = end != w[1] && !*end;
		break;
	case SIM_MALLOC: good = parse_size(w, n, call); break;
	case SIM_RECORD: good = to_number(w[2], UINT32_MAX, &call->stream); break;
	case SIM_BEGIN:
	case SIM_END:
	case SIM_RELEASE:
		good = is_pool_name(w[1]) &&
			(n < 3 || (w[1][0] == 'g' && to_number(w[2], UINT32_MAX, &call->stream)));
		break;
	default: break;
	}
	return good ? GS_OK : wrong(call, err, "a number or name is wrong");
}

static gs_status parse(sim_call *call, char *copy, gs_error *err)
{
	char *w[MAX_WORDS], *save = NULL;
	int n = 0;
	for (char *t = strtok_r(copy, " \t\r\v\f", &save); t; t = strtok_r(NULL, " \t\r\v\f", &save)) {
		if (n == MAX_WORDS)
			return wrong(call, err, "too many words");
		w[n++] = t;
	}
	if (!n)
		return GS_OK;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(w[0], words[i].word))
			continue;
		call->op = words[i].op;
		if (n - 1 < words[i].least || (words[i].most >= 0 && n - 1 > words[i].most))
			return gs_fail(
				err, GS_INVALID, "%s:%u: the form is: %s", call->file, call->line, words[i].form);
		if (n > 1 && call->op != SIM_CONF && strlen(w[1]) >= SIM_NAME_MAX)
			return wrong(call, err, "the name is too long");
		if (n > 1 && call->op != SIM_CONF)
			strcpy(call->name, w[1]);
		return parse_arguments(call, w, n, err);
	}
	return gs_fail(err, GS_INVALID, "%s:%u: no such call: %.40s", call->file, call->line, w[0]);
}

gs_status sim_script_next(FILE *in, const char *file, unsigned *line, sim_call *call, gs_error *err)
{
	call->op = SIM_BLANK;
	call->file = file;
	call->name[0] = call->rest[0] = 0;
	call->argument = call->rest;
	call->bytes = call->stream = 0;
	if (!fgets(call->text, sizeof call->text, in)) {
		if (!ferror(in))
			return GS_END;
		return gs_fail(err, GS_IO, "%s: after line %u: %s", file, *line, strerror(errno));
	}
	call->line = ++*line;
	size_t n = strlen(call->text);
	if (n && call->text[n - 1] == '\n')
		call->text[--n] = 0;
	else if (!feof(in))
		return wrong(call, err, "the line is too long, or holds a zero byte");
	if (call->text[0] == '#') {
		call->op = SIM_COMMENT;
		return GS_OK;
	}
	char copy[SIM_LINE_MAX];
	memcpy(copy, call->text, n + 1);
	return parse(call, copy, err);
}
