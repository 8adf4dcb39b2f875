/* Reading in bounded memory: files made to take a lot, each in a child whose peak is measured, and
 * honest ones beside them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "analyzer/export/pytorch.h"
#include "analyzer/model/memory.h"
#include "analyzer/read/open/reader.h"
#include "tests/unit/gsnap_memory.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { MEASURED = 0 }; /* a sanitizer takes memory of its own */
#else
enum { MEASURED = 1 };
#endif

static void add(memory_file *f, const char *text) { memory_sink(f, text, strlen(text)); }

static void repeat(memory_file *f, const void *text, size_t n, size_t times)
{
	for (size_t i = 0; i < times; i++)
		memory_sink(f, text, n);
}

static void gzip(memory_file *f)
{
	size_t cap = f->n / 2 + 1000;
	unsigned char *to = malloc(cap);
	z_stream z = {
		.next_in = f->data, .avail_in = (unsigned)f->n, .next_out = to, .avail_out = (unsigned)cap};
	deflateInit2(&z, 4, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	f->n = cap - z.avail_out;
	memcpy(f->data, to, f->n);
	deflateEnd(&z);
	free(to);
}

/* Status of reading in a child; *peak: bytes beyond what a child takes that reads nothing. */
static int child(const memory_file *f, long *peak)
{
	int status = 0;
	struct rusage use = {0};
	pid_t pid = fork();
	if (!pid) {
		gs_snapshot s;
		gs_error err = GS_ERROR_INIT;
		_exit(f ? (int)gs_read_memory(f->data, f->n, GS_WANT_ALL, &s, &err) : 0);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(wait4(pid, &status, 0, &use), pid);
	ck_assert(WIFEXITED(status));
	*peak = use.ru_maxrss * 1024;
	return WEXITSTATUS(status);
}

static void expect(const memory_file *f, gs_status expected, const char *what)
{
	long base, peak;
	child(NULL, &base);
	int status = child(f, &peak);
	ck_assert_msg(
		status == (int)expected, "%s (%zu bytes): status %d, not %d", what, f->n, status, expected);
	if (MEASURED)
		ck_assert_msg(peak - base <= (64l << 20) + 4 * (long)f->n,
			"%s: %ld bytes of memory for %zu", what, peak - base,
			f->n); /* up to 4 MB also packed */
}

/* --- files that want a lot --- */

/* A trace of the first event, and what comes again and again behind it. */
static void pickle_of(memory_file *f, const char *first, const char *again, size_t n, size_t times)
{
	add(f,
		"\x80\x02}(U\x0d"
		"device_traces](](");
	add(f, first);
	repeat(f, again, n, times);
	add(f, "eeU\x08segments]u.");
}

/* One event, and the memo says it again: two bytes each. */
static void pickle_of_one_event(memory_file *f, size_t times)
{
	pickle_of(f, "}q\001(U\006actionU\005allocU\004sizeK\001U\004addrK\002u", "h\001", 2, times);
}

static void pickle_of_short_events(memory_file *f, size_t times)
{
	pickle_of(f, "}q\001(U\006actionq\002U\005allocq\003u", "}(h\002h\003u", 7, times);
}

static void pickle_of_strings(memory_file *f, size_t times)
{
	add(f, "\x80\x02](");
	for (size_t i = 0; i < times; i++) {
		const char text[5] = {'U', 3, (char)(i & 127), (char)(i >> 7 & 127), (char)(i >> 14)};
		memory_sink(f, text, 5);
		memory_sink(f, "0", 1);
	}
	add(f, "e.");
}

static void json_of_short_events(memory_file *f, size_t times)
{
	static const char event[] = "{\"action\":\"alloc\"},";
	add(f, "{\"segments\":[],\"device_traces\":[[");
	repeat(f, event, sizeof event - 1, times);
	add(f, "{\"action\":\"alloc\"}]]}");
}

static void json_of_blocks(memory_file *f, size_t times)
{
	static const char block[] = "{\"state\":\"inactive\"},";
	add(f, "[{\"address\":4096,\"total_size\":0,\"blocks\":[");
	repeat(f, block, sizeof block - 1, times);
	add(f, "{\"state\":\"inactive\"}]}]");
}

static void json_of_one_string(memory_file *f, size_t times)
{
	add(f, "{\"segments\":[],\"device_traces\":[],\"x\":\"");
	repeat(f, "0123456789abcdef", 16, times);
	add(f, "\"}");
}

static void page_of_columns(memory_file *f, size_t times)
{
	add(f,
		"<!DOCTYPE html><script>let alloc_data = {\"string_table\":[\"b1_0\"],\"suffix_table\":[[0,-1]],\"elements_size\":[1],\"elements_info\":[0],\"actions\":[");
	repeat(f, "0,", 2, times);
	add(f, "0]}</script>");
}

static void rmm_of_short_rows(memory_file *f, size_t times)
{
	char row[64];
	add(f, "Thread,Time,Action,Pointer,Size,Stream\n");
	for (size_t i = 1; i <= times; i++) {
		snprintf(row, sizeof row, "0,0,allocate,0x%zx,1,0\n", i);
		add(f, row);
	}
}

static void bfc_of_short_lines(memory_file *f, size_t times)
{
	char line[64];
	add(f,
		"bfc_allocator.cc: Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.0KiB\nChunks in use:\nNext region of size 1\n");
	for (size_t i = 1; i <= times; i++) {
		snprintf(line, sizeof line, "InUse at %zx of size 1 next %zu\n", i, i);
		add(f, line);
	}
}

static void text_of_messages(memory_file *f, size_t times)
{
	for (size_t i = 0; i < times; i++)
		add(f, "RuntimeError: CUDA out of memory.\n\n");
}

static void gsnap_of_one_event(memory_file *f, size_t times)
{
	void *workspace;
	gs_writer *w = memory_writer(f, &workspace);
	gs_writer_process(w, &(gs_row_process){.pid = 1, .rank = GS_NONE, .time_us = GS_NONE});
	gs_writer_device(w,
		&(gs_row_device){.device = 0,
			.capacity = GS_NONE,
			.device_free = GS_NONE,
			.allowed = GS_NONE,
			.reserved = GS_NONE,
			.allocated = GS_NONE,
			.others = GS_NONE,
			.idx = GS_NONE});
	for (size_t i = 0; i < times; i++)
		gs_writer_event(w,
			&(gs_row_event){
				.action = GS_ACTION_ALLOC, .address = 512 * i, .size = 512, .time_us = GS_NONE});
	ck_assert_int_eq(gs_writer_finish(w), GS_OK);
	free(workspace);
}

static const struct maker {
	const char *what;
	void (*make)(memory_file *f, size_t times);
	size_t times;
	gs_status plain, packed; /* as it is, and in gzip */
} makers[] = {
	{"a pickle that repeats an event", pickle_of_one_event, 2000000, GS_LIMIT, GS_LIMIT},
	{"a pickle of short events", pickle_of_short_events, 2500000, GS_LIMIT, GS_LIMIT},
	{"a pickle of short strings", pickle_of_strings, 1000000, GS_OK, GS_LIMIT},
	{"a JSON of short events", json_of_short_events, 800000, GS_OK, GS_LIMIT},
	{"a JSON of short blocks", json_of_blocks, 600000, GS_LIMIT, GS_LIMIT},
	{"a JSON of one string", json_of_one_string, 2000000, GS_LIMIT, GS_LIMIT},
	{"a page of columns", page_of_columns, 1500000, GS_LIMIT, GS_LIMIT},
	{"an RMM log of short rows", rmm_of_short_rows, 800000, GS_LIMIT, GS_LIMIT},
	{"a BFC log of short lines", bfc_of_short_lines, 300000, GS_OK, GS_LIMIT},
	{"a text of messages", text_of_messages, 200000, GS_OK, GS_OK},
	{"a .gsnap of one event", gsnap_of_one_event, 1500000, GS_LIMIT, GS_OK /* not packed again */},
};

START_TEST(a_file_made_to_take_memory_is_refused_within_the_bound)
{
	const struct maker *m = &makers[_i];
	memory_file f = {0};
	m->make(&f, m->times);
	expect(&f, m->plain, m->what);
	if (m->make != gsnap_of_one_event) {
		gzip(&f);
		expect(&f, m->packed, m->what);
	}
	memory_release(&f);
}
END_TEST

/* Of what is refused large, a small part is read: the bound is not a ban of the form. */
START_TEST(the_same_forms_are_read_while_they_are_small)
{
	const struct maker *m = &makers[_i];
	memory_file f = {0};
	m->make(&f, m->times / 50);
	expect(&f, GS_OK, m->what);
	memory_release(&f);
}
END_TEST

START_TEST(the_environment_allows_more)
{
	memory_file f = {0};
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	gsnap_of_one_event(&f, 1500000);
	ck_assert_int_eq(gs_read_memory(f.data, f.n, GS_WANT_ALL, &s, &err), GS_LIMIT);
	ck_assert_ptr_nonnull(strstr(err.text, "GPUSNAP_READ_MEMORY"));
	setenv("GPUSNAP_READ_MEMORY", "200MiB", 1);
	gs_status status = gs_read_memory(f.data, f.n, GS_WANT_ALL, &s, &err);
	unsetenv("GPUSNAP_READ_MEMORY");
	ck_assert_int_eq(status, GS_OK);
	ck_assert_uint_eq(s.devices[0].trace.n, 1500000);
	gs_snapshot_release(&s);
	memory_release(&f);
}
END_TEST

static uint64_t hundred(const void *of) { return (void)of, 100000; }

START_TEST(an_account_counts_what_is_taken_and_given_back)
{
	gs_account outer, inner;
	void *before = gs_memory_take(50000);
	gs_account_open(&outer, hundred, NULL);
	char *a = gs_memory_take(40000), *b = gs_memory_zeroed(400, 100);
	ck_assert(a && b && outer.held >= 80000 && outer.held < 81000);
	ck_assert_ptr_null(gs_memory_take(40000));
	ck_assert(outer.exceeded);
	ck_assert_ptr_null(gs_memory_resize(a, 70000));
	memset(a, 1, 40000); /* as it was */
	gs_account_open(&inner, hundred, NULL);
	char *c = gs_memory_take(90000);
	ck_assert(c && !inner.exceeded);
	gs_memory_give(c);
	ck_assert_uint_eq(inner.held, 0);
	gs_memory_give(before); /* not counted when it was taken */
	ck_assert_uint_eq(inner.held, 0);
	gs_account_close(&inner);
	a = gs_memory_resize(a, 10000);
	ck_assert(a && outer.held < 60000);
	b = gs_memory_resize_anyway(b, 200000);
	ck_assert(b && gs_memory_exceeded());
	ck_assert_ptr_null(gs_memory_zeroed(SIZE_MAX / 2, 3));
	gs_memory_give(a);
	gs_memory_give(b);
	ck_assert_uint_eq(outer.held, 0);
	gs_account_close(&outer);
	ck_assert(!gs_memory_exceeded());
}
END_TEST

Suite *suite_reader_memory(void);
Suite *suite_reader_memory(void)
{
	Suite *s = suite_create("reader_memory");
	TCase *t = tcase_create("bound");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, a_file_made_to_take_memory_is_refused_within_the_bound, 0,
		sizeof makers / sizeof *makers);
	tcase_add_loop_test(
		t, the_same_forms_are_read_while_they_are_small, 0, sizeof makers / sizeof *makers);
	tcase_add_test(t, the_environment_allows_more);
	tcase_add_test(t, an_account_counts_what_is_taken_and_given_back);
	suite_add_tcase(s, t);
	return s;
}
