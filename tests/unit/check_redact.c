/* Redaction. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/model/frames.h"
#include "analyzer/export/known_words.h"
#include "analyzer/export/redact.h"

static gs_snapshot s;
static const unsigned char salt[GS_SALT] = "a salt that tests use";

static gs_id string(const char *text) { return gs_snapshot_string(&s, text, strlen(text)); }

static void setup(void)
{
	gs_snapshot_init(&s);
	s.host = "node17";
	s.argv = "train.py";
	s.pid = 42;
	gs_id frames[] = {
		gs_snapshot_frame(
			&s, string("forward"), string("/usr/lib/python3/dist-packages/torch/nn/linear.py"), 5),
		gs_snapshot_frame(&s, string("secret_step"), string("/home/ann/secret/train.py"), 12),
		gs_snapshot_frame(&s, string("secret_step"), string("/home/ann/secret/train.py"), 13),
	};
	gs_snapshot_stack(&s, frames, 3);
	gs_snapshot_add_setting(&s, "PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64");
	gs_snapshot_add_oom(&s)->message = "CUDA out of memory on node17";
	gs_snapshot_warn(&s, "node17 warns");
	gs_snapshot_add_setting(&s, "PYTORCH_ALLOC_CONF",
		"expandable_segments:True,roundup_power2_divisions:[256:1,>:4],secret_key:secret17,gc:0.8e+1");
	gs_snapshot_add_setting(&s, "SECRET_NAME", "garbage_collection_threshold:0.6");
	gs_stat stat = {0, string("allocated_bytes"), string("secret_pool"), 1, 1, 1, 1};
	gs_snapshot_add_stat(&s, &stat);
	gs_annotation note = {string("step 7 of secret"), string("secret_stage"), 0, 5};
	gs_snapshot_add_annotation(&s, &note);
	gs_device *d = gs_snapshot_device(&s, 0);
	d->name = string("NVIDIA H200 SXM5-80GB secretmachine");
	strcpy(d->captured.note, "a secret note");
	d->captured.exact = false;
	s.tool = "PyTorch 2.6.0+cu124 secretbuild";
	s.library = "secretlib";
	s.driver = "550.54.14";
	s.ooms[0].library = "pytorch";
	s.ooms[0].told.others = 77;
	s.ooms[0].told.says = GS_SAYS_LIMIT;
	gs_outsider other = {0, 4242, 9, string("secret.py"), string("nvidia-smi")};
	gs_snapshot_add_outsider(&s, &other);
	string("/unused/secret");
	ck_assert_int_eq(gs_redact(&s, salt, NULL), GS_OK);
}

static void teardown(void) { gs_snapshot_release(&s); }

START_TEST(nothing_of_host_arguments_process_or_messages_is_left)
{
	ck_assert_ptr_null(s.host);
	ck_assert_ptr_null(s.argv);
	ck_assert_int_eq(s.pid, GS_NONE);
	ck_assert_ptr_null(s.ooms[0].message);
	ck_assert_uint_eq(s.nwarnings, 0);
	for (gs_id i = 1; i < s.nstrings; i++)
		ck_assert_msg(!strstr(s.strings[i].text, "secret") && !strstr(s.strings[i].text, "ann/"),
			"left: %s", s.strings[i].text);
}
END_TEST

START_TEST(equal_names_stay_equal_and_lines_stay)
{
	ck_assert_uint_eq(s.frames[2].name, s.frames[3].name);
	ck_assert_int_eq(s.frames[2].line, 12);
	ck_assert_str_ne(gs_string_text(&s, s.frames[1].name), gs_string_text(&s, s.frames[2].name));
	ck_assert_int_eq(strncmp(gs_string_text(&s, s.frames[2].name), "function-", 9), 0);
}
END_TEST

START_TEST(the_users_frame_is_still_told_from_those_of_packages)
{
	ck_assert_uint_eq(gs_stack_user_frame(&s, 1), 2);
	ck_assert_ptr_nonnull(strstr(gs_string_text(&s, s.frames[1].file), "site-packages/file-"));
}
END_TEST

START_TEST(settings_keep_numbers_and_known_words_alone)
{
	ck_assert_str_eq(gs_snapshot_setting(&s, "PYTORCH_CUDA_ALLOC_CONF"), "max_split_size_mb:64");
	const char *value = gs_snapshot_setting(&s, "PYTORCH_ALLOC_CONF");
	static const char known[] =
		"expandable_segments:True,roundup_power2_divisions:[256:1,>:4],word-";
	ck_assert_msg(!strncmp(value, known, strlen(known)), "%s", value);
	ck_assert_ptr_nonnull(strstr(value, ":0.8e+1"));
	ck_assert_ptr_null(gs_snapshot_setting(&s, "SECRET_NAME"));
	ck_assert_str_eq(gs_string_text(&s, s.settings[2].value), "garbage_collection_threshold:0.6");
}
END_TEST

START_TEST(facts_keep_numbers_and_known_words_alone)
{
	ck_assert_int_eq(strncmp(s.tool, "PyTorch 2.6.0+cu124 word-", 25), 0);
	ck_assert_int_eq(strncmp(s.library, "word-", 5), 0);
	ck_assert_str_eq(s.driver, "550.54.14");
	ck_assert_str_eq(s.ooms[0].library, "pytorch");
	ck_assert_int_eq(
		strncmp(gs_string_text(&s, s.devices[0].name), "NVIDIA H200 SXM5-80GB word-", 27), 0);
	ck_assert_str_eq(gs_string_text(&s, s.stats[0].name), "allocated_bytes");
	ck_assert_ptr_null(strstr(gs_string_text(&s, s.stats[0].pool), "secret"));
	ck_assert_ptr_null(strstr(gs_string_text(&s, s.annotations[0].stage), "secret"));
	ck_assert_ptr_null(strstr(s.devices[0].captured.note, "secret"));
	ck_assert_int_eq(s.outsiders[0].pid, GS_NONE);
}
END_TEST

START_TEST(what_decides_the_verdict_stays)
{
	ck_assert(!s.devices[0].captured.exact);
	ck_assert_int_eq(s.ooms[0].told.others, 77);
	ck_assert_uint_eq(s.ooms[0].told.says, GS_SAYS_LIMIT);
	ck_assert_int_eq(s.outsiders[0].bytes, 9);
}
END_TEST

/* A library is a word of the field: a copy without it would be advised otherwise. */
START_TEST(every_library_that_messages_name_is_a_known_word)
{
	static const char mark[] = ".library = \"";
	char line[1000];
	size_t n = 0;
	FILE *f = fopen("analyzer/read/messages/message_rules.def", "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f)) {
		char *at = strstr(line, mark);
		if (!at)
			continue;
		at += sizeof mark - 1;
		at += *at == '?';
		at[strcspn(at, "\"")] = 0;
		if (!*at) /* told by what stands around the message */
			continue;
		ck_assert_msg(gs_redact_knows_word(at, strlen(at)), "%s", at);
		n++;
	}
	fclose(f);
	ck_assert_uint_ge(n, 40);
}
END_TEST

Suite *suite_redact(void);
Suite *suite_redact(void)
{
	Suite *suite = suite_create("redact");
	TCase *t = tcase_create("a redacted snapshot");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, nothing_of_host_arguments_process_or_messages_is_left);
	tcase_add_test(t, equal_names_stay_equal_and_lines_stay);
	tcase_add_test(t, the_users_frame_is_still_told_from_those_of_packages);
	tcase_add_test(t, settings_keep_numbers_and_known_words_alone);
	tcase_add_test(t, facts_keep_numbers_and_known_words_alone);
	tcase_add_test(t, what_decides_the_verdict_stays);
	tcase_add_test(t, every_library_that_messages_name_is_a_known_word);
	suite_add_tcase(suite, t);
	return suite;
}
