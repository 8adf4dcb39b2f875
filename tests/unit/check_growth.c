/* Growth: leaks are named, whatever else goes on; what is built once, replaced or kept for a pass
 * is not. Programs by hand, each told twice: with lines that show its loop, and without. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/meaning.h"
#include "tests/unit/trace_maker.h"

enum { MIB = 1 << 20, SETUP = 0, LEAK = 9, MOST_BLOCKS = 4096 };

/* A program on its heap: blocks lie one behind the other and are never used again. */
typedef struct heap {
	gs_snapshot s;
	bool lines; /* each place has a line of the function that loops */
	uint64_t top;
	uint64_t at[MOST_BLOCKS], size[MOST_BLOCKS];
	int n;
} heap;

static gs_id text(gs_snapshot *s, const char *word)
{
	return gs_snapshot_string(s, word, strlen(word));
}

static gs_id frame(heap *h, const char *name, int line)
{
	return gs_snapshot_frame(&h->s, text(&h->s, name), text(&h->s, "/home/me/serve.py"), line);
}

static gs_id stack(heap *h, int place)
{
	char name[20];
	snprintf(name, sizeof name, "work_%d", place);
	gs_id frames[] = {frame(h, name, 100 + place), frame(h, "run", h->lines ? 20 + place : 20),
		frame(h, "main", 10)};
	return gs_snapshot_stack(&h->s, frames, 3);
}

static void event(heap *h, gs_action action, uint64_t address, uint64_t size, gs_id stack)
{
	trace_add(&h->s, action, address, size);
	gs_trace *t = &h->s.devices[0].trace;
	t->events[t->n - 1].stack = stack;
}

static int take(heap *h, int place, int mib)
{
	uint64_t size = (uint64_t)mib * MIB;
	ck_assert_int_lt(h->n, MOST_BLOCKS);
	event(h, GS_ACTION_ALLOC, h->top, size, stack(h, place));
	h->at[h->n] = h->top;
	h->size[h->n] = size;
	h->top += size;
	return h->n++;
}

static void give(heap *h, int block)
{
	event(h, GS_ACTION_FREE_COMPLETED, h->at[block], h->size[block], 0);
	h->size[block] = 0;
}

static void fail_at(heap *h, int place) { event(h, GS_ACTION_OOM, 0, 4 * MIB, stack(h, place)); }

/* What a lap does beside: temporaries of three places. */
static void work(heap *h)
{
	int a = take(h, 1, 8), b = take(h, 2, 4);
	give(h, a);
	int c = take(h, 3, 16);
	give(h, b);
	give(h, c);
}

/* --- programs ------------------------------------------------------------------------------------
 */

static void a_list_that_alone_goes_on(heap *h)
{
	take(h, SETUP, 50);
	for (int i = 0; i < 20; i++)
		take(h, LEAK, 4);
	fail_at(h, LEAK);
}

static void one_block_kept_in_each_lap(heap *h)
{
	for (int i = 0; i < 12; i++) {
		work(h);
		take(h, LEAK, 1);
	}
}

static void blocks_of_many_sizes_kept(heap *h)
{
	for (int i = 0; i < 30; i++) {
		work(h);
		take(h, LEAK, 1 + i * 7 % 5);
	}
}

/* All that is taken and not given goes back, the latest first. */
static void end_program(heap *h)
{
	for (int i = h->n; i-- > 0;)
		if (h->size[i])
			give(h, i);
}

static void a_leak_of_a_program_that_ended(heap *h)
{
	take(h, SETUP, 2);
	one_block_kept_in_each_lap(h);
	end_program(h);
}

static void no_leak_and_an_end(heap *h)
{
	take(h, SETUP, 50);
	for (int i = 0; i < 12; i++)
		work(h);
	end_program(h);
}

static void a_list_built_once_and_an_end(heap *h)
{
	for (int i = 0; i < 12; i++)
		take(h, SETUP, 4);
	for (int i = 0; i < 12; i++)
		work(h);
	end_program(h);
}

