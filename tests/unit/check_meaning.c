/* Steps that a program names: by torch.profiler's annotations, by annotations of its own, by tags.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/meaning/meaning.h"
#include "analyzer/meaning/retry.h"
#include "analyzer/meaning/step_state.h"
#include "tests/unit/trace_maker.h"

enum { MIB = 1 << 20, EVENTS = 12, A_STEP = 4 };

/* A segment, then two allocations, each freed at once, again and again; an event each 100 us. */
static void record(gs_snapshot *s)
{
	trace_start(s);
	trace_add(s, GS_ACTION_SEGMENT_ALLOC, 1 << 30, 20 * MIB);
	for (int i = 0; i < EVENTS; i++)
		trace_add(s, i % 2 ? GS_ACTION_FREE_COMPLETED : GS_ACTION_ALLOC, 1 << 30,
			(uint64_t)(i / 2 + 1) * MIB);
	for (size_t i = 0; i < s->devices[0].trace.n; i++)
		s->devices[0].trace.events[i].time_us = 1000 + 100 * (int64_t)i;
}

static gs_id text(gs_snapshot *s, const char *word)
{
	return gs_snapshot_string(s, word, strlen(word));
}

static void annotate(
	gs_snapshot *s, const char *format, int number, const char *stage, int64_t time)
{
	char name[40];
	snprintf(name, sizeof name, format, number);
	gs_annotation a = {text(s, name), text(s, stage), 0, time};
	ck_assert_int_eq(gs_snapshot_add_annotation(s, &a), GS_OK);
}

typedef struct told {
	gs_snapshot snapshot;
	gs_history history;
	gs_meaning meaning;
} told;

static void tell(told *t)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(!gs_snapshot_finish(&t->snapshot, &err), "%s", err.text);
	ck_assert_int_eq(
		gs_history_init(&t->history, &t->snapshot, &t->snapshot.devices[0], &err), GS_OK);
	ck_assert_int_eq(gs_meaning_init(&t->meaning, &t->history, NULL, &err), GS_OK);
}

static void forget(told *t)
{
	gs_meaning_release(&t->meaning);
	gs_history_release(&t->history);
	gs_snapshot_release(&t->snapshot);
}

static const char *const formats[] = {"ProfilerStep#%d", "train step %d", "iteration_%d"};

START_TEST(annotations_with_a_number_are_steps)
{
	told t = {.history = GS_HISTORY_INIT, .meaning = GS_MEANING_INIT};
	record(&t.snapshot);
	for (int k = 0; k < 3; k++) {
		annotate(&t.snapshot, formats[_i], 7 + k, "START", 1100 + 400 * k);
		annotate(&t.snapshot, formats[_i], 7 + k, "END", 1100 + 400 * k + 350);
	}

	tell(&t);

	ck_assert_uint_eq(t.meaning.nsteps, 3);
	for (int k = 0; k < 3; k++) {
		const gs_phase_step *step = &t.meaning.steps[k];
		ck_assert_int_eq(step->number, 7 + k);
		ck_assert_int_eq(step->how, GS_STEP_ANNOTATION);
		ck_assert_int_eq(step->first_idx, 1 + A_STEP * k);
		ck_assert_int_eq(step->last_idx, A_STEP * (k + 1));
		ck_assert_uint_eq(step->peak_allocated, (uint64_t)(2 * k + 2) * MIB);
		ck_assert_int_eq(step->peak_idx, 3 + A_STEP * k);
		ck_assert_int_eq(step->growth, 0);
	}
	forget(&t);
}
END_TEST

START_TEST(tags_with_a_number_are_steps)
{
	told t = {.history = GS_HISTORY_INIT, .meaning = GS_MEANING_INIT};
	record(&t.snapshot);
	for (size_t i = 1; i <= EVENTS; i++) {
		char name[20];
		snprintf(name, sizeof name, "step %d", 3 + (int)(i - 1) / A_STEP);
		gs_event *e = &t.snapshot.devices[0].trace.events[i];
		e->tag_action |= text(&t.snapshot, name) << 8;
	}

	tell(&t);

	ck_assert_uint_eq(t.meaning.nsteps, 3);
	for (int k = 0; k < 3; k++) {
		ck_assert_int_eq(t.meaning.steps[k].number, 3 + k);
		ck_assert_int_eq(t.meaning.steps[k].first_idx, 1 + A_STEP * k);
		ck_assert_int_eq(t.meaning.steps[k].last_idx, A_STEP * (k + 1));
	}
	forget(&t);
}
END_TEST

