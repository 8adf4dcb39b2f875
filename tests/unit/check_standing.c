/* Which of many snapshots are unlike the others. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/standing.h"
#include "analyzer/model/parallel.h"

Suite *suite_standing(void);

enum { MANY = 1024 };

static gs_standing *alike(size_t n)
{
	gs_standing *all = calloc(n, sizeof *all);
	for (size_t i = 0; i < n; i++) {
		all[i] = (gs_standing){
			.verdict = "fragmented", .reserved = 1000000 + (int64_t)(i % 7), .blocks = 200};
		strcpy(all[i].holder, "cache.py:29 keep");
	}
	return all;
}

static void compare(const gs_standing *all, size_t n, gs_usual *usual, uint8_t *unlike)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(gs_standings_compare(all, n, usual, unlike, &err), GS_OK);
}

START_TEST(who_differs_is_found_and_no_one_else)
{
	gs_standing *all = alike(MANY);
	uint8_t unlike[MANY];
	gs_usual usual;
	all[3].reserved = 1200000;
	all[500].blocks = 260;
	all[700].verdict = "shortage";
	strcpy(all[701].holder, "model.py:12 weights");
	all[702].reserved = 1090000; /* less than a tenth more */
	compare(all, MANY, &usual, unlike);
	for (size_t i = 0; i < MANY; i++)
		ck_assert_int_eq(unlike[i],
			i == 3         ? GS_UNLIKE_RESERVED
				: i == 500 ? GS_UNLIKE_BLOCKS
				: i == 700 ? GS_UNLIKE_VERDICT
				: i == 701 ? GS_UNLIKE_HOLDER
						   : 0);
	ck_assert_int_eq(usual.of.reserved, 1000003);
	ck_assert_int_eq(usual.of.blocks, 200);
	ck_assert_str_eq(usual.of.verdict, "fragmented");
	ck_assert_str_eq(usual.of.holder, "cache.py:29 keep");
	free(all);
}
END_TEST

START_TEST(a_few_tell_nothing_of_what_is_usual)
{
	gs_standing all[3] = {
		{"fragmented", 10, 1, "a"}, {"fragmented", 10, 1, "a"}, {"shortage", 99, 9, "b"}};
	uint8_t unlike[3];
	gs_usual usual;
	compare(all, 3, &usual, unlike);
	ck_assert_int_eq(unlike[2], 0);
	ck_assert_int_eq(usual.of.reserved, GS_NONE);
	ck_assert_ptr_null(usual.of.verdict);
	compare(all, 0, &usual, unlike);
}
END_TEST

START_TEST(halves_are_not_unlike_each_other)
{
	gs_standing *all = alike(40);
	uint8_t unlike[40];
	gs_usual usual;
	for (size_t i = 0; i < 20; i++) {
		all[i].verdict = "shortage";
		all[i].reserved = 2000000;
	}
	compare(all, 40, &usual, unlike);
	for (size_t i = 0; i < 40; i++)
		ck_assert_int_eq(unlike[i], 0);
	ck_assert_ptr_null(usual.of.verdict);
	ck_assert_str_eq(usual.of.holder, "cache.py:29 keep");
	free(all);
}
END_TEST

START_TEST(what_is_not_known_is_not_unlike)
{
	gs_standing *all = alike(20);
	uint8_t unlike[20];
	gs_usual usual;
	all[4] = (gs_standing)GS_STANDING_INIT;
	compare(all, 20, &usual, unlike);
	ck_assert_int_eq(unlike[4], 0);
	free(all);
}
END_TEST

static void count(void *context, size_t i) { ((unsigned char *)context)[i]++; }

START_TEST(each_thing_is_done_once_by_many_threads)
{
	static unsigned char done[5000];
	for (size_t n = 0; n <= sizeof done; n = n * 3 + 1) {
		size_t wrong = 0;
		memset(done, 0, sizeof done);
		gs_parallel(n, count, done);
		for (size_t i = 0; i < sizeof done; i++)
			wrong += done[i] != (i < n);
		ck_assert_uint_eq(wrong, 0);
	}
}
END_TEST

typedef struct halves {
	pthread_t caller;
	bool own_on_the_callers;
	int beside, own;
} halves;

static void do_beside(void *context) { ((halves *)context)->beside++; }

static void do_own(void *context)
{
	halves *x = context;
	x->own++;
	x->own_on_the_callers = pthread_equal(pthread_self(), x->caller);
}

START_TEST(of_two_halves_the_callers_own_is_done_on_its_thread)
{
	halves x = {.caller = pthread_self()};
	gs_parallel_beside(do_beside, do_own, &x);
	ck_assert_int_eq(x.beside, 1);
	ck_assert_int_eq(x.own, 1);
	ck_assert(x.own_on_the_callers);
}
END_TEST

Suite *suite_standing(void)
{
	Suite *suite = suite_create("standing");
	TCase *all = tcase_create("all");
	tcase_add_test(all, who_differs_is_found_and_no_one_else);
	tcase_add_test(all, a_few_tell_nothing_of_what_is_usual);
	tcase_add_test(all, halves_are_not_unlike_each_other);
	tcase_add_test(all, what_is_not_known_is_not_unlike);
	tcase_add_test(all, each_thing_is_done_once_by_many_threads);
	tcase_add_test(all, of_two_halves_the_callers_own_is_done_on_its_thread);
	suite_add_tcase(suite, all);
	return suite;
}
