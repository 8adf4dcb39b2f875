/* Layouts that contradict themselves, sizes that cannot be, and files cut behind their layout. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/bounds.h"
#include "analyzer/read/open/reader.h"

static gs_snapshot s;
static gs_error err;

static void setup(void)
{
	gs_snapshot_init(&s);
	err = (gs_error)GS_ERROR_INIT;
}

static void teardown(void) { gs_snapshot_release(&s); }

static gs_status read_text(const char *text)
{
	return gs_read_memory(text, strlen(text), GS_WANT_ALL, &s, &err);
}

/* Segments of a JSON snapshot: [address, size, [[address, size, requested]…]]. */
#define SEGMENT(address, size, blocks)                \
	"{\"address\":" #address ",\"total_size\":" #size \
	",\"device\":0,\"stream\":0,\"segment_type\":\"large\",\"blocks\":[" blocks "]}"
#define BLOCK(address, size, requested)                                           \
	"{\"address\":" #address ",\"size\":" #size ",\"requested_size\":" #requested \
	",\"state\":\"active_allocated\"}"
#define WHOLE(segments) "{\"segments\":[" segments "],\"device_traces\":[]}"

static const struct {
	const char *text, *warning;
	size_t contradictions;
} layouts[] = {
	{WHOLE(SEGMENT(4096, 4096, BLOCK(4096, 1024, 1000) "," BLOCK(5120, 3072, 3072))), NULL, 0},
	{WHOLE(SEGMENT(4096, 4096, BLOCK(4096, 4096, 1)) "," SEGMENT(8192, 4096, BLOCK(8192, 4096, 1))),
		NULL, 0},
	{WHOLE(SEGMENT(4096, 4096, BLOCK(4096, 4096, 1)) "," SEGMENT(6144, 4096, BLOCK(6144, 4096, 1))),
		"device 0: segment 0x1800 overlaps segment 0x1000 by 2048 bytes", 1},
	/* a long one over two short ones: both overlap it */
	{WHOLE(SEGMENT(4096, 16384, BLOCK(4096, 16384, 1)) "," SEGMENT(
		 6144, 1024, BLOCK(6144, 1024, 1)) "," SEGMENT(8192, 1024, BLOCK(8192, 1024, 1))),
		"device 0: segment 0x1800 overlaps segment 0x1000 by 14336 bytes; 1 more like it", 2},
	{WHOLE(SEGMENT(4096, 4096, BLOCK(4096, 1024, 1) "," BLOCK(6144, 2048, 1))),
		"device 0: segment 0x1000: 1024 bytes at 0x1400 belong to no block", 2},
	{WHOLE(SEGMENT(4096, 4096, BLOCK(4096, 2048, 1) "," BLOCK(5120, 2048, 1))),
		"device 0: segment 0x1000: block 0x1400 overlaps the one before it by 1024 bytes", 1},
	{WHOLE(SEGMENT(4096, 4096, BLOCK(65536, 4096, 1))),
		"device 0: segment 0x1000: block 0x10000 of 4096 bytes lies outside it", 1},
	{WHOLE(SEGMENT(4096, 4096, BLOCK(4096, 2048, 1))),
		"device 0: segment 0x1000 has 4096 bytes, its blocks add up to 2048", 1},
	{WHOLE(SEGMENT(4096, 4096, BLOCK(6144, 2048, 1) "," BLOCK(4096, 2048, 1))),
		"device 0: segment 0x1000: block 0x1000 stands behind one of a higher address", 1},
	{WHOLE(SEGMENT(4096, 4096, BLOCK(4096, 4096, 5000))),
		"device 0: segment 0x1000: block 0x1000 is smaller than the 5000 bytes asked for", 1},
	{WHOLE(SEGMENT(18446744073709547520, 8192, BLOCK(18446744073709547520, 8192, 1))),
		"device 0: segment 0xfffffffffffff000 of 8192 bytes ends beyond the last address", 2},
	/* up to the last address is none */
	{WHOLE(SEGMENT(18446744073709543424, 4096, BLOCK(18446744073709543424, 4096, 1))), NULL, 0},
};

START_TEST(a_contradiction_is_warned_of_with_its_place)
{
	ck_assert_int_eq(read_text(layouts[_i].text), GS_OK);
	ck_assert_uint_eq(s.contradictions, layouts[_i].contradictions);
	if (layouts[_i].warning)
		ck_assert_str_eq(s.warnings[s.first_contradiction].text, layouts[_i].warning);
	else
		ck_assert_uint_eq(s.nwarnings, 0);
}
END_TEST

START_TEST(blocks_out_of_order_are_sorted)
{
	ck_assert_int_eq(read_text(layouts[8].text), GS_OK);
	ck_assert_uint_eq(s.devices[0].captured.blocks[0].address, 4096);
	ck_assert_uint_eq(s.devices[0].captured.blocks[1].address, 6144);
}
END_TEST

