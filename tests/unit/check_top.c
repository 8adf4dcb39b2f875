/* `gpusnap top`: what it takes from a run, and how screens and lines look. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/open/input.h"
#include "recorder/gpusnap.h"
#include "schema/printable.h"
#include "tools/top_draw.h"
#include "tools/top_target.h"

#define MIB (UINT64_C(1) << 20)

static gs_error err = GS_ERROR_INIT;

static gs_top_holder holders[] = {
	{"leak.py:8 remember", "train.py:13 step", "unknown", 19 * MIB, 152, 128 << 10},
	{"model.py:5 <module>", "", "parameters", 3 * MIB / 2, 6, 0},
};
static gs_category_sum categories[] = {
	{GS_CATEGORY_UNKNOWN, 19 * MIB, 152}, {GS_CATEGORY_PARAMETER, 3 * MIB / 2, 6}};

static gs_top_device device = {.device = 0,
	.name = "NVIDIA H200",
	.capacity = 64 * MIB,
	.allocated = 16 * MIB,
	.reserved = 32 * MIB,
	.free = 16 * MIB,
	.largest = 10 * MIB,
	.peak = 24 * MIB,
	.allocations = 1234,
	.bytes = 5 * MIB,
	.step = "step 41",
	.holders = holders,
	.nholders = 2,
	.categories = categories,
	.ncategories = 2};

static const gs_top_view view = {
	.argv = "python train.py", .host = "node1", .pid = 4711, .devices = &device, .n = 1};

static void prepare(void)
{
	device.series = (gs_top_series){.first = 100, .last = 103};
	for (int i = 0; i < 4; i++)
		device.series.most[100 + i] = (uint64_t)(i + 1) * 4 * MIB;
}

static gs_top_look look_at(int width, int height)
{
	return (gs_top_look){.width = width,
		.height = height,
		.device = GS_NONE,
		.rows = GS_NONE,
		.title = "run.gsnap",
		.time = "12:03:41"};
}

static char *drawn(const gs_top_look *look, const gs_top_view *of)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	gs_top_draw(of, look, out);
	fclose(out);
	return text;
}

START_TEST(eighty_columns_show_the_run_at_a_glance)
{
	gs_top_look look = look_at(80, 24);
	look.note = "q quits";
	char *text = drawn(&look, &view);
	ck_assert_str_eq(text,
		"gpusnap top  run.gsnap  pid 4711  step 41                               12:03:41\n"
		"python train.py\n"
		"device 0  NVIDIA H200\n"
		"  allocated 16 MiB   reserved 32 MiB   capacity 64 MiB   peak 24 MiB\n"
		"  [###################==================                                     ]\n"
		"  largest hole 10 MiB of 16 MiB cached   1,234 allocations/s, 5 MiB/s\n"
		"  .-=#  last 4 s, to 16 MiB\n"
		"  unknown 19 MiB, parameters 1.50 MiB\n"
		"     BYTES  BLOCKS  CATEGORY        A STEP    HOLDER\n"
		"    19 MiB     152  unknown         +128 KiB  leak.py:8 remember <- train.py:13\n"
		"  1.50 MiB       6  parameters                model.py:5 <module>\n"
		"q quits\n");
	free(text);
}
END_TEST

START_TEST(two_hundred_columns_name_the_callers_too)
{
	gs_top_look look = look_at(200, 40);
	char *text = drawn(&look, &view);
	ck_assert_ptr_nonnull(strstr(text,
		"    19 MiB     152  unknown         +128 KiB  leak.py:8 remember <- train.py:13 step\n"));
	free(text);
}
END_TEST

static const struct {
	const char *what;
	int width, height;
	bool utf8;
} sizes[] = {
	{"a very small one", 20, 5, true},
	{"one line", 80, 1, false},
	{"narrow", 40, 24, true},
	{"flat", 132, 8, false},
	{"a terminal that tells nonsense", 1, 2, true},
	{"wide", 400, 100, true},
};

START_TEST(no_screen_is_larger_than_its_terminal)
{
	gs_top_look look = look_at(sizes[_i].width, sizes[_i].height);
	look.utf8 = sizes[_i].utf8;
	look.note = "q quits";
	char *text = drawn(&look, &view);
	int lines = 0;
	for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1, lines++)
		ck_assert_msg((int)gs_utf8_width(at, (size_t)(end - at)) <= look.width, "%s: line %d",
			sizes[_i].what, lines + 1);
	ck_assert_msg(lines <= look.height, "%s: %d lines", sizes[_i].what, lines);
	free(text);
}
END_TEST

START_TEST(a_pipe_gets_one_line_a_device)
{
	gs_top_look look = look_at(80, 24);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	gs_top_write_line(&view, &look, out);
	fclose(out);
	ck_assert_str_eq(text,
		"12:03:41  device 0  allocated 16 MiB  reserved 32 MiB  capacity 64 MiB  hole 10 MiB  "
		"1234 allocations/s  step 41  top leak.py:8 remember 19 MiB\n");
	free(text);
}
END_TEST

START_TEST(another_device_than_the_one_asked_for_is_left_out)
{
	gs_top_look look = look_at(80, 24);
	look.device = 1;
	char *text = drawn(&look, &view);
	ck_assert_ptr_null(strstr(text, "H200"));
	free(text);
}
END_TEST

static gs_top_device eight[8];
static const gs_top_view node = {.host = "node1", .pid = 4711, .devices = eight, .n = 8};

static void prepare_eight(void)
{
	prepare();
	for (int i = 0; i < 8; i++) {
		eight[i] = device;
		eight[i].device = i;
	}
}

START_TEST(eight_devices_are_all_there_on_a_screen_of_24_lines)
{
	gs_top_look look = look_at(80, 24);
	look.note = "q quits";
	prepare_eight();
	char *text = drawn(&look, &node);
	for (int i = 0; i < 8; i++) {
		char wanted[200];
		snprintf(wanted, sizeof wanted,
			"\ndevice %d  allocated 16 MiB   reserved 32 MiB   capacity 64 MiB\n"
			"  hole 10 MiB   1,234 allocations/s   19 MiB for leak.py:8 remember\n",
			i);
		ck_assert_ptr_nonnull(strstr(text, wanted));
	}
	ck_assert_ptr_null(strstr(text, "more devices"));
	free(text);
}
END_TEST

START_TEST(devices_that_no_line_is_left_for_are_counted)
{
	gs_top_look look = look_at(80, 6);
	look.note = "q quits";
	prepare_eight();
	char *text = drawn(&look, &node);
	ck_assert_ptr_nonnull(strstr(text, "\ndevice 2  allocated"));
	ck_assert_ptr_nonnull(strstr(text, "\n5 more devices; -d shows one alone\nq quits\n"));
	free(text);
}
END_TEST

START_TEST(a_narrow_screen_still_names_who_holds)
{
	gs_top_look look = look_at(40, 24);
	char *text = drawn(&look, &view);
	ck_assert_ptr_nonnull(strstr(text,
		"     BYTES A STEP    HOLDER\n"
		"    19 MiB +128 KiB  leak.py:8 remember\n"
		"  1.50 MiB           model.py:5 <module>\n"));
	free(text);
}
END_TEST

START_TEST(a_pipe_is_told_that_there_is_nothing_yet)
{
	const gs_top_view none = GS_TOP_VIEW_INIT;
	gs_top_look look = look_at(80, 24);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	gs_top_write_line(&none, &look, out);
	fclose(out);
	ck_assert_str_eq(text, "12:03:41  no device yet: nothing was allocated\n");
	free(text);
}
END_TEST

/* --- of a run --- */

