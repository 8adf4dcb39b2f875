/* Options of the subcommands. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tools/message.h"
#include "tools/options.h"

typedef struct given {
	gs_common common;
	int64_t capacity;
	double share;
	gs_texts confs;
	gs_arguments arguments;
	char words[16][64];
	char *argv[17];
} given;

/* Parses a line of words parted by blanks. */
static int parse(given *g, const char *line, int most)
{
	memset(g, 0, sizeof *g);
	g->common = (gs_common)GS_COMMON_INIT;
	g->capacity = GS_UNSET;
	const gs_option options[] = {{"capacity", 0, GS_OPT_SIZE, &g->capacity, "SIZE", "total memory"},
		{"share", 0, GS_OPT_REAL, &g->share, "X", "a share"},
		{"conf", 0, GS_OPT_TEXTS, &g->confs, "TEXT", "settings"}, GS_OPTIONS_SELECT(g->common),
		GS_OPTIONS_RESULT(g->common), GS_OPTIONS_OUTPUT(g->common), GS_OPTIONS_QUIET(g->common),
		GS_OPTIONS_END};
	int argc = 0;
	for (const char *p = line; *p; argc++) {
		size_t n = strcspn(p, " ");
		snprintf(g->words[argc], sizeof g->words[argc], "%.*s", (int)n, p);
		g->argv[argc] = g->words[argc];
		p += n + (p[n] == ' ');
	}
	int status = gs_options_parse(options, argc, g->argv, 0, most, &g->arguments);
	gs_message_json(false);
	gs_message_quiet(false);
	return status;
}

START_TEST(options_may_follow_arguments)
{
	given g;
	ck_assert_int_eq(parse(&g, "map a.gsnap -o x.png b --capacity 2GiB -d3 -fq", -1), -1);
	ck_assert_int_eq(g.arguments.n, 2);
	ck_assert_str_eq(g.arguments.text[0], "a.gsnap");
	ck_assert_str_eq(g.arguments.text[1], "b");
	ck_assert_str_eq(g.common.output, "x.png");
	ck_assert_int_eq(g.capacity, 2147483648);
	ck_assert_int_eq(g.common.device, 3);
	ck_assert(g.common.force && g.common.quiet);
}
END_TEST

START_TEST(two_dashes_end_the_options)
{
	given g;
	ck_assert_int_eq(parse(&g, "map -n 0 -- -d --json -", -1), -1);
	ck_assert_int_eq(g.arguments.n, 3);
	ck_assert_str_eq(g.arguments.text[0], "-d");
	ck_assert_int_eq(g.common.rows, 0);
	ck_assert(!g.common.json);
}
END_TEST

START_TEST(another_programs_options_are_left_alone)
{
	given g;
	ck_assert_int_eq(parse(&g, "run -d 1 python -d x --json", GS_REST), -1);
	ck_assert_int_eq(g.arguments.n, 4);
	ck_assert_int_eq(g.common.device, 1);
	ck_assert_str_eq(g.arguments.text[3], "--json");
}
END_TEST

START_TEST(a_repeated_option_makes_a_list)
{
	given g;
	ck_assert_int_eq(parse(&g, "whatif --conf=a:1 --conf b:2", -1), -1);
	ck_assert_int_eq(g.confs.n, 2);
	ck_assert_str_eq(g.confs.text[0], "a:1");
	ck_assert_str_eq(g.confs.text[1], "b:2");
}
END_TEST

static const char *const wrong[] = {
	"map --capasity 1",
	"map --capacity",
	"map --capacity x",
	"map -z",
	"map -d x",
	"map -d -1",
	"map --share 1x",
	"map --format yaml",
	"map --json=1",
	"map a b",
	"map -n 99999999999999999999",
};

START_TEST(wrong_usage_ends_with_two)
{
	given g;
	ck_assert_int_eq(parse(&g, wrong[_i], 1), 2);
}
END_TEST

START_TEST(the_nearest_word_is_found)
{
	static const char *const words[] = {"summary", "segments", "settings", NULL};
	ck_assert_str_eq(gs_nearest_word("sumary", words), "summary");
	ck_assert_str_eq(gs_nearest_word("setings", words), "settings");
	ck_assert_str_eq(gs_nearest_word("seg", words), "segments");
	ck_assert_ptr_null(gs_nearest_word("xyzzy", words));
}
END_TEST

Suite *suite_options(void);
Suite *suite_options(void)
{
	Suite *s = suite_create("options");
	TCase *t = tcase_create("options");
	tcase_add_test(t, options_may_follow_arguments);
	tcase_add_test(t, two_dashes_end_the_options);
	tcase_add_test(t, another_programs_options_are_left_alone);
	tcase_add_test(t, a_repeated_option_makes_a_list);
	tcase_add_loop_test(t, wrong_usage_ends_with_two, 0, sizeof wrong / sizeof *wrong);
	tcase_add_test(t, the_nearest_word_is_found);
	suite_add_tcase(s, t);
	return s;
}
