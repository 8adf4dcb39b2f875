/* What a file holds stays text: in a spreadsheet, in a page, in Markdown, on a terminal. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/query/emit.h"
#include "schema/json.h"
#include "schema/markdown.h"
#include "schema/printable.h"

static char *emitted(gs_format format, const char *cell)
{
	char *text = NULL;
	size_t n = 0;
	gs_emitter *e = NULL;
	FILE *out = open_memstream(&text, &n);
	const gs_column columns[] = {{"a", GS_UNIT_NONE}};
	gs_emit_head head = {.query = "q", .complete = true, .columns = columns, .ncolumns = 1};
	gs_value row = gs_value_text(cell);
	ck_assert_int_eq(gs_emit_open(out, format, &head, &e, NULL), GS_OK);
	ck_assert_int_eq(gs_emit_row(e, &row, NULL), GS_OK);
	gs_emit_close(e, false, NULL);
	fclose(out);
	return text;
}

static const struct {
	const char *cell, *csv;
} cells[] = {
	{"=1+1", "a\n'=1+1\n"},
	{"+1", "a\n'+1\n"},
	{"-1", "a\n'-1\n"},
	{"@SUM(A1)", "a\n'@SUM(A1)\n"},
	{"\tx", "a\n'\tx\n"},
	{"\r=1", "a\n\"'\r=1\"\n"},
	{"=cmd|\"/c calc\"!A1", "a\n\"'=cmd|\"\"/c calc\"\"!A1\"\n"},
	{"\xef\xbc\x9d"
	 "1",
		"a\n'\xef\xbc\x9d"
		"1\n"},
	{"a=1", "a\na=1\n"},
	{"step (train.py:3)", "a\nstep (train.py:3)\n"},
};

START_TEST(a_cell_of_csv_is_never_a_formula)
{
	char *text = emitted(GS_FORMAT_CSV, cells[_i].cell);
	ck_assert_str_eq(text, cells[_i].csv);
	free(text);
}
END_TEST

/* Numbers are numbers. */
START_TEST(a_negative_number_stays_one)
{
	char *text = NULL;
	size_t n = 0;
	gs_emitter *e = NULL;
	FILE *out = open_memstream(&text, &n);
	const gs_column columns[] = {{"a", GS_UNIT_NONE}};
	gs_emit_head head = {.query = "q", .complete = true, .columns = columns, .ncolumns = 1};
	gs_value row = gs_value_int(-7);
	ck_assert_int_eq(gs_emit_open(out, GS_FORMAT_CSV, &head, &e, NULL), GS_OK);
	ck_assert_int_eq(gs_emit_row(e, &row, NULL), GS_OK);
	gs_emit_close(e, false, NULL);
	fclose(out);
	ck_assert_str_eq(text, "a\n-7\n");
	free(text);
}
END_TEST

static const struct {
	const char *text, *json;
} strings[] = {
	{"a\xe2\x80\xae"
	 "b",
		"\"a\\u202eb\""},
	{"\xe2\x81\xa6", "\"\\u2066\""},
	{"\xe2\x80\xa8", "\"\\u2028\""},
	{"\xef\xbb\xbf", "\"\\ufeff\""},
	{"\xf3\xa0\x81\x81", "\"\\udb40\\udc41\""},
	{"</script>", "\"\\u003c/script>\""},
	{"<!--", "\"\\u003c!--\""},
	{"<module>", "\"<module>\""},
	{"\x1b[31m", "\"\\u001b[31m\""},
	{"gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
};

START_TEST(a_string_of_json_holds_nothing_that_steers_or_ends_a_script)
{
	char buf[100];
	ck_assert_str_eq(gs_json_quote(buf, sizeof buf, strings[_i].text, strlen(strings[_i].text)),
		strings[_i].json);
}
END_TEST

static const struct {
	const char *text, *markdown;
} marks[] = {
	{"[l](javascript:x)", "\\[l\\](javascript:x)"},
	{"![i](x)", "\\!\\[i\\](x)"},
	{"<script>", "\\<script\\>"},
	{"a|b", "a\\|b"},
	{"&lt;", "\\&lt;"},
	{"https://x.org/a_b", "`https://x.org/a_b`"},
	{"www.x.org", "`www.x.org`"},
	{"@someone", "`@someone`"},
	{"a#1", "`a#1`"},
	{"``@`", "``` ``@` ```"},
	{"@a|b", "`@a\\|b`"},
	{"step (train.py:3)", "step (train.py:3)"},
	{"~~a~~ *b* _c_", "\\~\\~a\\~\\~ \\*b\\* \\_c\\_"},
};

START_TEST(text_in_markdown_shows_as_it_is)
{
	char buf[100];
	ck_assert_str_eq(gs_markdown_plain(buf, sizeof buf, marks[_i].text), marks[_i].markdown);
}
END_TEST

START_TEST(text_in_markdown_is_cut_within_its_room)
{
	char buf[64];
	for (size_t cap = 0; cap < sizeof buf; cap++) {
		memset(buf, 'x', sizeof buf);
		gs_markdown_plain(buf, cap, marks[_i].text);
		ck_assert_msg(!cap || memchr(buf, 0, cap), "cap %zu", cap);
		ck_assert_int_eq(buf[cap], 'x');
	}
}
END_TEST

/* In 80 columns, and without a limit; with rows that say the same and without any. */
START_TEST(a_table_without_rows_has_its_headings)
{
	static const gs_format formats[] = {GS_FORMAT_TABLE, GS_FORMAT_MARKDOWN, GS_FORMAT_TSV,
		GS_FORMAT_CSV, GS_FORMAT_JSON, GS_FORMAT_JSONL};
	for (int width = 0; width <= 120; width += 40)
		for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
			char *text = NULL;
			size_t n = 0;
			gs_emitter *e = NULL;
			FILE *out = open_memstream(&text, &n);
			const gs_column columns[] = {{"device", GS_UNIT_NONE},
				{"a_long_heading_of_a_column", GS_UNIT_BYTES}, {"stack", GS_UNIT_NONE},
				{"another_long_heading_of_a_column", GS_UNIT_TIME},
				{"a_third_long_heading_of_a_column", GS_UNIT_NONE}};
			gs_emit_head head = {.query = "q",
				.complete = true,
				.columns = columns,
				.ncolumns = 5,
				.width = width,
				.upright = _i};
			ck_assert_int_eq(gs_emit_open(out, formats[f], &head, &e, NULL), GS_OK);
			gs_emit_close(e, false, NULL);
			fclose(out);
			if (formats[f] != GS_FORMAT_JSONL && !(formats[f] == GS_FORMAT_TABLE && _i))
				ck_assert_msg(strstr(text, "device") != NULL, "format %zu: %s", f, text);
			free(text);
		}
}
END_TEST

Suite *suite_inert(void);
Suite *suite_inert(void)
{
	Suite *s = suite_create("inert");
	TCase *t = tcase_create("inert");
	tcase_add_loop_test(t, a_cell_of_csv_is_never_a_formula, 0, sizeof cells / sizeof *cells);
	tcase_add_test(t, a_negative_number_stays_one);
	tcase_add_loop_test(t, a_string_of_json_holds_nothing_that_steers_or_ends_a_script, 0,
		sizeof strings / sizeof *strings);
	tcase_add_loop_test(t, text_in_markdown_shows_as_it_is, 0, sizeof marks / sizeof *marks);
	tcase_add_loop_test(
		t, text_in_markdown_is_cut_within_its_room, 0, sizeof marks / sizeof *marks);
	tcase_add_loop_test(t, a_table_without_rows_has_its_headings, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