static char path[] = "/tmp/gpusnap-top-XXXXXX/run.gsnap";
enum { FOLDER = sizeof "/tmp/gpusnap-top-XXXXXX" - 1 };

static void record(void)
{
	gpusnap_config c;
	void *at[3];
	strcpy(path, "/tmp/gpusnap-top-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(path));
	strcat(path, "/run.gsnap");
	gpusnap_config_init(&c);
	c.simulated = 1;
	c.simulated_bytes = 1024 * MIB;
	c.stream = path;
	ck_assert_int_eq(gpusnap_open(&c), 0);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(gpusnap_malloc(0, (i + 1) * 30 * MIB, NULL, &at[i]), 0);
	gpusnap_free(0, at[1]);
}

static void remove_record(void)
{
	unlink(path);
	path[FOLDER] = '\0';
	rmdir(path);
	strcpy(path, "/tmp/gpusnap-top-XXXXXX/run.gsnap");
}

/* whole_below: as of gs_moment_wanted. With 0 the events before the last layout, which stands where
 * the recorder came to it, are not read. */
static void take_part(gs_top_view *of, uint64_t whole_below)
{
	const gs_moment_wanted last = {.what = GS_MOMENT_LAST, .whole_below = whole_below};
	const gs_input_entry entry = {.path = path};
	gs_snapshot s;
	ck_assert_msg(!gs_input_read_moment(&entry, GS_WANT_HISTORY, &last, &s, &err), "%s", err.text);
	ck_assert_int_eq(gs_top_view_update(of, &s, s.time_us + 1000000, &err), GS_OK);
	gs_snapshot_release(&s);
}

static void take(gs_top_view *of) { take_part(of, 1000); }

/* 30 + 90 MiB are left of 180 asked for; each has a segment of its own, rounded to 2 MiB, so that
 * the hole is the freed one. */
START_TEST(figures_of_a_run_are_those_of_its_last_moment)
{
	gs_top_view of = GS_TOP_VIEW_INIT;
	record();
	usleep(400000); /* the stream is written twice a second */
	take(&of);
	ck_assert_uint_eq(of.n, 1);
	ck_assert(!of.ended);
	ck_assert_int_eq(of.pid, getpid());
	ck_assert_int_eq(of.devices[0].capacity, 1024 * MIB);
	ck_assert_uint_eq(of.devices[0].allocated, 120 * MIB);
	ck_assert_uint_eq(of.devices[0].reserved, 180 * MIB);
	ck_assert_uint_eq(of.devices[0].largest, 60 * MIB);
	ck_assert_uint_eq(of.devices[0].peak, 180 * MIB);
	ck_assert_uint_eq(of.devices[0].nholders, 1);
	ck_assert_uint_eq(of.devices[0].holders[0].bytes, 120 * MIB);
	gpusnap_close();
	take(&of);
	ck_assert(of.ended);
	gs_top_view_release(&of);
	remove_record();
}
END_TEST

START_TEST(the_stream_of_a_process_is_found_among_its_files)
{
	char found[PATH_MAX], pid[24];
	record();
	snprintf(pid, sizeof pid, "%d", getpid());
	ck_assert_int_eq(gs_top_target(pid, found, &err), GS_OK);
	ck_assert_str_eq(found, path);
	gpusnap_close();
	ck_assert_int_eq(gs_top_target(pid, found, &err), GS_NOT_FOUND);
	ck_assert_str_eq(err.text, "this process records no whole run");
	remove_record();
}
END_TEST

START_TEST(a_stream_that_lost_its_name_is_found_all_the_same)
{
	char found[PATH_MAX], pid[24];
	record();
	unlink(path);
	snprintf(pid, sizeof pid, "%d", getpid());
	ck_assert_int_eq(gs_top_target(pid, found, &err), GS_OK);
	ck_assert_ptr_nonnull(strstr(found, "/proc/"));
	ck_assert_int_eq(gs_top_is_stream(found, &err), GS_OK);
	gpusnap_close();
	remove_record();
}
END_TEST

START_TEST(another_run_of_the_same_name_begins_anew)
{
	gs_top_view of = {.pid = getpid() + 1, .n = 0};
	gs_top_device *before = malloc(sizeof *before);
	*before = (gs_top_device){.device = 5, .peak = 4096 * MIB};
	of.devices = before;
	of.n = 1;
	record();
	gpusnap_close();
	take(&of);
	ck_assert_uint_eq(of.n, 1);
	ck_assert_int_eq(of.devices[0].device, 0);
	ck_assert_uint_eq(of.devices[0].peak, 180 * MIB);
	gs_top_view_release(&of);
	remove_record();
}
END_TEST

/* Of a long run only the end is read; wherever its last layout stands, the peak is the run's. */
START_TEST(the_peak_of_a_run_counts_where_its_events_are_not_read)
{
	gs_top_view of = GS_TOP_VIEW_INIT;
	void *more;
	record();
	usleep(700000); /* the stream has begun and waits for a layout, which the next calls bring */
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(gpusnap_malloc(0, MIB, NULL, &more), 0);
		gpusnap_free(0, more);
	}
	gpusnap_close();
	take_part(&of, 0);
	ck_assert_uint_eq(of.devices[0].peak, 180 * MIB);
	ck_assert_uint_eq(of.devices[0].allocated, 120 * MIB);
	gs_top_view_release(&of);
	remove_record();
}
END_TEST

