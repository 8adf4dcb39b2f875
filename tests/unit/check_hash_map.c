/* The hash map against an array that says what is in it, and against the account of memory. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/hash_map.h"
#include "analyzer/model/memory.h"

enum { KEYS = 5000, STEPS = 100000 };

/* Addresses of segments, which differ in few bits; neighbours; bits above 32 alone. */
static uint64_t key_of(int kind, uint32_t i)
{
	return kind == 0 ? UINT64_C(0x7f0000000000) + i * UINT64_C(0x200000)
		: kind == 1  ? i
					 : (uint64_t)i << 40;
}

START_TEST(what_was_put_is_found_until_it_is_taken)
{
	static bool in[KEYS];
	static uint32_t put[KEYS];
	gs_hash_map m = {0};
	size_t n = 0;
	memset(in, 0, sizeof in);
	srand(11);
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t i = (uint32_t)rand() % KEYS, value = 77;
		uint64_t key = key_of(_i, i);
		ck_assert_int_eq(gs_hash_map_find(&m, key, &value), in[i]);
		ck_assert_uint_eq(value, in[i] ? put[i] : 77);
		if (in[i] && rand() % 2) {
			ck_assert(gs_hash_map_take(&m, key, &value));
			ck_assert_uint_eq(value, put[i]);
			in[i] = false;
			n--;
		} else {
			n += !in[i];
			in[i] = true;
			ck_assert(gs_hash_map_put(&m, key, put[i] = step));
		}
		ck_assert_uint_eq(m.n, n);
	}
	gs_hash_map_release(&m);
	ck_assert_uint_eq(m.n, 0);
}
END_TEST

START_TEST(a_key_is_new_once)
{
	gs_hash_map m = {0};
	bool is_new;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < KEYS; i++) {
			uint32_t *at = gs_hash_map_at(&m, key_of(_i, i), &is_new);
			ck_assert_ptr_nonnull(at);
			ck_assert_int_eq(is_new, round == 0);
			ck_assert_uint_eq(*at, round ? i + 1 : 0);
			*at = i + 1;
		}
	ck_assert_uint_eq(m.n, KEYS);
	gs_hash_map_release(&m);
}
END_TEST

static uint64_t half_a_megabyte(const void *of)
{
	(void)of;
	return 1 << 19;
}

START_TEST(the_account_refuses_and_the_map_keeps_what_it_has)
{
	gs_hash_map m = {0};
	gs_account account;
	uint32_t i = 0, value;
	gs_account_open(&account, half_a_megabyte, NULL);
	while (i < 1 << 20 && gs_hash_map_put(&m, i, i))
		i++;
	ck_assert(account.exceeded);
	ck_assert_uint_ge(i, 4096);
	for (uint32_t k = 0; k < i; k++) {
		ck_assert(gs_hash_map_find(&m, k, &value));
		ck_assert_uint_eq(value, k);
	}
	gs_hash_map_release(&m);
	ck_assert_uint_eq(account.held, 0);
	gs_account_close(&account);
}
END_TEST

Suite *suite_hash_map(void);
Suite *suite_hash_map(void)
{
	Suite *s = suite_create("hash_map");
	TCase *t = tcase_create("hash_map");
	tcase_add_loop_test(t, what_was_put_is_found_until_it_is_taken, 0, 3);
	tcase_add_loop_test(t, a_key_is_new_once, 0, 3);
	tcase_add_test(t, the_account_refuses_and_the_map_keeps_what_it_has);
	suite_add_tcase(s, t);
	return s;
}
