/* Results in all formats. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/query/emit.h"

static const gs_column columns[] = {
	{"device", GS_UNIT_NONE},
	{"size", GS_UNIT_BYTES},
	{"address", GS_UNIT_ADDRESS},
	{"time_us", GS_UNIT_TIME},
	{"ok", GS_UNIT_BOOLEAN},
	{"text", GS_UNIT_NONE},
	{"text", GS_UNIT_NONE},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static gs_value text(const char *t) { return gs_value_text(t); }
static gs_value number(int64_t n) { return gs_value_int(n); }

/* Two rows in a format; to be freed. */
static char *emit(gs_format format, int width, uint64_t limit, const char *odd, uint64_t *left)
{
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	gs_emitter *e = NULL;
	gs_emit_head head = {"a query", NULL, true, columns, COLUMNS, limit, width, false, NULL};
	ck_assert_int_eq(gs_emit_open(f, format, &head, &e, NULL), GS_OK);
	const gs_value one[COLUMNS] = {number(0), number(402653184), number(0x7f0000000000),
		number(1700000000123456), number(1), text(odd), text("b")};
	const gs_value two[COLUMNS] = {number(1), number(INT64_MIN), number(-16), number(INT64_MIN),
		number(0), text(NULL), {GS_VALUE_REAL, 0, 0.125, NULL, 0}};
	gs_emit_row(e, one, NULL);
	gs_emit_row(e, two, NULL);
	gs_emit_close(e, false, left);
	fclose(f);
	return out;
}

static const struct {
	gs_format format;
	const char *expected;
} whole[] = {
	{GS_FORMAT_JSON,
		"{\"schema_version\":1,\"query\":\"a query\",\"state\":null,\"complete\":true,\"columns\":[\"device\",\"size\",\"address\",\"time_us\","
		"\"ok\",\"text\",\"text_2\"],\"rows\":[{\"device\":0,\"size\":402653184,\"address\":139637976727552,\"time_us\":1700000000123456,"
		"\"ok\":true,\"text\":\"a,\\\"b\\\"\\n\\tc\",\"text_2\":\"b\"},{\"device\":1,\"size\":null,\"address\":-16,\"time_us\":null,\"ok\":false,"
		"\"text\":null,\"text_2\":0.125}],\"truncated\":false}\n"},
	{GS_FORMAT_JSONL,
		"{\"device\":0,\"size\":402653184,\"address\":139637976727552,\"time_us\":1700000000123456,\"ok\":true,\"text\":\"a,\\\"b\\\"\\n\\tc\","
		"\"text_2\":\"b\"}\n{\"device\":1,\"size\":null,\"address\":-16,\"time_us\":null,\"ok\":false,\"text\":null,\"text_2\":0.125}\n"},
	{GS_FORMAT_TSV,
		"device\tsize\taddress\ttime_us\tok\ttext\ttext\n0\t402653184\t139637976727552\t1700000000123456\t1\ta,\"b\"\\n\\tc\tb\n"
		"1\t\t-16\t\t0\t\t0.125\n"},
	{GS_FORMAT_CSV,
		"device,size,address,time_us,ok,text,text\n0,402653184,139637976727552,1700000000123456,1,\"a,\"\"b\"\"\n\tc\",b\n"
		"1,,-16,,0,,0.125\n"},
	{GS_FORMAT_TABLE,
		"device     size             address                     time_us   ok  text        text\n"
		"     0  384 MiB      0x7f0000000000  2023-11-14 22:13:20.123456  yes  a,\"b\" \xe2\x86\x90  c  b\n"
		"     1        -  0xfffffffffffffff0                           -   no  -           0.125\n"},
	{GS_FORMAT_MARKDOWN,
		"| device | size | address | time_us | ok | text | text |\n|---:|---:|---:|---:|---:|---|---|\n"
		"| 0 | 384 MiB | 0x7f0000000000 | 2023-11-14 22:13:20.123456 | yes | a,\"b\" \xe2\x86\x90  c | b |\n"
		"| 1 | - | 0xfffffffffffffff0 | - | no | - | 0.125 |\n"},
};

START_TEST(a_result_is_the_same_in_every_format)
{
	char *out = emit(whole[_i].format, 0, 0, "a,\"b\"\n\tc", NULL);
	ck_assert_str_eq(out, whole[_i].expected);
	free(out);
}
END_TEST

START_TEST(a_sentence_introduces_rows_for_people_and_is_a_member_of_json)
{
	static const struct {
		gs_format format;
		const char *begin; /* of what is printed */
	} forms[] = {
		{GS_FORMAT_TABLE, "Yes: it fits.\n\nok\n"},
		{GS_FORMAT_MARKDOWN, "Yes: it fits.\n\n| ok |"},
		{GS_FORMAT_JSON, "{\"schema_version\":1,\"query\":\"q\",\"summary\":\"Yes: it fits.\","},
		{GS_FORMAT_TSV, "ok\n"},
		{GS_FORMAT_CSV, "ok\n"},
	};
	static const gs_column ok[] = {{"ok", GS_UNIT_NONE}};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		char *out = NULL;
		size_t n = 0;
		FILE *f = open_memstream(&out, &n);
		gs_emitter *e = NULL;
		gs_value row = gs_value_int(1);
		gs_emit_head head = {.query = "q",
			.complete = true,
			.columns = ok,
			.ncolumns = 1,
			.width = 80,
			.summary = "Yes: it fits."};
		ck_assert_int_eq(gs_emit_open(f, forms[i].format, &head, &e, NULL), GS_OK);
		gs_emit_row(e, &row, NULL);
		gs_emit_close(e, false, NULL);
		fclose(f);
		ck_assert_msg(!strncmp(out, forms[i].begin, strlen(forms[i].begin)), "%s", out);
		free(out);
	}
}
END_TEST