START_TEST(a_state_of_a_step_is_its_end_or_its_peak)
{
	told t = {.history = GS_HISTORY_INIT, .meaning = GS_MEANING_INIT};
	gs_state state;
	gs_error err = GS_ERROR_INIT;
	record(&t.snapshot);
	for (int k = 0; k < 3; k++)
		annotate(&t.snapshot, "step %d", k, "START", 1100 + 400 * k);
	tell(&t);
	const gs_device *d = &t.snapshot.devices[0];

	ck_assert_int_eq(
		gs_meaning_state_find(&t.snapshot, d, NULL, NULL, "step 1", &state, &err), GS_OK);
	ck_assert_int_eq(state.idx, 8);
	ck_assert_int_eq(
		gs_meaning_state_find(&t.snapshot, d, NULL, NULL, "step 1 peak", &state, &err), GS_OK);
	ck_assert_int_eq(state.idx, 7);
	ck_assert_int_eq(
		gs_meaning_state_find(&t.snapshot, d, NULL, NULL, "step 3", &state, &err), GS_NOT_FOUND);
	ck_assert_str_eq(err.text, "device 0 has no step 3; there are steps 0 to 2");
	forget(&t);
}
END_TEST

/* Stacks by number, 0: none was recorded. */
static const struct {
	int released, asks;
	bool again;
} retries[] = {{1, 1, true}, {1, 2, false}, {0, 0, true}, {0, 1, true}, {1, 0, false}};

START_TEST(
	a_request_that_gave_the_cache_back_is_told_by_its_stack_or_where_none_is_told_by_its_place)
{
	gs_retry r = {.stack = 0};
	ck_assert(!gs_retry_step(&r, GS_ACTION_ALLOC, 1));
	ck_assert(!gs_retry_step(&r, GS_ACTION_SEGMENT_FREE, (gs_id)retries[_i].released));
	bool again = gs_retry_step(&r, GS_ACTION_OOM, (gs_id)retries[_i].asks);
	ck_assert_int_eq(again, retries[_i].again);
	ck_assert(!gs_retry_step(&r, GS_ACTION_SEGMENT_ALLOC, (gs_id)retries[_i].asks));
}
END_TEST

START_TEST(what_a_call_of_empty_cache_gave_back_is_no_retry)
{
	gs_retry r = {.own = _i};
	ck_assert(!gs_retry_step(&r, GS_ACTION_EMPTY_CACHE, 0));
	ck_assert(!gs_retry_step(&r, GS_ACTION_SEGMENT_FREE, 1));
	ck_assert(!gs_retry_step(&r, GS_ACTION_SEGMENT_ALLOC, 1));
	ck_assert(!gs_retry_step(&r, GS_ACTION_ALLOC, 1));
	ck_assert(!gs_retry_step(&r, GS_ACTION_SEGMENT_FREE, 1));
	ck_assert_int_eq(gs_retry_step(&r, GS_ACTION_SEGMENT_ALLOC, 2), _i);
}
END_TEST

Suite *suite_meaning(void);
Suite *suite_meaning(void)
{
	Suite *s = suite_create("meaning");
	TCase *t = tcase_create("named steps");
	tcase_add_loop_test(t, annotations_with_a_number_are_steps, 0, 3);
	tcase_add_test(t, tags_with_a_number_are_steps);
	tcase_add_test(t, a_state_of_a_step_is_its_end_or_its_peak);
	tcase_add_loop_test(t,
		a_request_that_gave_the_cache_back_is_told_by_its_stack_or_where_none_is_told_by_its_place,
		0, (int)(sizeof retries / sizeof *retries));
	tcase_add_loop_test(t, what_a_call_of_empty_cache_gave_back_is_no_retry, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
