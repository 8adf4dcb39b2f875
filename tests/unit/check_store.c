/* Snapshots in SQLite: what goes in comes back, and what is none of ours is refused. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/store/db.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/store/store.h"
#include "schema/sql.h"
#include "tests/unit/snapshot_same.h"
#include "tests/unit/skip.h"

static void round_trip(const char *name, const gs_snapshot *s)
{
	gs_store *store = NULL;
	gs_store_options options = GS_STORE_OPTIONS_ALL;
	gs_snapshot back;
	gs_error err = GS_ERROR_INIT;
	int64_t id = 0;
	ck_assert_msg(!gs_store_create(":memory:", &store, &err), "%s", err.text);
	ck_assert_msg(!gs_store_add(store, s, &options, &id, &err), "%s: %s", name, err.text);
	ck_assert_msg(!gs_store_read(store, id, GS_WANT_ALL, &back, &err), "%s: %s", name, err.text);
	for (size_t i = 0; i < back.nooms && i < s->nooms; i++) { /* sums that the store added */
		if (s->ooms[i].allocated == GS_NONE)
			back.ooms[i].allocated = GS_NONE;
		if (s->ooms[i].reserved == GS_NONE)
			back.ooms[i].reserved = GS_NONE;
	}
	for (size_t i = 0; i < back.ndevices && i < s->ndevices; i++) { /* and numbers of events */
		const gs_layout *was = &s->devices[i].captured, *is = &back.devices[i].captured;
		for (size_t k = 0; k < was->nblocks && k < is->nblocks; k++)
			if (was->blocks[k].idx == GS_NONE)
				is->blocks[k].idx = GS_NONE;
	}
	gs_same_snapshot(name, s, &back);
	gs_snapshot_release(&back);
	gs_store_close(store);
}

START_TEST(a_snapshot_with_every_fact_comes_back)
{
	gs_snapshot s;
	gs_snapshot_init(&s);
	gs_full_snapshot(&s);
	ck_assert_int_eq(gs_snapshot_finish(&s, NULL), GS_OK);
	round_trip("made by hand", &s);
	gs_snapshot_release(&s);
}
END_TEST

static const char *const folders[] = {"tests/data/faults", "tests/data/v1", "../shared/corpus",
	"../shared/faults", "../shared/corpus/oom-messages", "../shared/corpus/bfc",
	"../shared/corpus/rmm"};

