#include "analyzer/query/assertion.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "schema/size.h"

#define B GS_UNIT_BYTES
const gs_figure gs_figures[] = {
	{"peak_allocated", B, "most bytes allocated in the recording"},
	{"peak_reserved", B, "most bytes reserved in the recording"},
	{"reserved", B, "bytes that the allocator holds"},
	{"allocated", B, "bytes in use"},
	{"pending", B, "bytes freed, but awaited by a stream"},
	{"free", B, "bytes cached and not in use"},
	{"free_blocks", GS_UNIT_NONE, "holes"},
	{"largest_free", B, "bytes of the largest hole"},
	{"free_whole", B, "of free: what emptying the cache gives back"},
	{"fragmentation", GS_UNIT_NONE, "of the worst pool, 0 to 1; NULL where nothing is free"},
	{"segments", GS_UNIT_NONE, "segments"},
	{"rounding", B, "bytes in use beyond what was requested"},
	{"device_free", B, "bytes free on the device"},
	{"capacity", B, "bytes of the device"},
	{"events", GS_UNIT_NONE, "events of the recording"},
	{"ooms", GS_UNIT_NONE, "out-of-memories"},
	{"retries", GS_UNIT_NONE, "times the cache was emptied for a request"},
	{"growth", B, "bytes of stacks that only grow; NULL where too few steps are known to tell"},
	{"parameter", B, "bytes of the category in use"},
	{"buffer", B, "bytes of the category in use"},
	{"gradient", B, "bytes of the category in use"},
	{"optimizer_state", B, "bytes of the category in use"},
	{"activation", B, "bytes of the category in use"},
	{"input", B, "bytes of the category in use"},
	{"workspace", B, "bytes of the category in use"},
	{"temporary", B, "bytes of the category in use"},
	{"unknown", B, "bytes in use of no known category"},
};
#undef B
const size_t gs_nfigures = sizeof gs_figures / sizeof *gs_figures;

static int find_figure(const char *name, size_t n)
{
	for (size_t i = 0; i < gs_nfigures; i++)
		if (strlen(gs_figures[i].name) == n && !strncasecmp(gs_figures[i].name, name, n))
			return (int)i;
	return -1;
}

/* Words of SQL that an expression without a table may have. */
static bool is_keyword(const char *name, size_t n)
{
	static const char *const words[] = {"and", "or", "not", "is", "null", "isnull", "notnull",
		"between", "in", "case", "when", "then", "else", "end", "true", "false", "min", "max",
		"abs", "round", "coalesce", "ifnull", "nullif", "iif"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == n && !strncasecmp(words[i], name, n))
			return true;
	return false;
}

static size_t word_length(const char *p)
{
	size_t n = 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

typedef struct writer {
	gs_assertion *a;
	size_t n;
} writer;

static gs_status put_token(writer *w, const char *text, size_t n, gs_error *err)
{
	if (n >= sizeof w->a->sql - w->n)
		return gs_fail(err, GS_INVALID, "an assertion of more than %d bytes", GS_ASSERTION_SQL);
	memcpy(w->a->sql + w->n, text, n);
	w->a->sql[w->n += n] = 0;
	return GS_OK;
}

/* "38GiB", "1.5 G", "0.3": a size, where a unit follows the digits, else as it is. */
static gs_status put_number(writer *w, const char **at, gs_error *err)
{
	char word[48], number[24];
	size_t digits = strspn(*at, "0123456789."), blank = (*at)[digits] == ' ',
		   unit = word_length(*at + digits + blank), n = digits + blank + unit;
	uint64_t bytes;
	snprintf(word, sizeof word, "%.*s", (int)n, *at);
	if (unit && n < sizeof word && isalpha((unsigned char)(*at)[digits + blank]) &&
		!gs_size_parse(word, &bytes, NULL)) {
		*at += n;
		snprintf(number, sizeof number, "%" PRIu64, bytes);
		return put_token(w, number, strlen(number), err);
	}
	n = digits + (blank ? 0 : unit);
	const char *from = *at;
	*at += n;
	return put_token(w, from, n, err);
}

static gs_status refuse(const char *word, size_t n, gs_error *err)
{
	return gs_fail(err, GS_NOT_FOUND, "no figure is called `%.*s`", (int)(n > 60 ? 60 : n), word);
}

/* A figure, `base.` and a figure, or a word of SQL. */
static gs_status put_word(writer *w, const char **at, gs_error *err)
{
	const char *word = *at;
	size_t n = word_length(word);
	bool base = n == 4 && !strncasecmp(word, "base", 4) && word[4] == '.';
	if (base) {
		word += 5;
		n = word_length(word);
	}
	int figure = find_figure(word, n);
	if (figure < 0 && (base || !is_keyword(word, n)))
		return refuse(word, n, err);
	*at = word + n;
	w->a->base |= base;
	if (figure < 0)
		return put_token(w, word, n, err);
	if (w->a->told < 0 && !base)
		w->a->told = figure;
	gs_status status = put_token(w, base ? "base_" : "", base ? 5 : 0, err);
	return status ? status
				  : put_token(w, gs_figures[figure].name, strlen(gs_figures[figure].name), err);
}

gs_status gs_assertion_parse(const char *text, gs_assertion *a, gs_error *err)
{
	gs_status status = GS_OK;
	writer w = {a, 0};
	*a = (gs_assertion){.text = text, .told = -1};
	for (const char *p = text; *p && !status;) {
		if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1])))
			status = put_number(&w, &p, err);
		else if (isalpha((unsigned char)*p) || *p == '_')
			status = put_word(&w, &p, err);
		else if (isspace((unsigned char)*p) ||
			(strchr("<>=!+-*/%(),", *p) && (p[0] != '-' || p[1] != '-') &&
				(p[0] != '/' || p[1] != '*')))
			status = put_token(&w, p++, 1, err);
		else
			status = gs_fail(err, GS_INVALID, "`%.20s` has no place in an assertion", p);
	}
	if (!status && !a->sql[strspn(a->sql, " \t\n")])
		status = gs_fail(err, GS_INVALID, "an empty assertion");
	return status;
}
