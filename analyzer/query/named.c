/* Finding a named query by what was typed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/query/query.h"
#include "schema/nearest.h"
#include "schema/sql.h"

static const char folder[] = "query/";

/* A metric of health may be asked for by its name; what "max_split_size" is taken for is the
 * largest free block. */
static const struct {
	const char *name, *metric;
} metrics[] = {
	{"max_split_size", "largest_free_block"},
	{"num_alloc_retries", "num_alloc_retries"},
	{"num_segments", "num_segments"},
	{"segment_split_ratio", "segment_split_ratio"},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

static void name_of(const char *file, char *name, size_t cap)
{
	size_t n = 0;
	for (; file[n] && file[n] != '.' && n + 1 < cap; n++)
		name[n] = file[n] == '_' ? ' ' : file[n];
	name[n] = 0;
}

static void describe(gs_query *q)
{
	const char *line = q->sql;
	while (*line == '-' || *line == ' ')
		line++;
	snprintf(q->description, sizeof q->description, "%.*s", (int)strcspn(line, "\n"), line);
}

bool gs_query_at(size_t number, gs_query *q)
{
	memset(q, 0, sizeof *q);
	for (const gs_sql_file *f = gs_sql_files; f->path; f++) {
		if (strncmp(f->path, folder, sizeof folder - 1))
			continue;
		if (!number--) {
			name_of(f->path + sizeof folder - 1, q->name, sizeof q->name);
			q->sql = f->text;
			describe(q);
			return true;
		}
	}
	if (number >= METRICS)
		return false;
	name_of(metrics[number].name, q->name, sizeof q->name);
	q->sql = gs_sql_text("query/health.sql");
	q->metric = metrics[number].metric;
	snprintf(q->description, sizeof q->description, "the line of health about %s", q->metric);
	return q->sql != NULL;
}

static const char *after_blanks(const char *p)
{
	for (;;) {
		while (isspace((unsigned char)*p))
			p++;
		if (p[0] == '-' && p[1] == '-')
			p += strcspn(p, "\n");
		else if (p[0] == '/' && p[1] == '*') {
			const char *end = strstr(p + 2, "*/");
			p = end ? end + 2 : p + strlen(p);
		} else
			return p;
	}
}

bool gs_query_is_sql(const char *text)
{
	static const char *const words[] = {"SELECT", "WITH", "VALUES", "EXPLAIN", "PRAGMA"};
	const char *p = after_blanks(text);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (!strncasecmp(p, words[i], n) && !isalnum((unsigned char)p[n]) && p[n] != '_' &&
			p[n] != '-')
			return true;
	}
	return false;
}

/* Lower case without blanks, - and _. */
static void normalise(const char *typed, char *out, size_t cap)
{
	size_t n = 0;
	for (const char *p = typed; *p && n + 1 < cap; p++)
		if (*p != '-' && *p != '_' && !isspace((unsigned char)*p))
			out[n++] = (char)tolower((unsigned char)*p);
	out[n] = 0;
}

/* How far a name is from what was typed: as a whole, its beginning, or a word of it. */
static size_t apart(const char *typed, const char *name)
{
	char part[48], whole[48];
	normalise(name, whole, sizeof whole);
	size_t best = gs_edit_distance(typed, whole), n = strlen(typed);
	if (n >= 3 && strstr(whole, typed))
		return 1;
	snprintf(part, sizeof part, "%.*s", (int)n, whole);
	if (gs_edit_distance(typed, part) + 1 < best)
		best = gs_edit_distance(typed, part) + 1;
	for (const char *word = name; word; word = strchr(word, ' ')) {
		word += *word == ' ';
		snprintf(part, sizeof part, "%.*s", (int)strcspn(word, " "), word);
		if (gs_edit_distance(typed, part) + 1 < best)
			best = gs_edit_distance(typed, part) + 1;
	}
	return best;
}

static gs_status suggest(const char *typed, const char *normal, gs_error *err)
{
	gs_query q;
	char names[160] = "";
	size_t least = strlen(normal) / 2 + 2, n = 0;
	for (size_t i = 0; gs_query_at(i, &q); i++)
		if (apart(normal, q.name) < least)
			least = apart(normal, q.name);
	for (size_t i = 0; gs_query_at(i, &q); i++)
		if (*normal && apart(normal, q.name) == least && n < sizeof names - 60)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s`%s`", n ? ", " : "", q.name);
	if (!n || least > strlen(normal) / 2 + 1)
		return gs_fail(err, GS_NOT_FOUND, "no query is called `%.60s`", typed);
	return gs_fail(err, GS_NOT_FOUND, "no query is called `%.60s`; near it: %s", typed, names);
}

gs_status gs_query_find(const char *typed, gs_query *q, gs_error *err)
{
	gs_query found = {.metric = NULL};
	char normal[64], name[64], names[160] = "";
	size_t matches = 0, n = 0;
	normalise(typed, normal, sizeof normal);
	for (size_t i = 0; *normal && gs_query_at(i, q); i++) {
		normalise(q->name, name, sizeof name);
		if (!strcmp(normal, name))
			return GS_OK;
		if (strncmp(normal, name, strlen(normal)) || (q->metric && matches && !found.metric))
			continue; /* a metric of health does not make the beginning of a query's name ambiguous
					   */
		found = *q;
		matches++;
		if (n < sizeof names - 60)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s`%s`", n ? ", " : "", q->name);
	}
	if (matches > 1)
		return gs_fail(err, GS_NOT_FOUND, "`%.60s` may be %s", typed, names);
	if (!matches)
		return suggest(typed, normal, err);
	*q = found;
	return GS_OK;
}
