/* Escapes and code spans. */
#include "schema/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* GitHub makes links of these wherever they stand, also where they are escaped. */
static bool becomes_link(const char *text)
{
	for (const char *p = text; *p; p++)
		if (*p == '@' || (p[0] == ':' && p[1] == '/' && p[2] == '/') ||
			(*p == '#' && isdigit((unsigned char)p[1])) || !strncasecmp(p, "www.", 4) ||
			!strncasecmp(p, "mailto:", 7) || !strncasecmp(p, "xmpp:", 5) ||
			!strncasecmp(p, "gh-", 3))
			return true;
	return false;
}

static size_t longest_run(const char *text, char c)
{
	size_t longest = 0, run = 0;
	for (; *text; text++) {
		run = *text == c ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* A code span: fenced by more backticks than stand in it; a bar ends a table's cell even there. */
static void code(char *buf, size_t cap, const char *text)
{
	size_t fence = longest_run(text, '`') + 1, n = strlen(text), at = 0;
	bool pad = n && (text[0] == '`' || text[n - 1] == '`');
	if (cap < 2 * fence + 4)
		fence = 0;
	for (size_t i = 0; i < fence; i++)
		buf[at++] = '`';
	if (pad)
		buf[at++] = ' ';
	for (; *text && at + fence + 4 < cap; text++) {
		if (*text == '|')
			buf[at++] = '\\';
		buf[at++] = *text;
	}
	if (pad)
		buf[at++] = ' ';
	for (size_t i = 0; i < fence; i++)
		buf[at++] = '`';
	buf[at] = 0;
}

char *gs_markdown_plain(char *buf, size_t cap, const char *text)
{
	size_t at = 0;
	if (cap < 8) {
		if (cap)
			buf[0] = 0;
		return buf;
	}
	if (becomes_link(text)) {
		code(buf, cap, text);
		return buf;
	}
	for (const char *p = text; *p && at + 3 < cap; p++) {
		bool within = *p == '_' && p > text && isalnum((unsigned char)p[-1]) &&
			isalnum((unsigned char)p[1]); /* of a word: marks up nothing */
		if (strchr("\\`*_[]<>|~&!#$", *p) && !within)
			buf[at++] = '\\';
		buf[at++] = *p;
	}
	buf[at] = 0;
	return buf;
}
