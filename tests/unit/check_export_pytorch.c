/* Exported pickles read back with the same rows. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/pytorch.h"
#include "analyzer/read/open/reader.h"
#include "tests/unit/snapshot_rows.h"

#define FORMS "tests/data/pytorch/forms/"

static gs_status to_stream(void *arg, const void *data, size_t n)
{
	return fwrite(data, 1, n, arg) == n ? GS_OK : GS_IO;
}
static gs_status full(void *arg, const void *data, size_t n)
{
	(void)arg, (void)data, (void)n;
	return GS_IO;
}

static char *rows_of_memory(char *bytes, size_t n)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(gs_read_memory(bytes, n, GS_WANT_ALL, &s, &err) == GS_OK, "%s", err.text);
	char *rows = gs_snapshot_rows(&s);
	gs_snapshot_release(&s);
	free(bytes);
	return rows;
}

static const char *const forms[] = {
	"protocol0.pickle",
	"protocol1.pickle",
	"protocol2.pickle",
	"protocol4.pickle",
	"protocol5.pickle",
	"cpp.pickle",
	"snapshot.json",
	"twice.json.gz.zst",
	"embedded.html",
	"list.pickle",
	"traces.pickle",
	"columns.html",
};

static void compare(const char *path, bool copy)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	char *bytes = NULL;
	size_t n, left_out = 7;
	ck_assert_int_eq(gs_read_path(path, GS_WANT_ALL, &s, &err), GS_OK);
	FILE *f = open_memstream(&bytes, &n);
	gs_status status = copy ? gs_export_pytorch_copy(path, 0, to_stream, f, &err)
							: gs_export_pytorch(&s, to_stream, f, &left_out, &err);
	ck_assert_msg(status == GS_OK, "%s: %s", path, err.text);
	fclose(f);
	char *theirs = rows_of_memory(bytes, n), *ours = gs_snapshot_rows(&s);
	ck_assert_msg(!strcmp(ours, theirs), "%s differs", path);
	ck_assert_uint_eq(left_out, copy ? 7 : 0);
	free(ours);
	free(theirs);
	gs_snapshot_release(&s);
}

START_TEST(a_snapshot_written_from_the_model_has_the_same_rows)
{
	char path[200];
	snprintf(path, sizeof path, FORMS "%s", forms[_i]);
	if (!strcmp(forms[_i], "columns.html")) /* its pool classes are ours */
		return;
	compare(path, false);
}
END_TEST

START_TEST(a_copy_has_the_same_rows)
{
	char path[200];
	gs_error err = GS_ERROR_INIT;
	snprintf(path, sizeof path, FORMS "%s", forms[_i]);
	if (strcmp(forms[_i], "columns.html"))
		compare(path, true);
	else
		ck_assert_int_eq(gs_export_pytorch_copy(path, 0, full, NULL, &err), GS_UNSUPPORTED);
}
END_TEST

START_TEST(what_cannot_be_written_is_an_error)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	gs_snapshot_init(&s);
	ck_assert_int_eq(gs_export_pytorch(&s, full, NULL, NULL, &err), GS_UNSUPPORTED);
	s.kind = GS_KIND_PYTORCH;
	ck_assert_int_eq(gs_export_pytorch(&s, full, NULL, NULL, &err), GS_IO);
	ck_assert_int_eq(gs_export_pytorch_copy(FORMS "protocol4.pickle", 0, full, NULL, &err), GS_IO);
	gs_snapshot_release(&s);
}
END_TEST

static gs_event *event(gs_snapshot *s, gs_action action, uint64_t address, uint64_t size)
{
	gs_event *e = gs_trace_append(&gs_snapshot_device(s, 2)->trace);
	e->address = address;
	e->size = size;
	e->tag_action = action;
	return e;
}

