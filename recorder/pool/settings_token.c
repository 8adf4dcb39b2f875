#include "recorder/pool/settings_token.h"

#include <stdlib.h>
#include <string.h>

static bool is_mark(char c) { return c && strchr(",:[]", c) != NULL; }

static bool is_blank(const gs_settings_parser *p, char c)
{
	return c == ' ' || (p->rules->lenient && c && strchr("\t\n\v\f\r", c));
}

/* Reads the token at *at; false at the end. Blanks vanish, also inside words. A word beyond
 * GS_SETTINGS_WORD is cut: no key or value is that long. */
static bool read_token(const gs_settings_parser *p, size_t *at, gs_settings_token *t)
{
	size_t n = 0;
	const char *s = p->text;
	for (; s[*at]; ++*at) {
		if (is_blank(p, s[*at]))
			continue;
		if (is_mark(s[*at])) {
			if (!n)
				t->text[n++] = s[(*at)++];
			break;
		}
		if (n < GS_SETTINGS_WORD - 1)
			t->text[n++] = s[*at];
	}
	t->text[n] = 0;
	return n > 0;
}

bool gs_settings_next(gs_settings_parser *p)
{
	p->index++;
	return read_token(p, &p->at, &p->now);
}

bool gs_settings_peek(const gs_settings_parser *p, gs_settings_token *t)
{
	size_t at = p->at;
	return read_token(p, &at, t);
}

gs_status gs_settings_bad(gs_settings_parser *p, const char *format, const char *a)
{
	const char *hole = strstr(format, "%s");
	if (!hole)
		return gs_fail(p->err, GS_INVALID, "%s", format);
	return gs_fail(p->err, GS_INVALID, "%.*s%s%s", (int)(hole - format), format, a, hole + 2);
}

gs_status gs_settings_out_of_bounds(gs_settings_parser *p)
{
	return gs_settings_bad(p, "Index out of bounds in ConfigTokenizer", NULL);
}

gs_status gs_settings_expect(gs_settings_parser *p, const char *mark)
{
	bool got = gs_settings_next(p);
	if (p->rules->lenient)
		return got ? GS_OK : gs_settings_out_of_bounds(p);
	return got && !strcmp(p->now.text, mark)
		? GS_OK
		: gs_settings_bad(p, "Error parsing CachingAllocator settings, expected %s", mark);
}

gs_status gs_settings_value(gs_settings_parser *p, const char *key)
{
	gs_status status = gs_settings_expect(p, ":");
	if (status || gs_settings_next(p))
		return status;
	return p->rules->lenient ? gs_settings_out_of_bounds(p)
							 : gs_settings_bad(p, "Error, expecting %s value", key);
}

gs_status gs_settings_number(gs_settings_parser *p, const char *text, bool as_int, uint64_t *n)
{
	char *end;
	const char *name = as_int ? "stoi" : p->rules->lenient ? "stoull" : "stoul";
	size_t digits = strspn(text, "+-");
	if (digits > 1 || text[digits] < '0' || text[digits] > '9')
		return gs_settings_bad(p, name, NULL);
	size_t length = strspn(text + digits, "0123456789");
	if (as_int) {
		long v = strtol(text, &end, 10);
		if (length > 18 || v > INT32_MAX || v < INT32_MIN)
			return gs_settings_bad(p, name, NULL);
		*n = (uint64_t)v;
		return GS_OK;
	}
	if (length > 20 || (length == 20 && strncmp(text + digits, "18446744073709551615", 20) > 0))
		return gs_settings_bad(p, name, NULL);
	*n = strtoull(text, &end, 10);
	return GS_OK;
}

gs_status gs_settings_real(gs_settings_parser *p, double *x)
{
	char *end;
	*x = strtod(p->now.text, &end);
	return end == p->now.text ? gs_settings_bad(p, "stod", NULL) : GS_OK;
}

gs_status gs_settings_bool(gs_settings_parser *p, const char *key, bool *b)
{
	*b = !strcmp(p->now.text, "True");
	if (*b || !strcmp(p->now.text, "False"))
		return GS_OK;
	if (!p->rules->lenient)
		return gs_settings_bad(p, "Expected a single True/False argument for %s", key);
	return gs_fail(p->err, GS_INVALID,
		"Expected 'True' or 'False' at index %zu in ConfigTokenizer but got '%s'", p->index,
		p->now.text);
}
