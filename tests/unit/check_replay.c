/* Requests from traces, and the comparison of a replay with its recording. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/replay/replay.h"
#include "recorder/pool/rule_sets.h"
#include "tests/unit/trace_maker.h"

#define MIB (UINT64_C(1) << 20)
#define BASE UINT64_C(0x7f0000000000)

static gs_snapshot snapshot;
static gs_replay replay;

static void setup(void)
{
	trace_start(&snapshot);
	memset(&replay, 0, sizeof replay);
}

static void teardown(void)
{
	gs_replay_release(&replay);
	gs_snapshot_release(&snapshot);
}

static void add(gs_action action, uint64_t offset, uint64_t size)
{
	trace_add(&snapshot, action, BASE + offset, size);
}

static void alloc_and_free(uint64_t offset, uint64_t size)
{
	add(GS_ACTION_ALLOC, offset, size);
	add(GS_ACTION_FREE_REQUESTED, offset, size);
	add(GS_ACTION_FREE_COMPLETED, offset, size);
}

static void make(void)
{
	gs_error err = GS_ERROR_INIT;

	ck_assert_msg(gs_replay_init(&replay, &snapshot, &snapshot.devices[0], GS_NONE, false, NULL,
					  &err) == GS_OK,
		"%s", err.text);
}

static gs_replay_agreement follow(const char *conf)
{
	gs_replay_agreement a;
	gs_error err = GS_ERROR_INIT;

	ck_assert_msg(gs_replay_verify(&replay, &gs_rules_2_6, conf, UINT64_MAX, &a, &err) == GS_OK,
		"%s", err.text);
	return a;
}

/* --- requests --- */

START_TEST(a_free_that_completes_at_once_is_one_request)
{
	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	alloc_and_free(0, 5 * MIB);
	make();

	ck_assert_uint_eq(replay.n, 2);
	ck_assert_uint_eq(replay.ops[0].kind, GS_REPLAY_ALLOC);
	ck_assert_uint_eq(replay.ops[0].size, 5 * MIB);
	ck_assert_uint_eq(replay.ops[1].kind, GS_REPLAY_FREE);
	ck_assert(!replay.deferred);
}
END_TEST

START_TEST(a_gap_between_request_and_completion_is_a_deferred_free)
{
	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	add(GS_ACTION_ALLOC, 0, 2 * MIB);
	add(GS_ACTION_FREE_REQUESTED, 0, 2 * MIB);
	add(GS_ACTION_ALLOC, 2 * MIB, 2 * MIB);
	add(GS_ACTION_FREE_COMPLETED, 0, 2 * MIB);
	make();

	ck_assert_uint_eq(replay.n, 4);
	ck_assert_uint_eq(replay.ops[1].kind, GS_REPLAY_DEFER);
	ck_assert_uint_eq(replay.ops[3].kind, GS_REPLAY_COMPLETE);
	ck_assert_uint_eq(replay.ops[3].slot, replay.ops[0].slot);
	ck_assert(replay.deferred);
}
END_TEST

START_TEST(what_a_run_needs_grows_with_live_blocks_and_not_with_events)
{
	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	for (int i = 0; i < 1000; i++)
		alloc_and_free(0, 5 * MIB);
	make();

	ck_assert_uint_eq(replay.nslots, 1);
}
END_TEST

START_TEST(segments_that_go_back_with_no_request_behind_are_an_empty_cache)
{
	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	alloc_and_free(0, 5 * MIB);
	add(GS_ACTION_SEGMENT_FREE, 0, 20 * MIB);
	make();

	ck_assert_uint_eq(replay.ops[2].kind, GS_REPLAY_EMPTY);
	ck_assert_uint_eq(replay.emptied, 1);
}
END_TEST

START_TEST(segments_that_go_back_before_a_request_they_would_have_served_are_an_empty_cache)
{
	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	alloc_and_free(0, 5 * MIB);
	add(GS_ACTION_SEGMENT_FREE, 0, 20 * MIB);
	add(GS_ACTION_SEGMENT_ALLOC, 64 * MIB, 20 * MIB);
	add(GS_ACTION_ALLOC, 64 * MIB, 4 * MIB);
	make();
	ck_assert_uint_eq(replay.ops[2].kind, GS_REPLAY_RELEASE);

	ck_assert(follow("").agrees);

	ck_assert_uint_eq(replay.ops[2].kind, GS_REPLAY_EMPTY);
}
END_TEST

