/* Work that was ordered elsewhere: who ordered it is in the stacks of who does it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/model/frames.h"
#include "analyzer/read/open/reader.h"
#include "recorder/gpusnap.h"

static char folder[64], path[100];

static void open_recorder(const char *stacks)
{
	gpusnap_config config;
	strcpy(folder, "/tmp/gpusnap-check-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/now.gsnap", folder);
	gpusnap_config_init(&config);
	config.simulated = 1;
	config.simulated_bytes = 1 << 30;
	config.log = "none";
	config.stacks = stacks;
	ck_assert_msg(gpusnap_open(&config) == GPUSNAP_OK, "%s", gpusnap_error());
}

static void close_recorder(void)
{
	char command[100];
	gpusnap_close();
	snprintf(command, sizeof command, "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void take(void)
{
	void *ptr;
	ck_assert_int_eq(gpusnap_malloc(0, 1 << 20, NULL, &ptr), GPUSNAP_OK);
}

/* The stacks of the allocations so far, in order. */
static void dump(gs_snapshot *s)
{
	gs_error err = GS_ERROR_INIT;
	gs_snapshot_init(s);
	ck_assert_int_eq(gpusnap_dump(0, path, NULL, 0), GPUSNAP_OK);
	ck_assert_int_eq(gs_read_path(path, GS_WANT_ALL, s, &err), GS_OK);
	ck_assert_int_eq(unlink(path), 0);
}

static gs_id stack_of(const gs_snapshot *s, int number)
{
	const gs_trace *t = &s->devices[0].trace;
	for (size_t i = 0; i < t->n; i++)
		if (gs_event_action(&t->events[i]) == GS_ACTION_ALLOC && !number--)
			return t->events[i].stack;
	return 0;
}

static const char *frame_of(const gs_snapshot *s, gs_id stack, uint32_t i)
{
	return gs_string_text(s, s->frames[s->stack_frames[s->stacks[stack].first + i]].name);
}

__attribute__((noinline)) static gpusnap_id forward(void)
{
	gpusnap_id place = gpusnap_place();
	__asm__ volatile("" ::: "memory"); /* no tail call: the frame stays */
	return place;
}

START_TEST(stacks_of_work_go_on_with_its_name_and_with_who_ordered_it)
{
	gs_snapshot s;
	open_recorder("c");
	gpusnap_id place = forward();
	ck_assert_uint_ne(place, 0);
	take();
	gpusnap_work_for("MmBackward0", place);
	take();
	gpusnap_work_for("SumBackward0", 0);
	take();
	gpusnap_work_for(NULL, 0);
	take();
	dump(&s);

	gs_id plain = stack_of(&s, 0), ordered = stack_of(&s, 1), named = stack_of(&s, 2);
	uint32_t own = gs_stack_own(&s, ordered);
	ck_assert_uint_eq(gs_stack_own(&s, plain), s.stacks[plain].n);
	ck_assert_uint_gt(own, 0);
	ck_assert_str_eq(frame_of(&s, ordered, own), "MmBackward0");
	ck_assert_uint_gt(s.stacks[ordered].n, own + 1);
	ck_assert_str_eq(frame_of(&s, named, s.stacks[named].n - 1), "SumBackward0");
	gs_id last = stack_of(&s, 3);
	ck_assert_uint_eq(gs_stack_own(&s, last), s.stacks[last].n);
	gs_snapshot_release(&s);
	close_recorder();
}
END_TEST

START_TEST(what_work_orders_itself_tells_of_both)
{
	gs_snapshot s;
	open_recorder("c");
	gpusnap_work_for("OuterBackward", 0);
	gpusnap_id place = forward();
	gpusnap_work_for("InnerBackward0", place);
	take();
	gpusnap_work_for(NULL, 0);
	dump(&s);
	gs_id stack = stack_of(&s, 0);
	ck_assert_str_eq(frame_of(&s, stack, gs_stack_own(&s, stack)), "InnerBackward0");
	ck_assert_str_eq(frame_of(&s, stack, s.stacks[stack].n - 1), "OuterBackward");
	gs_snapshot_release(&s);
	close_recorder();
}
END_TEST

START_TEST(without_stacks_nothing_is_told_of_work)
{
	gs_snapshot s;
	open_recorder("none");
	ck_assert_uint_eq(gpusnap_place(), 0);
	gpusnap_work_for("MmBackward0", 0);
	take();
	dump(&s);
	ck_assert_uint_eq(stack_of(&s, 0), 0);
	gs_snapshot_release(&s);
	close_recorder();
}
END_TEST

START_TEST(without_a_recorder_nothing_happens)
{
	ck_assert_uint_eq(gpusnap_place(), 0);
	gpusnap_work_for("MmBackward0", 1);
	ck_assert(!gpusnap_wants_places());
}
END_TEST

START_TEST(places_are_taken_where_the_variable_asks)
{
	setenv("GPUSNAP_BACKWARD", "1", 1);
	open_recorder("c");
	ck_assert(gpusnap_wants_places());
	close_recorder();
	open_recorder("none");
	ck_assert(!gpusnap_wants_places());
	close_recorder();
	setenv("GPUSNAP_BACKWARD", "0", 1);
	open_recorder("c");
	ck_assert(!gpusnap_wants_places());
	close_recorder();
	unsetenv("GPUSNAP_BACKWARD");
}
END_TEST

START_TEST(names_that_are_missing_are_refused)
{
	open_recorder("none");
	ck_assert_int_eq(gpusnap_push_tag(NULL), GPUSNAP_INVALID);
	ck_assert_int_eq(gpusnap_pop_tag(), GPUSNAP_STATE);
	ck_assert_int_eq(gpusnap_annotate(NULL, NULL), GPUSNAP_INVALID);
	ck_assert_int_eq(gpusnap_annotate("span", "MIDDLE"), GPUSNAP_INVALID);
	ck_assert_int_eq(gpusnap_annotate("span", "END"), GPUSNAP_OK);
	close_recorder();
}
END_TEST

static void no_dump(int device, gpusnap_reason reason) { (void)device, (void)reason; }

/* Handlers of forks stay for ever: those of the second opening waited for what those of the first
 * held. */
START_TEST(a_program_forks_though_an_allocator_was_watched_twice)
{
	int status;
	for (int i = 0; i < 2; i++) {
		gpusnap_watch_close();
		ck_assert_int_eq(gpusnap_watch_open(NULL, no_dump), GPUSNAP_OK);
	}
	pid_t child = fork();
	if (!child)
		_exit(7);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	gpusnap_watch_close();
}
END_TEST

Suite *suite_work(void);
Suite *suite_work(void)
{
	Suite *s = suite_create("work");
	TCase *t = tcase_create("work");
	tcase_add_test(t, stacks_of_work_go_on_with_its_name_and_with_who_ordered_it);
	tcase_add_test(t, what_work_orders_itself_tells_of_both);
	tcase_add_test(t, without_stacks_nothing_is_told_of_work);
	tcase_add_test(t, without_a_recorder_nothing_happens);
	tcase_add_test(t, places_are_taken_where_the_variable_asks);
	tcase_add_test(t, names_that_are_missing_are_refused);
	tcase_add_test(t, a_program_forks_though_an_allocator_was_watched_twice);
	suite_add_tcase(s, t);
	return s;
}
