/* Words of our own that stand for functions which only newer C libraries have. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "recorder/dump/file_error.h"
#include "recorder/dump/signal_names.h"

START_TEST(every_signal_of_the_system_is_known_by_its_name)
{
	for (int i = 1; i < SIGSYS + 1; i++) {
		ck_assert_ptr_nonnull(sigabbrev_np(i));
		ck_assert_int_eq(gs_signal_number(sigabbrev_np(i)), i);
		ck_assert_str_eq(gs_signal_name(i), sigabbrev_np(i));
	}
	ck_assert_int_eq(gs_signal_number("usr1"), SIGUSR1);
	ck_assert_int_eq(gs_signal_number("SIGUSR1"), 0);
	ck_assert_int_eq(gs_signal_number(""), 0);
	ck_assert_ptr_null(gs_signal_name(SIGRTMIN));
}
END_TEST

START_TEST(errors_of_files_are_told_in_the_words_of_the_system)
{
	int known = 0;
	for (int i = 1; i < 134; i++)
		if (strcmp(gs_file_error(i), "unknown error")) {
			ck_assert_str_eq(gs_file_error(i), strerrordesc_np(i));
			known++;
		}
	ck_assert_int_eq(known, 34);
	ck_assert_str_eq(gs_file_error(ENOSPC), "No space left on device");
	ck_assert_str_eq(gs_file_error(-1), "unknown error");
}
END_TEST

Suite *suite_portable_words(void);
Suite *suite_portable_words(void)
{
	Suite *s = suite_create("portable_words");
	TCase *t = tcase_create("words");
	tcase_add_test(t, every_signal_of_the_system_is_known_by_its_name);
	tcase_add_test(t, errors_of_files_are_told_in_the_words_of_the_system);
	suite_add_tcase(s, t);
	return s;
}
