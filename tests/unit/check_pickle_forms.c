/* One snapshot in every form: the rows are the same. The files are made by
 * tests/independent/make_forms.py. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/open/reader.h"
#include "tests/unit/snapshot_rows.h"

#define FORMS "tests/data/pytorch/forms/"

static void read_form(const char *name, unsigned want, gs_snapshot *s)
{
	char path[200];
	gs_error err = GS_ERROR_INIT;
	snprintf(path, sizeof path, FORMS "%s", name);
	ck_assert_msg(gs_read_path(path, want, s, &err) == GS_OK, "%s: %s", path, err.text);
}

static const char *const same[] = {
	"protocol0.pickle",
	"protocol1.pickle",
	"protocol2.pickle",
	"protocol3.pickle",
	"protocol5.pickle",
	"cpp.pickle",
	"snapshot.json",
	"twice.json.gz.zst",
	"embedded.html",
	"traces.pickle",
};

START_TEST(a_form_has_the_same_rows_as_the_original)
{
	gs_snapshot a, b;
	read_form("protocol4.pickle", GS_WANT_ALL, &a);
	read_form(same[_i], GS_WANT_ALL, &b);
	char *x = gs_snapshot_rows(&a), *y = gs_snapshot_rows(&b);
	ck_assert_uint_gt(strlen(x), 1000);
	ck_assert_msg(!strcmp(x, y), "%s differs", same[_i]);
	ck_assert_str_eq(gs_kind_text(b.kind), "pytorch");
	free(x);
	free(y);
	gs_snapshot_release(&a);
	gs_snapshot_release(&b);
}
END_TEST

START_TEST(the_list_of_segments_has_their_rows_and_no_events)
{
	gs_snapshot a, b;
	read_form("protocol4.pickle", GS_WANT_ALL, &a);
	read_form("list.pickle", GS_WANT_ALL, &b);
	char *x = gs_snapshot_rows(&a), *y = gs_snapshot_rows(&b), *events = strstr(x, "\nE\t");
	ck_assert_ptr_nonnull(events);
	events[1] = 0;
	ck_assert_str_eq(x, y);
	ck_assert_uint_eq(b.devices[0].trace.n, 0);
	free(x);
	free(y);
	gs_snapshot_release(&a);
	gs_snapshot_release(&b);
}
END_TEST

START_TEST(a_page_of_columns_has_the_events_and_holes_between_its_blocks)
{
	gs_snapshot a, b;
	gs_totals x, y;
	read_form("protocol4.pickle", GS_WANT_ALL, &a);
	read_form("columns.html", GS_WANT_ALL, &b);
	gs_layout_totals(&a.devices[0].captured, &x);
	gs_layout_totals(&b.devices[0].captured, &y);
	ck_assert_mem_eq(&x, &y, sizeof x);
	ck_assert_uint_eq(a.devices[0].trace.n, b.devices[0].trace.n);
	for (size_t i = 0; i < a.devices[0].trace.n; i++) {
		const gs_event *e = &a.devices[0].trace.events[i], *f = &b.devices[0].trace.events[i];
		ck_assert_int_eq(gs_event_action(e), gs_event_action(f));
		ck_assert_uint_eq(e->address, f->address);
		ck_assert_uint_eq(e->size, f->size);
		ck_assert_int_eq(f->time_us, GS_NONE);
	}
	ck_assert_uint_eq(a.nstacks, b.nstacks);
	gs_snapshot_release(&a);
	gs_snapshot_release(&b);
}
END_TEST

START_TEST(what_is_not_wanted_is_left_out_and_said)
{
	gs_snapshot s;
	read_form("protocol4.pickle", GS_WANT_LAYOUT, &s);
	ck_assert(s.events_skipped);
	ck_assert_uint_eq(s.devices[0].trace.n, 0);
	ck_assert_uint_eq(s.devices[0].captured.nsegments, 10);
	ck_assert_uint_le(s.nstacks, 1);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_facts_beside_the_rows_are_read)
{
	gs_snapshot s;
	read_form("protocol4.pickle", GS_WANT_ALL, &s);
	ck_assert_str_eq(gs_snapshot_setting(&s, "max_split_size"), "-1");
	ck_assert_str_eq(gs_snapshot_setting(&s, "expandable_segments"), "False");
	ck_assert_str_eq(gs_snapshot_setting(&s, "garbage_collection_threshold"), "0.0");
	ck_assert_ptr_nonnull(
		strstr(gs_snapshot_setting(&s, "roundup_power2_divisions"), "{\"1\":0,\"2\":0,"));
	ck_assert_str_eq(s.release_min, "2.2");
	ck_assert_str_eq(s.release_max, "2.6");
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_int_eq(s.ooms[0].idx, 80);
	ck_assert_int_gt(s.ooms[0].device_free, 0);
	ck_assert_str_eq(s.ooms[0].library, "pytorch");
	ck_assert_uint_eq(strlen(s.sha256), 64);
	gs_snapshot_release(&s);
}
END_TEST

#define PROTO "\x80\x02" /* only so that the kind is recognised */

