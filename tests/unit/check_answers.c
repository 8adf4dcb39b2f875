/* What a query answers does not depend on how the input is kept: a database as the file does, a cut
 * dump as the whole one does or not at all. Everything in one process, since a command a question
 * takes most of its time to start. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/query/query.h"
#include "analyzer/store/store.h"

static char folder[64], database[96], cut[96];

static void setup(void)
{
	snprintf(folder, sizeof folder, "/tmp/gpusnap-answers-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(database, sizeof database, "%s/a.db", folder);
	snprintf(cut, sizeof cut, "%s/cut.gsnap", folder);
}

static void teardown(void)
{
	unlink(database);
	unlink(cut);
	rmdir(folder);
}

/* Stacks are numbered as they are read: takes "stack_id":N out. */
static void without_stack_ids(char *text)
{
	static const char key[] = "\"stack_id\":";
	for (char *at = text; (at = strstr(at, key));) {
		char *end = at + strlen(key);
		end += strspn(end, "0123456789");
		memmove(at, end, strlen(end) + 1);
	}
}

/* The answer as JSON, or "" after a failure; free() it. */
static char *ask(const char *path, const gs_query *q, const char *state, gs_status *status)
{
	gs_session *session = NULL;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	gs_session_options from = {
		.paths = &path, .npaths = 1, .state = state, .device = GS_NONE, .rank = GS_NONE};
	gs_query_options question = {.named = q, .seconds = 30, .format = GS_FORMAT_JSON};
	uint64_t left, rows;
	*status = gs_session_open(&from, &session, NULL);
	if (!*status)
		*status = gs_query_answer(session, &question, out, &left, &rows, NULL);
	gs_session_close(session);
	fclose(out);
	if (*status)
		*text = 0;
	without_stack_ids(text);
	return text;
}

static void load(const char *path)
{
	gs_snapshot s;
	gs_store *store = NULL;
	gs_store_options all = GS_STORE_OPTIONS_ALL;
	ck_assert_int_eq(gs_read_path(path, GS_WANT_ALL, &s, NULL), GS_OK);
	ck_assert_int_eq(gs_store_create(database, &store, NULL), GS_OK);
	ck_assert_int_eq(gs_store_add(store, &s, &all, NULL, NULL), GS_OK);
	ck_assert_int_eq(gs_store_finish(store, NULL), GS_OK);
	gs_store_close(store);
	gs_snapshot_release(&s);
}

static const char *const files[] = {"tests/data/faults/defect.pickle",
	"tests/data/faults/graph.pickle", "tests/data/faults/leak.pickle",
	"tests/data/faults/pinned.pickle", "tests/data/faults/shortage.pickle",
	"tests/data/faults/stream.pickle", "tests/data/v1/small.gsnap"};

START_TEST(a_database_answers_as_its_file_does)
{
	static const char *const states[] = {"oom", "captured", "peak"};
	gs_query q;
	size_t answered = 0;
	load(files[_i]);
	for (size_t k = 0; gs_query_at(k, &q); k++)
		for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
			gs_status of_file, of_database;
			char *file = ask(files[_i], &q, states[i], &of_file),
				 *kept = ask(database, &q, states[i], &of_database);
			ck_assert_msg(of_file == of_database, "%s in state %s: %s, %s", q.name, states[i],
				gs_status_name(of_file), gs_status_name(of_database));
			ck_assert_msg(
				!strcmp(file, kept), "%s in state %s: %s is not %s", q.name, states[i], file, kept);
			answered += !of_file;
			free(file);
			free(kept);
		}
	ck_assert_uint_gt(answered, 20);
}
END_TEST

static size_t load_bytes(const char *path, unsigned char *buf, size_t cap)
{
	FILE *f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(buf, 1, cap, f);
	fclose(f);
	return n;
}

/* What answers once still answers when more of the file is there, and as it does from all of it,
 * but for the parts that come later. */
START_TEST(a_dump_cut_anywhere_answers_or_is_refused)
{
	static unsigned char bytes[1 << 16];
	static const char *const names[] = {"settings", "summary", "timeline"};
	size_t n = load_bytes("tests/data/v1/small.gsnap", bytes, sizeof bytes), first[3] = {0};
	for (size_t at = 1; at < n; at += 13) {
		FILE *f = fopen(cut, "wb");
		ck_assert_uint_eq(fwrite(bytes, 1, at, f), at);
		fclose(f);
		for (size_t k = 0; k < 3; k++) {
			gs_query q;
			gs_status status;
			ck_assert_int_eq(gs_query_find(names[k], &q, NULL), GS_OK);
			char *text = ask(cut, &q, NULL, &status);
			ck_assert_msg(!status || !first[k], "%s cut at %zu no longer answers", names[k], at);
			if (!status) {
				ck_assert_ptr_nonnull(strstr(text, "\"complete\":false"));
				first[k] = first[k] ? first[k] : at;
			}
			free(text);
		}
	}
	ck_assert_msg(first[0] && first[1] && first[2], "%zu %zu %zu", first[0], first[1], first[2]);
	ck_assert_uint_le(first[0], first[1]);
	ck_assert_uint_le(first[1], first[2]);
}
END_TEST

Suite *suite_answers(void);
Suite *suite_answers(void)
{
	Suite *s = suite_create("answers");
	TCase *t = tcase_create("answers");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_database_answers_as_its_file_does, 0, sizeof files / sizeof *files);
	tcase_add_test(t, a_dump_cut_anywhere_answers_or_is_refused);
	suite_add_tcase(s, t);
	return s;
}
