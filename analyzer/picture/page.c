#include "analyzer/picture/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schema/printable.h"
#include "schema/size.h"

extern const char gs_page_style[]; /* page.css */

static bool html(const gs_page *p) { return p->form == GS_PAGE_HTML; }

/* --- Markdown ----------------------------------------------------------------------------------
 */

/* Text that stays text: no emphasis, no link, no element, no cell's end, on one line. */
static void put_markdown(FILE *out, const char *text)
{
	size_t n = strlen(text);

	while (n) {
		size_t length = gs_utf8_length(text, n);
		bool plain = length == 1 && strchr("\\`*_{}[]<>|#~&!", *text);
		if (!length || (gs_utf8_steers(text, length) && *text != '\n'))
			fputs("\xef\xbf\xbd", out);
		else if (*text == '\n')
			fputc(' ', out);
		else if (length == 1 && *text == ':' && n > 2 && text[1] == '/' && text[2] == '/')
			fputs("&#58;", out); /* no live link */
		else {
			if (plain)
				fputc('\\', out);
			fwrite(text, 1, length, out);
		}
		length = length ? length : 1;
		text += length;
		n -= length;
	}
}

/* --- the document ------------------------------------------------------------------------------
 */

static void put_meta(gs_page *p, const char *name, const char *value, const char *content)
{
	gs_markup_open(&p->m, "meta");
	gs_markup_attr(&p->m, name, "%s", value);
	gs_markup_attr(&p->m, "content", "%s", content);
	gs_markup_close(&p->m);
}

void gs_page_open(gs_page *p, FILE *out, gs_page_form form, const char *title, const char *script)
{
	char policy[300];

	memset(p, 0, sizeof *p);
	p->form = form;
	p->out = out;
	gs_markup_init(&p->m, out, true);
	if (!html(p))
		return;
	fputs("<!DOCTYPE html>\n", out);
	gs_markup_open(&p->m, "html");
	gs_markup_attr(&p->m, "lang", "en");
	gs_markup_open(&p->m, "head");
	gs_markup_open(&p->m, "meta");
	gs_markup_attr(&p->m, "charset", "utf-8");
	gs_markup_close(&p->m);
	snprintf(policy, sizeof policy,
		"default-src 'none'; style-src 'unsafe-inline'; img-src data:%s%s%s",
		script ? " blob:" : "",
		script ? "; worker-src blob:; base-uri 'none'; form-action 'none'; script-src " : "",
		script ? script : "");
	put_meta(p, "http-equiv", "Content-Security-Policy", policy);
	put_meta(p, "name", "viewport", "width=device-width, initial-scale=1");
	put_meta(p, "name", "generator", "gpusnap"); /* the reader of pages looks for it */
	put_meta(p, "name", "color-scheme", "light dark");
	gs_markup_element(&p->m, "title", NULL, title);
	gs_markup_open(&p->m, "style");
	gs_markup_raw(&p->m, gs_page_style);
	gs_markup_close(&p->m);
	gs_markup_close(&p->m);
	gs_markup_open(&p->m, "body");
	gs_markup_open(&p->m, "main");
}

void gs_page_close(gs_page *p)
{
	if (!html(p))
		return;
	gs_markup_close_to(&p->m, 0);
	fputc('\n', p->out);
}

enum { SECTION_DEPTH = 3 }; /* html, body, main are open around sections */

void gs_page_heading(gs_page *p, int level, const char *id, const char *text)
{
	static const char *const names[] = {"h1", "h1", "h2", "h3"};

	if (!html(p)) {
		fprintf(p->out, "%.*s ", level, "###");
		put_markdown(p->out, text);
		fputs("\n\n", p->out);
		return;
	}
	if (level <= 2)
		gs_markup_close_to(&p->m, SECTION_DEPTH);
	if (level == 2)
		gs_markup_open(&p->m, "section");
	gs_markup_open(&p->m, names[level]);
	if (id)
		gs_markup_attr(&p->m, "id", "%s", id);
	gs_markup_text(&p->m, text);
	gs_markup_close(&p->m);
}

void gs_page_paragraph(gs_page *p, const char *text)
{
	if (html(p)) {
		gs_markup_element(&p->m, "p", NULL, text);
		return;
	}
	put_markdown(p->out, text);
	fputs("\n\n", p->out);
}