/* Small pickles written by hand with the opcodes of protocol 0: what the values mean does not
 * depend on how they are written. */
#define ZEROS "\0\0\0"
static const struct {
	const char *what;
	const char text[400];
	size_t devices, segments, blocks, events;
	uint64_t reserved;
} small[] = {
	{"an empty list", PROTO "(l.", 0, 0, 0, 0, 0},
	{"empty lists in a dictionary", PROTO "(dVsegments\n(lsVdevice_traces\n(l(la(las.", 0, 0, 0, 0,
		0},
	{"a segment without blocks or address", PROTO "((dVtotal_size\nL2097152L\nsVdevice\nI3\nsl.", 1,
		1, 0, 0, 2097152},
	{"an event of an unknown action",
		PROTO "(dVdevice_traces\n(l(l(dVaction\nVuser_defined\nsVsize\nI7\nsaas.", 1, 0, 0, 1, 0},
	{"blocks without addresses",
		PROTO
		"((dVtotal_size\nI1024\nsVaddress\nI4096\nsVblocks\n(l(dVsize\nI512\nsVstate\nVinactive\nsa(dVsize\nI512\nsVstate\n"
		"Vactive_allocated\nsasl.",
		1, 1, 2, 0, 1024},
	{"protocol 0 whose memo was left out",
		"(dVdevice_traces\n(l(l(dVaction\nValloc\nsVsize\nI7\nsaas.", 1, 0, 0, 1, 0},
	{"a list of protocol 0 whose first entry is a dictionary", "(l(dVtotal_size\nI1024\nsa.", 1, 1,
		0, 0, 1024},
	{"tuples where lists are expected",
		PROTO
		"((dVtotal_size\nI1024\nsVaddress\nI4096\nsVblocks\n((dVsize\nI512\nsVstate\nVinactive\ns(dVsize\nI512\nsVstate\n"
		"Vinactive\nstst.",
		1, 1, 2, 0, 1024},
	{"a segment that leaves its size to its blocks",
		PROTO
		"((dVaddress\nI4096\nsVblocks\n((dVsize\nI512\nsVstate\nVinactive\ns(dVsize\nI256\nsVstate\nVinactive\nstst.",
		1, 1, 2, 0, 768},
	{"bytes instead of strings",
		PROTO "}C\x0d"
			  "device_traces](](}(C\x06"
			  "actionC\x05"
			  "allocC\x04sizeK\x07uees.",
		1, 0, 0, 1, 0},
	{"sets under unknown keys",
		PROTO "}(X\x01" ZEROS "a\x8f(K\x01K\x02\x90X\x01" ZEROS "b(K\x03\x91X\x0d" ZEROS
			  "device_traces](](}(X\x06" ZEROS "actionX\x05" ZEROS "allocueeu.",
		1, 0, 0, 1, 0},
	{"an empty tuple", PROTO "}(X\x08" ZEROS "segments)X\x0d" ZEROS "device_traces)u.", 0, 0, 0, 0,
		0},
	{"white space after the end", "\x80\x04]\x94.\r\n", 0, 0, 0, 0, 0},
	{"NaN and infinities",
		"{\"x\": [NaN, -Infinity, {\"NaN\": Infinity}], \"y\":NaN, \"device_traces\": [[{\"action\": \"alloc\", \"size\": 7}]]}",
		1, 0, 0, 1, 0},
	{"settings first",
		"{\"allocator_settings\": {\"a\": [], \"b\": {}}, \"external_annotations\": []\n, \"host_segments\": [],\"segments\":[ ]}\n",
		0, 0, 0, 0, 0},
	{"escaped keys",
		"\xef\xbb\xbf{\"segments\":[],\"device\\u005ftraces\": [[{\"\\u0061ction\":\"allo\\u0063\"}]]}",
		1, 0, 0, 1, 0},
	{"a pool id as a list, and unknown keys",
		PROTO "((dVtotal_size\nI1024\nsVsegment_pool_id\n(lI0\naI5\nasVnew\n(dVa\n(lI1\nassl.", 1,
		1, 0, 0, 1024},
};

