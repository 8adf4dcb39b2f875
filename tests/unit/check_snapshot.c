/* The in-memory model. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/snapshot.h"

static gs_snapshot s;

static void setup(void) { gs_snapshot_init(&s); }
static void teardown(void) { gs_snapshot_release(&s); }

START_TEST(equal_strings_frames_and_stacks_get_one_id)
{
	gs_id a = gs_snapshot_string(&s, "forward", 7), b = gs_snapshot_string(&s, "model.py", 8);
	gs_id f = gs_snapshot_frame(&s, a, b, 12), g = gs_snapshot_frame(&s, a, b, 13);
	gs_id one[] = {f, g}, two[] = {g, f};

	ck_assert_uint_eq(gs_snapshot_string(&s, "forward", 7), a);
	ck_assert_uint_ne(f, g);
	ck_assert_uint_eq(gs_snapshot_frame(&s, a, b, 12), f);
	gs_id stack = gs_snapshot_stack(&s, one, 2);
	ck_assert_uint_ne(stack, gs_snapshot_stack(&s, two, 2));
	ck_assert_uint_eq(stack, gs_snapshot_stack(&s, one, 2));
	ck_assert_uint_eq(gs_snapshot_stack(&s, one, 0), 0);
}
END_TEST

START_TEST(a_hundred_thousand_strings_keep_their_texts)
{
	char text[32];
	for (int i = 0; i < 100000; i++) {
		int n = snprintf(text, sizeof text, "s%d", i);
		ck_assert_uint_eq(gs_snapshot_string(&s, text, (size_t)n), (gs_id)i + 1);
	}
	ck_assert_str_eq(gs_string_text(&s, 77778), "s77777");
}
END_TEST

START_TEST(a_zero_byte_in_a_string_is_kept_and_shown)
{
	gs_id id = gs_snapshot_string(&s, "a\0b", 3), other = gs_snapshot_string(&s, "a", 1);
	ck_assert_uint_ne(id, other);
	ck_assert_uint_eq(gs_snapshot_string(&s, "a\0b", 3), id);
	ck_assert_uint_eq(s.strings[id].length, 3);
	ck_assert_mem_eq(s.strings[id].text, "a\0b", 4);
	ck_assert_str_eq(gs_string_text(&s, id), "a\\x00b");
	ck_assert_str_eq(gs_string_text(&s, gs_snapshot_string(&s, "\0\0", 2)), "\\x00\\x00");
	ck_assert_str_eq(gs_string_text(&s, other), "a");
}
END_TEST

START_TEST(what_a_cut_took_away_is_unknown_and_not_none)
{
	gs_device *d = gs_snapshot_device(&s, 0);
	ck_assert_int_eq(gs_snapshot_events(&s, d), 0);
	ck_assert_int_eq(gs_snapshot_failures(&s, NULL), 0);
	s.lost = GS_LOST_EVENTS | GS_LOST_OOMS;
	ck_assert_int_eq(gs_snapshot_events(&s, d), GS_NONE);
	ck_assert_int_eq(gs_snapshot_failures(&s, d), GS_NONE);
	gs_snapshot_add_oom(&s)->device = 0;
	d->trace.skipped = 3;
	ck_assert_int_eq(gs_snapshot_events(&s, d), 3);
	ck_assert_int_eq(gs_snapshot_failures(&s, d), 1);
}
END_TEST

START_TEST(devices_are_kept_in_order_of_their_number)
{
	gs_snapshot_device(&s, 3);
	gs_snapshot_device(&s, 1);
	gs_snapshot_device(&s, 2)->capacity = 5;
	ck_assert_uint_eq(s.ndevices, 3);
	ck_assert_int_eq(s.devices[0].device, 1);
	ck_assert_int_eq(s.devices[1].capacity, 5);
	ck_assert_int_eq(s.devices[2].device, 3);
	ck_assert_ptr_null(gs_snapshot_find_device(&s, 0));
}
END_TEST

static void two_segments_out_of_order(void)
{
	gs_device *d = gs_snapshot_device(&s, 0);
	gs_layout *l = &d->captured;
	l->segments = calloc(2, sizeof *l->segments);
	l->blocks = calloc(3, sizeof *l->blocks);
	l->nsegments = 2;
	l->nblocks = 3;
	l->segments[0] = (gs_segment){
		.address = 8192, .size = 4096, .has_address = true, .first_block = 0, .nblocks = 2};
	l->segments[1] = (gs_segment){
		.address = 4096, .size = 2048, .has_address = true, .first_block = 2, .nblocks = 1};
	l->blocks[0] = (gs_block){.size = 1024, .requested = 1000, .state = GS_ACTIVE_ALLOCATED};
	l->blocks[1] = (gs_block){.size = 3072, .requested = GS_NONE, .state = GS_INACTIVE};
	l->blocks[2] = (gs_block){.size = 1024, .requested = 1024, .state = GS_ACTIVE_PENDING_FREE};
}

START_TEST(finishing_sorts_segments_and_names_the_one_that_blocks_do_not_tile)
{
	two_segments_out_of_order();
	ck_assert_int_eq(gs_snapshot_finish(&s, NULL), GS_OK);

	const gs_layout *l = &s.devices[0].captured;
	ck_assert_uint_eq(l->segments[0].address, 4096);
	ck_assert_uint_eq(l->blocks[0].state, GS_ACTIVE_PENDING_FREE);
	ck_assert_uint_eq(l->blocks[2].address, 9216);
	ck_assert_uint_eq(l->blocks[2].segment, 1);
	ck_assert_uint_eq(s.nwarnings, 1);
	ck_assert_ptr_nonnull(
		strstr(s.warnings[0].text, "0x1000 has 2048 bytes, its blocks add up to 1024"));
}
END_TEST

START_TEST(totals_keep_pending_apart_from_free)
{
	gs_totals t;
	two_segments_out_of_order();
	gs_snapshot_finish(&s, NULL);
	gs_layout_totals(&s.devices[0].captured, &t);
	ck_assert_uint_eq(t.reserved, 6144);
	ck_assert_uint_eq(t.allocated, 1024);
	ck_assert_uint_eq(t.pending, 1024);
	ck_assert_uint_eq(t.free, 3072);
	ck_assert_uint_eq(t.rounding, 24);
	ck_assert_uint_eq(t.largest, 2);
}
END_TEST

START_TEST(sizes_near_the_end_of_numbers_are_cut_to_what_can_be_added)
{
	gs_totals t;
	two_segments_out_of_order();
	gs_device *d = &s.devices[0];
	d->capacity = INT64_MAX;
	for (size_t i = 0; i < d->captured.nsegments; i++)
		d->captured.segments[i].size = UINT64_C(1) << 63;
	for (size_t i = 0; i < d->captured.nblocks; i++)
		d->captured.blocks[i].size = UINT64_MAX - i;
	gs_event *e = gs_trace_append(&d->trace);
	e->tag_action = GS_ACTION_OOM;
	e->size = UINT64_MAX;

	ck_assert_int_eq(gs_snapshot_finish(&s, NULL), GS_OK);

	size_t n = d->captured.nsegments + d->captured.nblocks;
	gs_layout_totals(&d->captured, &t);
	ck_assert_uint_eq(t.allocated, (UINT64_C(1) << 62) / n);
	ck_assert_uint_eq(t.reserved, d->captured.nsegments * ((UINT64_C(1) << 62) / n));
	ck_assert_int_eq(d->capacity, INT64_C(1) << 61);
	ck_assert_int_eq(s.ooms[0].requested, INT64_C(5) << 60);
	ck_assert_str_eq(
		s.warnings[0].text, "a figure is larger than any device: it is taken as 2.00 EiB at most");
	ck_assert_ptr_nonnull(strstr(s.warnings[1].text, "add up to more than any device has"));
}
END_TEST

START_TEST(an_oom_event_becomes_an_oom_row)
{
	gs_device *d = gs_snapshot_device(&s, 1);
	gs_snapshot_stream(&s, 65536);
	gs_trace_append(&d->trace)->tag_action = GS_ACTION_ALLOC;
	gs_event *e = gs_trace_append(&d->trace);
	e->tag_action = GS_ACTION_OOM;
	e->address = 777;
	e->size = 1024;
	ck_assert_int_eq(gs_snapshot_finish(&s, NULL), GS_OK);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].device, 1);
	ck_assert_int_eq(s.ooms[0].idx, 1);
	ck_assert_int_eq(s.ooms[0].requested, 1024);
	ck_assert_int_eq(s.ooms[0].device_free, 777);
	ck_assert_int_eq(s.ooms[0].stream, 65536);
}
END_TEST

Suite *suite_snapshot(void);
Suite *suite_snapshot(void)
{
	Suite *suite = suite_create("snapshot");
	TCase *t = tcase_create("model");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, equal_strings_frames_and_stacks_get_one_id);
	tcase_add_test(t, a_hundred_thousand_strings_keep_their_texts);
	tcase_add_test(t, a_zero_byte_in_a_string_is_kept_and_shown);
	tcase_add_test(t, what_a_cut_took_away_is_unknown_and_not_none);
	tcase_add_test(t, devices_are_kept_in_order_of_their_number);
	tcase_add_test(t, finishing_sorts_segments_and_names_the_one_that_blocks_do_not_tile);
	tcase_add_test(t, totals_keep_pending_apart_from_free);
	tcase_add_test(t, sizes_near_the_end_of_numbers_are_cut_to_what_can_be_added);
	tcase_add_test(t, an_oom_event_becomes_an_oom_row);
	suite_add_tcase(suite, t);
	return suite;
}