START_TEST(events_of_our_own_actions_are_left_out_and_counted)
{
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	char *bytes = NULL;
	size_t n, left_out = 0;
	gs_snapshot_init(&s);
	gs_snapshot_stream(&s, (uint64_t)-2);
	event(&s, GS_ACTION_REFUSED, 0, 5);
	event(&s, GS_ACTION_ALLOC, UINT64_MAX - 511, 300)->time_us = 1700000000000000;
	event(&s, GS_ACTION_RECORD_STREAM, 0, 5);
	event(&s, GS_ACTION_OOM, 1 << 20, 1 << 30);
	gs_snapshot_add_setting(&s, "max_split_size", "-1");
	gs_snapshot_add_setting(&s, "note", "\xff \xc3\xa9");
	s.kind = GS_KIND_GSNAP;

	FILE *f = open_memstream(&bytes, &n);
	ck_assert_int_eq(gs_export_pytorch(&s, to_stream, f, &left_out, &err), GS_OK);
	fclose(f);
	gs_snapshot_release(&s);

	ck_assert_uint_eq(left_out, 2);
	ck_assert_int_eq(gs_read_memory(bytes, n, GS_WANT_ALL, &s, &err), GS_OK);
	ck_assert_str_eq(gs_snapshot_setting(&s, "note"), "\xef\xbf\xbd \xc3\xa9");
	free(bytes);
	char *rows = gs_snapshot_rows(&s);
	ck_assert_str_eq(rows,
		"E\t2\t0\talloc\t18446744073709551104\t300\t-2\t1700000000000000\t-\t-\t00000000\n"
		"E\t2\t1\toom\t1048576\t1073741824\t-2\t-\t-\t-\t00000000\n");
	free(rows);
	gs_snapshot_release(&s);
}
END_TEST

#define TOLD \
	"{\"compile_context\":\"0/1\",\"forward_frames\":[\"a.py:1:f\",\"b.py:2:g\"],\"score\":-1.5,\"nested\":{\"x\":[1,null,true]}}"

static void ck_more(const gs_snapshot *s)
{
	const gs_device *d = &s->devices[0];
	ck_assert_str_eq(gs_string_text(s, d->captured.blocks[0].more), "{\"category\":\"gradient\"}");
	ck_assert_uint_eq(d->captured.blocks[1].stale, 777);
	ck_assert_int_eq(d->captured.blocks[1].requested, GS_NONE);
	ck_assert_str_eq(gs_string_text(s, d->trace.events[0].more), TOLD);
	ck_assert_str_eq(gs_string_text(s, d->trace.events[1].more),
		"{\"action\":\"user_defined\",\"user_metadata\":\"\",\"frames\":[]}");
	ck_assert_int_eq(gs_event_action(&d->trace.events[1]), GS_ACTION_UNKNOWN);
}

START_TEST(what_the_model_has_no_place_for_comes_back)
{
	static const char json[] =
		"{\"segments\": [{\"total_size\": 1024, \"address\": 4096, \"blocks\": ["
		"{\"size\": 512, \"state\": \"active_allocated\", \"requested_size\": 9, \"category\": \"gradient\", \"frames\": []},"
		"{\"size\": 512, \"state\": \"inactive\", \"requested_size\": 777}]}], \"device_traces\": [["
		"{\"action\": \"alloc\", \"addr\": 4096, \"size\": 9, \"stream\": 0, \"compile_context\": \"0/1\","
		"\"forward_frames\": [\"a.py:1:f\", \"b.py:2:g\"], \"score\": -1.5, \"nested\": {\"x\": [1, null, true]}},"
		"{\"action\": \"user_defined\", \"addr\": 0, \"size\": 0, \"user_metadata\": \"\", \"frames\": []}]]}";
	gs_snapshot s;
	gs_error err = GS_ERROR_INIT;
	char *bytes = NULL;
	size_t n, left_out = 7;
	ck_assert_msg(
		gs_read_memory(json, sizeof json - 1, GS_WANT_ALL, &s, &err) == GS_OK, "%s", err.text);
	ck_more(&s);
	FILE *f = open_memstream(&bytes, &n);
	ck_assert_int_eq(gs_export_pytorch(&s, to_stream, f, &left_out, &err), GS_OK);
	fclose(f);
	gs_snapshot_release(&s);
	ck_assert_uint_eq(left_out, 0);
	ck_assert_msg(gs_read_memory(bytes, n, GS_WANT_ALL, &s, &err) == GS_OK, "%s", err.text);
	ck_more(&s);
	gs_snapshot_release(&s);
	free(bytes);
}
END_TEST

Suite *suite_export_pytorch(void);
Suite *suite_export_pytorch(void)
{
	Suite *s = suite_create("export_pytorch");
	TCase *t = tcase_create("export");
	tcase_add_loop_test(
		t, a_snapshot_written_from_the_model_has_the_same_rows, 0, sizeof forms / sizeof *forms);
	tcase_add_loop_test(t, a_copy_has_the_same_rows, 0, sizeof forms / sizeof *forms);
	tcase_add_test(t, what_cannot_be_written_is_an_error);
	tcase_add_test(t, what_the_model_has_no_place_for_comes_back);
	tcase_add_test(t, events_of_our_own_actions_are_left_out_and_counted);
	suite_add_tcase(s, t);
	return s;
}
