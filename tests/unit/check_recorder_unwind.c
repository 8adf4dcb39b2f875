/* C frames are those of glibc's backtrace(), and stay so when they are remembered. */
#include <check.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/capture/unwind.h"

enum { MOST = 40 };

static gs_unwinder unwinder;
static int (*glibc_backtrace)(
	void **, int); /* others export a function of that name, too (libunwind, sanitizers) */

typedef struct capture {
	uint64_t ours[MOST], known[MOST];
	void *glibc[MOST];
	uint32_t n;
	int nglibc;
} capture;

/* Both from the same caller: frame 0 differs by the address of the call, the rest must not. */
__attribute__((noinline)) static void ours(capture *c)
{
	gs_regs from;
	gs_regs_of_caller(&from);
	c->n = gs_unwind(&unwinder, &from, c->ours, MOST);
}

__attribute__((noinline)) static void take(capture *c)
{
	c->nglibc = glibc_backtrace(c->glibc, MOST);
	ours(c);
	__asm__ volatile("" ::: "memory"); /* or the call would become a jump, and this frame be gone */
}

static void assert_same(const capture *c)
{
	ck_assert_int_ge(c->nglibc, 4);
	ck_assert_int_eq((int)c->n, c->nglibc);
	for (int i = 1; i < c->nglibc; i++)
		ck_assert_msg(c->ours[i] == (uint64_t)(uintptr_t)c->glibc[i], "frame %d: %llx, not %p", i,
			(unsigned long long)c->ours[i], c->glibc[i]);
}

static void setup(void)
{
	void *symbol = dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "backtrace");
	ck_assert_ptr_nonnull(symbol);
	memcpy(&glibc_backtrace, &symbol, sizeof symbol);
	gs_unwind_prepare();
	gs_unwind_check(&unwinder, 1, 1, 0);
}

__attribute__((noinline)) static int recurse(int depth, capture *c)
{
	volatile char room[48];
	room[depth % 48] = (char)depth;
	if (!depth)
		take(c);
	return (depth ? recurse(depth - 1, c) : 0) + room[depth % 48];
}

START_TEST(a_deep_recursion_is_walked_as_glibc_walks_it)
{
	capture c = {.n = 0};
	recurse(_i, &c);
	assert_same(&c);
}
END_TEST

static capture in_callback;

static int compare(const void *a, const void *b)
{
	take(&in_callback);
	return *(const int *)a - *(const int *)b;
}

START_TEST(a_callback_from_the_c_library_is_walked_through)
{
	int numbers[] = {3, 1, 2};
	qsort(numbers, 3, sizeof *numbers, compare);
	assert_same(&in_callback);
}
END_TEST

/* A frame that is realigned, and one whose size is known at run time only. */
__attribute__((noinline)) static int realigned(int n, capture *c)
{
	_Alignas(64) volatile char wide[64];
	volatile char *room = __builtin_alloca((size_t)n * 16);
	wide[n % 64] = 1;
	room[0] = 2;
	if (n > 1)
		return realigned(n - 1, c) + wide[0];
	take(c);
	return room[0] + wide[1];
}

START_TEST(realigned_and_variable_frames_are_walked_through)
{
	capture c = {.n = 0};
	realigned(5, &c);
	assert_same(&c);
}
END_TEST

static void *in_thread(void *arg)
{
	recurse(3, arg);
	return NULL;
}

START_TEST(a_thread_ends_where_glibc_ends)
{
	capture c = {.n = 0};
	pthread_t thread;
	pthread_create(&thread, NULL, in_thread, &c);
	pthread_join(thread, NULL);
	assert_same(&c);
}
END_TEST

__attribute__((noinline)) static uint32_t remember(uint32_t result, bool *was_known)
{
	uint64_t frames[MOST];
	gs_regs from;
	gs_regs_of_caller(&from);
	uint32_t known = gs_unwind_known(&unwinder, &from);
	*was_known = known != 0;
	if (!known) {
		gs_unwind(&unwinder, &from, frames, MOST);
		gs_unwind_remember(&unwinder, result);
	}
	return known ? known : result;
}

/* The same depth and frame sizes by two ways: only the return addresses higher up differ. */
__attribute__((noinline)) static uint32_t bottom(uint32_t result, bool *known)
{
	volatile uint32_t got = remember(result, known);
	return got;
}
__attribute__((noinline)) static uint32_t way_a(uint32_t result, bool *known)
{
	volatile uint32_t got = bottom(result, known);
	return got + 0;
}
__attribute__((noinline)) static uint32_t way_b(uint32_t result, bool *known)
{
	volatile uint32_t got = bottom(result, known);
	return got + 0;
}

START_TEST(a_stack_seen_before_is_known_and_another_is_not_taken_for_it)
{
	static const int order[] = {0, 0, 1, 1, 1, 0, 1, 0, 0};
	uint32_t (*volatile ways[])(uint32_t, bool *) = {way_a, way_b};
	uint32_t seen[2] = {0, 0};
	volatile int end = 9; /* volatile: one call site, not an unrolled loop */
	bool known;
	for (volatile int i = 0; i < end; i++) {
		int way = order[i];
		uint32_t got = ways[way]((uint32_t)i + 1, &known);
		ck_assert_msg(known == (seen[way] != 0), "call %d", i);
		seen[way] = seen[way] ? seen[way] : (uint32_t)i + 1;
		ck_assert_uint_eq(got, seen[way]);
	}
	ck_assert_uint_ne(seen[0], seen[1]);
}
END_TEST

START_TEST(another_owner_knows_nothing)
{
	bool known = false;
	for (int i = 0; i < 2; i++) {
		if (i)
			gs_unwind_check(&unwinder, 2, 2, 1000);
		bottom(5, &known);
		ck_assert(!known);
	}
}
END_TEST

START_TEST(a_stack_is_cut_at_the_depth_asked_for)
{
	capture c = {.n = 0};
	uint64_t frames[GS_UNWIND_MAX];
	gs_regs from;
	gs_regs_of_caller(&from);
	ck_assert_uint_eq(gs_unwind(&unwinder, &from, frames, 2), 2);
	ck_assert_uint_eq(gs_unwind(&unwinder, &from, frames, 1), 1);
	ck_assert_uint_eq(frames[0], from.ip);
	(void)c;
}
END_TEST

START_TEST(a_place_without_frame_information_gives_one_frame)
{
	uint64_t frames[MOST], stack[8] = {0};
	gs_regs nowhere = {(uint64_t)(uintptr_t)frames, (uint64_t)(uintptr_t)stack, 0};
	ck_assert_uint_eq(gs_unwind(&unwinder, &nowhere, frames, MOST), 1);
}
END_TEST

Suite *suite_recorder_unwind(void);
Suite *suite_recorder_unwind(void)
{
	Suite *s = suite_create("recorder_unwind");
	TCase *t = tcase_create("frames");
	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_test(t, a_deep_recursion_is_walked_as_glibc_walks_it, 0, 12);
	tcase_add_test(t, a_callback_from_the_c_library_is_walked_through);
	tcase_add_test(t, realigned_and_variable_frames_are_walked_through);
	tcase_add_test(t, a_thread_ends_where_glibc_ends);
	tcase_add_test(t, a_stack_seen_before_is_known_and_another_is_not_taken_for_it);
	tcase_add_test(t, another_owner_knows_nothing);
	tcase_add_test(t, a_stack_is_cut_at_the_depth_asked_for);
	tcase_add_test(t, a_place_without_frame_information_gives_one_frame);
	suite_add_tcase(s, t);
	return s;
}
