/* The verdict: on failures of a real PyTorch (tests/data/diagnose: those handed out, and those of
 * tests/torch/failures.py), and on messages by bounds. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/advice/advice.h"
#include "analyzer/advice/answer.h"
#include "schema/printable.h"
#include "analyzer/model/frames.h"
#include "analyzer/read/open/reader.h"

#define COUNT(rows) (int)(sizeof(rows) / sizeof *(rows))
enum { MIB = 1 << 20 };

/* --- real failures -------------------------------------------------------------------------------
 */

typedef struct expected {
	char name[64], verdict[32];
	int exact;
	int64_t capacity, needed, device_free;
} expected;

enum { CASES = 26 };

static void read_expected(int row, expected *e)
{
	char line[300];
	FILE *f = fopen("tests/data/diagnose/expected.txt", "r");
	ck_assert_ptr_nonnull(f);
	for (int i = -1; i < row;) {
		ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
		i += *line != '#';
	}
	fclose(f);
	ck_assert_int_eq(sscanf(line, "%63s %31s %d %" SCNd64 " %" SCNd64 " %" SCNd64, e->name,
						 e->verdict, &e->exact, &e->capacity, &e->needed, &e->device_free),
		6);
}

static void open_case(const char *name, gs_snapshot *s)
{
	char path[200];
	gs_error err = GS_ERROR_INIT;
	snprintf(path, sizeof path, "tests/data/diagnose/%s.pickle.zst", name);
	gs_snapshot_init(s);
	ck_assert_msg(!gs_read_path(path, GS_WANT_ALL, s, &err), "%s: %s", path, err.text);
}

static void diagnose(const gs_snapshot *s, int64_t capacity, gs_diagnosis *d)
{
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	gs_error err = GS_ERROR_INIT;
	o.capacity = capacity;
	ck_assert_msg(!gs_diagnose(s, &o, d, &err), "%s", err.text);
}

/* A request that a limit refused, diagnosed with how much it allows. */
static void diagnose_limited(int64_t allowed, gs_snapshot *s, gs_diagnosis *d)
{
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	open_case("fault_limit", s);
	o.allowed = allowed;
	ck_assert_int_eq(gs_diagnose(s, &o, d, NULL), GS_OK);
}

