/* The analyzer's interface: one handle, many questions, the command's answers. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/api/gpusnap_analyzer.h"
#include "analyzer/api/handle.h"

static const char pinned[] = "tests/data/faults/pinned.pickle";

static gpusnap_snapshot *opened(const char *path)
{
	gpusnap_snapshot *s = gpusnap_snapshot_new();
	ck_assert_ptr_nonnull(s);
	ck_assert_msg(!gpusnap_snapshot_open(s, path, 0), "%s", gpusnap_snapshot_error(s));
	return s;
}

static char *command(const char *arguments)
{
	const char *program = getenv("GPUSNAP");
	char line[1024], *out = calloc(1, 1 << 20);
	snprintf(
		line, sizeof line, "%s %s 2>/dev/null", program ? program : "build/gpusnap", arguments);
	FILE *p = popen(line, "r");
	ck_assert_ptr_nonnull(p);
	ck_assert_uint_gt(fread(out, 1, (1 << 20) - 1, p), 0);
	pclose(p);
	return out;
}

START_TEST(answers_are_the_commands_byte_for_byte)
{
	gpusnap_snapshot *s = opened(pinned);
	char *out, *expected;
	size_t n;

	ck_assert_int_eq(gpusnap_snapshot_diagnose(s, NULL, &out, &n), GPUSNAP_DONE);
	expected = command("diagnose tests/data/faults/pinned.pickle --json");
	ck_assert_str_eq(out, expected);
	ck_assert_uint_eq(n, strlen(out));
	gpusnap_analyzer_free(out);
	free(expected);

	ck_assert_int_eq(gpusnap_snapshot_query(s, "largest free block", NULL, &out, &n), GPUSNAP_DONE);
	expected = command("query tests/data/faults/pinned.pickle 'largest free block' --json");
	ck_assert_str_eq(out, expected);
	gpusnap_analyzer_free(out);
	free(expected);

	ck_assert_int_eq(gpusnap_snapshot_info(s, &out, &n), GPUSNAP_DONE);
	expected = command("info tests/data/faults/pinned.pickle --json");
	ck_assert_str_eq(out, expected);
	gpusnap_analyzer_free(out);
	free(expected);

	ck_assert_int_eq(
		gpusnap_snapshot_whatif(s, "{\"conf\":[\"expandable_segments:True\",\"\"]}", &out, &n),
		GPUSNAP_DONE);
	expected = command("whatif tests/data/faults/pinned.pickle --json --conf "
					   "expandable_segments:True --conf ''");
	ck_assert_str_eq(out, expected);
	gpusnap_analyzer_free(out);
	free(expected);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(a_text_of_several_failures_is_answered_with_all_of_them)
{
	static const char two[] = "tests/data/texts/07-two-ranks-two-causes.txt";
	gpusnap_snapshot *s = opened(two);
	char *out, *expected;
	size_t n;
	ck_assert_int_eq(gpusnap_snapshot_diagnose(s, NULL, &out, &n), GPUSNAP_DONE);
	expected = command("diagnose tests/data/texts/07-two-ranks-two-causes.txt --json");
	ck_assert_ptr_nonnull(strstr(expected, "\"others\":[{"));
	ck_assert_str_eq(out, expected);
	gpusnap_analyzer_free(out);
	free(expected);

	/* of one state, nothing beside it */
	ck_assert_int_eq(gpusnap_snapshot_diagnose(s, "{\"state\":\"oom 2\"}", &out, &n), GPUSNAP_DONE);
	ck_assert_ptr_nonnull(strstr(out, "\"others\":[]"));
	gpusnap_analyzer_free(out);
	gpusnap_snapshot_close(s);
}
END_TEST