static void *keep(uint64_t bytes)
{
	void *at;
	ck_assert_int_eq(gpusnap_malloc(0, bytes, NULL, &at), 0);
	return at;
}

/* One function, called for what stays the same and for what grows. */
START_TEST(growth_is_told_of_the_caller_that_it_comes_from)
{
	gs_top_view of = GS_TOP_VIEW_INIT;
	record();
	keep(20 * MIB);
	for (int i = 0; i < 12; i++) {
		gpusnap_step(i);
		keep(2 * MIB);
		gpusnap_free(0, keep(5 * MIB));
	}
	gpusnap_close();
	take(&of);
	size_t growing = 0;
	for (size_t i = 0; i < of.devices[0].nholders; i++)
		if (of.devices[0].holders[i].each_step) {
			growing++;
			ck_assert_uint_eq(of.devices[0].holders[i].each_step, 2 * MIB);
			ck_assert_uint_eq(of.devices[0].holders[i].blocks, 12);
		}
	ck_assert_uint_eq(growing, 1);
	gs_top_view_release(&of);
	remove_record();
}
END_TEST

START_TEST(a_dump_is_no_recording_of_a_run)
{
	ck_assert_int_eq(gs_top_is_stream("tests/data/faults/leak.pickle", &err), GS_UNKNOWN_KIND);
	gs_error other = GS_ERROR_INIT;
	ck_assert_int_eq(gs_top_is_stream("tests/data/no such file", &other), GS_IO);
}
END_TEST

