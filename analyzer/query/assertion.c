#include "analyzer/query/assertion.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
	int figure;   /* the last word is this figure, not reckoned with; −1 no such … */
	int compared; /* … and signs that compare it stand behind, −1 not */
	bool reckons; /* the last sign is of arithmetic */
} writer;

static gs_status put_token(writer *w, const char *text, size_t n, gs_error *err)
{
	if (n >= sizeof w->a->sql - w->n)
		return gs_fail(err, GS_INVALID, "an assertion of more than %d bytes", GS_ASSERTION_SQL);
	memcpy(w->a->sql + w->n, text, n);
	w->a->sql[w->n += n] = 0;
	return GS_OK;
}

/* Whether nothing follows that could be divided by: then a % behind digits is no remainder. */
static bool ends_operand(const char *p)
{
	static const char *const behind[] = {"and", "or", "not", "is", "isnull", "notnull", "between",
		"in", "when", "then", "else", "end"};
	while (isspace((unsigned char)*p))
		p++;
	size_t n = word_length(p);
	for (size_t i = 0; n && i < sizeof behind / sizeof *behind; i++)
		if (strlen(behind[i]) == n && !strncasecmp(behind[i], p, n))
			return true;
	return !n && *p != '(' && *p != '.';
}

/* "20% of capacity". */
static const char *behind_of(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return word_length(p) == 2 && !strncasecmp(p, "of", 2) ? p + 2 : NULL;
}

/* "50%", "20% of": a share. *at is behind the %. */
static gs_status put_share(
	writer *w, const char *number, size_t digits, const char **at, gs_error *err)
{
	const char *of = behind_of(*at);
	char text[64];
	if (!of && !ends_operand(*at))
		return gs_fail(err, GS_INVALID,
			"`%.*s%%` is a share of what? for example `%.*s%% of capacity` (a remainder has a blank before its %%)",
			(int)digits, number, (int)digits, number);
	snprintf(text, sizeof text, "(%.*s / 100.0)%s", (int)digits, number, of ? " *" : "");
	*at = of ? of : *at;
	return put_token(w, text, strlen(text), err);
}

/* A fraction compared with more than 1 is always true or always false. */
static gs_status check_fraction(
	const writer *w, const char *number, size_t digits, const char *behind, gs_error *err)
{
	bool fraction = w->compared >= 0 && !strcmp(gs_figures[w->compared].name, "fragmentation");
	behind += strspn(behind, " ");
	if (!fraction || strtod(number, NULL) <= 1 || strspn(behind, "+-*/%"))
		return GS_OK;
	return gs_fail(err, GS_INVALID, "fragmentation is from 0 to 1, or a share: write %.*s%%",
		(int)digits, number);
}

static gs_status refuse_number(const char *word, size_t n, gs_error *err)
{
	return gs_fail(err, GS_INVALID,
		"`%.*s` is no number, share or size (units: %%, B, KiB, MiB, GiB, TiB; KB, MB, GB, TB are powers of 1000)",
		(int)(n > 40 ? 40 : n), word);
}

/* SQL's "1e9". */
static bool is_exponent(const char *unit, size_t n)
{
	return n > 1 && (unit[0] | 32) == 'e' && strspn(unit + 1, "0123456789") == n - 1;
}

static bool is_one_number(const char *digits, size_t n)
{
	const char *point = memchr(digits, '.', n);
	return !point || !memchr(point + 1, '.', (size_t)(digits + n - point - 1));
}

/* A word behind a blank that is no unit: of the expression, or meant as a unit. */
static bool may_follow(const char *word, size_t n)
{
	return find_figure(word, n) >= 0 || is_keyword(word, n) ||
		(n == 4 && !strncasecmp(word, "base", n));
}

/* "38GiB", "1.5 G", "50%", "0.3": a size, where a unit follows the digits, a share, else as it is.
 */
static gs_status put_number(writer *w, const char **at, gs_error *err)
{
	char word[48], number[24];
	const char *from = *at;
	size_t digits = strspn(from, "0123456789."), blank = from[digits] == ' ',
		   unit = word_length(from + digits + blank), n = digits + blank + unit;
	const char *behind = from + digits + strspn(from + digits, " ");
	uint64_t bytes;
	if (digits > 24 || !is_one_number(from, digits))
		return refuse_number(from, digits, err);
	if (from[digits] == '%' ||
		(*behind == '%' && (behind_of(behind + 1) || ends_operand(behind + 1)))) {
		*at = behind + 1;
		return put_share(w, from, digits, at, err);
	}
	snprintf(word, sizeof word, "%.*s", (int)n, from);
	if (unit && n < sizeof word && isalpha((unsigned char)from[digits + blank]) &&
		!gs_size_parse(word, &bytes, NULL)) {
		*at += n;
		snprintf(number, sizeof number, "%" PRIu64, bytes);
		return put_token(w, number, strlen(number), err);
	}
	if (unit && (blank ? !may_follow(from + digits + 1, unit) : !is_exponent(from + digits, unit)))
		return refuse_number(from, n, err);
	n = digits + (blank ? 0 : unit);
	*at += n;
	gs_status status = check_fraction(w, from, n, from + n, err);
	return status ? status : put_token(w, from, n, err);
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
	w->figure = w->reckons ? -1 : figure;
	gs_status status = put_token(w, base ? "base_" : "", base ? 5 : 0, err);
	return status ? status
				  : put_token(w, gs_figures[figure].name, strlen(gs_figures[figure].name), err);
}

/* Signs of other languages, and what is meant. */
static gs_status refuse_sign(const char *p, gs_error *err)
{
	static const char *const signs[][2] = {
		{"≤", "<="}, {"≥", ">="}, {"≠", "<>"}, {"&&", "and"}, {"||", "or"}, {"×", "*"}};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (!strncmp(p, signs[i][0], strlen(signs[i][0])))
			return gs_fail(err, GS_INVALID, "`%s` is written `%s`", signs[i][0], signs[i][1]);
	return gs_fail(err, GS_INVALID, "`%.20s` has no place in an assertion", p);
}

static gs_status put_sign(writer *w, const char **at, gs_error *err)
{
	const char *p = *at;
	bool comment = (p[0] == '-' && p[1] == '-') || (p[0] == '/' && p[1] == '*');
	if (!isspace((unsigned char)*p) && (comment || !strchr("<>=!+-*/%(),", *p)))
		return refuse_sign(p, err);
	++*at;
	if (isspace((unsigned char)*p))
		return put_token(w, p, 1, err);
	w->compared = strchr("<>=!", *p) ? (w->figure >= 0 ? w->figure : w->compared) : -1;
	w->figure = -1;
	w->reckons = strchr("+-*/%", *p) != NULL;
	return put_token(w, p, 1, err);
}

static gs_status put_next(writer *w, const char **at, gs_error *err)
{
	const char *p = *at;
	bool number = isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]));
	if (!number && !isalpha((unsigned char)*p) && *p != '_')
		return put_sign(w, at, err);
	w->figure = -1;
	gs_status status = number ? put_number(w, at, err) : put_word(w, at, err);
	w->compared = -1;
	w->reckons = false;
	return status;
}

gs_status gs_assertion_parse(const char *text, gs_assertion *a, gs_error *err)
{
	gs_status status = GS_OK;
	writer w = {a, 0, -1, -1, false};
	*a = (gs_assertion){.text = text, .told = -1};
	for (const char *p = text; *p && !status;)
		status = put_next(&w, &p, err);
	if (!status && !a->sql[strspn(a->sql, " \t\n")])
		status = gs_fail(err, GS_INVALID, "an empty assertion");
	return status;
}