static char *ask(gpusnap_snapshot *s, size_t question)
{
	char *out = NULL;
	size_t n;
	int status = question == 0 ? gpusnap_snapshot_diagnose(s, NULL, &out, &n)
		: question == 1        ? gpusnap_snapshot_query(s, "growth", NULL, &out, &n)
		: question == 2        ? gpusnap_snapshot_whatif(s, "{\"conf\":[\"\"]}", &out, &n)
		: question == 3        ? gpusnap_snapshot_timeline(s, "outline", NULL, &out, &n)
		: question == 4
		? gpusnap_snapshot_query(s, "cheapest eviction", "{\"state\":\"oom\"}", &out, &n)
		: gpusnap_snapshot_diagnose(s, "{\"state\":\"peak\"}", &out, &n);
	ck_assert_msg(!status, "%zu: %s", question, gpusnap_snapshot_error(s));
	return out;
}
enum { QUESTIONS = 6 };

START_TEST(questions_share_what_one_of_them_made_and_answer_as_if_alone)
{
	gpusnap_snapshot *all = opened(pinned);
	const uint32_t *sizes = NULL;
	for (size_t i = 0; i < 2 * (size_t)QUESTIONS; i++) {
		gpusnap_snapshot *alone = opened(pinned);
		char *out = ask(all, i % QUESTIONS), *expected = ask(alone, i % QUESTIONS);
		ck_assert_str_eq(out, expected);
		ck_assert(alone->recordings[0].has_history);
		sizes = sizes ? sizes : all->recordings[0].history.sizes;
		ck_assert_ptr_eq(all->recordings[0].history.sizes, sizes);
		gpusnap_analyzer_free(out);
		gpusnap_analyzer_free(expected);
		gpusnap_snapshot_close(alone);
	}
	gpusnap_snapshot_close(all);
}
END_TEST

typedef struct slow_file {
	FILE *f;
	size_t calls, fails_at;
} slow_file;

static size_t read_slowly(void *context, void *buf, size_t n)
{
	slow_file *file = context;
	if (++file->calls == file->fails_at)
		return (size_t)-1;
	return fread(buf, 1, n < 1000 ? n : 1000, file->f);
}

START_TEST(a_stream_that_comes_in_pieces_reads_as_the_file_does)
{
	gpusnap_snapshot *s = opened(pinned), *streamed = gpusnap_snapshot_new();
	slow_file file = {fopen(pinned, "rb"), 0, 0};
	char *a, *b;
	size_t n, m;
	ck_assert_ptr_nonnull(file.f);

	ck_assert_int_eq(
		gpusnap_snapshot_open_stream(streamed, read_slowly, &file, 0, pinned), GPUSNAP_DONE);

	ck_assert_uint_gt(file.calls, 3);
	ck_assert_int_eq(gpusnap_snapshot_query(s, "segments", NULL, &a, &n), GPUSNAP_DONE);
	ck_assert_int_eq(gpusnap_snapshot_query(streamed, "segments", NULL, &b, &m), GPUSNAP_DONE);
	ck_assert_str_eq(a, b);
	gpusnap_analyzer_free(a);
	gpusnap_analyzer_free(b);
	fclose(file.f);
	gpusnap_snapshot_close(s);
	gpusnap_snapshot_close(streamed);
}
END_TEST

