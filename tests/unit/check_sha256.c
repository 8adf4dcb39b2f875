/* SHA-256: the standard's examples, and pieces of any length. */
#include <check.h>
#include <string.h>

#include "analyzer/read/open/sha256.h"

static const struct {
	const char *text;
	const char *hex;
} rows[] = {
	{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

START_TEST(the_examples_of_the_standard_hold)
{
	gs_sha256 h;
	char hex[65];
	gs_sha256_init(&h);
	gs_sha256_add(&h, rows[_i].text, strlen(rows[_i].text));
	gs_sha256_finish(&h, hex);
	ck_assert_str_eq(hex, rows[_i].hex);
}
END_TEST

START_TEST(a_million_letters_in_uneven_pieces_have_the_standards_sum)
{
	gs_sha256 h;
	char hex[65], a[997];
	memset(a, 'a', sizeof a);
	gs_sha256_init(&h);
	size_t left = 1000000;
	for (size_t n = 1; left; n = n % sizeof a + 1) {
		size_t take = n < left ? n : left;
		gs_sha256_add(&h, a, take);
		left -= take;
	}
	gs_sha256_finish(&h, hex);
	ck_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

Suite *suite_sha256(void);
Suite *suite_sha256(void)
{
	Suite *s = suite_create("sha256");
	TCase *t = tcase_create("sums");
	tcase_add_loop_test(t, the_examples_of_the_standard_hold, 0, sizeof rows / sizeof *rows);
	tcase_add_test(t, a_million_letters_in_uneven_pieces_have_the_standards_sum);
	suite_add_tcase(s, t);
	return s;
}
