/* Assertions: what their words become. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/query/assertion.h"

static const struct {
	const char *typed, *sql; /* sql NULL: refused */
	gs_status status;
} parsed[] = {
	{"peak_reserved < 38GiB", "peak_reserved < 40802189312", GS_OK},
	{"reserved<1.5 G and ooms=0", "reserved<1610612736 and ooms=0", GS_OK},
	{"reserved < 1 and ooms = 0", "reserved < 1 and ooms = 0", GS_OK},
	{"RESERVED <= 2kb", "reserved <= 2000", GS_OK},
	{"fragmentation < .5", "fragmentation < .5", GS_OK},
	{"reserved <= 1.1 * base.reserved", "reserved <= 1.1 * base_reserved", GS_OK},
	{"growth is null or growth = 0", "growth is null or growth = 0", GS_OK},
	{"max(free, 1KiB) > 2", "max(free, 1024) > 2", GS_OK},
	{"fragmentation < 50%", "fragmentation < (50 / 100.0)", GS_OK},
	{"fragmentation<12.5 %and ooms=0", "fragmentation<(12.5 / 100.0)and ooms=0", GS_OK},
	{"(fragmentation) < (50%)", "(fragmentation) < ((50 / 100.0))", GS_OK},
	{"fragmentation < 50% or 1", "fragmentation < (50 / 100.0) or 1", GS_OK},
	{"activation < 20% of capacity", "activation < (20 / 100.0) * capacity", GS_OK},
	{"reserved <= 105 % of base.reserved", "reserved <= (105 / 100.0) * base_reserved", GS_OK},
	{"segments % 2 = 0", "segments % 2 = 0", GS_OK},
	{"7 % 4 = 3", "7 % 4 = 3", GS_OK},
	{"7 % segments = 3", "7 % segments = 3", GS_OK},
	{"segments < 1e3", "segments < 1e3", GS_OK},
	{"fragmentation < 1", "fragmentation < 1", GS_OK},
	{"2 * fragmentation < 2.5", "2 * fragmentation < 2.5", GS_OK},
	{"fragmentation * 100 < 50", "fragmentation * 100 < 50", GS_OK},
	{"fragmentation < 50 * 0.01", "fragmentation < 50 * 0.01", GS_OK},
	{"fragmentation < 50", NULL, GS_INVALID},
	{"fragmentation >= 1.5 or ooms", NULL, GS_INVALID},
	{"reserved < 90% capacity", NULL, GS_INVALID},
	{"segments = 7%4", NULL, GS_INVALID},
	{"reserved < 38Gi", NULL, GS_INVALID},
	{"reserved < 38 Gb x", NULL, GS_NOT_FOUND},
	{"peak_reserved < 5s", NULL, GS_INVALID},
	{"peak_reserved < 5 ms", NULL, GS_INVALID},
	{"reserved < 1.2.3", NULL, GS_INVALID},
	{"reserved < 1_000", NULL, GS_INVALID},
	{"reserved ≤ 1GiB", NULL, GS_INVALID},
	{"ooms = 0 && segments < 3", NULL, GS_INVALID},
	{"reservd < 1", NULL, GS_NOT_FOUND},
	{"base.reservd < 1", NULL, GS_NOT_FOUND},
	{"(select 1)", NULL, GS_NOT_FOUND},
	{"load_extension(1)", NULL, GS_NOT_FOUND},
	{"reserved < 1 -- 2", NULL, GS_INVALID},
	{"reserved < 1; 2", NULL, GS_INVALID},
	{"reserved < 'a'", NULL, GS_INVALID},
	{"", NULL, GS_INVALID},
};

START_TEST(an_assertion_becomes_sql_over_figures)
{
	gs_assertion a;
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(gs_assertion_parse(parsed[_i].typed, &a, &err), parsed[_i].status);
	if (parsed[_i].sql)
		ck_assert_str_eq(a.sql, parsed[_i].sql);
	else
		ck_assert(err.text[0]);
}
END_TEST

START_TEST(an_assertion_may_not_be_endless)
{
	char *text = malloc(3 * GS_ASSERTION_SQL + 1);
	gs_assertion a;
	for (size_t i = 0; i < GS_ASSERTION_SQL; i++)
		memcpy(text + 3 * i, "1 +", 3);
	text[3 * GS_ASSERTION_SQL] = 0;
	ck_assert_int_eq(gs_assertion_parse(text, &a, NULL), GS_INVALID);
	free(text);
}
END_TEST

Suite *suite_assertion(void);
Suite *suite_assertion(void)
{
	Suite *s = suite_create("assertion");
	TCase *t = tcase_create("assertion");
	tcase_add_loop_test(
		t, an_assertion_becomes_sql_over_figures, 0, sizeof parsed / sizeof *parsed);
	tcase_add_test(t, an_assertion_may_not_be_endless);
	suite_add_tcase(s, t);
	return s;
}