static void two_kept_in_each_lap(heap *h)
{
	for (int i = 0; i < 12; i++) {
		work(h);
		take(h, 8, 2);
		take(h, LEAK, 3);
	}
}

static void one_in_three_of_a_line_kept(heap *h)
{
	for (int i = 0; i < 45; i++) {
		work(h);
		int a = take(h, LEAK, 2);
		if (i % 3)
			give(h, a);
	}
}

static void a_slow_leak(heap *h)
{
	for (int i = 0; i < 60; i++) {
		work(h);
		if (i % 5 == 4)
			take(h, LEAK, 1);
	}
}

/* Several blocks a request, none for every third: no lap is like another. */
static void sessions_of_a_server(heap *h)
{
	for (int i = 0; i < 40; i++) {
		work(h);
		for (int k = 0; k < (i % 3 ? 1 + i * 5 % 4 : 0); k++) {
			take(h, LEAK, 1 + (i + k) % 3);
			give(h, take(h, 3, 2));
		}
	}
}

/* Users come back: what was kept of them is replaced by more. */
static void sessions_that_grow_by_copying(heap *h)
{
	enum { USERS = 24 };
	int kept[USERS], size[USERS] = {0};
	for (int i = 0; i < 96; i++) {
		int user = i * 7 % (i / 4 + 1);
		work(h);
		int a = take(h, LEAK, size[user] + 1);
		if (size[user]++)
			give(h, kept[user]);
		kept[user] = a;
	}
}

static void misses_that_become_rare(heap *h)
{
	for (int i = 0, next = 1; i < 400; i++) {
		work(h);
		if (i == next) {
			take(h, LEAK, 2);
			next += 1 + next / 16;
		}
	}
}

static void a_list_built_once(heap *h)
{
	take(h, SETUP, 50);
	for (int i = 0; i < 40; i++)
		take(h, 4, 4);
	for (int i = 0; i < 10; i++)
		work(h);
}

static void a_cache_that_fills(heap *h)
{
	for (int i = 0; i < 60; i++) {
		work(h);
		if (i < 45)
			take(h, 4, 1);
	}
}

static void a_warm_up(heap *h)
{
	for (int i = 0; i < 8; i++)
		take(h, 4 + i % 4, 1 + i);
	for (int i = 0; i < 20; i++)
		work(h);
}

static void a_first_forward_pass(heap *h)
{
	for (int i = 0; i < 8; i++)
		take(h, SETUP, 8 + i % 3);
	for (int i = 0; i < 24; i++) {
		int a = take(h, 3, 8);
		take(h, 4, 8);
		take(h, 5, 6);
		take(h, 6, 8);
		give(h, a);
	}
	fail_at(h, 4);
}

static void copies_that_replace_older_ones(heap *h)
{
	int old = take(h, 4, 8);
	for (int i = 0; i < 20; i++) {
		work(h);
		int a = take(h, 4, 8);
		give(h, old);
		old = a;
	}
}

static void a_cache_that_grows_by_copying(heap *h)
{
	int old = take(h, 4, 1);
	for (int i = 2; i < 30; i++) {
		work(h);
		int a = take(h, 4, i);
		give(h, old);
		old = a;
	}
}

static void batches_fetched_ahead(heap *h)
{
	enum { AHEAD = 8, ALL = 40 };
	int batch[ALL];
	for (int i = 0; i < ALL; i++) {
		batch[i] = take(h, 4, 2);
		if (i >= AHEAD)
			give(h, batch[i - AHEAD]);
		work(h);
	}
}

static void a_queue_that_was_full_short_of_the_end(heap *h)
{
	enum { BOUND = 48, ALL = 60 };
	int item[ALL];
	for (int i = 0; i < ALL; i++) {
		work(h);
		item[i] = take(h, 4, 2);
		if (i >= BOUND)
			give(h, item[i - BOUND]);
	}
}

static void weights_of_all_sizes_loaded(heap *h)
{
	static const int mib[] = {16, 16, 4, 4, 44, 44, 1};
	take(h, SETUP, 2);
	for (int i = 0; i < 56; i++)
		take(h, 4, mib[i % 7]);
	fail_at(h, 4);
}