START_TEST(the_verdict_on_a_real_failure_is_what_was_done_to_it)
{
	expected e;
	gs_snapshot s;
	gs_diagnosis d;
	read_expected(_i, &e);
	open_case(e.name, &s);

	diagnose(&s, e.capacity, &d);

	ck_assert_msg(!strcmp(gs_step_word(d.verdict), e.verdict), "%s: %s, expected %s", e.name,
		gs_step_word(d.verdict), e.verdict);
	ck_assert_msg(d.exact == e.exact, "%s: exact %d", e.name, d.exact);
	ck_assert_int_eq(d.needed, e.needed);
	ck_assert_int_eq(d.device_free, e.device_free);
	for (int i = 0; i < d.nladder && d.ladder[i].step < d.verdict; i++)
		ck_assert_int_eq(d.ladder[i].fits, 0);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(without_the_capacity_memory_held_outside_is_a_shortage_that_says_so)
{
	gs_snapshot s;
	gs_diagnosis d;
	char doubts[1000];
	open_case("fault_outside", &s);

	diagnose(&s, GS_NONE, &d);

	ck_assert_int_eq(d.verdict, GS_VERDICT_SHORTAGE);
	ck_assert(!d.exact && d.null[GS_STEP_OUTSIDE]);
	ck_assert_int_eq(d.missing, 4194304000 - 2617245696);
	ck_assert_ptr_nonnull(strstr(gs_diagnosis_doubts(&d, doubts, sizeof doubts), "--capacity"));
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_recording_that_the_caller_keeps_is_used_and_stays)
{
	gs_snapshot s;
	gs_diagnosis d;
	gs_recording kept;
	gs_error err = GS_ERROR_INIT;
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	gs_category_rules *rules = NULL;
	static const char none[] = "activation train.py";
	open_case("fault_leak", &s);
	gs_recording_init(&kept, &s, &s.devices[0], NULL);
	o.recordings = (gs_recordings){&kept, 1};

	ck_assert(!gs_diagnose(&s, &o, &d, &err));
	ck_assert_ptr_eq(d.recording, &kept);
	ck_assert(kept.has_history && kept.has_meaning && !d.own.has_history);
	gs_diagnosis_release(&d);
	ck_assert_uint_eq(kept.history.n, s.devices[0].trace.n);

	/* by other rules for categories it is another recording */
	ck_assert(!gs_category_rules_read(none, strlen(none), &rules, &err));
	o.rules = rules;
	ck_assert(!gs_diagnose(&s, &o, &d, &err));
	ck_assert_ptr_eq(d.recording, &d.own);
	gs_diagnosis_release(&d);

	gs_category_rules_free(rules);
	gs_recording_release(&kept);
	gs_snapshot_release(&s);
}
END_TEST

static bool stack_names(const gs_snapshot *s, gs_id stack, const char *function)
{
	char text[4000];
	gs_stack_text(s, stack, false, text, sizeof text);
	return strstr(text, function) != NULL;
}

START_TEST(a_leak_is_blamed_on_the_function_that_keeps)
{
	static const char *const names[][2] = {
		{"fault_leak", "keep_metrics"}, {"fragmented_and_leaking", "keep_log"}};
	gs_snapshot s;
	gs_diagnosis d;
	open_case(names[_i][0], &s);

	diagnose(&s, GS_NONE, &d);

	ck_assert_uint_gt(d.ngrowth, 0);
	ck_assert(stack_names(&s, d.growth[0].stack, names[_i][1]));
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* Allocations alone show no more than that a program builds up. */
START_TEST(what_only_builds_up_is_no_leak)
{
	static const char *const names[] = {"first_forward", "one_line_thirty_times",
		"parameters_updated", "two_devices_built_up", "two_lines_in_turn", "notebook_cell",
		"fault_rounding"};
	gs_snapshot s;
	gs_diagnosis d;
	open_case(names[_i], &s);

	diagnose(&s, GS_NONE, &d);

	ck_assert_uint_eq(d.ngrowth, 0);
	ck_assert_uint_gt(d.nholders, 0);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* 5 GiB in pages of 20 MiB, the first 52 of which hold 1 GiB of blocks: the other 204 can go. */
START_TEST(whole_pages_of_an_expandable_segment_can_go_back)
{
	gs_snapshot s;
	gs_diagnosis d;
	open_case("expandable_one_hole", &s);

	diagnose(&s, GS_NONE, &d);

	ck_assert_uint_eq(d.free_whole, 204 * UINT64_C(20) * MIB);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_limit_that_is_told_is_named_and_bounds_what_is_left)
{
	gs_snapshot s;
	gs_diagnosis d;

	diagnose_limited(409 * MIB, &s, &d);

	ck_assert_int_eq(d.verdict, GS_STEP_LIMIT);
	ck_assert_str_eq(d.refused_by, "fraction");
	ck_assert_int_eq(d.ladder[GS_STEP_SEGMENT_SIZE].available, 209 * MIB);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_failing_device_is_diagnosed_and_another_can_be_named)
{
	gs_snapshot s;
	gs_diagnosis d;
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	open_case("two_devices_one_failing", &s);
	ck_assert_int_eq(gs_diagnose(&s, &o, &d, NULL), GS_OK);
	ck_assert_int_eq(d.device->device, 1);
	gs_diagnosis_release(&d);
	o.any_device = false;

	ck_assert_int_eq(gs_diagnose(&s, &o, &d, NULL), GS_OK);

	ck_assert_int_eq(d.verdict, GS_VERDICT_NONE);
	ck_assert_uint_gt(d.npool_fits, 0);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* Largest first, what the heap at the peak holds: by the same meaning, asked for that moment. */
START_TEST(what_the_peak_was_made_of_is_the_heap_of_that_event)
{
	static const struct {
		const char *name;
		bool apart;
		uint64_t held; /* by the largest holder of the peak, MiB */
	} rows[] = {
		{"fault_graph", true, 700},
		{"fault_stream", true, 800},
		{"fault_defect", true, 380},
		{"fault_pinned", true, 792},
		{"fault_shortage", false, 0},
		{"fault_leak", false, 0},
		{"notebook_cell", false, 0},
	};
	gs_snapshot s;
	gs_diagnosis d;
	gs_layout then;
	gs_holder_row *holders = NULL;
	size_t n = 0;
	uint64_t bytes = 0;
	open_case(rows[_i].name, &s);
	diagnose(&s, GS_NONE, &d);

	ck_assert_int_eq(d.peak_apart, rows[_i].apart);
	ck_assert_int_eq(gs_history_layout(&d.recording->history, d.peak.idx, &then, NULL), GS_OK);
	ck_assert_int_eq(gs_meaning_holders(&d.recording->meaning, &then, &holders, &n), GS_OK);
	const gs_holder_row *told = d.peak_apart ? d.peak_holders : d.holders;
	ck_assert_uint_eq(d.peak_apart ? d.npeak_holders : d.nholders, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_str_eq(told[i].where, holders[i].where);
		ck_assert_str_eq(told[i].called_by, holders[i].called_by);
		ck_assert_uint_eq(told[i].bytes, holders[i].bytes);
		ck_assert_uint_eq(told[i].blocks, holders[i].blocks);
		bytes += told[i].bytes;
	}
	ck_assert_uint_eq(bytes, d.peak.allocated);
	if (d.peak_apart) {
		ck_assert_uint_eq(d.peak_holders[0].bytes / MIB, rows[_i].held);
		bytes = 0;
		for (size_t i = 0; i < d.npeak_categories; i++)
			bytes += d.peak_categories[i].bytes;
		ck_assert_uint_eq(bytes, d.peak.allocated);
	}
	free(holders);
	gs_layout_release(&then);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

static char *printed(const gs_diagnosis *d, const gs_voice *voice)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	ck_assert_ptr_nonnull(f);
	gs_diagnosis_print(d, f, voice);
	fclose(f);
	return text;
}

START_TEST(an_answer_begins_with_its_verdict_and_fits_a_screen_of_any_width)
{
	expected e;
	gs_snapshot s;
	gs_diagnosis d;
	char verdict[64];
	read_expected(_i, &e);
	open_case(e.name, &s);
	diagnose(&s, e.capacity, &d);
	ck_assert_int_eq(gs_advise(&d, true, NULL), GS_OK);
	snprintf(verdict, sizeof verdict, "%s: ", e.verdict);

	for (int width = 60; width <= 100; width += 20) {
		gs_voice voice = {.width = width, .utf8 = true};
		char *text = printed(&d, &voice);
		size_t lines = 0;
		ck_assert_msg(!strncmp(text, verdict, strlen(verdict)), "%s: %s", e.name, text);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
			ck_assert_msg(gs_utf8_width(line, strlen(line)) <= (size_t)width, "%s", line);
		if (width >= 80)
			ck_assert_msg(lines <= 24, "%s: %zu lines", e.name, lines);
		free(text);
	}
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(without_utf8_an_answer_is_ascii)
{
	expected e;
	gs_snapshot s;
	gs_diagnosis d;
	gs_voice voice = GS_VOICE_INIT;
	read_expected(_i, &e);
	open_case(e.name, &s);
	diagnose(&s, e.capacity, &d);
	ck_assert_int_eq(gs_advise(&d, true, NULL), GS_OK);

	char *text = printed(&d, &voice);

	for (const char *at = text; *at; at++)
		ck_assert_msg((unsigned char)*at < 0x80, "%s", at);
	free(text);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* --- messages ------------------------------------------------------------------------------------
 */

static const struct {
	const char *text, *verdict;
	int exact;
	int64_t missing;
} messages[] = {
	{"CUDA out of memory. Tried to allocate 400.00 MiB. GPU 0 has a total capacity of 1024.00 MiB of which 824.00 MiB is free. Of the allocated "
	 "memory 200.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.",
		"unknown", 0, GS_NONE}, /* what the driver had when it refused is not told */
	{"CUDA out of memory. Tried to allocate 400.00 MiB. GPU 0 has a total capacity of 1024.00 MiB of which 24.00 MiB is free. Of the allocated "
	 "memory 990.00 MiB is allocated by PyTorch, and 10.00 MiB is reserved by PyTorch but unallocated.",
		"shortage", 0, 366 * MIB},
	{"CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 1024.00 MiB of which 16.00 MiB is free. Of the allocated "
	 "memory 1008.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.",
		"unknown", 0, GS_NONE},
	{"CUDA out of memory. Tried to allocate 200.00 MiB. GPU 0 has a total capacity of 1024.00 MiB of which 24.00 MiB is free. Of the allocated "
	 "memory 120.00 MiB is allocated by PyTorch, and 880.00 MiB is reserved by PyTorch but unallocated.",
		"stranded", 0, GS_NONE},
	{"CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 16.00 GiB of which 2.44 GiB is free. Of the allocated "
	 "memory 1.56 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.",
		"outside", 0, GS_NONE},
};

/* The end of a dump tells how much was free, not in which pieces: it may not be said that a piece
 * was large enough. */
START_TEST(free_memory_of_unknown_pieces_proves_no_missed_fit)
{
	static const char log[] =
		"2025-02-02 02:02:02.000001: I external/xla/xla/tsl/framework/bfc_allocator.cc:1122] 2 Chunks of size 1048576 totalling 2.00MiB\n"
		"2025-02-02 02:02:02.000002: I external/xla/xla/tsl/framework/bfc_allocator.cc:1126] Sum Total of in-use chunks: 2.00MiB\n"
		"2025-02-02 02:02:02.000003: I external/xla/xla/tsl/framework/bfc_allocator.cc:1128] Total bytes in pool: 8388608 memory_limit_: 8389632 "
		"available bytes: 1024 curr_region_allocation_bytes_: 16777216\n"
		"2025-02-02 02:02:02.000004: I external/xla/xla/tsl/framework/bfc_allocator.cc:1133] Stats: \nLimit:                         8389632\n"
		"InUse:                         2097152\nMaxInUse:                      2097152\nNumAllocs:                           2\n"
		"MaxAllocSize:                  1048576\n\nE0202 02:02:02.000005  4242 pjrt_stream_executor_client.cc:3088] Execution of replica 0 failed: "
		"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4194304 bytes.\n";
	gs_snapshot s;
	gs_diagnosis d;
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(!gs_read_memory(log, sizeof log - 1, GS_WANT_ALL, &s, &err), "%s", err.text);
	diagnose(&s, GS_NONE, &d);
	ck_assert_str_eq(gs_step_word(d.verdict), "fragmented");
	ck_assert_int_eq(d.requested, 4194304);
	ck_assert_int_eq(d.free, 6291456);
	ck_assert(d.null[GS_STEP_MISSED_FIT] && !d.exact);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_message_is_judged_by_bounds)
{
	gs_snapshot s;
	gs_diagnosis d;
	gs_error err = GS_ERROR_INIT;
	gs_snapshot_init(&s);
	ck_assert_msg(
		!gs_read_memory(messages[_i].text, strlen(messages[_i].text), GS_WANT_ALL, &s, &err), "%s",
		err.text);

	diagnose(&s, GS_NONE, &d);

	ck_assert_str_eq(gs_step_word(d.verdict), messages[_i].verdict);
	ck_assert_int_eq(d.exact, messages[_i].exact);
	if (messages[_i].missing != GS_NONE)
		ck_assert_int_eq(d.missing, messages[_i].missing);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* What is within a context's allowance is outside the allocator, and nobody's word for "others". */
START_TEST(the_device_and_what_is_ruled_out_do_not_contradict)
{
	const gs_voice voice = {.width = 80, .utf8 = true};
	gs_snapshot s;
	gs_diagnosis d;
	open_case("fault_shortage", &s);
	diagnose(&s, INT64_C(2048) * MIB, &d);

	char *text = printed(&d, &voice);

	ck_assert_int_eq(d.verdict, GS_VERDICT_SHORTAGE);
	ck_assert_ptr_nonnull(strstr(text, "1.00 GiB outside the allocator"));
	ck_assert_ptr_nonnull(strstr(text, "others on the device (up to 1.00 GiB"));
	ck_assert_ptr_null(strstr(text, "held by others"));
	free(text);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* Every verdict has something to try in a list, a limit two places to look at. */
START_TEST(what_to_try_is_listed_for_every_verdict)
{
	const gs_voice voice = {.width = 80, .utf8 = true};
	expected e;
	gs_snapshot s;
	gs_diagnosis d;
	read_expected(_i, &e);
	open_case(e.name, &s);
	diagnose(&s, e.capacity, &d);
	ck_assert_int_eq(gs_advise(&d, true, NULL), GS_OK);

	char *text = printed(&d, &voice);

	if (d.verdict != GS_VERDICT_NONE)
		ck_assert_msg(strstr(text, "\nTry\n  1  ") != NULL, "%s:\n%s", e.name, text);
	if (d.verdict == GS_STEP_LIMIT) {
		ck_assert_ptr_nonnull(strstr(text, "torch.cuda.set_per_process_memory_fraction"));
		ck_assert_ptr_nonnull(strstr(text, "\n  2  "));
	}
	ck_assert_ptr_null(strstr(text, "nothing to change"));
	free(text);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* A limit of which it is known how much it allows: by how much it was too low. */
START_TEST(a_limit_that_is_told_is_advised_with_its_figures)
{
	gs_snapshot s;
	gs_diagnosis d;
	diagnose_limited(400 * MIB, &s, &d);

	ck_assert_int_eq(gs_advise(&d, true, NULL), GS_OK);

	ck_assert_uint_eq(d.nadvice, 1);
	ck_assert_str_eq(d.advice[0].act,
		"raise this process's limit by at least 200 MiB (torch.cuda.set_per_process_memory_fraction)");
	ck_assert_str_eq(d.advice[0].because, "400 MiB allowed, 600 MiB needed with this request");
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* Said only of recordings that are whole, in which nothing failed or grows, and whose memory is
 * about what their peak needed. */
START_TEST(that_nothing_is_to_be_changed_is_said_where_it_is_so)
{
	static const struct {
		const char *name, *state;
		bool said;
	} rows[] = {
		{"notebook_cell", NULL, true}, {"two_lines_in_turn", NULL, true},
		{"notebook_cell", "0", false},                  /* not the end */
		{"fault_leak", "captured", false},              /* it failed */
		{"two_devices_one_failing", "captured", false}, /* a device failed */
		{"expandable_one_hole", NULL, false},           /* no events */
		{"two_devices_built_up", NULL, false},          /* another device is not told */
	};
	const gs_voice voice = {.width = 80, .utf8 = true};
	gs_snapshot s;
	gs_diagnosis d;
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	open_case(rows[_i].name, &s);
	o.state = rows[_i].state;
	ck_assert_int_eq(gs_diagnose(&s, &o, &d, NULL), GS_OK);
	ck_assert_int_eq(gs_advise(&d, true, NULL), GS_OK);

	char *text = printed(&d, &voice);

	ck_assert_msg((strstr(text, "\n  next       nothing to change") != NULL) == rows[_i].said,
		"%s:\n%s", rows[_i].name, text);
	free(text);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_diagnose(void);
Suite *suite_diagnose(void)
{
	Suite *s = suite_create("diagnose");
	TCase *t = tcase_create("real failures");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, the_verdict_on_a_real_failure_is_what_was_done_to_it, 0, CASES);
	tcase_add_loop_test(
		t, an_answer_begins_with_its_verdict_and_fits_a_screen_of_any_width, 0, CASES);
	tcase_add_loop_test(t, without_utf8_an_answer_is_ascii, 0, CASES);
	tcase_add_test(t, a_recording_that_the_caller_keeps_is_used_and_stays);
	tcase_add_test(t, without_the_capacity_memory_held_outside_is_a_shortage_that_says_so);
	tcase_add_loop_test(t, a_leak_is_blamed_on_the_function_that_keeps, 0, 2);
	tcase_add_loop_test(t, what_only_builds_up_is_no_leak, 0, 7);
	tcase_add_test(t, whole_pages_of_an_expandable_segment_can_go_back);
	tcase_add_test(t, a_limit_that_is_told_is_named_and_bounds_what_is_left);
	tcase_add_test(t, the_failing_device_is_diagnosed_and_another_can_be_named);
	tcase_add_loop_test(t, what_the_peak_was_made_of_is_the_heap_of_that_event, 0, 7);
	tcase_add_test(t, the_device_and_what_is_ruled_out_do_not_contradict);
	tcase_add_loop_test(t, what_to_try_is_listed_for_every_verdict, 0, CASES);
	tcase_add_test(t, a_limit_that_is_told_is_advised_with_its_figures);
	tcase_add_loop_test(t, that_nothing_is_to_be_changed_is_said_where_it_is_so, 0, 7);
	suite_add_tcase(s, t);
	t = tcase_create("messages");
	tcase_add_test(t, free_memory_of_unknown_pieces_proves_no_missed_fit);
	tcase_add_loop_test(t, a_message_is_judged_by_bounds, 0, COUNT(messages));
	suite_add_tcase(s, t);
	return s;
}