START_TEST(segments_that_go_back_for_a_request_they_would_not_have_served_are_a_retry)
{
	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	alloc_and_free(0, 5 * MIB);
	add(GS_ACTION_SEGMENT_FREE, 0, 20 * MIB);
	add(GS_ACTION_SEGMENT_ALLOC, 64 * MIB, 30 * MIB);
	add(GS_ACTION_ALLOC, 64 * MIB, 30 * MIB);
	make();

	ck_assert(follow("").agrees);

	ck_assert_uint_eq(replay.ops[2].kind, GS_REPLAY_NOTHING);
}
END_TEST

static void capture_behind(bool something_cached)
{
	uint32_t pool = gs_snapshot_pool(&snapshot, (gs_pool_id){1, 0});
	gs_trace *t = &snapshot.devices[0].trace;

	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	add(GS_ACTION_ALLOC, 0, 5 * MIB);
	if (something_cached) {
		add(GS_ACTION_FREE_REQUESTED, 0, 5 * MIB);
		add(GS_ACTION_FREE_COMPLETED, 0, 5 * MIB);
	}
	add(GS_ACTION_SEGMENT_ALLOC, 64 * MIB, 20 * MIB);
	add(GS_ACTION_ALLOC, 64 * MIB, 5 * MIB);
	t->events[t->n - 1].pool = t->events[t->n - 2].pool = pool;
	make();
}

START_TEST(a_capture_empties_the_cache_where_that_left_no_trace)
{
	capture_behind(false);
	ck_assert_uint_eq(replay.ops[1].kind, GS_REPLAY_CAPTURE);

	ck_assert(follow("").agrees);

	ck_assert_uint_eq(replay.ops[1].kind, GS_REPLAY_EMPTY);
}
END_TEST

START_TEST(a_capture_that_left_the_cache_alone_is_not_taken_to_empty_it)
{
	capture_behind(true);
	ck_assert_uint_eq(replay.ops[2].kind, GS_REPLAY_CAPTURE);

	ck_assert(follow("").agrees);

	ck_assert_uint_eq(replay.ops[2].kind, GS_REPLAY_NOTHING);
}
END_TEST

START_TEST(the_requests_end_with_the_last_recorded_failure)
{
	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	add(GS_ACTION_ALLOC, 0, 5 * MIB);
	add(GS_ACTION_OOM, 0, 64 * MIB);
	add(GS_ACTION_FREE_REQUESTED, 0, 5 * MIB);
	add(GS_ACTION_FREE_COMPLETED, 0, 5 * MIB);
	make();

	ck_assert_uint_eq(replay.n, 2);
	ck_assert_uint_eq(replay.ops[1].kind, GS_REPLAY_OOM);
	ck_assert_int_eq(replay.first_oom, 2);
	ck_assert_int_eq(replay.oom_reserved, 20 * (int64_t)MIB);
}
END_TEST

START_TEST(an_event_number_ends_the_requests_earlier)
{
	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	for (int i = 0; i < 9; i++)
		alloc_and_free(0, 5 * MIB);

	ck_assert_int_eq(
		gs_replay_init(&replay, &snapshot, &snapshot.devices[0], 6, false, NULL, NULL), GS_OK);

	ck_assert_uint_eq(replay.n, 4);
	ck_assert_uint_eq(replay.allocations, 2);
}
END_TEST

START_TEST(events_that_contradict_each_other_are_counted)
{
	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	add(GS_ACTION_ALLOC, 0, 5 * MIB);
	add(GS_ACTION_ALLOC, 0, 5 * MIB);
	add(GS_ACTION_FREE_REQUESTED, 8 * MIB, 5 * MIB);
	add(GS_ACTION_FREE_COMPLETED, 8 * MIB, 5 * MIB);
	make();

	ck_assert_uint_ge(replay.lost, 1);
	ck_assert_uint_eq(replay.allocations, 2);
}
END_TEST

