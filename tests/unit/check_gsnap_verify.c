/* Verifying .gsnap files: what only a look at the whole file finds, and that zstd agrees with us.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/export/verify.h"
#include "tests/unit/gsnap_memory.h"
#include "tests/unit/skip.h"

static char path[] = "/tmp/gsnap-XXXXXX";

static void setup(void)
{
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void teardown(void) { unlink(path); }

static void put(const memory_file *file, size_t n)
{
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(file->data, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

/* Exit status of a command with the file's path at its end; 127 when it is not there. */
static int run(const char *command)
{
	char line[512];
	snprintf(line, sizeof line, "%s %s >/dev/null 2>&1", command, path);
	int status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(a_whole_file_is_counted)
{
	memory_file file = {0};
	gs_verified v;
	gs_error err = GS_ERROR_INIT;
	memory_small_file(&file);
	put(&file, file.n);
	ck_assert_msg(!gs_verify_path(path, NULL, NULL, &v, &err), "%s", err.text);
	ck_assert_uint_eq(v.sections, 19);
	ck_assert_uint_eq(v.bytes, file.n);
	ck_assert_uint_eq(v.blocks, 4);
	ck_assert_uint_eq(v.events, 5);
	memory_release(&file);
}
END_TEST

/* A device with one event and what each case adds. */
static void device(gs_writer *w, int64_t idx)
{
	gs_writer_device(w, &(gs_row_device){.device = 3, .idx = idx});
}
static void block_event(gs_writer *w)
{
	device(w, GS_NONE);
	gs_writer_segment(w, &(gs_row_segment){.device = 3, .size = 512});
	gs_writer_block(w, &(gs_row_block){.device = 3, .segment = 1, .size = 512, .idx = 1});
}
static void oom_event(gs_writer *w)
{
	device(w, 0);
	gs_writer_oom(w, &(gs_row_oom){GS_ROW_OOM_UNTOLD, .device = 3, .idx = 7});
}
static void oom_device(gs_writer *w)
{
	device(w, 0);
	gs_writer_oom(w, &(gs_row_oom){GS_ROW_OOM_UNTOLD, .device = 4, .idx = 0});
}
static void layout_event(gs_writer *w) { device(w, 1); }
static void negative_event(gs_writer *w) { device(w, -5); }
static void complete(gs_writer *w)
{
	gs_writer_device(w, &(gs_row_device){.device = 3, .complete = 2});
}
static void nanos(gs_writer *w)
{
	device(w, 0);
	gs_writer_event(w, &(gs_row_event){.device = 3, .nanos = 1000});
}
static void nothing_wrong(gs_writer *w) { device(w, 0); }

static const struct {
	void (*put)(gs_writer *);
	gs_status status;
	const char *text;
} claims[] = {
	{block_event, GS_FORMAT, "block section at byte"},
	{oom_event, GS_FORMAT, "event 7 of device 3, which has 1"},
	{oom_device, GS_FORMAT, "of device 4"},
	{layout_event, GS_FORMAT, "event 1 of device 3"},
	{negative_event, GS_FORMAT, "event number -5"},
	{complete, GS_FORMAT, "complete is 2"},
	{nanos, GS_FORMAT, "1000 nanoseconds"},
	{nothing_wrong, GS_OK, NULL},
};

START_TEST(references_to_events_are_checked)
{
	memory_file file = {0};
	void *workspace;
	gs_verified v;
	gs_error err = GS_ERROR_INIT;
	gs_writer *w = memory_writer(&file, &workspace);
	claims[_i].put(w);
	gs_writer_event(w, &(gs_row_event){.device = 3});
	ck_assert_int_eq(gs_writer_finish(w), GS_OK);
	put(&file, file.n);
	ck_assert_int_eq(gs_verify_path(path, NULL, NULL, &v, &err), claims[_i].status);
	ck_assert_msg(!claims[_i].text || strstr(err.text, claims[_i].text),
		"\"%s\" does not say \"%s\"", err.text, claims[_i].text);
	free(workspace);
	memory_release(&file);
}
END_TEST

START_TEST(a_cut_file_is_damaged_though_it_answers)
{
	memory_file file = {0};
	gs_verified v;
	gs_error err = GS_ERROR_INIT;
	memory_small_file(&file);
	for (size_t n = 32; n < file.n; n += 131) {
		put(&file, n);
		ck_assert_int_eq(gs_verify_path(path, NULL, NULL, &v, &err), GS_TRUNCATED);
	}
	memory_release(&file);
}
END_TEST

START_TEST(zstd_agrees)
{
	memory_file file = {0};
	const char *gpusnap = getenv("GPUSNAP");
	char verify[256];
	memory_small_file(&file);
	put(&file, file.n);
	int zstd = run("zstd -q -t");
	if (zstd == 127 || !gpusnap)
		gs_skip("zstd command, or no $GPUSNAP");
	else
		ck_assert_int_eq(zstd, 0);
	snprintf(verify, sizeof verify, "%s verify", gpusnap ? gpusnap : "false");
	ck_assert(!gpusnap || run(verify) == 0);
	file.data[file.n - 1] ^= 1; /* the last byte is of the last checksum */
	put(&file, file.n);
	ck_assert(zstd == 127 || run("zstd -q -t") != 0);
	ck_assert(!gpusnap || run(verify) == 1);
	memory_release(&file);
}
END_TEST

Suite *suite_gsnap_verify(void);
Suite *suite_gsnap_verify(void)
{
	Suite *s = suite_create("gsnap_verify");
	TCase *t = tcase_create("verify");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_whole_file_is_counted);
	tcase_add_loop_test(t, references_to_events_are_checked, 0, sizeof claims / sizeof *claims);
	tcase_add_test(t, a_cut_file_is_damaged_though_it_answers);
	tcase_add_test(t, zstd_agrees);
	suite_add_tcase(s, t);
	return s;
}
