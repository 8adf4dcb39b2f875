/* RMM's CSV logs: rows of any release, and what their replay leaves. */
#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/open/reader.h"
#include "analyzer/read/logs/rmm_rows.h"
#include "tests/unit/skip.h"

static void read_log(gs_snapshot *s, const char *log, unsigned want)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(
		gs_read_memory(log, strlen(log), want, s, &err) == GS_OK, "%s: %s", log, err.text);
	ck_assert_msg(s->kind == GS_KIND_RMM, "%s: kind %d", log, (int)s->kind);
}

static size_t events_of(const gs_device *d, gs_action action)
{
	size_t n = 0;
	for (size_t i = 0; i < d->trace.n; i++)
		n += gs_event_action(&d->trace.events[i]) == action;
	return n;
}

#define HEADER "Thread,Time,Action,Pointer,Size,Stream\n"

static const struct {
	const char *name, *log;
	size_t allocs, frees, live;
	uint64_t bytes;
} forms[] = {
	{"now",
		HEADER
		"77,01:02:03.000004,allocate,0x7f0000000000,4096,0\n77,01:02:03.000005,allocate,0x7f0000002000,512,0x2\n"
		"77,01:02:03.000006,free,0x7f0000000000,4096,0\n",
		2, 1, 1, 512},
	{"no header",
		"77,01:02:03.000004,allocate,0x30a000000,256,0x2\n78,01:02:04.000004,free,0x30a000000,256,0x2\n",
		1, 1, 0, 0},
	{"no header, one row", "1,23:59:59.999999,allocate,0x1000,1,0x0\n", 1, 0, 1, 1},
	{"2019",
		"Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current Allocs,Start,End,Elapsed,Location\n"
		"Alloc,0,0x7fae06600000,0,80,0,0,1,1.10549,1.1074,0.00191666,/a/driver.py:683\n"
		"Alloc,0,0x7fae06700000,0,1000,0,0,2,1.2,1.3,0.1,/a/driver.py:684\nFree,0,0x7fae06600000,0,0,0,0,1,1.4,1.5,0.1,/a/utils.py:678\n",
		2, 1, 1, 1000},
	{"Windows line ends",
		"Thread,Time,Action,Pointer,Size,Stream\r\n5,00:00:00.000001,allocate,0x5000,768,0\r\n", 1,
		0, 1, 768},
	{"columns in another order",
		"Action,Size,Pointer,Stream,Thread\nallocate,300,0x9000,1,9\nfree,300,0x9000,1,9\nallocate,301,0x9000,1,9\n",
		2, 1, 1, 301},
	{"quoted",
		"\"Thread\",\"Time\",\"Action\",\"Pointer\",\"Size\",\"Stream\"\n\"1\",\"10:00:00.5\",\"allocate\",\"0xabc00\",\"64\",\"0\"\n",
		1, 0, 1, 64},
	{"hexadecimal without 0x",
		HEADER
		"9,00:00:00.1,allocate,702000000000,4096,0\n9,00:00:00.2,allocate,7f2000000000,512,7f8a38001020\n"
		"9,00:00:00.3,free,702000000000,4096,0\n",
		2, 1, 1, 512},
	{"commented out",
		"# 2019\n# Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current Allocs,Start,End,Elapsed\n"
		"# Alloc,0,0x7fae06600000,0,80,0,0,1,1.1,1.2,0.1\n# Realloc,0,0x7fae06600000,0,800,0,0,1,1.1,1.2,0.1\n",
		2, 1, 1, 800},
	{"nothing but a header", HEADER, 0, 0, 0, 0},
	{"the size of a free that is wrong",
		HEADER
		"1,00:00:00.1,allocate,0x100,100,0\n1,00:00:00.2,free,0x100,99999,0\n1,00:00:00.3,allocate,0x100,7,0\n",
		2, 1, 1, 7},
};

