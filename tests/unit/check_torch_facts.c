/* What the releases of PyTorch say beside plain segments and events; written as JSON for the
 * reader's sake. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/model/frames.h"
#include "analyzer/read/open/reader.h"

static void read_text(const char *json, gs_snapshot *s)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(
		gs_read_memory(json, strlen(json), GS_WANT_ALL, s, &err) == GS_OK, "%s", err.text);
}

#define EVENT(more) "{\"action\":\"alloc\",\"addr\":4096,\"size\":300,\"stream\":0" more "}"
#define TRACES(events) "{\"segments\":[],\"device_traces\":[[" events "]]"

START_TEST(user_metadata_is_the_tag_of_an_allocation)
{
	gs_snapshot s;
	read_text(
		TRACES(EVENT(",\"user_metadata\":\"step 7\"") "," EVENT(",\"user_metadata\":\"\"")) "}",
		&s);
	ck_assert_str_eq(gs_string_text(&s, gs_event_tag(&s.devices[0].trace.events[0])), "step 7");
	ck_assert_uint_eq(gs_event_tag(&s.devices[0].trace.events[1]), 0);
	gs_snapshot_release(&s);
}
END_TEST

static const struct {
	const char *value;
	int complete0, complete1;
	uint64_t dropped0;
} overflowed[] = {
	{"true", 0, 0, 1},
	{"false", -1, -1, 0},
	{"12", 0, 0, 12},
	{"[false,true]", -1, 0, 0},
	{"[3]", 0, -1, 3},
	{"{\"1\":true}", -1, 0, 0},
	{"\"yes\"", -1, -1, 0},
	{"null", -1, -1, 0},
};

START_TEST(an_overflowed_trace_is_known_to_be_cut)
{
	char text[1000];
	gs_snapshot s;
	snprintf(text, sizeof text,
		"{\"segments\":[],\"device_traces\":[[" EVENT("") "],[" EVENT(
			"") "]],\"allocator_settings\":{\"trace_alloc_overflowed\":%s}}",
		overflowed[_i].value);
	read_text(text, &s);
	ck_assert_int_eq(s.devices[0].trace.complete, overflowed[_i].complete0);
	ck_assert_int_eq(s.devices[1].trace.complete, overflowed[_i].complete1);
	ck_assert_uint_eq(s.devices[0].trace.dropped, overflowed[_i].dropped0);
	gs_snapshot_release(&s);
}
END_TEST

static const struct {
	const char *more, *min, *max;
} releases[] = {
	{"", "2.0", "2.1"},
	{",\"time_us\":5", "2.2", "2.6"},
	{",\"time_us\":5,\"compile_context\":\"N/A\"", "2.7", "2.9"},
	{",\"time_us\":5,\"compile_context\":\"N/A\",\"user_metadata\":\"\"", "2.10", "2.11"},
	{",\"time_us\":5,\"compile_context\":\"N/A\",\"user_metadata\":\"\",\"pool_id\":[0,0]", "2.12",
		NULL},
};

START_TEST(the_keys_of_events_bound_the_release)
{
	char text[1000];
	gs_snapshot s;
	snprintf(text, sizeof text,
		TRACES("{\"action\":\"alloc\",\"addr\":4096,\"size\":300,\"stream\":0%s}") "}",
		releases[_i].more);
	read_text(text, &s);
	ck_assert_str_eq(s.release_min, releases[_i].min);
	ck_assert_pstr_eq(s.release_max, releases[_i].max);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(pinned_host_memory_is_a_device_behind_the_last)
{
	gs_snapshot s;
	read_text(
		"{\"segments\":[{\"device\":0,\"address\":4096,\"total_size\":512,\"blocks\":[]}],\"device_traces\":[[],[]],"
		"\"host_segments\":[{\"device\":-1,\"address\":9,\"total_size\":1024,\"blocks\":[]},{\"device\":-1,\"address\":1,\"total_size\":8,\"blocks\":[]}],"
		"\"host_traces\":[[" EVENT("") "]]}",
		&s);
	ck_assert_uint_eq(s.ndevices, 2);
	ck_assert_int_eq(s.devices[1].device, 2);
	ck_assert(gs_device_is_host(&s, &s.devices[1]));
	ck_assert(!gs_device_is_host(&s, &s.devices[0]));
	ck_assert_uint_eq(s.devices[0].captured.nsegments, 1);
	ck_assert_uint_eq(s.devices[1].captured.nsegments, 2);
	ck_assert_uint_eq(s.devices[1].captured.segments[0].address, 1);
	ck_assert_uint_eq(s.devices[1].trace.n, 1);
	gs_snapshot_release(&s);
}
END_TEST

/* Its failures are the system's, not an allocator's on a GPU. */
START_TEST(an_oom_of_the_host_is_no_failure_of_a_device)
{
	gs_snapshot s;
	read_text("{\"segments\":[],\"device_traces\":[[]],\"host_segments\":[],\"host_traces\":["
			  "{\"action\":\"oom\",\"device_free\":1,\"size\":512,\"stream\":0}]}",
		&s);
	ck_assert_uint_eq(s.ndevices, 1);
	ck_assert_uint_eq(s.devices[0].trace.n, 1);
	ck_assert_uint_eq(s.nooms, 0);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_block_of_2_0_has_its_newest_allocation_from_its_history)
{
	gs_snapshot s;
	read_text(
		"[{\"device\":0,\"address\":8192,\"total_size\":1024,\"segment_type\":\"small\",\"blocks\":["
		"{\"size\":512,\"state\":\"active_allocated\",\"history\":[{\"addr\":8192,\"real_size\":400,\"frames\":[{\"filename\":\"a.py\",\"line\":3,\"name\":\"f\"}]},"
		"{\"addr\":8192,\"real_size\":99}]},"
		"{\"size\":512,\"state\":\"inactive\",\"requested_size\":77,\"history\":[{\"addr\":8704,\"real_size\":77}]}]}]",
		&s);
	const gs_block *b = s.devices[0].captured.blocks;
	char text[40];
	ck_assert_int_eq(b[0].requested, 400);
	ck_assert_uint_eq(b[0].address, 8192);
	gs_stack_text(&s, b[0].stack, true, text, sizeof text);
	ck_assert_str_eq(text, "f (a.py:3)");
	ck_assert_int_eq(b[1].requested, GS_NONE); /* stale on what is free */
	ck_assert_uint_eq(b[1].address, 8704);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_snapshot_of_the_profiler_names_its_last_device_cpu)
{
	gs_snapshot s;
	read_text(
		"{\"segments\":[{\"device\":0,\"address\":null,\"total_size\":0,\"stream\":0,\"blocks\":[]}],\"device_traces\":[[],[" EVENT(
			",\"category\":\"input\"") "]]}",
		&s);
	ck_assert_uint_eq(s.ndevices, 2);
	ck_assert(!s.devices[0].captured.segments[0].has_address);
	ck_assert_uint_eq(s.devices[0].name, 0);
	ck_assert_str_eq(gs_string_text(&s, s.devices[1].name), "CPU");
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(an_oom_at_the_end_has_its_facts_and_its_layout)
{
	gs_snapshot s;
	read_text(
		"{\"segments\":[],\"device_traces\":[[" EVENT(
			"") ",{\"action\":\"oom\",\"device_free\":1000,\"size\":3145728,\"stream\":7,\"pool_id\":[2,0]}]],"
				"\"allocator_settings\":{\"PYTORCH_CUDA_ALLOC_CONF\":\"large_segment_size_mb:32\"},"
				"\"external_annotations\":[{\"stage\":\"START\",\"name\":\"step\",\"device\":0,\"time_us\":9}]}",
		&s);
	ck_assert_uint_eq(s.nooms, 1);
	const gs_oom *o = s.ooms;
	ck_assert_int_eq(o->idx, 1);
	ck_assert_int_eq(o->requested, 3 << 20);
	ck_assert_int_eq(o->needed, 32 << 20);
	ck_assert_int_eq(o->device_free, 1000);
	ck_assert_int_eq(o->stream, 7);
	ck_assert_int_eq(o->pool, GS_LARGE);
	ck_assert(o->has_pool_id && o->pool_id.a == 2 && o->pool_id.b == 0);
	ck_assert(s.devices[0].layout_at_oom);
	ck_assert_uint_eq(s.nannotations, 1);
	ck_assert_str_eq(gs_string_text(&s, s.annotations[0].stage), "START");
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(allocations_drawn_over_time_give_events)
{
	static const char page[] =
		"<!DOCTYPE html><script>\nlet alloc_data = {\"actions\":[0,1,0,2],\"elements_size\":[300,512,700],\"elements_info\":[1,2,4],"
		"\"elements_category\":null,\"suffix_table\":[[0,null],[1,0],[2,0],[3,null],[3,null]],"
		"\"string_table\":[\"/a/b.py:12:f\",\"b1000_0 300B allocation (300 bytes)\",\"b2000_0 512B allocation (512 bytes)\",\"b3000_0 700B\"],"
		"\"initially_allocated\":[2],\"categories\":null}\n\nfunction f() {}\n</script>";
	static const struct {
		gs_action action;
		uint64_t address, size;
	} expected[] = {
		{GS_ACTION_ALLOC, 0x1000, 300},
		{GS_ACTION_ALLOC, 0x2000, 512},
		{GS_ACTION_FREE_COMPLETED, 0x1000, 300},
		{GS_ACTION_FREE_COMPLETED, 0x3000, 700},
	};
	gs_snapshot s;
	char text[40];
	read_text(page, &s);
	ck_assert(!s.devices[0].has_layout);
	ck_assert_uint_eq(s.devices[0].trace.n, 4);
	for (size_t i = 0; i < 4; i++) {
		const gs_event *e = &s.devices[0].trace.events[i];
		ck_assert_int_eq(gs_event_action(e), expected[i].action);
		ck_assert_uint_eq(e->address, expected[i].address);
		ck_assert_uint_eq(e->size, expected[i].size);
	}
	gs_stack_text(&s, s.devices[0].trace.events[1].stack, true, text, sizeof text);
	ck_assert_str_eq(text, "f (/a/b.py:12)");
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_torch_facts(void);
Suite *suite_torch_facts(void)
{
	Suite *s = suite_create("torch_facts");
	TCase *t = tcase_create("facts");
	tcase_add_test(t, user_metadata_is_the_tag_of_an_allocation);
	tcase_add_loop_test(
		t, an_overflowed_trace_is_known_to_be_cut, 0, sizeof overflowed / sizeof *overflowed);
	tcase_add_loop_test(
		t, the_keys_of_events_bound_the_release, 0, sizeof releases / sizeof *releases);
	tcase_add_test(t, pinned_host_memory_is_a_device_behind_the_last);
	tcase_add_test(t, an_oom_of_the_host_is_no_failure_of_a_device);
	tcase_add_test(t, a_block_of_2_0_has_its_newest_allocation_from_its_history);
	tcase_add_test(t, a_snapshot_of_the_profiler_names_its_last_device_cpu);
	tcase_add_test(t, an_oom_at_the_end_has_its_facts_and_its_layout);
	tcase_add_test(t, allocations_drawn_over_time_give_events);
	suite_add_tcase(s, t);
	return s;
}
