/* Results appear whole or not at all; what is no regular file is never replaced. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/outfile.h"

static char folder[64], path[128], other[128];
static gs_outfile out;

static void setup(void)
{
	snprintf(folder, sizeof folder, "/tmp/gpusnap-outfile-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/result", folder);
	snprintf(other, sizeof other, "%s/other", folder);
}

static void teardown(void)
{
	unlink(path);
	unlink(other);
	ck_assert_msg(!rmdir(folder), "something was left in %s", folder);
}

static void fill(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static const char *content(const char *name)
{
	static char text[100];
	FILE *f = fopen(name, "r");
	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	return text;
}

static gs_status put(const char *name, unsigned flags, const char *text, gs_error *err)
{
	gs_status status = gs_outfile_open(&out, name, flags, err);
	if (status)
		return status;
	fputs(text, out.stream);
	return gs_outfile_commit(&out, err);
}

START_TEST(a_result_has_its_place_only_when_it_is_whole)
{
	ck_assert_int_eq(gs_outfile_open(&out, path, 0, NULL), GS_OK);
	fputs("half", out.stream);
	fflush(out.stream);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert_int_eq(gs_outfile_commit(&out, NULL), GS_OK);
	ck_assert_str_eq(content(path), "half");
}
END_TEST

START_TEST(a_file_that_is_there_is_replaced_only_when_told_so_and_keeps_its_mode)
{
	struct stat st;
	gs_error err = GS_ERROR_INIT;
	fill(path, "old");
	chmod(path, 0640);
	ck_assert_int_eq(put(path, 0, "new", &err), GS_EXISTS);
	ck_assert_str_eq(content(path), "old");
	ck_assert_int_eq(put(path, GS_OUTFILE_FORCE, "new", NULL), GS_OK);
	ck_assert_str_eq(content(path), "new");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0640);
}
END_TEST

START_TEST(a_file_that_came_meanwhile_is_not_replaced)
{
	ck_assert_int_eq(gs_outfile_open(&out, path, 0, NULL), GS_OK);
	fill(path, "theirs");
	ck_assert_int_eq(gs_outfile_commit(&out, NULL), GS_EXISTS);
	ck_assert_str_eq(content(path), "theirs");
}
END_TEST

START_TEST(links_are_followed_also_where_nothing_is_yet)
{
	struct stat st;
	ck_assert_int_eq(symlink("other", path), 0);
	ck_assert_int_eq(put(path, 0, "first", NULL), GS_OK);
	ck_assert_str_eq(content(other), "first");
	ck_assert_int_eq(put(path, 0, "second", NULL), GS_EXISTS);
	ck_assert_int_eq(put(path, GS_OUTFILE_FORCE, "second", NULL), GS_OK);
	ck_assert_str_eq(content(other), "second");
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
}
END_TEST

START_TEST(links_in_a_circle_are_an_error)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(symlink("result", path), 0);
	ck_assert_int_eq(put(path, GS_OUTFILE_FORCE, "x", &err), GS_IO);
	ck_assert_str_eq(err.text, strerror(ELOOP));
}
END_TEST

/* Every kind of output, with force and without. */
START_TEST(a_pipe_is_written_through_and_needs_no_force)
{
	static const unsigned flags[] = {0, GS_OUTFILE_FORCE, GS_OUTFILE_STAGED,
		GS_OUTFILE_STAGED | GS_OUTFILE_FORCE, GS_OUTFILE_BINARY};
	char got[20] = "";
	struct stat st;
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	int fd = open(path, O_RDWR | O_NONBLOCK);
	ck_assert_int_eq(put(path, flags[_i], "hello", NULL), GS_OK);
	ck_assert_int_eq(read(fd, got, sizeof got - 1), 5);
	ck_assert_str_eq(got, "hello");
	close(fd);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert(S_ISFIFO(st.st_mode));
}
END_TEST