START_TEST(rows_of_every_release_are_replayed)
{
	gs_snapshot s;
	gs_totals t = {0};
	read_log(&s, forms[_i].log, GS_WANT_ALL);
	const gs_device *d = gs_snapshot_find_device(&s, 0);
	if (!forms[_i].allocs) {
		ck_assert_uint_eq(s.ndevices, 0);
		gs_snapshot_release(&s);
		return;
	}
	ck_assert_ptr_nonnull(d);
	gs_layout_totals(&d->captured, &t);
	ck_assert_uint_eq(events_of(d, GS_ACTION_ALLOC), forms[_i].allocs);
	ck_assert_uint_eq(events_of(d, GS_ACTION_SEGMENT_ALLOC), forms[_i].allocs);
	ck_assert_uint_eq(events_of(d, GS_ACTION_FREE_COMPLETED), forms[_i].frees);
	ck_assert_uint_eq(events_of(d, GS_ACTION_SEGMENT_FREE), forms[_i].frees);
	ck_assert_uint_eq(t.segments, forms[_i].live);
	ck_assert_uint_eq(t.blocks, forms[_i].live);
	ck_assert_uint_eq(t.allocated, forms[_i].bytes);
	ck_assert_uint_eq(t.reserved, forms[_i].bytes);
	ck_assert(d->has_layout && s.complete);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_failed_allocation_is_an_oom)
{
	gs_snapshot s;
	read_log(&s,
		HEADER
		"1,10:00:00.000001,allocate,0x7f0000000000,1000,0x7\n1,10:00:00.000002,allocate failure,0x0,8589934592,0x7\n"
		"1,10:00:00.000003,allocate,0x7f0000001000,2000,0\n2,10:00:00.000004,allocate failure,(nil),4294967296,0\n",
		GS_WANT_ALL);
	ck_assert_uint_eq(s.nooms, 2);
	ck_assert_int_eq(s.ooms[0].requested, 8589934592);
	ck_assert_int_eq(s.ooms[0].idx, 2);
	ck_assert_int_eq(s.ooms[0].stream, 7);
	ck_assert_int_eq(s.ooms[0].device_free, GS_NONE);
	ck_assert_str_eq(s.ooms[0].library, "rmm");
	ck_assert_int_eq(s.ooms[1].requested, 4294967296);
	ck_assert_int_eq(gs_event_action(&s.devices[0].trace.events[2]), GS_ACTION_OOM);
	ck_assert(s.devices[0].layout_at_oom);
	ck_assert_uint_eq(s.devices[0].captured.nblocks, 2);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_block_knows_its_event_and_stream)
{
	gs_snapshot s;
	read_log(&s,
		HEADER
		"1,10:00:00.000001,allocate,0x2000,500,0x9\n1,10:00:00.000001,allocate,0x1000,300,0x9\n",
		GS_WANT_ALL);
	const gs_layout *l = &s.devices[0].captured;
	ck_assert_uint_eq(l->nblocks, 2);
	ck_assert_uint_eq(l->blocks[0].address, 0x1000);
	ck_assert_int_eq(l->blocks[0].idx, 3);
	ck_assert_int_eq(l->blocks[0].requested, 300);
	ck_assert_uint_eq(l->segments[0].stream, 9);
	ck_assert_int_eq(s.devices[0].trace.events[0].time_us, GS_NONE);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_free_of_an_unknown_pointer_is_told)
{
	gs_snapshot s;
	read_log(&s,
		HEADER
		"1,10:00:00.000001,free,0x5000,4096,0\n1,10:00:00.000002,free,0x6000,0,0\n1,10:00:00.000002,allocate,0x7000,10,0\n",
		GS_WANT_ALL);
	const gs_device *d = &s.devices[0];
	ck_assert_uint_eq(events_of(d, GS_ACTION_FREE_COMPLETED), 1);
	ck_assert_int_eq(d->trace.complete, 0);
	ck_assert_ptr_nonnull(strstr(s.warnings[0].text, "line 2"));
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(an_allocation_of_what_is_in_use_ends_the_earlier_one)
{
	gs_snapshot s;
	read_log(&s,
		HEADER
		"1,10:00:00.000001,allocate,0x5000,4096,0\n1,10:00:00.000002,allocate,0x5000,512,0\n",
		GS_WANT_ALL);
	ck_assert_uint_eq(s.devices[0].captured.nblocks, 1);
	ck_assert_uint_eq(s.devices[0].captured.blocks[0].size, 512);
	ck_assert_uint_eq(events_of(&s.devices[0], GS_ACTION_FREE_COMPLETED), 1);
	ck_assert_ptr_nonnull(strstr(s.warnings[0].text, "a free is missing"));
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(devices_are_kept_apart)
{
	gs_snapshot s;
	read_log(&s,
		"Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current Allocs,Start,End,Elapsed,Location\n"
		"Alloc,1,0x1000,0,80,5000,9000,1,0,0,0,a.py:1\nAlloc,0,0x1000,0,40,6000,9500,1,0,0,0,a.py:2\nFree,1,0x1000,0,0,5080,9000,0,0,0,0,b.py:3\n",
		GS_WANT_ALL);
	ck_assert_uint_eq(s.ndevices, 2);
	ck_assert_uint_eq(s.devices[0].captured.nblocks, 1);
	ck_assert_uint_eq(s.devices[1].captured.nblocks, 0);
	ck_assert_int_eq(s.devices[1].capacity, 9000);
	ck_assert_int_eq(s.devices[1].device_free, 5080);
	ck_assert_uint_ne(s.devices[0].captured.blocks[0].stack, 0);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(damaged_lines_are_told_and_passed_over)
{
	gs_snapshot s;
	read_log(&s,
		HEADER
		"1,10:00:00.000001,allocate,0x5000,4096,0\nsomething else\n1,10:00:00.000002,allocate,0x6000,99999999999999999999999,0\n"
		"1,10:00:00.000003,resize,0x5000,1,0\n1,10:00:00.000004,allocate,0x7000,1,0\n",
		GS_WANT_ALL);
	ck_assert_uint_eq(s.devices[0].captured.nblocks, 2);
	ck_assert_ptr_nonnull(strstr(s.warnings[0].text, "3 lines"));
	ck_assert_ptr_nonnull(strstr(s.warnings[0].text, "line 3"));
	ck_assert(s.complete);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_log_cut_in_a_line_says_where)
{
	static const char log[] = HEADER
		"1,10:00:00.000001,allocate,0x5000,4096,0\n1,10:00:00.000002,allo";
	gs_snapshot s;
	read_log(&s, log, GS_WANT_ALL);
	ck_assert(!s.complete);
	ck_assert_uint_eq(s.cut_at, (size_t)(strstr(log, "1,10:00:00.000002") - log));
	ck_assert_uint_eq(s.devices[0].captured.nblocks, 1);
	gs_snapshot_release(&s);
}
END_TEST

/* A log between the lines of the program that wrote it to its standard error. */
START_TEST(rows_between_lines_of_others_are_found)
{
	static const char *const before =
		"starting\n# 3 workers\n10:00:00 INFO pool: free, ready\n\n\tat a.b(C.java:1)\n";
	static const char *const leads[] = {"", "exec-1  | ",
		"2024-05-06 07:08:09,123 INFO exec: ", "2024-05-06T07:08:09.1Z stderr F "};
	for (size_t k = 0; k < sizeof leads / sizeof *leads; k++) {
		char log[2048];
		gs_snapshot s;
		snprintf(log, sizeof log,
			"%s%s77,01:02:03.000004,allocate,0x30a000000,256,0x2\nhello, world\n%s78,01:02:04.000004,allocate,0x30a000100,512,0x2\n"
			"%s78,01:02:04.000005,allocate failure,(nil),4096,0x2\n%s77,01:02:05.000004,free,0x30a000000,256,0x2\n",
			before, leads[k], leads[k], leads[k], leads[k]);
		read_log(&s, log, GS_WANT_ALL);
		ck_assert_uint_eq(s.ndevices, 1);
		ck_assert_uint_eq(s.devices[0].captured.nblocks, 1);
		ck_assert_uint_eq(s.devices[0].captured.blocks[0].size, 512);
		ck_assert_uint_eq(s.nooms, 1);
		ck_assert_int_eq(s.ooms[0].requested, 4096);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(a_log_in_utf_16_is_read)
{
	for (int big = 0; big < 2; big++) {
		char wide[1024];
		size_t n = 0;
		gs_snapshot s;
		gs_error err = GS_ERROR_INIT;
		wide[n++] = big ? '\xfe' : '\xff';
		wide[n++] = big ? '\xff' : '\xfe';
		for (const char *c = forms[0].log; *c; c++) {
			wide[n + (size_t)!big] = 0;
			wide[n + (size_t)big] = *c;
			n += 2;
		}
		ck_assert_msg(gs_read_memory(wide, n, GS_WANT_ALL, &s, &err) == GS_OK, "%s", err.text);
		ck_assert_int_eq(s.kind, GS_KIND_RMM);
		ck_assert_uint_eq(s.nwarnings, 1); /* no failure */
		ck_assert_uint_eq(s.devices[0].captured.nblocks, 1);
		gs_snapshot_release(&s);
	}
}
END_TEST

/* 4096 cut to 409 is a size as well. */
START_TEST(a_last_row_without_all_columns_is_not_believed)
{
	static const char log[] = HEADER
		"1,10:00:00.000001,allocate,0x5000,768,0\n1,10:00:00.000002,allocate,0x6000,4096,0";
	size_t from = (size_t)(strstr(log, "1,10:00:00.000002") - log);
	for (size_t n = from + 1; n < sizeof log - 2; n++) {
		gs_snapshot s;
		gs_error err = GS_ERROR_INIT;
		ck_assert_msg(gs_read_memory(log, n, GS_WANT_ALL, &s, &err) == GS_OK, "%s", err.text);
		ck_assert_msg(!s.complete && s.cut_at == from, "cut at %zu", n);
		ck_assert_uint_eq(s.devices[0].captured.nblocks, 1);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(without_events_the_layout_is_the_same)
{
	gs_snapshot s;
	read_log(&s, forms[0].log, GS_WANT_LAYOUT);
	ck_assert(s.events_skipped);
	ck_assert_uint_eq(s.devices[0].trace.n, 0);
	ck_assert_uint_eq(s.devices[0].trace.skipped, 7);
	ck_assert_uint_eq(s.devices[0].captured.nblocks, 1);
	gs_snapshot_release(&s);
}
END_TEST

/* A random log against a plain table of what is live. */
START_TEST(a_random_log_leaves_what_a_table_says)
{
	enum { SLOTS = 500, ROWS = 20000 };
	static uint64_t size_of[SLOTS];
	unsigned seed = 4321;
	uint64_t bytes = 0;
	size_t live = 0, n = 0, cap = ROWS * 80;
	char *log = malloc(cap);
	gs_snapshot s;
	gs_totals t;
	memset(size_of, 0, sizeof size_of);
	n += (size_t)sprintf(log, HEADER);
	for (int i = 0; i < ROWS; i++) {
		unsigned slot = ((seed = seed * 1103515245 + 12345) >> 8) % SLOTS,
				 size = 1 + (seed >> 4) % 100000;
		bool frees = size_of[slot] != 0;
		n += (size_t)sprintf(log + n, "9,12:00:00.%06d,%s,0x%x,%u,0\n", i,
			frees ? "free" : "allocate", 0x100000 + slot * 0x100000, frees ? 3 : size);
		bytes += frees ? -size_of[slot] : size;
		live += frees ? (size_t)-1 : 1;
		size_of[slot] = frees ? 0 : size;
	}
	read_log(&s, log, GS_WANT_ALL);
	gs_layout_totals(&s.devices[0].captured, &t);
	ck_assert_uint_eq(t.blocks, live);
	ck_assert_uint_eq(t.allocated, bytes);
	free(log);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(other_tables_are_not_rmm)
{
	static const char *const others[] = {"a,b,c\n1,2,3\n",
		"Thread,Time,Message\n1,10:00:00,allocate the rooms\n",
		"just words, and commas, free of sense\n"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		gs_snapshot s;
		gs_error err = GS_ERROR_INIT;
		ck_assert_msg(gs_read_memory(others[i], strlen(others[i]), GS_WANT_ALL, &s, &err) == GS_OK,
			"%s", err.text);
		ck_assert_int_eq(s.kind, GS_KIND_TEXT);
		gs_snapshot_release(&s);
	}
}
END_TEST

START_TEST(numbers_are_read_as_they_are_written)
{
	gs_rmm_row row;
	const char *line = "1,t,allocate,7F00AB,12,0x10";
	ck_assert(gs_rmm_row_parse(&gs_rmm_default, line, strlen(line), &row));
	ck_assert_uint_eq(row.pointer, 0x7f00ab);
	ck_assert_uint_eq(row.stream, 16);
	line = "1,t,allocate,0xffffffffffffffff,12,0";
	ck_assert(!gs_rmm_row_parse(&gs_rmm_default, line, strlen(line), &row));
	line = "1,t,allocate,0x0,12,0";
	ck_assert(!gs_rmm_row_parse(&gs_rmm_default, line, strlen(line), &row));
	line = "1,t,allocate,0x10";
	ck_assert(!gs_rmm_row_parse(&gs_rmm_default, line, strlen(line), &row));
}
END_TEST

START_TEST(the_corpus_is_read)
{
	static const struct {
		const char *file;
		size_t allocs, frees, live;
	} files[] = {
		{"csv_docs_rmm_2026_two_rows.csv", 1, 1, 0},
		{"csv_legacy_rmm_csv_log_2019.csv", 1, 1, 0},
		{"csv_rapidsai+rmm__rmm_adaptor_test_log.txt", 1, 1, 0},
		{"csv_spark_rapids_headerless.csv", 1, 1, 0},
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char path[256];
		gs_snapshot s;
		gs_error err = GS_ERROR_INIT;
		snprintf(path, sizeof path, "../shared/corpus/rmm/%s", files[i].file);
		FILE *f = fopen(path, "r");
		if (!f) {
			gs_skip(path);
			continue;
		}
		fclose(f);
		ck_assert_msg(gs_read_path(path, GS_WANT_ALL, &s, &err) == GS_OK, "%s: %s", path, err.text);
		ck_assert_int_eq(s.kind, GS_KIND_RMM);
		const gs_device *d = gs_snapshot_find_device(&s, 0);
		ck_assert_ptr_nonnull(d);
		ck_assert_uint_eq(events_of(d, GS_ACTION_ALLOC), files[i].allocs);
		ck_assert_uint_eq(events_of(d, GS_ACTION_FREE_COMPLETED), files[i].frees);
		ck_assert_uint_eq(d->captured.nblocks, files[i].live);
		gs_snapshot_release(&s);
	}
}
END_TEST

Suite *suite_rmm(void);
Suite *suite_rmm(void)
{
	Suite *s = suite_create("rmm");
	TCase *c = tcase_create("logs");
	tcase_add_loop_test(
		c, rows_of_every_release_are_replayed, 0, (int)(sizeof forms / sizeof *forms));
	tcase_add_test(c, a_failed_allocation_is_an_oom);
	tcase_add_test(c, a_block_knows_its_event_and_stream);
	tcase_add_test(c, a_free_of_an_unknown_pointer_is_told);
	tcase_add_test(c, an_allocation_of_what_is_in_use_ends_the_earlier_one);
	tcase_add_test(c, devices_are_kept_apart);
	tcase_add_test(c, damaged_lines_are_told_and_passed_over);
	tcase_add_test(c, a_log_cut_in_a_line_says_where);
	tcase_add_test(c, rows_between_lines_of_others_are_found);
	tcase_add_test(c, a_log_in_utf_16_is_read);
	tcase_add_test(c, a_last_row_without_all_columns_is_not_believed);
	tcase_add_test(c, without_events_the_layout_is_the_same);
	tcase_add_test(c, a_random_log_leaves_what_a_table_says);
	tcase_add_test(c, other_tables_are_not_rmm);
	tcase_add_test(c, numbers_are_read_as_they_are_written);
	tcase_add_test(c, the_corpus_is_read);
	tcase_set_timeout(c, 20);
	suite_add_tcase(s, c);
	return s;
}