START_TEST(no_format_lets_a_control_character_through)
{
	for (int format = GS_FORMAT_TABLE; format <= GS_FORMAT_MARKDOWN; format++) {
		char *out = emit((gs_format)format, 0, 0, "\x1b]0;x\x07\xc2\x9b\x7f\xff\xe2\x80\xae", NULL);
		for (const char *p = out; *p; p++)
			ck_assert_msg((unsigned char)*p >= ' ' || *p == '\n' || *p == '\t',
				"format %d: byte %02x", format, (unsigned char)*p);
		ck_assert_ptr_null(strstr(out, "\xc2\x9b"));
		ck_assert_ptr_null(strchr(out, 0x7f));
		ck_assert_ptr_null(strchr(out, (char)0xff));
		free(out);
	}
}
END_TEST

START_TEST(rows_beyond_the_limit_are_counted)
{
	uint64_t left = 0;
	char *out = emit(GS_FORMAT_JSON, 0, 1, "x", &left);
	ck_assert_uint_eq(left, 1);
	ck_assert_ptr_nonnull(strstr(out, "\"truncated\":true"));
	ck_assert_ptr_null(strstr(out, "\"device\":1"));
	free(out);
}
END_TEST

/* Columns that a line takes: bytes but for those that continue a character. */
static size_t columns_of(const char *line, size_t n)
{
	size_t width = 0;
	for (size_t i = 0; i < n; i++)
		width += ((unsigned char)line[i] & 0xc0) != 0x80;
	return width;
}

START_TEST(a_table_is_no_wider_than_the_terminal)
{
	static const int widths[] = {40, 60, 80, 100, 120};
	char *out = emit(GS_FORMAT_TABLE, widths[_i], 0,
		"a long text that no terminal of this width can show as a whole, even so it has to end",
		NULL);
	for (const char *line = out; *line; line += strcspn(line, "\n") + 1)
		ck_assert_msg(columns_of(line, strcspn(line, "\n")) <= (size_t)widths[_i], "%d columns: %s",
			widths[_i], line);
	ck_assert_ptr_nonnull(strstr(out, "\xe2\x80\xa6"));
	free(out);
}
END_TEST

/* Rows of a fleet: what tells them apart is whole while a sentence can still be cut. */
START_TEST(names_are_cut_after_everything_else)
{
	static const gs_column fleet[] = {{"job", GS_UNIT_NONE}, {"cause", GS_UNIT_NONE},
		{"verdict", GS_UNIT_NONE}, {"bytes", GS_UNIT_BYTES}};
	static const char *const jobs[] = {
		"finetune-of-a-long-name-code", "finetune-of-a-long-name-law"};
	gs_emit_head head = {"q", NULL, true, fleet, sizeof fleet / sizeof *fleet, 0, 60, false, NULL};
	char *out = NULL;
	size_t n = 0;
	gs_error err = GS_ERROR_INIT;
	gs_emitter *e = NULL;
	uint64_t left = 0;
	FILE *stream = open_memstream(&out, &n);
	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(gs_emit_open(stream, GS_FORMAT_TABLE, &head, &e, &err), GS_OK);
	for (int i = 0; i < 2; i++) {
		gs_value row[] = {gs_value_text(jobs[i]),
			gs_value_text("fragmented of model.py:41 forward held by cache.py:14 keep"),
			gs_value_text("fragmented"), gs_value_int(i + 1)};
		ck_assert_int_eq(gs_emit_row(e, row, &err), GS_OK);
	}
	gs_emit_close(e, false, &left);
	fclose(stream);

	for (int i = 0; i < 2; i++)
		ck_assert_msg(strstr(out, jobs[i]) != NULL, "%s", out);
	ck_assert_msg(strstr(out, "fragment\xe2\x80\xa6") == NULL, "%s", out);
	ck_assert_ptr_nonnull(strstr(out, "\xe2\x80\xa6"));
	free(out);
}
END_TEST

Suite *suite_emit(void);
Suite *suite_emit(void)
{
	Suite *s = suite_create("emit");
	TCase *t = tcase_create("formats");
	tcase_add_loop_test(t, a_result_is_the_same_in_every_format, 0, sizeof whole / sizeof *whole);
	tcase_add_test(t, a_sentence_introduces_rows_for_people_and_is_a_member_of_json);
	tcase_add_test(t, no_format_lets_a_control_character_through);
	tcase_add_test(t, rows_beyond_the_limit_are_counted);
	tcase_add_loop_test(t, a_table_is_no_wider_than_the_terminal, 0, 5);
	tcase_add_test(t, names_are_cut_after_everything_else);
	suite_add_tcase(s, t);
	return s;
}
