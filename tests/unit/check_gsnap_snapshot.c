/* The model written as .gsnap and read back: nothing is lost, whatever it came from. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/export/gsnap.h"
#include "analyzer/read/open/reader.h"
#include "tests/unit/gsnap_memory.h"
#include "tests/unit/snapshot_same.h"
#include "tests/unit/skip.h"

static const char *where; /* for messages */

static void round_trip(const gs_snapshot *s)
{
	memory_file file = {0};
	gs_snapshot back;
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(!gs_export_gsnap(s, 3, memory_sink, &file, &err), "%s: %s", where, err.text);
	ck_assert_msg(
		!gs_read_memory(file.data, file.n, GS_WANT_ALL, &back, &err), "%s: %s", where, err.text);
	gs_same_snapshot(where, s, &back);
	gs_snapshot_release(&back);
	memory_release(&file);
}

START_TEST(a_snapshot_with_every_fact_comes_back)
{
	gs_snapshot s;
	where = "made by hand";
	gs_snapshot_init(&s);
	gs_full_snapshot(&s);
	ck_assert_int_eq(gs_snapshot_finish(&s, NULL), GS_OK);
	ck_assert_uint_eq(s.nooms, 3);
	round_trip(&s);
	s.complete = false;
	round_trip(&s);
	gs_snapshot_release(&s);
}
END_TEST

/* --- what people have --- */

static void round_trip_folder(const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort);
	if (n < 0)
		gs_skip(folder);
	for (int i = 0; i < n; i++) {
		char path[1024];
		struct stat st;
		gs_snapshot s;
		snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
		where = path;
		if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size < 20 << 20 &&
			!gs_read_path(path, GS_WANT_ALL, &s, NULL)) {
			round_trip(&s);
			gs_snapshot_release(&s);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static const char *const folders[] = {"../shared/corpus", "../shared/faults",
	"../shared/corpus/oom-messages", "../shared/corpus/bfc", "../shared/corpus/rmm"};

START_TEST(what_people_have_comes_back) { round_trip_folder(folders[_i]); }
END_TEST

/* --- reading less --- */

START_TEST(what_is_not_wanted_is_not_read)
{
	memory_file file = {0};
	gs_snapshot s;
	memory_small_file(&file);
	ck_assert_int_eq(gs_read_memory(file.data, file.n, GS_WANT_LAYOUT, &s, NULL), GS_OK);
	ck_assert(s.events_skipped);
	ck_assert_uint_eq(s.devices[1].trace.n, 0);
	ck_assert_uint_eq(s.devices[1].trace.skipped, 3);
	ck_assert_uint_eq(s.devices[0].captured.nblocks, 2);
	ck_assert_str_eq(gs_string_text(&s, s.devices[0].captured.blocks[0].tag), "optimizer");
	ck_assert_uint_eq(s.nstacks, 0);
	ck_assert_uint_eq(s.nooms, 1);
	gs_snapshot_release(&s);
	ck_assert_int_eq(gs_read_memory(file.data, file.n, GS_WANT_ALL, &s, NULL), GS_OK);
	ck_assert(!s.events_skipped);
	ck_assert_uint_eq(s.devices[1].trace.n, 3);
	ck_assert_uint_eq(s.nooms, 1);
	ck_assert_str_eq(s.argv, "train --fast");
	const gs_stack *k = &s.stacks[s.devices[0].captured.blocks[0].stack];
	ck_assert_str_eq(
		gs_string_text(&s, s.frames[s.stack_frames[k->first]].name), "libdemo.so+0x1234");
	ck_assert_str_eq(
		gs_string_text(&s, s.frames[s.stack_frames[k->first]].file), "/usr/lib/libdemo.so");
	gs_snapshot_release(&s);
	memory_release(&file);
}
END_TEST

START_TEST(a_block_of_another_devices_segment_is_damage)
{
	memory_file file = {0};
	void *workspace;
	gs_writer *w = memory_writer(&file, &workspace);
	gs_error err = GS_ERROR_INIT;
	gs_snapshot s;
	for (int d = 0; d < 2; d++)
		gs_writer_device(w, &(gs_row_device){.device = d});
	for (int d = 0; d < 2; d++)
		gs_writer_segment(w, &(gs_row_segment){.device = d, .size = 4096});
	gs_writer_block(w, &(gs_row_block){.device = 0, .segment = 2, .size = 4096});
	ck_assert_int_eq(gs_writer_finish(w), GS_OK);
	ck_assert_int_eq(gs_read_memory(file.data, file.n, GS_WANT_ALL, &s, &err), GS_FORMAT);
	ck_assert_ptr_nonnull(strstr(err.text, "segment 2"));
	free(workspace);
	memory_release(&file);
}
END_TEST

/* --- into a file --- */

START_TEST(a_file_is_not_replaced_unless_asked_for)
{
	char folder[] = "/tmp/gsnap-XXXXXX", path[64];
	gs_snapshot s, back;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.gsnap", folder);
	gs_snapshot_init(&s);
	ck_assert_int_eq(gs_export_gsnap_file(&s, path, false, NULL), GS_OK);
	s.pid = 5;
	ck_assert_int_eq(gs_export_gsnap_file(&s, path, false, NULL), GS_EXISTS);
	ck_assert_int_eq(gs_export_gsnap_file(&s, path, true, NULL), GS_OK);
	ck_assert_int_eq(gs_read_path(path, GS_WANT_ALL, &back, NULL), GS_OK);
	ck_assert_int_eq(back.pid, 5);
	gs_snapshot_release(&back);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left */
}
END_TEST

Suite *suite_gsnap_snapshot(void);
Suite *suite_gsnap_snapshot(void)
{
	Suite *s = suite_create("gsnap_snapshot");
	TCase *t = tcase_create("model");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_snapshot_with_every_fact_comes_back);
	tcase_add_loop_test(t, what_people_have_comes_back, 0, sizeof folders / sizeof *folders);
	tcase_add_test(t, what_is_not_wanted_is_not_read);
	tcase_add_test(t, a_block_of_another_devices_segment_is_damage);
	tcase_add_test(t, a_file_is_not_replaced_unless_asked_for);
	suite_add_tcase(s, t);
	return s;
}