static const struct {
	const char *size, *message;
} sizes[] = {
	{"1208925819614629174706176", "the total_size of a record is no number that there can be"},
	{"1e999", "the total_size of a record is no number that there can be"},
	{"-1e999", "the total_size of a record is no number that there can be"},
	{"NaN", "the total_size of a record is no number"},
	{"null", "the total_size of a record is no number"},
	{"\"4096\"", "the total_size of a record is a text"},
	{"[4096]", "the total_size of a record is no number that there can be"},
	{"-1", "a total_size of -1 bytes cannot be"},
	{"9223372036854775808", "a total_size of 9223372036854775808 bytes cannot be"},
};

START_TEST(a_size_that_cannot_be_is_an_error)
{
	char text[300];
	snprintf(text, sizeof text,
		"{\"segments\":[{\"address\":4096,\"total_size\":%s,\"device\":0,\"blocks\":[]}]}",
		sizes[_i].size);
	ck_assert_int_eq(read_text(text), GS_FORMAT);
	ck_assert_msg(!strncmp(err.text, sizes[_i].message, strlen(sizes[_i].message)), "%s", err.text);
}
END_TEST

START_TEST(sizes_that_add_up_to_too_much_are_cut_and_told)
{
	ck_assert_int_eq(read_text(WHOLE(SEGMENT(4096, 9223372036854775807,
						 BLOCK(4096, 9223372036854775807, 1)) "," SEGMENT(0, 1, BLOCK(0, 1, 1)))),
		GS_OK);
	ck_assert_uint_le(s.devices[0].captured.segments[1].size, GS_MOST_SUM);
	ck_assert_uint_ge(s.nwarnings, 1);
}
END_TEST

START_TEST(a_requested_size_may_be_unknown)
{
	ck_assert_int_eq(read_text(WHOLE(SEGMENT(4096, 4096, BLOCK(4096, 4096, null)))), GS_OK);
	ck_assert_int_eq(s.devices[0].captured.blocks[0].requested, GS_NONE);
}
END_TEST

/* --- cut ---------------------------------------------------------------------------------------
 */

static const char cut[] = "{\"segments\":[" SEGMENT(4096, 4096,
	BLOCK(4096, 4096,
		1)) "],\"device_traces\":["
			"[{\"action\":\"alloc\",\"addr\":4096,\"size\":1,\"stream\":0}],"
			"[{\"action\":\"oom\",\"addr\":0,\"size\":7,\"stream\":0,\"device_free\":5},";

START_TEST(a_file_cut_in_a_trace_keeps_its_segments_and_the_traces_before)
{
	ck_assert_int_eq(read_text(cut), GS_OK);
	ck_assert(!s.complete);
	ck_assert_uint_eq(s.cut_at, strlen(cut));
	ck_assert_uint_eq(s.devices[0].captured.nblocks, 1);
	ck_assert_uint_eq(s.devices[0].trace.n, 1);
	ck_assert_uint_eq(s.ndevices, 1);
	ck_assert_uint_eq(s.lost, GS_LOST_SETTINGS | GS_LOST_EVENTS | GS_LOST_OOMS);
	ck_assert_int_eq(gs_snapshot_failures(&s, NULL), GS_NONE);
}
END_TEST

/* Never a layout that may be half: only behind the next key are the segments whole. */
START_TEST(a_file_cut_anywhere_answers_whole_segments_or_is_refused)
{
	size_t whole = (size_t)(strstr(cut, "\"device_traces\"") + strlen("\"device_traces\"") - cut);
	for (size_t n = 14; n < strlen(cut); n++) { /* from there on it is told to be a snapshot */
		gs_status status = gs_read_memory(cut, n, GS_WANT_ALL, &s, NULL);
		ck_assert_msg((status == GS_OK) == (n >= whole), "cut at %zu: %d", n, status);
		if (!status) {
			ck_assert_uint_eq(s.devices[0].captured.nblocks, 1);
			gs_snapshot_release(&s);
		}
	}
}
END_TEST

Suite *suite_layout(void);
Suite *suite_layout(void)
{
	Suite *suite = suite_create("layout");
	TCase *t = tcase_create("layout");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
		t, a_contradiction_is_warned_of_with_its_place, 0, sizeof layouts / sizeof *layouts);
	tcase_add_test(t, blocks_out_of_order_are_sorted);
	tcase_add_loop_test(t, a_size_that_cannot_be_is_an_error, 0, sizeof sizes / sizeof *sizes);
	tcase_add_test(t, sizes_that_add_up_to_too_much_are_cut_and_told);
	tcase_add_test(t, a_requested_size_may_be_unknown);
	tcase_add_test(t, a_file_cut_in_a_trace_keeps_its_segments_and_the_traces_before);
	tcase_add_test(t, a_file_cut_anywhere_answers_whole_segments_or_is_refused);
	suite_add_tcase(suite, t);
	return suite;
}