START_TEST(a_device_without_events_has_nothing_to_replay)
{
	ck_assert_int_eq(
		gs_replay_init(&replay, &snapshot, &snapshot.devices[0], GS_NONE, false, NULL, NULL),
		GS_NOT_FOUND);
}
END_TEST

/* --- against the recording --- */

START_TEST(a_placement_that_the_rules_do_not_make_is_named_with_its_event)
{
	gs_replay_agreement a;

	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	add(GS_ACTION_ALLOC, 0, 5 * MIB);
	add(GS_ACTION_ALLOC, 6 * MIB, 2 * MIB);
	make();
	a = follow("");

	ck_assert(!a.agrees);
	ck_assert_int_eq(a.event, 2);
	ck_assert_uint_eq(a.compared, 2);
	ck_assert_str_eq(a.text,
		"replayed: alloc of 2097152 at 0x7f0000500000 on stream 0x0; recorded: alloc of 2097152 at 0x7f0000600000 on stream 0x0");
}
END_TEST

START_TEST(a_free_that_must_have_been_pending_at_the_failure_is_taken_so)
{
	gs_replay_agreement a;

	add(GS_ACTION_SEGMENT_ALLOC, 0, 64 * MIB);
	alloc_and_free(0, 64 * MIB);
	add(GS_ACTION_ALLOC, 0, 30 * MIB);
	add(GS_ACTION_ALLOC, 30 * MIB, 34 * MIB);
	add(GS_ACTION_FREE_REQUESTED, 0, 30 * MIB);
	add(GS_ACTION_FREE_COMPLETED, 0, 30 * MIB);
	trace_add(&snapshot, GS_ACTION_OOM, 0, 30 * MIB);
	make();
	a = follow("");

	ck_assert_msg(a.agrees, "%s", a.text);
	ck_assert_uint_eq(a.pending_frees, 1);
	ck_assert_uint_eq(replay.ops[4].kind, GS_REPLAY_DEFER);
}
END_TEST

START_TEST(a_seeded_run_agrees_with_its_own_recording)
{
	static const char *const confs[] = {
		"", "expandable_segments:True", "max_split_size_mb:40", "roundup_power2_divisions:4"};
	run_figures figures;
	gs_replay_agreement a;
	jobs j;

	jobs_make(&j, (unsigned)_i, 800, _i % 2 ? 3 : 1, _i % 3 == 0);
	jobs_run(&j, "2.6", confs[_i % 4], _i % 5 ? 1000 * MIB : 20000 * MIB, 0, &snapshot, &figures);
	make();
	a = follow(confs[_i % 4]);

	ck_assert_msg(a.agrees, "seed %d, event %lld: %s", _i, (long long)a.event, a.text);
	jobs_release(&j);
}
END_TEST

/* --- rewritten --- */

START_TEST(padding_rounds_requests_up)
{
	gs_replay_rewrite rewrite = {.pad_to = 4 * MIB, .pad_from = MIB};
	gs_replay_changes changed;

	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	add(GS_ACTION_ALLOC, 0, 5 * MIB);
	add(GS_ACTION_ALLOC, 5 * MIB, 4 * MIB);
	add(GS_ACTION_SEGMENT_ALLOC, 64 * MIB, 2 * MIB);
	add(GS_ACTION_ALLOC, 64 * MIB, 100);
	make();

	ck_assert_int_eq(gs_replay_apply(&replay, &rewrite, &changed, NULL), GS_OK);

	ck_assert_uint_eq(changed.requests, 1);
	ck_assert_uint_eq(replay.ops[0].size, 8 * MIB);
	ck_assert_uint_eq(replay.ops[1].size, 4 * MIB);
	ck_assert_uint_eq(replay.ops[2].size, 100);
}
END_TEST