START_TEST(a_character_device_is_written_through_and_stays)
{
	struct stat st;
	if (mknod(path, S_IFCHR | 0600, makedev(1, 3)))
		return; /* not root: the pipe stands for it */
	ck_assert_int_eq(put(path, GS_OUTFILE_FORCE, "hello", NULL), GS_OK);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(a_database_needs_a_regular_file)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(put(path, GS_OUTFILE_BY_NAME | GS_OUTFILE_FORCE, "", &err), GS_UNSUPPORTED);
	ck_assert_int_eq(put("-", GS_OUTFILE_BY_NAME, "", &err), GS_UNSUPPORTED);
	ck_assert_str_eq(err.text, "not a regular file: a database can only be written to a file");
}
END_TEST

START_TEST(own_descriptors_are_written_as_they_stand)
{
	char name[40];
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	snprintf(name, sizeof name, _i ? "/proc/self/fd/%d" : "/dev/fd/%d", fd);
	ck_assert_int_eq(write(fd, "a ", 2), 2);
	ck_assert_int_eq(put(name, 0, "b", NULL), GS_OK);
	ck_assert_int_eq(write(fd, " c", 2), 2);
	close(fd);
	ck_assert_str_eq(content(path), "a b c");
}
END_TEST

START_TEST(a_folder_and_a_missing_folder_are_named_as_the_reason)
{
	gs_error err = GS_ERROR_INIT;
	char missing[4096 + 16];
	snprintf(missing, sizeof missing, "%s/missing/a", folder);
	ck_assert_int_eq(put(folder, GS_OUTFILE_FORCE, "", &err), GS_IO);
	ck_assert_str_eq(err.text, strerror(EISDIR));
	ck_assert_int_eq(put(missing, 0, "", &err), GS_IO);
	ck_assert_str_eq(err.text, strerror(ENOENT));
}
END_TEST

START_TEST(a_failed_write_is_told_and_leaves_nothing)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(put("/dev/full", 0, "hello", &err), GS_IO);
	ck_assert_str_eq(err.text, strerror(ENOSPC));
	ck_assert_int_eq(gs_outfile_open(&out, path, 0, NULL), GS_OK);
	fputs("x", out.stream);
	close(fileno(out.stream)); /* as if the disk had gone */
	ck_assert_int_eq(gs_outfile_commit(&out, &err), GS_IO);
}
END_TEST

static size_t entries(void)
{
	size_t n = 0;
	DIR *d = opendir(folder);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

START_TEST(a_signal_that_ends_the_program_leaves_nothing)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	int status;
	pid_t child = fork();
	if (!child) {
		char journal[GS_OUTFILE_PATH + 16];
		signal(ends[_i], SIG_DFL); /* the test program has its own handlers */
		gs_outfile_clean_on_signals();
		gs_outfile_open(&out, path, GS_OUTFILE_BY_NAME, NULL);
		snprintf(journal, sizeof journal, "%s-journal", out.temporary);
		fclose(fopen(journal, "w"));
		raise(ends[_i]);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), ends[_i]);
	ck_assert_uint_eq(entries(), 0);
}
END_TEST

Suite *suite_outfile(void);
Suite *suite_outfile(void)
{
	Suite *s = suite_create("outfile");
	TCase *t = tcase_create("outfile");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_result_has_its_place_only_when_it_is_whole);
	tcase_add_test(t, a_file_that_is_there_is_replaced_only_when_told_so_and_keeps_its_mode);
	tcase_add_test(t, a_file_that_came_meanwhile_is_not_replaced);
	tcase_add_test(t, links_are_followed_also_where_nothing_is_yet);
	tcase_add_test(t, links_in_a_circle_are_an_error);
	tcase_add_loop_test(t, a_pipe_is_written_through_and_needs_no_force, 0, 5);
	tcase_add_test(t, a_character_device_is_written_through_and_stays);
	tcase_add_test(t, a_database_needs_a_regular_file);
	tcase_add_loop_test(t, own_descriptors_are_written_as_they_stand, 0, 2);
	tcase_add_test(t, a_folder_and_a_missing_folder_are_named_as_the_reason);
	tcase_add_test(t, a_failed_write_is_told_and_leaves_nothing);
	tcase_add_loop_test(t, a_signal_that_ends_the_program_leaves_nothing, 0, 4);
	suite_add_tcase(s, t);
	return s;
}