void gs_page_remark(gs_page *p, const char *text)
{
	if (html(p))
		gs_markup_element(&p->m, "p", "remark", text);
	else
		gs_page_paragraph(p, text);
}

void gs_page_list(gs_page *p)
{
	if (html(p))
		gs_markup_open(&p->m, "ol");
}

void gs_page_item(gs_page *p, const char *text, const char *remark)
{
	if (!html(p)) {
		fputs("1. ", p->out);
		put_markdown(p->out, text);
		if (*remark) {
			fputs(" — ", p->out);
			put_markdown(p->out, remark);
		}
		fputc('\n', p->out);
		return;
	}
	gs_markup_open(&p->m, "li");
	gs_markup_text(&p->m, text);
	if (*remark) {
		gs_markup_text(&p->m, " ");
		gs_markup_element(&p->m, "span", "remark", remark);
	}
	gs_markup_close(&p->m);
}

void gs_page_end_list(gs_page *p)
{
	if (html(p))
		gs_markup_close(&p->m);
	else
		fputc('\n', p->out);
}

/* --- tables ------------------------------------------------------------------------------------
 */

static void head_cell(gs_page *p, const char *name, bool number)
{
	gs_markup_open(&p->m, "th");
	gs_markup_attr(&p->m, "scope", "col");
	if (number)
		gs_markup_attr(&p->m, "class", "n");
	gs_markup_text(&p->m, name);
	gs_markup_close(&p->m);
}

void gs_page_table(gs_page *p, int columns, const char *const *names, const bool *numbers)
{
	p->columns = columns;
	p->column = 0;
	p->numbers = numbers;
	if (html(p)) {
		gs_markup_open(&p->m, "div");
		gs_markup_attr(&p->m, "class", "table");
		gs_markup_attr(&p->m, "tabindex", "0"); /* so that the keyboard can scroll it */
		gs_markup_open(&p->m, "table");
		gs_markup_open(&p->m, "thead");
		gs_markup_open(&p->m, "tr");
		for (int i = 0; i < columns; i++)
			head_cell(p, names[i], numbers[i]);
		gs_markup_close(&p->m);
		gs_markup_close(&p->m);
		gs_markup_open(&p->m, "tbody");
		return;
	}
	for (int i = 0; i < columns; i++) {
		fputs("| ", p->out);
		put_markdown(p->out, names[i]);
		fputs(i + 1 == columns ? " |\n" : " ", p->out);
	}
	for (int i = 0; i < columns; i++)
		fprintf(p->out, "|%s%s", numbers[i] ? "---:" : "---", i + 1 == columns ? "|\n" : "");
}

static void put_cell(gs_page *p, const char *id, const char *text)
{
	bool first = p->column == 0, last = p->column + 1 == p->columns;

	if (html(p)) {
		if (first)
			gs_markup_open(&p->m, "tr");
		gs_markup_open(&p->m, "td");
		if (p->numbers[p->column])
			gs_markup_attr(&p->m, "class", "n");
		if (id) {
			gs_markup_open(&p->m, "a");
			gs_markup_attr(&p->m, "href", "#%s", id);
		}
		gs_markup_text(&p->m, text);
		if (id)
			gs_markup_close(&p->m);
		gs_markup_close(&p->m);
		if (last)
			gs_markup_close(&p->m);
	} else {
		fputs("| ", p->out);
		put_markdown(p->out, text);
		fputs(last ? " |\n" : " ", p->out);
	}
	p->column = last ? 0 : p->column + 1;
}

void gs_page_cell(gs_page *p, const char *text) { put_cell(p, NULL, text); }

void gs_page_cell_link(gs_page *p, const char *id, const char *text) { put_cell(p, id, text); }

void gs_page_number(gs_page *p, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof text, "%" PRIu64, n);
	gs_page_cell(p, text);
}

void gs_page_size(gs_page *p, uint64_t bytes)
{
	char text[32];

	gs_page_cell(p, gs_size_format(text, sizeof text, bytes));
}

void gs_page_end_table(gs_page *p)
{
	if (!html(p)) {
		fputc('\n', p->out);
		return;
	}
	gs_markup_close(&p->m); /* tbody, table, div */
	gs_markup_close(&p->m);
	gs_markup_close(&p->m);
}