START_TEST(a_tag_is_left_out_with_its_frees)
{
	gs_replay_rewrite rewrite = {.without_tag = "cache"};
	gs_id tag = gs_snapshot_string(&snapshot, "cache", 5);
	gs_replay_changes changed;

	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	add(GS_ACTION_ALLOC, 0, 5 * MIB);
	snapshot.devices[0].trace.events[1].tag_action |= tag << 8;
	add(GS_ACTION_ALLOC, 5 * MIB, 4 * MIB);
	add(GS_ACTION_FREE_REQUESTED, 0, 5 * MIB);
	add(GS_ACTION_FREE_COMPLETED, 0, 5 * MIB);
	make();

	ck_assert_int_eq(gs_replay_apply(&replay, &rewrite, &changed, NULL), GS_OK);

	ck_assert_uint_eq(changed.requests, 1);
	ck_assert_uint_eq(replay.ops[0].kind, GS_REPLAY_NOTHING);
	ck_assert_uint_eq(replay.ops[1].kind, GS_REPLAY_ALLOC);
	ck_assert_uint_eq(replay.ops[2].kind, GS_REPLAY_NOTHING);
}
END_TEST

START_TEST(blocks_of_a_stack_are_freed_right_before_the_failure)
{
	gs_replay_rewrite rewrite = {.free_pattern = "keep_metrics"};
	gs_id frame = gs_snapshot_frame(&snapshot, gs_snapshot_string(&snapshot, "keep_metrics", 12),
		gs_snapshot_string(&snapshot, "a.py", 4), 3);
	gs_replay_changes changed;

	add(GS_ACTION_SEGMENT_ALLOC, 0, 20 * MIB);
	add(GS_ACTION_ALLOC, 0, 5 * MIB);
	snapshot.devices[0].trace.events[1].stack = gs_snapshot_stack(&snapshot, &frame, 1);
	add(GS_ACTION_ALLOC, 5 * MIB, 4 * MIB);
	trace_add(&snapshot, GS_ACTION_OOM, 0, 64 * MIB);
	make();

	ck_assert_int_eq(gs_replay_apply(&replay, &rewrite, &changed, NULL), GS_OK);

	ck_assert_uint_eq(changed.requests, 1);
	ck_assert_uint_eq(replay.n, 4);
	ck_assert_uint_eq(replay.ops[2].kind, GS_REPLAY_FREE);
	ck_assert_uint_eq(replay.ops[2].slot, replay.ops[0].slot);
	ck_assert_uint_eq(replay.ops[3].kind, GS_REPLAY_OOM);
}
END_TEST

Suite *suite_replay(void);
Suite *suite_replay(void)
{
	Suite *s = suite_create("replay");
	TCase *t = tcase_create("replay");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_free_that_completes_at_once_is_one_request);
	tcase_add_test(t, a_gap_between_request_and_completion_is_a_deferred_free);
	tcase_add_test(t, what_a_run_needs_grows_with_live_blocks_and_not_with_events);
	tcase_add_test(t, segments_that_go_back_with_no_request_behind_are_an_empty_cache);
	tcase_add_test(
		t, segments_that_go_back_before_a_request_they_would_have_served_are_an_empty_cache);
	tcase_add_test(t, segments_that_go_back_for_a_request_they_would_not_have_served_are_a_retry);
	tcase_add_test(t, a_capture_empties_the_cache_where_that_left_no_trace);
	tcase_add_test(t, a_capture_that_left_the_cache_alone_is_not_taken_to_empty_it);
	tcase_add_test(t, the_requests_end_with_the_last_recorded_failure);
	tcase_add_test(t, an_event_number_ends_the_requests_earlier);
	tcase_add_test(t, events_that_contradict_each_other_are_counted);
	tcase_add_test(t, a_device_without_events_has_nothing_to_replay);
	tcase_add_test(t, a_placement_that_the_rules_do_not_make_is_named_with_its_event);
	tcase_add_test(t, a_free_that_must_have_been_pending_at_the_failure_is_taken_so);
	tcase_add_loop_test(t, a_seeded_run_agrees_with_its_own_recording, 0, 24);
	tcase_add_test(t, padding_rounds_requests_up);
	tcase_add_test(t, a_tag_is_left_out_with_its_frees);
	tcase_add_test(t, blocks_of_a_stack_are_freed_right_before_the_failure);
	suite_add_tcase(s, t);
	return s;
}
