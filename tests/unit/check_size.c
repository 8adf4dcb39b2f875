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

static const struct {
	uint64_t bytes;
	const char *text;
} printed[] = {
	{0, "0 B"},
	{511, "511 B"},
	{1023, "1023 B"},
	{1024, "1 KiB"},
	{1536, "1.50 KiB"},
	{92274688, "88 MiB"},
	{402653184, "384 MiB"},
	{92799000, "88.5 MiB"},
	{1048576000, "1000 MiB"},
	{(1ull << 30) - 1, "1.00 GiB"},
	{1ull << 30, "1.00 GiB"},
	{1073217536, "1.00 GiB"},
	{5304281989ull, "4.94 GiB"},
	{10733223936ull, "10.0 GiB"},
	{66357019443ull, "61.8 GiB"},
	{107374182400ull, "100 GiB"},
	{1099511627776ull, "1.00 TiB"},
	{UINT64_MAX, "16.0 EiB"},
};

START_TEST(bytes_are_printed_with_three_digits)
{
	char buf[32];
	ck_assert_str_eq(gs_size_format(buf, sizeof buf, printed[_i].bytes), printed[_i].text);
}
END_TEST

START_TEST(sizes_that_are_compared_never_look_alike)
{
	static const struct {
		uint64_t bytes, other;
		const char *text;
	} pairs[] = {
		{8804682957ull, 8729520865ull, "8.20 GiB"},
		{10741713797ull, 10738492571ull, "10.004 GiB"},
		{1ull << 30, 1ull << 30, "1.00 GiB"},
		{(1ull << 30) + 1048576, 1ull << 30, "1.001 GiB"},
		{(1ull << 30), (1ull << 30) + 1048576, "1.000 GiB"},
	};
	char buf[48];
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		ck_assert_str_eq(
			gs_size_format_beside(buf, sizeof buf, pairs[i].bytes, pairs[i].other), pairs[i].text);
}
END_TEST

Suite *suite_size(void);
Suite *suite_size(void)
{
	Suite *s = suite_create("size");
	TCase *t = tcase_create("sizes");
	tcase_add_loop_test(t, a_size_with_a_unit_becomes_bytes, 0, sizeof good / sizeof *good);
	tcase_add_loop_test(t, what_is_no_size_is_refused_with_its_text, 0, sizeof bad / sizeof *bad);
	tcase_add_loop_test(
		t, bytes_are_printed_with_three_digits, 0, sizeof printed / sizeof *printed);
	tcase_add_test(t, sizes_that_are_compared_never_look_alike);
	suite_add_tcase(s, t);
	return s;
}
