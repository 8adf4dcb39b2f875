/* Interned tables, the ring, the clock, texts: the recorder's parts that hold data. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/capture/clock.h"
#include "recorder/dump/ring.h"
#include "recorder/dump/staging.h"
#include "recorder/capture/tables.h"
#include "recorder/dump/text.h"

static gs_pages pages;
static gs_tables tables;

static void setup(void)
{
	ck_assert_int_eq(gs_tables_init(&tables, &gs_tables_default, &pages), GS_OK);
}

static void teardown(void)
{
	gs_tables_release(&tables);
	ck_assert_uint_eq(pages.bytes, 0);
}

static gs_id frame(const char *name, int line)
{
	gs_id text = gs_tables_text(&tables, name, strlen(name));
	return gs_tables_frame(&tables, text, text, line);
}

START_TEST(the_same_content_gets_the_same_id)
{
	gs_id frames[] = {frame("a", 1), frame("b", 2)}, other[] = {frame("b", 2), frame("a", 1)};
	gs_id one = gs_tables_stack(&tables, frames, 2, NULL, 0, 0),
		  two = gs_tables_stack(&tables, other, 2, NULL, 0, 0);

	ck_assert_uint_ne(one, 0);
	ck_assert_uint_ne(one, two);
	ck_assert_uint_eq(gs_tables_stack(&tables, frames, 2, NULL, 0, 0), one);
	ck_assert_uint_ne(frame("a", 2), frame("a", 1));
	ck_assert_uint_eq(frame("a", 1), frames[0]);
	ck_assert_uint_eq(gs_tables_tag(&tables, "t", 1), gs_tables_tag(&tables, "t", 1));
	ck_assert_uint_ne(gs_tables_tag(&tables, "t", 1), gs_tables_tag(&tables, "u", 1));
}
END_TEST

START_TEST(a_stack_may_go_on_in_another)
{
	uint64_t addresses[] = {0x1000, 0x2000};
	gs_id named = frame("python", 3), c = gs_tables_stack(&tables, NULL, 0, addresses, 2, 0);
	gs_id both = gs_tables_stack(&tables, &named, 1, NULL, 0, c);

	ck_assert_uint_ne(both, gs_tables_stack(&tables, &named, 1, NULL, 0, 0));
	ck_assert_uint_eq(tables.stacks[both].tail, c);
	ck_assert_uint_eq(gs_tables_stack(&tables, NULL, 0, NULL, 0, c), c);
}
END_TEST

START_TEST(an_address_is_kept_with_its_module)
{
	uint64_t address = (uint64_t)(uintptr_t)getppid, own = (uint64_t)(uintptr_t)suite_create;
	gs_id stack = gs_tables_stack(&tables, NULL, 0, (uint64_t[]){address, own}, 2, 0);
	const gs_table_frame *f = &tables.frames[tables.stack_frames[tables.stacks[stack].first]];
	const gs_module *m = &tables.modules.list[f->module - 1];

	ck_assert_uint_eq(f->address, address);
	ck_assert_uint_ne(f->module, 0);
	ck_assert(address >= m->start && address < m->end);
	ck_assert_uint_gt(m->build_id_length, 0);
	ck_assert_ptr_nonnull(memmem(tables.modules.text + m->path, m->path_length, "libc.so", 7));
}
END_TEST

START_TEST(what_does_not_fit_is_counted_and_gets_no_id)
{
	static const gs_tables_limits small = {64, 8, 8, 4, 16, 4};
	gs_tables t;
	gs_id ids[8];
	ck_assert_int_eq(gs_tables_init(&t, &small, &pages), GS_OK);
	for (int i = 0; i < 8; i++)
		ids[i] = gs_tables_frame(&t, 0, 0, i);

	ck_assert_uint_eq(ids[6], 7);
	ck_assert_uint_eq(ids[7], 0);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(gs_tables_stack(&t, &ids[i], 1, NULL, 0, 0), i + 1);
	ck_assert_uint_eq(gs_tables_stack(&t, &ids[3], 1, NULL, 0, 0), 0);
	ck_assert_uint_eq(gs_tables_stack(&t, &ids[1], 1, NULL, 0, 0), 2);
	ck_assert_uint_eq(t.dropped, 2);
	gs_tables_release(&t);
}
END_TEST

static void *intern_many(void *arg)
{
	gs_id *ids = arg;
	for (int i = 0; i < 2000; i++) {
		uint64_t addresses[] = {0x10000u + (uint64_t)i, 0x20000};
		ids[i] = gs_tables_stack(&tables, NULL, 0, addresses, 2, 0);
	}
	return NULL;
}

START_TEST(threads_that_intern_at_once_agree_on_ids)
{
	static gs_id ids[4][2000];
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, intern_many, ids[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);

	for (int i = 1; i < 4; i++)
		ck_assert_mem_eq(ids[0], ids[i], sizeof ids[0]);
	ck_assert_uint_eq(tables.nstacks, 2001);
}
END_TEST

START_TEST(a_ring_keeps_the_latest_and_counts_all)
{
	gs_ring r;
	gs_ring_event copy[5];
	ck_assert_int_eq(gs_ring_init(&r, 5, &pages), GS_OK);
	for (uint64_t i = 0; i < (uint64_t)_i; i++)
		gs_ring_push(&r, &(gs_ring_event){.address = i, .ticks = i});
	gs_ring_copy(&r, copy);

	uint32_t kept = _i < 5 ? (uint32_t)_i : 5;
	ck_assert_uint_eq(r.count, (uint64_t)_i);
	ck_assert_uint_eq(gs_ring_kept(&r), kept);
	for (uint32_t i = 0; i < kept; i++)
		ck_assert_uint_eq(copy[i].address, (uint64_t)_i - kept + i);
	gs_ring_release(&r, &pages);
}
END_TEST

START_TEST(times_in_a_ring_never_run_backwards)
{
	gs_ring r;
	gs_ring_event copy[3];
	gs_ring_init(&r, 3, &pages);
	gs_ring_push(&r, &(gs_ring_event){.ticks = 10});
	gs_ring_push(&r, &(gs_ring_event){.ticks = 7});
	gs_ring_push(&r, &(gs_ring_event){.ticks = 12});
	gs_ring_copy(&r, copy);
	ck_assert_uint_eq(copy[1].ticks, 10);
	ck_assert_uint_eq(copy[2].ticks, 12);
	gs_ring_release(&r, &pages);
}
END_TEST

START_TEST(a_stage_in_use_keeps_its_arrays_until_it_is_free)
{
	gs_staging s;
	ck_assert_int_eq(gs_staging_init(&s, 10, &pages), GS_OK);
	ck_assert_int_eq(gs_staging_reserve(&s, 10000), GS_OK);
	const gs_stage_block *before = s.blocks;
	size_t room = s.room;
	s.in_use = true;
	ck_assert_int_eq(gs_staging_reserve(&s, 1000000), GS_OK);
	ck_assert_int_eq(gs_staging_reserve(&s, 3000000), GS_OK);
	ck_assert_ptr_eq(s.blocks, before);
	ck_assert_uint_eq(s.room, room);
	s.in_use = false;
	ck_assert_int_eq(gs_staging_reserve(&s, 6000000), GS_OK);
	ck_assert_ptr_ne(s.blocks, before);
	ck_assert_uint_gt(s.room, room);
	gs_staging_release(&s);
	ck_assert_uint_eq(pages.bytes, 0);
}
END_TEST

START_TEST(ticks_become_the_time_of_day)
{
	gs_clock c;
	struct timespec wait = {0, 20000000};
	gs_clock_init(&c);
	int64_t before = gs_clock_real();
	uint64_t ticks = gs_clock_ticks(&c);
	int64_t after = gs_clock_real();
	nanosleep(&wait, NULL);
	gs_clock_scale s = gs_clock_scale_now(&c);
	int64_t ns = gs_clock_ns(&s, ticks);

	ck_assert_msg(ns > before - 200000 && ns < after + 200000, "%lld is not from %lld to %lld",
		(long long)ns, (long long)before, (long long)after);
}
END_TEST

START_TEST(a_manual_clock_advances_by_a_microsecond)
{
	gs_clock c;
	gs_clock_init_manual(&c, 5000000000);
	uint64_t first = gs_clock_ticks(&c), second = gs_clock_ticks(&c);
	gs_clock_scale s = gs_clock_scale_now(&c);
	ck_assert_int_eq(gs_clock_ns(&s, first), 5000001000);
	ck_assert_int_eq(gs_clock_ns(&s, second), 5000002000);
}
END_TEST

START_TEST(dates_are_those_of_the_c_library)
{
	srand(7);
	for (int i = 0; i < 20000; i++) {
		time_t t = (time_t)((((unsigned long long)rand() << 20) ^ (unsigned long long)rand()) %
			253402300800ull);
		char ours[32], theirs[64];
		gs_line line = GS_LINE(ours);
		struct tm tm;
		gs_line_utc(&line, t);
		strftime(theirs, sizeof theirs, "%Y%m%dT%H%M%SZ", gmtime_r(&t, &tm));
		ck_assert_str_eq(ours, theirs);
	}
}
END_TEST

START_TEST(a_line_is_cut_where_its_buffer_ends)
{
	char text[8];
	gs_line line = GS_LINE(text);
	gs_line_text(&line, "abc");
	gs_line_signed(&line, -12345);
	ck_assert_str_eq(text, "abc-123");
	line.n = 0;
	gs_line_number(&line, 7, 3);
	ck_assert_str_eq(text, "007");
}
END_TEST

Suite *suite_recorder_tables(void);
Suite *suite_recorder_tables(void)
{
	Suite *s = suite_create("recorder_tables");
	TCase *t = tcase_create("interning");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_same_content_gets_the_same_id);
	tcase_add_test(t, a_stack_may_go_on_in_another);
	tcase_add_test(t, an_address_is_kept_with_its_module);
	tcase_add_test(t, what_does_not_fit_is_counted_and_gets_no_id);
	tcase_add_test(t, threads_that_intern_at_once_agree_on_ids);
	suite_add_tcase(s, t);
	t = tcase_create("ring and clock");
	tcase_add_loop_test(t, a_ring_keeps_the_latest_and_counts_all, 0, 14);
	tcase_add_test(t, times_in_a_ring_never_run_backwards);
	tcase_add_test(t, a_stage_in_use_keeps_its_arrays_until_it_is_free);
	tcase_add_test(t, ticks_become_the_time_of_day);
	tcase_add_test(t, a_manual_clock_advances_by_a_microsecond);
	tcase_add_test(t, dates_are_those_of_the_c_library);
	tcase_add_test(t, a_line_is_cut_where_its_buffer_ends);
	suite_add_tcase(s, t);
	return s;
}
