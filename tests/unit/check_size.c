/* Sizes as people write them. */
#include <check.h>
#include <string.h>

#include "schema/size.h"

static const struct {
	const char *text;
	uint64_t bytes;
} good[] = {
	{"0", 0},
	{"512", 512},
	{"1K", 1024},
	{"1kib", 1024},
	{"1.5 MiB", 1572864},
	{"2GB", 2000000000},
	{"7.79GiB", 8364448809},
	{"1T", 1099511627776},
};
static const char *const bad[] = {"", "x", "1 mib b", "-1", "1.2.3", "9e9", "9999999TiB", "KiB"};

START_TEST(a_size_with_a_unit_becomes_bytes)
{
	uint64_t bytes = 0;
	ck_assert_int_eq(gs_size_parse(good[_i].text, &bytes, NULL), GS_OK);
	ck_assert_uint_eq(bytes, good[_i].bytes);
}
END_TEST

START_TEST(what_is_no_size_is_refused_with_its_text)
{
	gs_error err = GS_ERROR_INIT;
	uint64_t bytes = 7;
	ck_assert_int_eq(gs_size_parse(bad[_i], &bytes, &err), GS_INVALID);
	ck_assert_uint_eq(bytes, 7);
	ck_assert_ptr_nonnull(strstr(err.text, bad[_i]));
}
END_TEST

START_TEST(bytes_are_printed_with_one_decimal)
{
	char buf[32];
	ck_assert_str_eq(gs_size_format(buf, sizeof buf, 402653184), "384.0 MiB");
	ck_assert_str_eq(gs_size_format(buf, sizeof buf, 511), "511 B");
	ck_assert_str_eq(gs_size_format(buf, sizeof buf, (1ull << 30) - 1), "1.0 GiB");
}
END_TEST

Suite *suite_size(void);
Suite *suite_size(void)
{
	Suite *s = suite_create("size");
	TCase *t = tcase_create("sizes");
	tcase_add_loop_test(t, a_size_with_a_unit_becomes_bytes, 0, sizeof good / sizeof *good);
	tcase_add_loop_test(t, what_is_no_size_is_refused_with_its_text, 0, sizeof bad / sizeof *bad);
	tcase_add_test(t, bytes_are_printed_with_one_decimal);
	suite_add_tcase(s, t);
	return s;
}
