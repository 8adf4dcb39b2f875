/* Documents in both forms: escaping, structure, pictures. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/picture/page.h"

static char *text;
static size_t size;
static gs_page page;

static void open_page(gs_page_form form)
{
	gs_page_open(&page, open_memstream(&text, &size), form, "A <title>", NULL);
}

static void close_page(void)
{
	FILE *out = page.out;

	gs_page_close(&page);
	fclose(out);
}

#define ck_assert_has(words) \
	ck_assert_msg(strstr(text, words) != NULL, "\"%s\" is not in:\n%s", words, text)
#define ck_assert_lacks(words) \
	ck_assert_msg(strstr(text, words) == NULL, "\"%s\" is in:\n%s", words, text)

static const char hostile[] =
	"</script><img src=x>&\"' | `a` *b* [c](http://example.org)\nnext\x1b[31m\xff";

static void write_all(void)
{
	static const char *const names[] = {"a", "b"};
	static const bool numbers[] = {false, true};

	gs_page_heading(&page, 1, NULL, hostile);
	gs_page_heading(&page, 2, "one", "One");
	gs_page_paragraph(&page, hostile);
	gs_page_list(&page);
	gs_page_item(&page, hostile, "why");
	gs_page_end_list(&page);
	gs_page_heading(&page, 2, "two", "Two");
	gs_page_table(&page, 2, names, numbers);
	gs_page_cell_link(&page, "one", hostile);
	gs_page_size(&page, 3 << 20);
	gs_page_cell(&page, "x");
	gs_page_number(&page, 7);
	gs_page_end_table(&page);
}

START_TEST(names_in_html_are_text)
{
	open_page(GS_PAGE_HTML);
	write_all();
	close_page();

	ck_assert_lacks("<img");
	ck_assert_lacks("<script");
	ck_assert_lacks("\x1b");
	ck_assert_has("<title>A &lt;title&gt;</title>");
	ck_assert_has("&lt;/script&gt;&lt;img src=x&gt;&amp;&quot;&#39;");
	free(text);
}
END_TEST

START_TEST(sections_and_tables_of_html_are_closed_in_order)
{
	open_page(GS_PAGE_HTML);
	write_all();
	close_page();

	ck_assert_has("</ol></section><section><h2 id=\"two\">Two</h2>");
	ck_assert_has("<tr><td><a href=\"#one\">");
	ck_assert_has(
		"</a></td><td class=\"n\">3 MiB</td></tr><tr><td>x</td><td class=\"n\">7</td></tr>"
		"</tbody></table></div></section></main></body></html>");
	free(text);
}
END_TEST

START_TEST(names_in_markdown_are_text_on_one_line)
{
	open_page(GS_PAGE_MARKDOWN);
	write_all();
	close_page();

	ck_assert_has(
		"# \\</script\\>\\<img src=x\\>\\&\"' \\| \\`a\\` \\*b\\* \\[c\\](http&#58;//example.org) "
		"next\xef\xbf\xbd\\[31m\xef\xbf\xbd\n");
	ck_assert_has("\n| a | b |\n|---|---:|\n| ");
	ck_assert_has(" | 3 MiB |\n| x | 7 |\n");
	ck_assert_lacks("](http:");
	free(text);
}
END_TEST

/* --- pictures ------------------------------------------------------------------------------------
 */

static void draw_dot(const void *subject, gs_draw *d)
{
	(void)subject;
	gs_draw_rect(d, 0, 0, 1, 1, 0x123456);
}

static const gs_picture dot = {2, 3, "A <dot>", draw_dot, NULL};

static unsigned digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	ck_assert_msg(at && *at, "'%c' is no digit", c);
	return (unsigned)(at - digits);
}

START_TEST(html_holds_its_pictures_as_data)
{
	char *png = NULL, *data;
	size_t n = 0, i;
	FILE *out = open_memstream(&png, &n);

	ck_assert_int_eq(gs_picture_write(&dot, GS_PICTURE_PNG, "", out, NULL), GS_OK);
	fclose(out);
	open_page(GS_PAGE_HTML);
	ck_assert_int_eq(gs_page_picture(&page, "dot", &dot, NULL, NULL), GS_OK);
	close_page();

	ck_assert_has("<img alt=\"A &lt;dot&gt;\" width=\"2\" height=\"3\"");
	data = strstr(text, "base64,") + 7;
	for (i = 0; i + 3 <= n; i += 3) {
		const char *four = data + i / 3 * 4;
		unsigned part = digit(four[0]) << 18 | digit(four[1]) << 12 | digit(four[2]) << 6 |
			digit(four[3]);
		ck_assert_uint_eq(part,
			(unsigned)(unsigned char)png[i] << 16 | (unsigned)(unsigned char)png[i + 1] << 8 |
				(unsigned char)png[i + 2]);
	}
	size_t length = strcspn(data, "\"");
	ck_assert_uint_eq(length, (n + 2) / 3 * 4);
	free(png);
	free(text);
}
END_TEST

static gs_status beside(
	void *context, const char *name, const gs_picture *picture, char **path, gs_error *err)
{
	(void)err;
	ck_assert_ptr_eq(picture, &dot);
	*(int *)context += 1;
	ck_assert_int_gt(asprintf(path, "r-%s.png", name), 0);
	return GS_OK;
}

START_TEST(markdown_refers_to_pictures_beside_it)
{
	int put = 0;

	open_page(GS_PAGE_MARKDOWN);
	ck_assert_int_eq(gs_page_picture(&page, "dot", &dot, NULL, NULL), GS_OK);
	page.beside = beside;
	page.context = &put;
	ck_assert_int_eq(gs_page_picture(&page, "dot", &dot, NULL, NULL), GS_OK);
	close_page();

	ck_assert_int_eq(put, 1);
	ck_assert_str_eq(text, "![A \\<dot\\>](<r-dot.png>)\n\n");
	free(text);
}
END_TEST

START_TEST(a_bar_leaves_out_parts_of_no_bytes)
{
	const gs_page_part parts[] = {
		{"in use", 3 << 20, "use"}, {"cached", 0, "cache"}, {"free", 1 << 20, "free"}};

	open_page(GS_PAGE_MARKDOWN);
	gs_page_bar(&page, parts, 3);
	close_page();
	ck_assert_str_eq(text, "in use 3 MiB + free 1 MiB\n\n");
	free(text);
	open_page(GS_PAGE_HTML);
	gs_page_bar(&page, parts, 3);
	close_page();
	ck_assert_has("<div class=\"bar\"><span class=\"use\" style=\"flex-grow:3145728\"></span>"
				  "<span class=\"free\" style=\"flex-grow:1048576\"></span></div>"
				  "<ul class=\"key\"><li><span class=\"use\"></span>in use 3 MiB</li>"
				  "<li><span class=\"free\"></span>free 1 MiB</li></ul>");
	free(text);
}
END_TEST

Suite *suite_page(void);
Suite *suite_page(void)
{
	Suite *s = suite_create("page");
	TCase *t = tcase_create("page");
	tcase_add_test(t, names_in_html_are_text);
	tcase_add_test(t, sections_and_tables_of_html_are_closed_in_order);
	tcase_add_test(t, names_in_markdown_are_text_on_one_line);
	tcase_add_test(t, html_holds_its_pictures_as_data);
	tcase_add_test(t, markdown_refers_to_pictures_beside_it);
	tcase_add_test(t, a_bar_leaves_out_parts_of_no_bytes);
	suite_add_tcase(s, t);
	return s;
}