START_TEST(a_stream_that_fails_is_told_with_its_place)
{
	gpusnap_snapshot *s = gpusnap_snapshot_new();
	slow_file file = {fopen(pinned, "rb"), 0, 3};
	ck_assert_int_eq(gpusnap_snapshot_open_stream(s, read_slowly, &file, 0, NULL), GPUSNAP_FAILED);
	ck_assert_ptr_nonnull(strstr(gpusnap_snapshot_error(s), "cannot be read at byte 2000"));
	fclose(file.f);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(that_a_file_is_cut_is_its_first_warning)
{
	static char bytes[1 << 16];
	FILE *f = fopen(pinned, "rb");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	gpusnap_snapshot *s = gpusnap_snapshot_new(), *whole = opened(pinned);
	ck_assert_int_eq(gpusnap_snapshot_open_memory(s, bytes, n - 600, "cut.pickle"), GPUSNAP_DONE);
	ck_assert_ptr_nonnull(gpusnap_snapshot_warning(s, 0));
	ck_assert_int_eq(strncmp(gpusnap_snapshot_warning(s, 0), "cut at byte ", 12), 0);
	ck_assert_ptr_null(gpusnap_snapshot_warning(s, 1));
	ck_assert_ptr_null(gpusnap_snapshot_warning(whole, 0));
	gpusnap_snapshot_close(s);
	gpusnap_snapshot_close(whole);
}
END_TEST

START_TEST(wrong_use_is_told_and_changes_nothing)
{
	static const struct {
		const char *query, *options, *text;
	} wrong[] = {
		{"no such query", NULL, "no such query"},
		{"DELETE FROM block", NULL, "DELETE"},
		{"summary", "{\"colour\":1}", "colour"},
		{"summary", "[1]", "JSON object"},
		{"summary", "{\"form\":\"yaml\"}", "yaml"},
		{"summary", "{\"state\":\"oom 99\"}", "oom 99"},
		{"summary", "{\"device\":7}", "7"},
		{"summary", "{\"device\":\"x\"}", "whole number"},
	};
	gpusnap_snapshot *s = opened(pinned);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char *out = (char *)s;
		size_t n;
		ck_assert_int_ne(
			gpusnap_snapshot_query(s, wrong[i].query, wrong[i].options, &out, &n), GPUSNAP_DONE);
		ck_assert_ptr_null(out);
		ck_assert_msg(strstr(gpusnap_snapshot_error(s), wrong[i].text) != NULL, "%zu: %s", i,
			gpusnap_snapshot_error(s));
	}
	char *out;
	size_t n;
	ck_assert_int_eq(gpusnap_snapshot_query(s, "summary", NULL, &out, &n), GPUSNAP_DONE);
	ck_assert_str_eq(gpusnap_snapshot_error(s), "");
	gpusnap_analyzer_free(out);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(a_handle_without_a_snapshot_answers_nothing)
{
	gpusnap_snapshot *s = gpusnap_snapshot_new();
	char *out;
	size_t n;
	ck_assert_int_eq(gpusnap_snapshot_info(s, &out, &n), GPUSNAP_USAGE);
	ck_assert_int_eq(gpusnap_snapshot_open(s, "no/such/file", 0), GPUSNAP_FAILED);
	ck_assert_str_ne(gpusnap_snapshot_error(s), "");
	ck_assert_int_eq(gpusnap_snapshot_open(s, pinned, 0), GPUSNAP_DONE);
	ck_assert_int_eq(gpusnap_snapshot_open(s, pinned, 0), GPUSNAP_USAGE);
	gpusnap_snapshot_close(s);
	gpusnap_snapshot_close(NULL);
}
END_TEST

START_TEST(columns_hold_what_the_tables_hold)
{
	gpusnap_snapshot *s = opened(pinned);
	gpusnap_events events;
	gpusnap_blocks blocks;
	uint64_t live = 0;
	char *out, expected[128];
	size_t n;

	ck_assert_int_eq(gpusnap_snapshot_events(s, 0, &events), GPUSNAP_DONE);
	ck_assert_int_eq(gpusnap_snapshot_blocks(s, 0, NULL, &blocks), GPUSNAP_DONE);

	for (size_t i = 0; i < blocks.n; i++)
		live += blocks.state[i] == 0 ? blocks.size[i] : 0;
	snprintf(expected, sizeof expected, "%zu\t%llu\t%s\n", events.n, (unsigned long long)live,
		gpusnap_action_name(events.action[0]));
	ck_assert_int_eq(gpusnap_snapshot_query(s,
						 "SELECT (SELECT count(*) FROM event), (SELECT sum(size) FROM block WHERE "
						 "state = 'active_allocated'), (SELECT action FROM event WHERE idx = 0)",
						 "{\"form\":\"tsv\"}", &out, &n),
		GPUSNAP_DONE);
	ck_assert_str_eq(strchr(out, '\n') + 1, expected);
	gpusnap_events_free(&events);
	ck_assert_int_eq(gpusnap_snapshot_events(s, 5, &events), GPUSNAP_USAGE);
	ck_assert_uint_eq(events.n, 0);
	gpusnap_analyzer_free(out);
	gpusnap_events_free(&events);
	gpusnap_blocks_free(&blocks);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(two_states_are_compared_as_the_command_does)
{
	gpusnap_snapshot *s = opened(pinned);
	char *out, *expected;
	size_t n;
	ck_assert_int_eq(
		gpusnap_snapshot_diff(s, s, "{\"from\":\"0\",\"to\":\"oom\"}", &out, &n), GPUSNAP_DONE);
	expected = command("diff tests/data/faults/pinned.pickle --from 0 --to oom --json");
	ck_assert_str_eq(out, expected);
	gpusnap_analyzer_free(out);
	free(expected);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(unknown_values_are_clear_bits)
{
	const int64_t values[] = {1, INT64_MIN, 0, -1, INT64_MIN, 5, 6, 7, INT64_MIN, 9};
	uint8_t bitmap[2] = {255, 255};
	ck_assert_uint_eq(gpusnap_analyzer_validity(values, 10, bitmap), 3);
	ck_assert_uint_eq(bitmap[0], 0xed);
	ck_assert_uint_eq(bitmap[1], 0x02);
}
END_TEST

START_TEST(pictures_and_the_report_are_whole_files)
{
	gpusnap_snapshot *s = opened(pinned);
	char *out;
	size_t n;
	ck_assert_int_eq(gpusnap_snapshot_picture(s, "map", NULL, &out, &n), GPUSNAP_DONE);
	ck_assert(n > 1000 && !memcmp(out, "\x89PNG", 4));
	gpusnap_analyzer_free(out);
	ck_assert_int_eq(
		gpusnap_snapshot_picture(s, "plot", "{\"form\":\"svg\"}", &out, &n), GPUSNAP_DONE);
	ck_assert_ptr_nonnull(strstr(out, "</svg>"));
	gpusnap_analyzer_free(out);
	ck_assert_int_eq(gpusnap_snapshot_picture(s, "pie", NULL, &out, &n), GPUSNAP_USAGE);
	ck_assert_int_eq(
		gpusnap_snapshot_picture(s, "plot", "{\"color\":\"age\"}", &out, &n), GPUSNAP_USAGE);
	ck_assert_int_eq(gpusnap_snapshot_report(s, NULL, &out, &n), GPUSNAP_DONE);
	ck_assert_ptr_nonnull(strstr(out, "</html>"));
	gpusnap_analyzer_free(out);
	gpusnap_snapshot_close(s);
}
END_TEST

static char *told(gpusnap_snapshot *s, const char *what, const char *options)
{
	char *out;
	size_t n;
	ck_assert_msg(!gpusnap_snapshot_timeline(s, what, options, &out, &n), "%s: %s", what,
		gpusnap_snapshot_error(s));
	ck_assert_uint_eq(strlen(out), n);
	return out;
}

/* A snapshot whose events name no pool; its segments do. */
START_TEST(a_heap_tells_why_its_segments_may_not_serve_the_request)
{
	gpusnap_snapshot *s = opened("tests/data/faults/graph.pickle");
	char *failed = told(s, "moment", "{\"state\":\"oom\"}"),
		 *before = told(s, "moment", "{\"idx\":6}");
	const char *request = "\"request\":{\"bytes\":419430400,\"stream\":0,\"pool_id\":\"0,0\","
						  "\"pool\":\"large\",\"segments\":[\"other_stream\",\"other_pool\","
						  "\"other_pool\"]}";
	ck_assert_msg(strstr(failed, request) != NULL, "%s", failed);
	ck_assert_msg(strstr(before, "\"request\":null") != NULL, "%s", before);
	gpusnap_analyzer_free(failed);
	gpusnap_analyzer_free(before);
	gpusnap_snapshot_close(s);
	s = opened(pinned);
	failed = told(s, "moment", "{\"state\":\"oom\"}");
	ck_assert_msg(strstr(failed, "\"segments\":[\"same\",\"same\"") != NULL, "%s", failed);
	gpusnap_analyzer_free(failed);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(a_block_is_of_the_pool_of_its_segment)
{
	gpusnap_snapshot *s = opened("tests/data/faults/graph.pickle");
	char *outline = told(s, "outline", NULL);
	gpusnap_lives lives;
	ck_assert_msg(strstr(outline, "\"pools\":[\"0,0\",\"1,0\"]") != NULL, "%s", outline);
	ck_assert(!gpusnap_snapshot_lives(s, NULL, &lives));
	for (size_t i = 0; i < lives.n; i++)
		ck_assert_uint_eq(lives.pool[i], lives.size[i] > UINT64_C(1) << 20 ? 2 : 1);
	ck_assert_uint_eq(lives.n, 4);
	gpusnap_lives_free(&lives);
	gpusnap_analyzer_free(outline);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(views_tell_what_the_queries_tell)
{
	gpusnap_snapshot *s = opened(pinned);
	char *moment = told(s, "moment", "{\"state\":\"oom\"}"), *rows, *outline, row[200];
	size_t n;
	ck_assert(!gpusnap_snapshot_query(s,
		"SELECT \"where\", bytes FROM holder ORDER BY bytes DESC LIMIT 1", "{\"form\":\"tsv\"}",
		&rows, &n));
	char *line = strchr(rows, '\n') + 1, *tab = strchr(line, '\t');
	line[strcspn(line, "\n")] = 0;
	*tab = 0;
	snprintf(row, sizeof row, "{\"where\":\"%s\",", line);
	ck_assert_msg(strstr(moment, row) != NULL, "%s in %s", row, moment);
	snprintf(row, sizeof row, "\"bytes\":%s,", tab + 1);
	ck_assert_msg(strstr(moment, row) != NULL, "%s in %s", row, moment);
	gpusnap_analyzer_free(rows);
	gpusnap_analyzer_free(moment);
	outline = told(s, "outline", NULL);
	ck_assert_ptr_nonnull(strstr(outline, "\"default_state\":\"oom\""));
	gpusnap_analyzer_free(outline);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(heap_lives_and_bands_are_one_story)
{
	gpusnap_snapshot *s = opened(pinned);
	gpusnap_lives lives;
	gpusnap_heap heap;
	gpusnap_bands bands;
	ck_assert(!gpusnap_snapshot_lives(s, NULL, &lives));
	ck_assert(!gpusnap_snapshot_heap(s, "{\"idx\":20}", &heap));
	ck_assert_uint_gt(heap.nsegments, 0);
	uint64_t held = 0, at_idx = 0;
	for (size_t i = 0; i < heap.nblocks; i++)
		if (heap.state[i] != 2) {
			ck_assert_int_ge(heap.life[i], 0);
			ck_assert_uint_eq(lives.address[heap.life[i]], heap.address[i]);
			ck_assert_uint_eq(lives.holder[heap.life[i]], heap.holder[i]);
			held += heap.size[i];
		}
	for (size_t i = 0; i < lives.n; i++)
		at_idx += lives.birth[i] <= 20 && 20 < lives.death[i] ? lives.size[i] : 0;
	ck_assert_uint_eq(held, at_idx);
	ck_assert(!gpusnap_snapshot_bands(
		s, "{\"columns\":1,\"from\":20.5,\"to\":20.6,\"rows\":400}", &bands));
	ck_assert_int_eq(bands.idx[0], 20);
	ck_assert_uint_eq(bands.allocated[0] + bands.pending[0], held);
	ck_assert_uint_gt(bands.npieces, 0);
	gpusnap_bands_free(&bands);
	gpusnap_heap_free(&heap);
	gpusnap_curve curve;
	gpusnap_events events;
	ck_assert(!gpusnap_snapshot_curve(s, NULL, &curve));
	ck_assert(!gpusnap_snapshot_events(s, -1, &events));
	ck_assert_uint_eq(curve.n, events.n);
	ck_assert_mem_eq(curve.allocated, events.allocated, curve.n * sizeof *curve.allocated);
	ck_assert_mem_eq(curve.reserved, events.reserved, curve.n * sizeof *curve.reserved);
	ck_assert_mem_eq(curve.time_us, events.time_us, curve.n * sizeof *curve.time_us);
	ck_assert_mem_eq(curve.action, events.action, curve.n);
	gpusnap_curve_free(&curve);
	ck_assert(!gpusnap_snapshot_curve(s, "{\"from\":7,\"to\":11}", &curve));
	ck_assert_uint_eq(curve.n, 5);
	ck_assert_mem_eq(curve.allocated, events.allocated + 7, 5 * sizeof *curve.allocated);
	ck_assert_mem_eq(curve.reserved, events.reserved + 7, 5 * sizeof *curve.reserved);
	ck_assert_mem_eq(curve.time_us, events.time_us + 7, 5 * sizeof *curve.time_us);
	gpusnap_curve_free(&curve);
	ck_assert(!gpusnap_snapshot_curve(s, "{\"from\":7,\"to\":6}", &curve));
	ck_assert_uint_eq(curve.n, 0);
	gpusnap_curve_free(&curve);
	gpusnap_events_free(&events);
	gpusnap_lives some;
	ck_assert(!gpusnap_snapshot_lives(s, "{\"columns\":[\"size\",\"birth\"]}", &some));
	ck_assert_ptr_null(some.holder);
	ck_assert_mem_eq(some.size, lives.size, lives.n * sizeof *lives.size);
	gpusnap_lives_free(&some);
	ck_assert_int_eq(gpusnap_snapshot_lives(s, "{\"columns\":[\"weight\"]}", &some), GPUSNAP_USAGE);
	gpusnap_lives_free(&lives);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(colours_and_search_go_by_life)
{
	gpusnap_snapshot *s = opened(pinned);
	gpusnap_lives lives;
	gpusnap_colors colors;
	gpusnap_found found;
	ck_assert(!gpusnap_snapshot_lives(s, NULL, &lives));
	ck_assert(!gpusnap_snapshot_colors(s, "{\"by\":\"size\"}", &colors));
	ck_assert_uint_eq(colors.n, lives.n);
	ck_assert_ptr_nonnull(strstr(colors.legend, "\"name\":\"over 10 MiB to 64 MiB\""));
	for (size_t i = 0; i < lives.n; i++)
		ck_assert_int_eq(
			colors.of[i] == 7, lives.size[i] > 10u << 20 && lives.size[i] <= 64u << 20);
	gpusnap_colors_free(&colors);
	ck_assert_int_eq(gpusnap_snapshot_colors(s, "{\"by\":\"mood\"}", &colors), GPUSNAP_USAGE);

	ck_assert(!gpusnap_snapshot_find(s, "{\"text\":\"FAULTS.PY:15\"}", &found));
	ck_assert_uint_gt(found.n, 0);
	size_t k = 0;
	for (size_t i = 0; i < lives.n; i++)
		if (k < found.n && found.life[k] == i)
			k++;
	ck_assert_uint_eq(k, found.n);
	gpusnap_found_free(&found);
	ck_assert(!gpusnap_snapshot_find(s, "{\"text\":\"nowhere to be found\"}", &found));
	ck_assert_uint_eq(found.n, 0);
	gpusnap_found_free(&found);
	gpusnap_lives_free(&lives);
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(a_view_that_is_not_there_is_told)
{
	static const char *const wrong[][2] = {{"moments", NULL}, {"life", "{\"life\":100000}"},
		{"moment", "{\"idx\":100000}"}, {"moment", "{\"idx\":1.5}"}, {"moment", "{\"device\":9}"},
		{"at", "{\"order\":\"colour\"}"}, {"span", "{\"from\":9,\"to\":3}"},
		{"flame", "{\"from\":9,\"to\":9}"}, {"find", "{\"text\":5}"},
		{"outline", "{\"device\":0}"}};
	gpusnap_snapshot *s = opened(pinned);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char *out;
		size_t n;
		ck_assert_int_eq(
			gpusnap_snapshot_timeline(s, wrong[i][0], wrong[i][1], &out, &n), GPUSNAP_USAGE);
		ck_assert_ptr_null(out);
		ck_assert_str_ne(gpusnap_snapshot_error(s), "");
	}
	gpusnap_snapshot_close(s);
}
END_TEST

START_TEST(an_exported_copy_reads_back_and_a_redacted_one_names_nothing)
{
	gpusnap_snapshot *s = opened(pinned), *copy = gpusnap_snapshot_new();
	char *file, *a, *b;
	size_t n, m;
	ck_assert(!gpusnap_snapshot_export(s, "gsnap", NULL, &file, &n));
	ck_assert_msg(
		!gpusnap_snapshot_open_memory(copy, file, n, pinned), "%s", gpusnap_snapshot_error(copy));
	ck_assert(!gpusnap_snapshot_query(s, "holders", NULL, &a, &n));
	ck_assert(!gpusnap_snapshot_query(copy, "holders", NULL, &b, &m));
	ck_assert_str_eq(a, b);
	ck_assert_ptr_nonnull(strstr(a, "faults.py"));
	gpusnap_analyzer_free(a);
	gpusnap_analyzer_free(b);
	gpusnap_analyzer_free(file);
	gpusnap_snapshot_close(copy);
	copy = gpusnap_snapshot_new();
	ck_assert(!gpusnap_snapshot_export(s, "gsnap", "{\"redact\":true}", &file, &n));
	ck_assert(!gpusnap_snapshot_open_memory(copy, file, n, NULL));
	ck_assert(!gpusnap_snapshot_query(copy, "holders", NULL, &b, &m));
	ck_assert_ptr_null(strstr(b, "faults.py"));
	gpusnap_analyzer_free(b);
	gpusnap_analyzer_free(file);
	ck_assert_int_eq(gpusnap_snapshot_export(s, "pdf", NULL, &file, &n), GPUSNAP_USAGE);
	gpusnap_snapshot_close(copy);
	gpusnap_snapshot_close(s);
}
END_TEST

Suite *suite_api(void);
Suite *suite_api(void)
{
	Suite *s = suite_create("api");
	TCase *t = tcase_create("handles");
	tcase_add_test(t, answers_are_the_commands_byte_for_byte);
	tcase_add_test(t, a_text_of_several_failures_is_answered_with_all_of_them);
	tcase_add_test(t, a_heap_tells_why_its_segments_may_not_serve_the_request);
	tcase_add_test(t, a_block_is_of_the_pool_of_its_segment);
	tcase_add_test(t, questions_share_what_one_of_them_made_and_answer_as_if_alone);
	tcase_add_test(t, a_stream_that_comes_in_pieces_reads_as_the_file_does);
	tcase_add_test(t, a_stream_that_fails_is_told_with_its_place);
	tcase_add_test(t, that_a_file_is_cut_is_its_first_warning);
	tcase_add_test(t, wrong_use_is_told_and_changes_nothing);
	tcase_add_test(t, a_handle_without_a_snapshot_answers_nothing);
	tcase_add_test(t, columns_hold_what_the_tables_hold);
	tcase_add_test(t, two_states_are_compared_as_the_command_does);
	tcase_add_test(t, unknown_values_are_clear_bits);
	tcase_add_test(t, pictures_and_the_report_are_whole_files);
	tcase_add_test(t, views_tell_what_the_queries_tell);
	tcase_add_test(t, heap_lives_and_bands_are_one_story);
	tcase_add_test(t, colours_and_search_go_by_life);
	tcase_add_test(t, a_view_that_is_not_there_is_told);
	tcase_add_test(t, an_exported_copy_reads_back_and_a_redacted_one_names_nothing);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return s;
}
