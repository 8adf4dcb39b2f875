/* The builder of the C API: what is put in comes out of the file, in order. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/read/open/reader.h"
#include "recorder/gpusnap.h"

static char folder[64], path[100];
static gpusnap_builder *b;
static gpusnap_id stack, tag;

static void setup(void)
{
	strcpy(folder, "/tmp/gpusnap-check-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/built.gsnap", folder);
	setenv("GPUSNAP_DIR", folder, 1);
	setenv("GPUSNAP_LOG", "none", 1);
	unsetenv("GPUSNAP_NAME");
	b = gpusnap_builder_new();
	ck_assert_ptr_nonnull(b);
	gpusnap_id frames[] = {gpusnap_builder_frame(b, "forward", "model.py", 7),
		gpusnap_builder_frame(b, "main", "train.py", -1)};
	stack = gpusnap_builder_stack(b, frames, 2);
	tag = gpusnap_builder_tag(b, "kv");
}

static void teardown(void)
{
	char command[100];
	gpusnap_builder_free(b);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void add_device(int32_t device)
{
	gpusnap_device_row row = {
		sizeof row, device, "card", 1 << 30, 1 << 20, GPUSNAP_UNKNOWN, GPUSNAP_UNKNOWN, 0, 1, 0};
	ck_assert_int_eq(gpusnap_builder_device(b, &row), GPUSNAP_OK);
}

static void add_segment(int32_t device, uint64_t address)
{
	gpusnap_segment_row row = {
		sizeof row, device, address, 2 << 20, 5, {0, 3}, GPUSNAP_SMALL, 0, stack};
	ck_assert_int_eq(gpusnap_builder_segment(b, &row), GPUSNAP_OK);
}

static void add_block(int32_t device, uint64_t address, gpusnap_block_state state)
{
	gpusnap_block_row row = {
		sizeof row, device, address, 1 << 20, 1000000, state, stack, tag, GPUSNAP_UNKNOWN};
	ck_assert_int_eq(gpusnap_builder_block(b, &row), GPUSNAP_OK);
}

static void add_event(int32_t device, gpusnap_action action, uint64_t address)
{
	gpusnap_event_row row = {sizeof row, device, action, address, 4096, 1700000000000000, 5, {0, 3},
		1, stack, tag, 77, 0};
	ck_assert_int_eq(gpusnap_builder_event(b, &row), GPUSNAP_OK);
}

START_TEST(rows_added_in_any_order_come_back_sorted)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	char written[200];
	gpusnap_oom_row oom = {.size = sizeof oom,
		.device = 1,
		.event = 1,
		.time_us = 1700000000000001,
		.requested = 4096,
		.needed = 2 << 20,
		.stream = 5,
		.device_free = 77,
		.capacity = GPUSNAP_UNKNOWN,
		.allocated = GPUSNAP_UNKNOWN,
		.reserved = GPUSNAP_UNKNOWN,
		.allowed = GPUSNAP_UNKNOWN,
		.pool = GPUSNAP_SMALL,
		.message = "too much",
		.stack = stack};
	gpusnap_stat_row stat = {
		sizeof stat, 1, "num_ooms", NULL, 1, GPUSNAP_UNKNOWN, GPUSNAP_UNKNOWN, GPUSNAP_UNKNOWN};

	add_device(1);
	add_device(0);
	add_segment(1, 0x9000000);
	add_segment(0, 0x9000000);
	add_segment(1, 0x1000000);
	add_block(1, 0x9100000, GPUSNAP_INACTIVE);
	add_block(1, 0x1000000, GPUSNAP_ACTIVE_ALLOCATED);
	add_block(0, 0x9000000, GPUSNAP_ACTIVE_PENDING_FREE);
	add_block(1, 0x9000000, GPUSNAP_ACTIVE_ALLOCATED);
	add_event(1, GPUSNAP_ALLOC, 0x9000000);
	add_event(0, GPUSNAP_ALLOC, 0x9000000);
	add_event(1, GPUSNAP_OOM, 77);
	ck_assert_int_eq(gpusnap_builder_oom(b, &oom), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_stat(b, &stat), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_fact(b, "library", "mine"), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_fact(b, "pid", "42"), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_setting(b, "depth", "deep"), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_annotation(b, 0, "step", "START", 5), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_write(b, 1, path, 0, written, sizeof written), GPUSNAP_OK);
	ck_assert_str_eq(written, path);

	ck_assert_msg(!gs_read_path(path, GS_WANT_ALL, &s, &err), "%s", err.text);
	ck_assert_uint_eq(s.ndevices, 2);
	ck_assert_int_eq(s.pid, 42);
	const gs_device *d = gs_snapshot_find_device(&s, 1);
	ck_assert_uint_eq(d->captured.nsegments, 2);
	ck_assert_uint_eq(d->captured.segments[0].address, 0x1000000);
	ck_assert_uint_eq(d->captured.segments[1].nblocks, 2);
	ck_assert_uint_eq(d->captured.segments[1].pool_id.b, 3);
	ck_assert_int_eq(d->captured.blocks[2].state, GS_INACTIVE);
	ck_assert_int_eq(d->captured.blocks[1].requested, 1000000);
	ck_assert_str_eq(gs_string_text(&s, d->captured.blocks[1].tag), "kv");
	ck_assert_uint_eq(d->trace.n, 2);
	ck_assert_int_eq(gs_event_action(&d->trace.events[1]), GS_ACTION_OOM);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].device_free, 77);
	ck_assert_str_eq(s.ooms[0].message, "too much");
	ck_assert_str_eq(gs_snapshot_setting(&s, "depth"), "deep");
	ck_assert_uint_eq(s.nannotations, 1);
	const gs_stack *k = &s.stacks[d->captured.blocks[1].stack];
	ck_assert_uint_eq(k->n, 2);
	ck_assert_str_eq(gs_string_text(&s, s.frames[s.stack_frames[k->first]].name), "forward");
	ck_assert_int_eq(s.frames[s.stack_frames[k->first]].line, 7);
	ck_assert_int_eq(s.frames[s.stack_frames[k->first + 1]].line, GS_NONE);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(who_holds_memory_outside_is_told_with_name_and_process)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	gpusnap_outsider_row server = {sizeof server, 1, "my server", 4711, 3 << 20, "nvml"},
						 library = {sizeof library, 1, "libnccl.so.2", GPUSNAP_UNKNOWN, 5,
							 "driver calls of train.py:9 step"},
						 nobody = {sizeof nobody, 1, "", 1, 1, NULL},
						 less = {sizeof less, 1, "x", 1, -1, NULL};
	add_device(1);
	ck_assert_int_eq(gpusnap_builder_outsider(b, &server), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_outsider(b, &library), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_outsider(b, &nobody), GPUSNAP_INVALID);
	ck_assert_int_eq(gpusnap_builder_outsider(b, &less), GPUSNAP_INVALID);
	ck_assert_int_eq(gpusnap_builder_setting(b, "outside", "no such row"), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_write(b, 1, path, 0, NULL, 0), GPUSNAP_OK);
	gs_snapshot_init(&s);
	ck_assert_msg(!gs_read_path(path, GS_WANT_ALL, &s, &err), "%s", err.text);
	ck_assert_uint_eq(s.noutsiders, 2);
	ck_assert_str_eq(gs_string_text(&s, s.outsiders[0].holder), "my server");
	ck_assert_int_eq(s.outsiders[0].pid, 4711);
	ck_assert_int_eq(s.outsiders[0].bytes, 3 << 20);
	ck_assert_int_eq(s.outsiders[1].pid, GS_NONE);
	ck_assert_int_eq(s.outsiders[1].device, 1);
	ck_assert_str_eq(gs_string_text(&s, s.outsiders[1].known), "driver calls of train.py:9 step");
	ck_assert_str_eq(gs_snapshot_setting(&s, "outside"), "no such row");
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(what_cannot_be_is_refused_with_the_reason)
{
	gpusnap_block_row row = {sizeof row, 0, 0x100, 512, 512, GPUSNAP_INACTIVE, 99, 0, 0};
	gpusnap_device_row device = {.size = 3};

	ck_assert_int_eq(gpusnap_builder_block(b, &row), GPUSNAP_INVALID);
	ck_assert_ptr_nonnull(strstr(gpusnap_error(), "stack"));
	ck_assert_int_eq(gpusnap_builder_device(b, &device), GPUSNAP_INVALID);
	ck_assert_int_eq(gpusnap_builder_fact(b, "colour", "red"), GPUSNAP_NOT_FOUND);
	ck_assert_int_eq(gpusnap_builder_fact(b, "pid", "x"), GPUSNAP_INVALID);
	ck_assert_uint_eq(gpusnap_builder_stack(b, &(gpusnap_id){1000}, 1), 0);
	add_segment(0, 0x1000000);
	ck_assert_int_eq(gpusnap_builder_write(b, 0, path, 0, NULL, 0), GPUSNAP_INVALID);
	ck_assert_ptr_nonnull(strstr(gpusnap_error(), "device 0"));
	add_device(0);
	add_block(0, 0x5000000, GPUSNAP_INACTIVE);
	ck_assert_int_eq(gpusnap_builder_write(b, 0, path, 0, NULL, 0), GPUSNAP_INVALID);
	ck_assert_ptr_nonnull(strstr(gpusnap_error(), "no segment"));
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_file_is_replaced_only_when_asked)
{
	add_device(0);
	ck_assert_int_eq(gpusnap_builder_write(b, 0, path, 0, NULL, 0), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_write(b, 0, path, 0, NULL, 0), GPUSNAP_EXISTS);
	ck_assert_int_eq(gpusnap_builder_write(b, 0, path, 1, NULL, 0), GPUSNAP_OK);
}
END_TEST

START_TEST(without_a_path_the_pattern_names_it_and_the_newest_takes_the_last_place)
{
	char written[4][300];
	setenv("GPUSNAP_MAX_DUMPS", "2", 1);
	add_device(0);
	for (int i = 1; i < 4; i++) {
		ck_assert_int_eq(
			gpusnap_builder_write(b, 0, NULL, 0, written[i], sizeof *written), GPUSNAP_OK);
		ck_assert_msg(strstr(written[i], "/oom-") && strstr(written[i], "-d0-"), "%s", written[i]);
	}
	ck_assert_int_eq(access(written[1], F_OK), 0);
	ck_assert_int_ne(access(written[2], F_OK), 0);
	ck_assert_int_eq(access(written[3], F_OK), 0);
}
END_TEST

START_TEST(failures_alike_are_merged_and_dumps_on_demand_are_not_called_oom)
{
	char written[300];
	add_device(0);
	ck_assert_int_eq(gpusnap_failure(0, 77, 4096), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_failure(b, 0, 77, 4096), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_write(b, 0, NULL, 0, written, sizeof written), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_failure(0, 77, 4096), GPUSNAP_EXISTS);
	ck_assert_int_eq(gpusnap_builder_write(b, 0, NULL, 0, NULL, 0), GPUSNAP_EXISTS);
	ck_assert_int_eq(gpusnap_failure(0, 78, 4096), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_failure(0, 77, 8192), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_failure(1, 77, 4096), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_reason(b, GPUSNAP_BY_DEMAND), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_write(b, 0, NULL, 0, written, sizeof written), GPUSNAP_OK);
	ck_assert_msg(strstr(written, "/dump-") != NULL, "%s", written);
	ck_assert_int_eq(gpusnap_builder_reason(b, (gpusnap_reason)3), GPUSNAP_INVALID);
}
END_TEST

START_TEST(an_older_and_shorter_struct_is_taken)
{
	gpusnap_device_row row = {
		offsetof(gpusnap_device_row, dropped), 0, "card", 1, 2, 3, 4, 99, 1, 1};
	gs_snapshot s;
	ck_assert_int_eq(gpusnap_builder_device(b, &row), GPUSNAP_OK);
	ck_assert_int_eq(gpusnap_builder_write(b, 0, path, 0, NULL, 0), GPUSNAP_OK);
	ck_assert_int_eq(gs_read_path(path, GS_WANT_ALL, &s, NULL), GS_OK);
	ck_assert_uint_eq(s.devices[0].trace.dropped, 0);
	gs_snapshot_release(&s);
}
END_TEST

static int64_t free_of_the_oom(void)
{
	gs_snapshot s;
	ck_assert_int_eq(gpusnap_builder_write(b, 0, path, 1, NULL, 0), GPUSNAP_OK);
	ck_assert_int_eq(gs_read_path(path, GS_WANT_ALL, &s, NULL), GS_OK);
	ck_assert_uint_eq(s.nooms, 1);
	int64_t bytes = s.ooms[0].device_free;
	gs_snapshot_release(&s);
	return bytes;
}

START_TEST(the_free_bytes_of_an_oom_have_a_field_of_their_own)
{
	add_device(0);
	add_event(0, GPUSNAP_OOM, 0x9000000);
	ck_assert_int_eq(free_of_the_oom(), 77);
}
END_TEST

START_TEST(a_struct_before_that_field_tells_them_as_the_address)
{
	gpusnap_event_row row = {offsetof(gpusnap_event_row, device_free), 0, GPUSNAP_OOM, 4711, 4096,
		1700000000000000, 5, {0, 0}, 1, stack, tag, 77, 0};
	add_device(0);
	ck_assert_int_eq(gpusnap_builder_event(b, &row), GPUSNAP_OK);
	ck_assert_int_eq(free_of_the_oom(), 4711);
}
END_TEST

START_TEST(unknown_free_bytes_stay_unknown)
{
	gpusnap_event_row row = {sizeof row, 0, GPUSNAP_OOM, 0, 4096, 1700000000000000, 5, {0, 0}, 1,
		stack, tag, GPUSNAP_UNKNOWN, 0};
	add_device(0);
	ck_assert_int_eq(gpusnap_builder_event(b, &row), GPUSNAP_OK);
	ck_assert_int_eq(free_of_the_oom(), GS_NONE);
}
END_TEST

Suite *suite_recorder_builder(void);
Suite *suite_recorder_builder(void)
{
	Suite *s = suite_create("recorder_builder");
	TCase *t = tcase_create("builder");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, rows_added_in_any_order_come_back_sorted);
	tcase_add_test(t, who_holds_memory_outside_is_told_with_name_and_process);
	tcase_add_test(t, what_cannot_be_is_refused_with_the_reason);
	tcase_add_test(t, a_file_is_replaced_only_when_asked);
	tcase_add_test(t, without_a_path_the_pattern_names_it_and_the_newest_takes_the_last_place);
	tcase_add_test(t, failures_alike_are_merged_and_dumps_on_demand_are_not_called_oom);
	tcase_add_test(t, an_older_and_shorter_struct_is_taken);
	tcase_add_test(t, the_free_bytes_of_an_oom_have_a_field_of_their_own);
	tcase_add_test(t, a_struct_before_that_field_tells_them_as_the_address);
	tcase_add_test(t, unknown_free_bytes_stay_unknown);
	suite_add_tcase(s, t);
	return s;
}
