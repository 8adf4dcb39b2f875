/* Sentences for people: wrapping, shortening, remarks set off to the right. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/prose.h"
#include "schema/printable.h"

static char *written(const gs_voice *voice, int indent, const char *text, const char *tail)
{
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	ck_assert_ptr_nonnull(f);
	gs_prose_write(f, voice, 0, indent, text, tail);
	fclose(f);
	return out;
}

static const gs_voice narrow = {.width = 60, .utf8 = true};

START_TEST(a_long_text_is_wrapped_at_blanks_and_continued_with_its_indentation)
{
	char *out = written(&narrow, 4,
		"fragmented: 200 MiB asked for, 880 MiB of the cache is free, but no hole is larger", NULL);
	ck_assert_str_eq(out,
		"fragmented: 200 MiB asked for, 880 MiB of the cache is free,\n    but no hole is larger\n");
	free(out);
}
END_TEST

START_TEST(a_remark_is_set_off_where_it_fits_and_else_has_a_line_of_its_own)
{
	char *out = written(&narrow, 2, "200 MiB for train.py:33 step", "(stream 0, large pool)");
	ck_assert_str_eq(out, "200 MiB for train.py:33 step    (stream 0, large pool)\n");
	free(out);
	out = written(&narrow, 2, "200 MiB for train.py:33 step of a class", "(stream 0, large pool)");
	ck_assert_str_eq(out, "200 MiB for train.py:33 step of a class\n  (stream 0, large pool)\n");
	free(out);
}
END_TEST

START_TEST(a_word_wider_than_the_line_keeps_its_end_where_file_and_line_are)
{
	char word[400] = "held by ", *out;
	memset(word + 8, 'd', 200);
	strcpy(word + 208, "/adaptive_forward.py:287 more");
	out = written(&narrow, 2, word, NULL);
	ck_assert_ptr_nonnull(strstr(out, "\xe2\x80\xa6"));
	ck_assert_ptr_nonnull(strstr(out, "/adaptive_forward.py:287\n"));
	for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
		ck_assert_uint_le(gs_utf8_width(line, strlen(line)), 60);
	free(out);
}
END_TEST

START_TEST(no_line_is_wider_than_asked_for_whatever_the_text)
{
	unsigned seed = 20261130;
	for (int round = 0; round < 500; round++) {
		gs_voice voice = {.width = 60 + (int)(rand_r(&seed) % 41), .utf8 = rand_r(&seed) & 1};
		char text[900];
		size_t n = 0, most = rand_r(&seed) % (sizeof text - 1);
		while (n < most)
			text[n++] = rand_r(&seed) % 9 ? 'a' : rand_r(&seed) % 3 ? ' ' : ':';
		text[n] = 0;
		char *out = written(&voice, (int)(rand_r(&seed) % 20), text, "(estimated)");
		for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
			ck_assert_msg(gs_utf8_width(line, strlen(line)) <= (size_t)voice.width,
				"seed 20261130, round %d: width %d: %s", round, voice.width, line);
		free(out);
	}
}
END_TEST

START_TEST(widths_are_kept_between_60_and_100)
{
	gs_voice tiny = {.width = 10}, huge = {.width = 500};
	char text[300];
	for (size_t i = 0; i < sizeof text - 1; i++)
		text[i] = i % 5 ? 'a' : ' ';
	text[sizeof text - 1] = 0;
	char *out = written(&tiny, 0, text, NULL);
	ck_assert_uint_gt(strcspn(out, "\n"), 50);
	free(out);
	out = written(&huge, 0, text, NULL);
	ck_assert_uint_le(strcspn(out, "\n"), 100);
	ck_assert_uint_gt(strcspn(out, "\n"), 90);
	free(out);
}
END_TEST

START_TEST(a_text_that_is_too_long_ends_in_an_ellipsis)
{
	gs_prose p;
	gs_prose_clear(&p);
	for (int i = 0; i < 1000; i++)
		gs_say(&p, "word%d ", i);
	ck_assert_uint_eq(p.n, strlen(p.text));
	ck_assert_str_eq(p.text + p.n - 3, "...");
}
END_TEST

START_TEST(names_from_a_file_are_inert_on_a_page)
{
	gs_voice page = {.markdown = true};
	gs_prose p;
	gs_prose_clear(&p);
	gs_say_foreign(&p, &page, "<img src=x>[a](b)`c`|");
	gs_prose code;
	gs_prose_clear(&code);
	gs_say_code(&code, &page, "f_g`(<a>)");
	ck_assert_str_eq(code.text, "`f_g'(<a>)`");
	ck_assert_str_eq(p.text, "\\<img src=x\\>\\[a\\](b)\\`c\\`\\|");
}
END_TEST

START_TEST(counts_have_their_plural)
{
	gs_prose p;
	gs_prose_clear(&p);
	gs_say_count(&p, 1, "block");
	gs_say_between(&p, ", ");
	gs_say_count(&p, 0, "block");
	gs_say_between(&p, ", ");
	gs_say_count(&p, 2, "segment");
	ck_assert_str_eq(p.text, "1 block, 0 blocks, 2 segments");
}
END_TEST

Suite *suite_prose(void);
Suite *suite_prose(void)
{
	Suite *s = suite_create("prose");
	TCase *t = tcase_create("prose");
	tcase_add_test(t, a_long_text_is_wrapped_at_blanks_and_continued_with_its_indentation);
	tcase_add_test(t, a_remark_is_set_off_where_it_fits_and_else_has_a_line_of_its_own);
	tcase_add_test(t, a_word_wider_than_the_line_keeps_its_end_where_file_and_line_are);
	tcase_add_test(t, no_line_is_wider_than_asked_for_whatever_the_text);
	tcase_add_test(t, widths_are_kept_between_60_and_100);
	tcase_add_test(t, a_text_that_is_too_long_ends_in_an_ellipsis);
	tcase_add_test(t, names_from_a_file_are_inert_on_a_page);
	tcase_add_test(t, counts_have_their_plural);
	suite_add_tcase(s, t);
	return s;
}