/* --- pictures ----------------------------------------------------------------------------------
 */

/* An attribute that holds the picture itself. */
static gs_status put_data(gs_page *p, const char *name, const gs_picture *picture, gs_error *err)
{
	char *png = NULL;
	size_t n = 0;
	FILE *memory = open_memstream(&png, &n);
	gs_status status = memory ? gs_picture_write(picture, GS_PICTURE_PNG, "", memory, err)
							  : gs_fail(err, GS_NO_MEMORY, "a picture");

	if (memory && fclose(memory) && !status)
		status = gs_fail(err, GS_NO_MEMORY, "a picture");
	if (!status) {
		fprintf(p->m.out, " %s=\"data:image/png;base64,", name);
		gs_base64_write(p->m.out, (const unsigned char *)png, n);
		fputc('"', p->m.out);
	}
	free(png);
	return status;
}

static gs_status put_html_picture(
	gs_page *p, const gs_picture *wide, const gs_picture *narrow, gs_error *err)
{
	gs_status status = GS_OK;
	int depth = p->m.depth;

	gs_markup_open(&p->m, "figure");
	gs_markup_open(&p->m, "picture");
	if (narrow) {
		gs_markup_open(&p->m, "source");
		gs_markup_attr(&p->m, "media", "(max-width: 640px)");
		gs_markup_attr(&p->m, "width", "%d", narrow->width);
		gs_markup_attr(&p->m, "height", "%d", narrow->height);
		status = put_data(p, "srcset", narrow, err);
		gs_markup_close(&p->m);
	}
	if (!status) {
		gs_markup_open(&p->m, "img");
		gs_markup_attr(&p->m, "alt", "%s", wide->title);
		gs_markup_attr(&p->m, "width", "%d", wide->width);
		gs_markup_attr(&p->m, "height", "%d", wide->height);
		status = put_data(p, "src", wide, err);
		gs_markup_close(&p->m);
	}
	gs_markup_close_to(&p->m, depth);
	return status;
}

gs_status gs_page_picture(
	gs_page *p, const char *name, const gs_picture *wide, const gs_picture *narrow, gs_error *err)
{
	char *path = NULL;
	gs_status status;

	if (html(p))
		return put_html_picture(p, wide, narrow, err);
	if (!p->beside)
		return GS_OK;
	status = p->beside(p->context, name, wide, &path, err);
	if (!status) {
		fputs("![", p->out);
		put_markdown(p->out, wide->title);
		fprintf(p->out, "](<%s>)\n\n", path);
	}
	free(path);
	return status;
}

/* The bar is to scale, so that its names stand below it. */
static void bar_html(gs_page *p, const gs_page_part *parts, size_t n)
{
	char size[32];

	gs_markup_open(&p->m, "div");
	gs_markup_attr(&p->m, "class", "bar");
	for (size_t i = 0; i < n; i++) {
		if (!parts[i].bytes)
			continue;
		gs_markup_open(&p->m, "span");
		gs_markup_attr(&p->m, "class", "%s", parts[i].class);
		gs_markup_attr(&p->m, "style", "flex-grow:%" PRIu64, parts[i].bytes);
		gs_markup_close(&p->m);
	}
	gs_markup_close(&p->m);
	gs_markup_open(&p->m, "ul");
	gs_markup_attr(&p->m, "class", "key");
	for (size_t i = 0; i < n; i++) {
		if (!parts[i].bytes)
			continue;
		gs_markup_open(&p->m, "li");
		gs_markup_open(&p->m, "span");
		gs_markup_attr(&p->m, "class", "%s", parts[i].class);
		gs_markup_close(&p->m);
		gs_markup_textf(
			&p->m, "%s %s", parts[i].name, gs_size_format(size, sizeof size, parts[i].bytes));
		gs_markup_close(&p->m);
	}
	gs_markup_close(&p->m);
}

void gs_page_bar(gs_page *p, const gs_page_part *parts, size_t n)
{
	char size[32];
	bool any = false;

	if (html(p)) {
		bar_html(p, parts, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (!parts[i].bytes)
			continue;
		fprintf(p->out, "%s%s %s", any ? " + " : "", parts[i].name,
			gs_size_format(size, sizeof size, parts[i].bytes));
		any = true;
	}
	fputs("\n\n", p->out);
}
