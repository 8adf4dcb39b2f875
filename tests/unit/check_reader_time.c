/* Reading in bounded time: files made to be looked through again and again, held against a plain
 * log of the same size. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyzer/read/open/reader.h"
#include "tests/unit/gsnap_memory.h"

enum { SIZE = 1 << 20 };

Suite *suite_reader_time(void);

static void add(memory_file *f, const char *text) { memory_sink(f, text, strlen(text)); }

static void repeat(memory_file *f, const char *text, size_t size)
{
	for (size_t end = f->n + size, n = strlen(text); f->n < end;)
		memory_sink(f, text, n);
}

static void add_word(memory_file *f, uint32_t word)
{
	for (int i = 0; i < 4; i++, word >>= 8)
		memory_sink(f, &(unsigned char){(unsigned char)word}, 1);
}

static void add_string(memory_file *f, const char *text, size_t times)
{
	memory_sink(f, "X", 1);
	add_word(f, (uint32_t)(strlen(text) * times));
	for (size_t i = 0; i < times; i++)
		add(f, text);
}

/* Processor time of this thread in seconds; the file is given back. */
static double seconds(memory_file *f)
{
	struct timespec from, to;
	gs_snapshot s;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	gs_status status = gs_read_memory(f->data, f->n, GS_WANT_ALL, &s, NULL);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	ck_assert(!status);
	gs_snapshot_release(&s);
	memory_release(f);
	return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* It may take so many times as long as the plain log. What is looked through again for each word in
 * it takes far more. */
static void assert_fast(memory_file *f, int times)
{
	memory_file plain = {0};
	repeat(&plain,
		"2026-03-01 10:00:00 step 17: loss 2.5, learning rate 0.001, 4 samples a second\n", f->n);
	double fair = seconds(&plain), taken = seconds(f);
	ck_assert_msg(taken < times * fair, "%.3f s, a plain log %.3f s", taken, fair);
}

START_TEST(messages_without_a_line_end_are_read_in_time)
{
	memory_file f = {0};
	repeat(&f, "CUDA out of memory. Tried to allocate 1.00 GiB; ", SIZE);
	assert_fast(&f, 30);
}
END_TEST

START_TEST(messages_behind_a_long_line_are_read_in_time)
{
	memory_file f = {0};
	repeat(&f, "Out of memory when nothing of a GPU is named, ", SIZE / 2);
	repeat(&f, "cudaMalloc failed: out of memory; ", SIZE / 2);
	assert_fast(&f, 60);
}
END_TEST

START_TEST(titles_of_summaries_without_a_table_are_read_in_time)
{
	static const char bars[] = "||||||||||||||||||||||||||||||||||||||||||||||||||||||||||||||||";
	char text[200];
	memory_file f = {0}, lines = {0};
	snprintf(text, sizeof text, "memory summary, device id 0 %s%s", bars, bars);
	add(&f, "||");
	repeat(&f, text, SIZE);
	assert_fast(&f, 30);
	repeat(&lines, "rank0|memory summary, device id 0\nrank0|1\nrank0|1\nrank0|1\nrank0|1\n", SIZE);
	assert_fast(&lines, 30);
}
END_TEST

START_TEST(many_statistics_of_dumps_are_read_in_time)
{
	memory_file f = {0};
	repeat(&f, "Limit: 1 InUse: 1 MaxInUse: ", SIZE);
	assert_fast(&f, 30);
}
END_TEST

START_TEST(a_page_that_repeats_a_word_is_read_in_time)
{
	memory_file f = {0};
	add(&f, "<html>");
	repeat(&f, "alloc_data ", SIZE);
	add(&f, "alloc_data = {}");
	assert_fast(&f, 6);
}
END_TEST

/* More texts than are remembered, each named by many events under a key that the model does not
 * know. */
START_TEST(long_members_that_events_share_are_read_in_time)
{
	enum { TEXTS = 20 };
	memory_file f = {0};
	add(&f, "\x80\x02}(");
	add_string(&f, "texts", 1);
	add(&f, "](");
	for (uint32_t i = 0; i < TEXTS; i++) {
		add_string(&f, (char[]){(char)('a' + i), 0}, 30000);
		add(&f, "r");
		add_word(&f, 100 + i);
	}
	add(&f, "e");
	add_string(&f, "device_traces", 1);
	add(&f, "](](");
	for (uint32_t i = 0; f.n < SIZE; i++) {
		add(&f, "}(");
		add_string(&f, "action", 1);
		add_string(&f, "alloc", 1);
		add_string(&f, "addr", 1);
		add(&f, "M");
		memory_sink(&f, "\0\x10", 2);
		add_string(&f, "more", 1);
		add(&f, "j");
		add_word(&f, 100 + i % TEXTS);
		add(&f, "u");
	}
	add(&f, "eeu.");
	assert_fast(&f, 30);
}
END_TEST

Suite *suite_reader_time(void)
{
	Suite *s = suite_create("reader_time");
	TCase *t = tcase_create("time");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, messages_without_a_line_end_are_read_in_time);
	tcase_add_test(t, messages_behind_a_long_line_are_read_in_time);
	tcase_add_test(t, titles_of_summaries_without_a_table_are_read_in_time);
	tcase_add_test(t, many_statistics_of_dumps_are_read_in_time);
	tcase_add_test(t, a_page_that_repeats_a_word_is_read_in_time);
	tcase_add_test(t, long_members_that_events_share_are_read_in_time);
	suite_add_tcase(s, t);
	return s;
}