START_TEST(what_people_have_comes_back)
{
	struct dirent **names;
	int n = scandir(folders[_i], &names, NULL, alphasort);
	if (n < 0)
		gs_skip(folders[_i]);
	for (int i = 0; i < n; i++) {
		char path[1024];
		struct stat st;
		gs_snapshot s;
		snprintf(path, sizeof path, "%s/%s", folders[_i], names[i]->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size < 20 << 20 &&
			!gs_read_path(path, GS_WANT_ALL, &s, NULL)) {
			round_trip(path, &s);
			gs_snapshot_release(&s);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}
END_TEST

START_TEST(stacks_are_shared_between_snapshots)
{
	gs_store *store = NULL;
	gs_store_options options = GS_STORE_OPTIONS_ALL;
	gs_snapshot s;
	gs_snapshot_init(&s);
	gs_full_snapshot(&s);
	ck_assert_int_eq(gs_snapshot_finish(&s, NULL), GS_OK);
	ck_assert_int_eq(gs_store_create(":memory:", &store, NULL), GS_OK);
	ck_assert_int_eq(gs_store_add(store, &s, &options, NULL, NULL), GS_OK);
	int64_t stacks = gs_db_value(gs_store_connection(store), "SELECT count(*) FROM stack", -1);
	ck_assert_int_eq(gs_store_add(store, &s, &options, NULL, NULL), GS_OK);
	ck_assert_int_eq(
		gs_db_value(gs_store_connection(store), "SELECT count(*) FROM stack", -1), stacks);
	ck_assert_int_eq(
		gs_db_value(gs_store_connection(store), "SELECT count(*) FROM snapshot", -1), 2);
	ck_assert_int_eq(gs_db_value(gs_store_connection(store),
						 "SELECT count(*) FROM event WHERE snapshot_id = 2", -1),
		6);
	gs_store_close(store);
	gs_snapshot_release(&s);
}
END_TEST

/* --- the views of the file, as anybody's SQLite sees them --- */

START_TEST(the_views_of_the_file_show_the_last_oom)
{
	gs_store *store = NULL;
	gs_store_options options = GS_STORE_OPTIONS_ALL;
	gs_snapshot s;
	ck_assert_int_eq(gs_read_path("tests/data/faults/pinned.pickle", GS_WANT_ALL, &s, NULL), GS_OK);
	ck_assert_int_eq(gs_store_create(":memory:", &store, NULL), GS_OK);
	ck_assert_int_eq(gs_store_add(store, &s, &options, NULL, NULL), GS_OK);
	sqlite3 *db = gs_store_connection(store);
	ck_assert_int_eq(
		gs_db_value(db, "SELECT count(*) FROM shown_state WHERE name = 'oom 1'", -1), 1);
	ck_assert_int_eq(gs_db_value(db, "SELECT sum(size) FROM segment", -1), 1048576000);
	ck_assert_int_eq(
		gs_db_value(db, "SELECT sum(size) FROM block WHERE state = 'inactive'", -1), 922746880);
	ck_assert_int_eq(gs_db_value(db, "SELECT idx FROM event WHERE action = 'oom'", -1), 80);
	gs_store_close(store);
	gs_snapshot_release(&s);
}
END_TEST

/* --- comments and columns --- */

static const char *after_word(const char *sql, const char *word)
{
	const char *at = strstr(sql, word);
	ck_assert_msg(at != NULL, "no %s in %s", word, sql);
	return at + strlen(word);
}

/* Every line of a CREATE between the bracket that opens the columns and the one that closes them
 * has a comment. */
static void check_comments(const char *name, const char *sql)
{
	for (const char *line = sql, *end; *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		if (*line == ')')
			return;
		if (!strncmp(line, "\tPRIMARY KEY", 12))
			continue;
		char text[400];
		snprintf(text, sizeof text, "%.*s", (int)(end - line), line);
		ck_assert_msg(strstr(text, " -- ") != NULL, "%s: no comment on: %s", name, text);
	}
}

START_TEST(every_table_and_column_carries_a_comment)
{
	size_t n = 0;
	for (const gs_sql_file *f = gs_sql_files; f->path; f++)
		if (!strncmp(f->path, "table/", 6) || !strncmp(f->path, "view/", 5) ||
			!strncmp(f->path, "temp/", 5)) {
			check_comments(f->path, f->text);
			n++;
		}
	ck_assert_uint_gt(n, 20);
}
END_TEST

START_TEST(every_table_has_the_snapshot_first_but_the_shared_ones)
{
	for (const gs_sql_file *f = gs_sql_files; f->path; f++) {
		if (strncmp(f->path, "table/", 6) && strncmp(f->path, "view/", 5))
			continue;
		if (strstr(f->path, "/snapshot.") || strstr(f->path, "/stack.") ||
			strstr(f->path, "/frame.") || strstr(f->path, "/stack_frame."))
			continue;
		const char *first = after_word(f->text, "\n\t");
		ck_assert_msg(!strncmp(first, "snapshot_id", 11), "%s begins with %.20s", f->path, first);
	}
}
END_TEST

/* --- refusals --- */

static void make(const char *path, const char *sql)
{
	gs_store *store = NULL;
	sqlite3 *db = NULL;
	unlink(path);
	ck_assert_int_eq(gs_store_create(path, &store, NULL), GS_OK);
	ck_assert_int_eq(gs_store_finish(store, NULL), GS_OK);
	gs_store_close(store);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	char *message = NULL;
	ck_assert_msg(
		sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK, "%s", message ? message : "");
	sqlite3_close(db);
}

static const struct {
	const char *sql;
	gs_status status;
	const char *text;
} refused[] = {
	{"PRAGMA user_version = 99", GS_VERSION, "version 99"},
	{"PRAGMA application_id = 1", GS_FORMAT, "not one that"},
	{"DROP TABLE all_block", GS_FORMAT, "no table all_block"},
	{"DROP TABLE oom; CREATE VIEW oom AS SELECT * FROM device", GS_FORMAT, "table oom"},
	{"ALTER TABLE setting ADD COLUMN more", GS_FORMAT, "table setting"},
};

START_TEST(what_is_not_as_we_make_it_is_refused)
{
	char path[] = "/tmp/gs-check-store-XXXXXX";
	gs_store *store = NULL;
	gs_error err = GS_ERROR_INIT;
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	make(path, "SELECT 1");
	ck_assert_msg(!gs_store_open(path, &store, &err), "%s", err.text);
	gs_store_close(store);
	make(path, refused[_i].sql);
	ck_assert_int_eq(gs_store_open(path, &store, &err), refused[_i].status);
	ck_assert_msg(strstr(err.text, refused[_i].text) != NULL, "%s", err.text);
	unlink(path);
}
END_TEST

START_TEST(content_that_cannot_be_is_told_not_trusted)
{
	static const char *const damage[] = {
		"UPDATE all_segment SET blocks = 1 << 40",
		"UPDATE all_segment SET blocks = -1",
		"UPDATE all_block SET state = 'odd'",
		"UPDATE packed_event SET action = 77",
		"UPDATE trace SET first = -5",
		"UPDATE device SET device = 1 << 40",
	};
	gs_store *store = NULL;
	gs_store_options options = GS_STORE_OPTIONS_ALL;
	gs_snapshot s, back;
	gs_error err = GS_ERROR_INIT;
	ck_assert_int_eq(gs_read_path("tests/data/faults/leak.pickle", GS_WANT_ALL, &s, NULL), GS_OK);
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		ck_assert_int_eq(gs_store_create(":memory:", &store, NULL), GS_OK);
		ck_assert_int_eq(gs_store_add(store, &s, &options, NULL, NULL), GS_OK);
		ck_assert_int_eq(gs_db_run(gs_store_connection(store), damage[i], NULL), GS_OK);
		ck_assert_msg(gs_store_read(store, 1, GS_WANT_ALL, &back, &err) == GS_FORMAT, "%s: %s",
			damage[i], err.text);
		gs_store_close(store);
	}
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_store(void);
Suite *suite_store(void)
{
	Suite *s = suite_create("store");
	TCase *t = tcase_create("store");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, a_snapshot_with_every_fact_comes_back);
	tcase_add_loop_test(t, what_people_have_comes_back, 0, sizeof folders / sizeof *folders);
	tcase_add_test(t, stacks_are_shared_between_snapshots);
	tcase_add_test(t, the_views_of_the_file_show_the_last_oom);
	tcase_add_test(t, every_table_and_column_carries_a_comment);
	tcase_add_test(t, every_table_has_the_snapshot_first_but_the_shared_ones);
	tcase_add_loop_test(
		t, what_is_not_as_we_make_it_is_refused, 0, sizeof refused / sizeof *refused);
	tcase_add_test(t, content_that_cannot_be_is_told_not_trusted);
	suite_add_tcase(s, t);
	return s;
}
