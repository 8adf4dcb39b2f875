/* Configs of programs that were built against other releases. */
#include <check.h>
#include <stddef.h>
#include <string.h>

#include "recorder/gpusnap.h"

START_TEST(a_config_is_set_no_further_than_its_program_knows_it)
{
	struct {
		gpusnap_config config;
		unsigned char behind[16];
	} older;
	const size_t first = offsetof(gpusnap_config, stream);
	memset(&older, 0x5a, sizeof older);

	(gpusnap_config_init)(&older.config); /* what a program of the first release calls */

	ck_assert_uint_eq(older.config.size, first);
	ck_assert_int_eq(older.config.max_mb, -1);
	for (size_t i = first; i < sizeof older; i++)
		ck_assert_uint_eq(((unsigned char *)&older)[i], 0x5a);
}
END_TEST

START_TEST(a_config_of_this_release_is_set_whole)
{
	gpusnap_config config;
	memset(&config, 0x5a, sizeof config);
	gpusnap_config_init(&config);
	ck_assert_uint_eq(config.size, sizeof config);
	ck_assert_ptr_null(config.stream);
	ck_assert_int_eq(config.stream_mb, -1);
}
END_TEST

START_TEST(an_older_config_opens_the_recorder)
{
	gpusnap_config config;
	memset(&config, 0x5a, sizeof config);
	(gpusnap_config_init)(&config);
	config.simulated = 1;
	config.simulated_bytes = 1 << 30;
	config.log = "none";
	ck_assert_msg(gpusnap_open(&config) == GPUSNAP_OK, "%s", gpusnap_error());
	gpusnap_close();
}
END_TEST

Suite *suite_recorder_config(void);
Suite *suite_recorder_config(void)
{
	Suite *s = suite_create("recorder_config");
	TCase *t = tcase_create("sizes");
	tcase_add_test(t, a_config_is_set_no_further_than_its_program_knows_it);
	tcase_add_test(t, a_config_of_this_release_is_set_whole);
	tcase_add_test(t, an_older_config_opens_the_recorder);
	suite_add_tcase(s, t);
	return s;
}
