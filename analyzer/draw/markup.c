#include "analyzer/draw/markup.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "schema/printable.h"

void gs_markup_init(gs_markup *m, FILE *out, bool html)
{
	memset(m, 0, sizeof *m);
	m->out = out;
	m->html = html;
}

static void end_tag(gs_markup *m)
{
	if (m->in_tag)
		fputc('>', m->out);
	m->in_tag = false;
}

static bool is_void(const char *name)
{
	static const char *const names[] = {"br", "hr", "img", "meta", "link", "col", "source"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* What a character becomes; NULL: itself. */
static const char *escaped(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return NULL;
	}
}

/* U+FFFE and U+FFFF are in no XML document. */
static bool is_no_character(const char *p, size_t length)
{
	return length == 3 && !memcmp(p, "\xef\xbf", 2) && (unsigned char)p[2] >= 0xbe;
}

static void write_escaped(FILE *out, const char *text)
{
	size_t n = strlen(text);

	while (n) {
		size_t length = gs_utf8_length(text, n);
		const char *instead = length == 1 ? escaped(*text) : NULL;
		bool blank = length == 1 && (*text == '\n' || *text == '\t');
		if (instead)
			fputs(instead, out);
		else if (!length || (!blank && gs_utf8_steers(text, length)) ||
			is_no_character(text, length))
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(text, 1, length, out);
		length = length ? length : 1;
		text += length;
		n -= length;
	}
}

static void write_format(FILE *out, const char *format, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) >= 0)
		write_escaped(out, text);
	free(text);
}

void gs_markup_open(gs_markup *m, const char *name)
{
	end_tag(m);
	fprintf(m->out, "<%s", name);
	m->in_tag = true;
	if (m->depth < GS_MARKUP_DEPTH)
		m->open[m->depth++] = name;
}

void gs_markup_attr(gs_markup *m, const char *name, const char *format, ...)
{
	va_list args;

	fprintf(m->out, " %s=\"", name);
	va_start(args, format);
	write_format(m->out, format, args);
	va_end(args);
	fputc('"', m->out);
}

void gs_markup_close(gs_markup *m)
{
	const char *name = m->depth ? m->open[--m->depth] : "";

	if (m->html && m->in_tag && is_void(name))
		fputc('>', m->out);
	else if (!m->html && m->in_tag)
		fputs("/>", m->out);
	else
		fprintf(m->out, "%s</%s>", m->in_tag ? ">" : "", name);
	m->in_tag = false;
}

void gs_markup_close_to(gs_markup *m, int depth)
{
	while (m->depth > depth)
		gs_markup_close(m);
}

void gs_markup_text(gs_markup *m, const char *text)
{
	end_tag(m);
	write_escaped(m->out, text);
}

void gs_markup_textf(gs_markup *m, const char *format, ...)
{
	va_list args;

	end_tag(m);
	va_start(args, format);
	write_format(m->out, format, args);
	va_end(args);
}

void gs_markup_element(gs_markup *m, const char *name, const char *class, const char *text)
{
	gs_markup_open(m, name);
	if (class)
		gs_markup_attr(m, "class", "%s", class);
	gs_markup_text(m, text);
	gs_markup_close(m);
}

void gs_markup_raw(gs_markup *m, const char *markup)
{
	end_tag(m);
	fputs(markup, m->out);
}

void gs_base64_write(FILE *out, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned long part = (unsigned long)bytes[i] << 16 |
			(i + 1 < n ? (unsigned long)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);
		char four[4] = {digits[part >> 18 & 63], digits[part >> 12 & 63],
			i + 1 < n ? digits[part >> 6 & 63] : '=', i + 2 < n ? digits[part & 63] : '='};
		fwrite(four, 1, 4, out);
	}
}