START_TEST(seconds_without_events_carry_on_what_was_allocated)
{
	gs_top_view of = {.pid = GS_NONE, .last_us = 0, .n = 1};
	gs_top_device d = {.allocated = 5, .allocations = 3, .series = {.first = 10, .last = 10}};
	d.series.most[10] = 7;
	of.devices = &d;
	gs_top_view_pass(&of, 13000000);
	ck_assert_int_eq(d.series.last, 13);
	ck_assert_uint_eq(d.series.most[12], 7);
	ck_assert_double_lt(d.allocations, 1e-9);
}
END_TEST

Suite *suite_top(void);
Suite *suite_top(void)
{
	Suite *suite = suite_create("top");
	TCase *screens = tcase_create("screens"), *runs = tcase_create("runs");
	tcase_add_checked_fixture(screens, prepare, NULL);
	tcase_add_test(screens, eighty_columns_show_the_run_at_a_glance);
	tcase_add_test(screens, two_hundred_columns_name_the_callers_too);
	tcase_add_loop_test(
		screens, no_screen_is_larger_than_its_terminal, 0, sizeof sizes / sizeof *sizes);
	tcase_add_test(screens, a_pipe_gets_one_line_a_device);
	tcase_add_test(screens, another_device_than_the_one_asked_for_is_left_out);
	tcase_add_test(screens, eight_devices_are_all_there_on_a_screen_of_24_lines);
	tcase_add_test(screens, devices_that_no_line_is_left_for_are_counted);
	tcase_add_test(screens, a_narrow_screen_still_names_who_holds);
	tcase_add_test(screens, a_pipe_is_told_that_there_is_nothing_yet);
	tcase_add_test(runs, figures_of_a_run_are_those_of_its_last_moment);
	tcase_add_test(runs, the_stream_of_a_process_is_found_among_its_files);
	tcase_add_test(runs, a_stream_that_lost_its_name_is_found_all_the_same);
	tcase_add_test(runs, another_run_of_the_same_name_begins_anew);
	tcase_add_test(runs, the_peak_of_a_run_counts_where_its_events_are_not_read);
	tcase_add_test(runs, growth_is_told_of_the_caller_that_it_comes_from);
	tcase_add_test(runs, a_dump_is_no_recording_of_a_run);
	tcase_add_test(runs, seconds_without_events_carry_on_what_was_allocated);
	suite_add_tcase(suite, screens);
	suite_add_tcase(suite, runs);
	return suite;
}