/* Without the zeros that fill the array. */
static size_t length_of(const char *text, size_t n)
{
	while (n && !text[n - 1])
		n--;
	return n;
}

START_TEST(a_small_snapshot_is_read)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(gs_read_memory(small[_i].text, length_of(small[_i].text, sizeof small[_i].text),
					  GS_WANT_ALL, &s, &err) == GS_OK,
		"%s: %s", small[_i].what, err.text);
	ck_assert_uint_eq(s.ndevices, small[_i].devices);
	if (s.ndevices) {
		gs_totals t;
		gs_layout_totals(&s.devices[0].captured, &t);
		ck_assert_uint_eq(t.segments, small[_i].segments);
		ck_assert_uint_eq(t.blocks, small[_i].blocks);
		ck_assert_uint_eq(t.reserved, small[_i].reserved);
		ck_assert_uint_eq(s.devices[0].trace.n, small[_i].events);
		for (size_t i = 1; i < t.blocks; i++)
			ck_assert_uint_eq(s.devices[0].captured.blocks[i].address, 4096 + 512 * i);
	}
	gs_snapshot_release(&s);
}
END_TEST

/* A dictionary of more pairs than Python's pickler writes at once comes in parts: it is one record
 * all the same. */
START_TEST(a_record_in_several_parts_is_one)
{
	enum { UNKNOWN = 999 };
	static char text[16 * UNKNOWN + 200];
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	int n = sprintf(text, PROTO "}Vdevice_traces\n](](}(");
	for (int i = 0; i < UNKNOWN; i++)
		n += sprintf(text + n, "Vk%d\nI%d\n", i, i);
	n += sprintf(text + n, "Vaction\nValloc\nu(Vsize\nI7\nVaddr\nI4096\nu}(Vaction\nVoom\nuees.");
	ck_assert_msg(gs_read_memory(text, (size_t)n, GS_WANT_ALL, &s, &err) == GS_OK, "%s", err.text);
	ck_assert_uint_eq(s.devices[0].trace.n, 2);
	ck_assert_uint_eq(s.devices[0].trace.events[0].size, 7);
	ck_assert_uint_eq(s.devices[0].trace.events[0].address, 4096);
	gs_snapshot_release(&s);
}
END_TEST

static const char *const odd_lists[] = {
	PROTO "}Vdevice_traces\n](](}Vaction\nValloc\ns2ees.", /* the event twice */
	PROTO
	"(dVdevice_traces\n(l(l(dVaction\nValloc\nsa(dVsize\nI1\nsaNaas.", /* a dictionary that is no
																		  event, and None: two */
};

START_TEST(what_a_list_of_rows_loses_is_said)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(
		gs_read_memory(odd_lists[_i], strlen(odd_lists[_i]), GS_WANT_ALL, &s, &err) == GS_OK, "%s",
		err.text);
	ck_assert_uint_ge(s.devices[0].trace.n, 1);
	if (s.devices[0].trace.n == 1) {
		ck_assert_uint_eq(s.nwarnings, 1);
		ck_assert_int_eq(s.warnings[0].text[0], _i + '1');
	}
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_pickle_forms(void);
Suite *suite_pickle_forms(void)
{
	Suite *s = suite_create("pickle_forms");
	TCase *t = tcase_create("forms");
	tcase_add_loop_test(t, a_form_has_the_same_rows_as_the_original, 0, sizeof same / sizeof *same);
	tcase_add_test(t, the_list_of_segments_has_their_rows_and_no_events);
	tcase_add_test(t, a_page_of_columns_has_the_events_and_holes_between_its_blocks);
	tcase_add_test(t, what_is_not_wanted_is_left_out_and_said);
	tcase_add_test(t, the_facts_beside_the_rows_are_read);
	tcase_add_test(t, a_record_in_several_parts_is_one);
	tcase_add_loop_test(
		t, what_a_list_of_rows_loses_is_said, 0, sizeof odd_lists / sizeof *odd_lists);
	tcase_add_loop_test(t, a_small_snapshot_is_read, 0, sizeof small / sizeof *small);
	suite_add_tcase(s, t);
	return s;
}