static void one_line_alone(heap *h)
{
	for (int i = 0; i < 30; i++)
		take(h, 4, 4);
	fail_at(h, 4);
}

static void a_list_before_something_else_fails(heap *h)
{
	take(h, SETUP, 50);
	for (int i = 0; i < 20; i++)
		take(h, 4, 4);
	fail_at(h, 5);
}

static void too_few_to_be_sure(heap *h)
{
	take(h, SETUP, 50);
	for (int i = 0; i < 4; i++)
		take(h, 4, 4);
	fail_at(h, 4);
}

typedef struct program {
	void (*run)(heap *h);
	size_t leaks; /* the largest is LEAK's */
} program;

static const program programs[] = {
	{a_list_that_alone_goes_on, 1},
	{one_block_kept_in_each_lap, 1},
	{blocks_of_many_sizes_kept, 1},
	{two_kept_in_each_lap, 2},
	{one_in_three_of_a_line_kept, 1},
	{a_slow_leak, 1},
	{sessions_of_a_server, 1},
	{sessions_that_grow_by_copying, 1},
	{misses_that_become_rare, 1},
	{a_leak_of_a_program_that_ended, 1},
	{no_leak_and_an_end, 0},
	{a_list_built_once_and_an_end, 0},
	{a_list_built_once, 0},
	{a_cache_that_fills, 0},
	{a_warm_up, 0},
	{a_first_forward_pass, 0},
	{copies_that_replace_older_ones, 0},
	{a_cache_that_grows_by_copying, 0},
	{batches_fetched_ahead, 0},
	{a_queue_that_was_full_short_of_the_end, 0},
	{weights_of_all_sizes_loaded, 0},
	{one_line_alone, 0},
	{a_list_before_something_else_fails, 0},
	{too_few_to_be_sure, 0},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* --- the check -----------------------------------------------------------------------------------
 */

static void run(heap *h, const program *p, bool lines)
{
	memset(h, 0, sizeof *h);
	h->lines = lines;
	h->top = UINT64_C(1) << 40;
	trace_start(&h->s);
	trace_add(&h->s, GS_ACTION_SEGMENT_ALLOC, h->top, UINT64_C(8) << 30);
	p->run(h);
}

START_TEST(a_leak_is_named_and_nothing_else)
{
	const program *p = &programs[_i % PROGRAMS];
	heap *h = malloc(sizeof *h);
	gs_history history = GS_HISTORY_INIT;
	gs_meaning m = GS_MEANING_INIT;
	gs_growth *rows = NULL;
	size_t n = 0;
	gs_error err = GS_ERROR_INIT;
	ck_assert_ptr_nonnull(h);
	run(h, p, _i >= PROGRAMS);
	ck_assert_msg(!gs_snapshot_finish(&h->s, &err), "%s", err.text);
	ck_assert_int_eq(gs_history_init(&history, &h->s, &h->s.devices[0], &err), GS_OK);
	ck_assert_int_eq(gs_meaning_init(&m, &history, NULL, &err), GS_OK);

	ck_assert_int_eq(gs_meaning_growth(&m, GS_NONE, &rows, &n), GS_OK);

	ck_assert_msg(n == p->leaks, "program %d names %zu", _i, n);
	if (n) {
		ck_assert_uint_eq(rows[0].stack, stack(h, LEAK));
		ck_assert_int_eq(rows[0].given_back, p->run == a_leak_of_a_program_that_ended);
	}
	free(rows);
	gs_meaning_release(&m);
	gs_history_release(&history);
	gs_snapshot_release(&h->s);
	free(h);
}
END_TEST

Suite *suite_growth(void);
Suite *suite_growth(void)
{
	Suite *s = suite_create("growth");
	TCase *t = tcase_create("programs");
	tcase_add_loop_test(t, a_leak_is_named_and_nothing_else, 0, 2 * PROGRAMS);
	suite_add_tcase(s, t);
	return s;
}
