/* A run that is read window by window is replayed as one in memory is: every figure the same. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/advice/advice.h"
#include "analyzer/diagnose/diagnose.h"
#include "analyzer/open/input.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/read/run.h"
#include "analyzer/replay/whatif.h"
#include "recorder/gpusnap.h"
#include "recorder/pool/rule_sets.h"
#include "tests/unit/trace_maker.h"

#define MIB (UINT64_C(1) << 20)
#define DATA "tests/data/whatif/"

static gs_snapshot snapshot;
static gs_whatif whole, windows;
static gs_whatif_options options;
static gs_error err = GS_ERROR_INIT;
static uint64_t seed;

static void setup(void)
{
	gs_snapshot_init(&snapshot);
	options = (gs_whatif_options)GS_WHATIF_OPTIONS_INIT;
	memset(&whole, 0, sizeof whole);
	memset(&windows, 0, sizeof windows);
	seed = 88172645463325252u;
}

static void teardown(void)
{
	gs_whatif_release(&whole);
	gs_whatif_release(&windows);
	gs_snapshot_release(&snapshot);
}

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* --- the snapshot's own events, in pieces */

static gs_status pass(void *context, gs_event_visit *visit, void *visitor, gs_error *e)
{
	const gs_trace *t = &((const gs_device *)context)->trace;
	gs_status status = GS_OK;
	for (size_t i = 0; i < t->n && !status;) {
		size_t n = 1 + next_random() % 100;
		n = n < t->n - i ? n : t->n - i;
		status = visit(visitor, t->events + i, n, e);
		i += n;
	}
	return status == GS_END ? GS_OK : status;
}

static gs_event_source pieces(size_t window)
{
	const gs_device *d = gs_whatif_device(&snapshot, options.device);
	ck_assert_ptr_nonnull(d);
	return (gs_event_source){&snapshot, d->device, pass, (void *)(uintptr_t)d, window};
}

/* --- comparing */

static void same_row(const gs_whatif_row *a, const gs_whatif_row *b)
{
	const gs_replay_result *x = &a->result, *y = &b->result;
	ck_assert_str_eq(a->conf, b->conf);
	ck_assert_int_eq(a->capacity, b->capacity);
	ck_assert_int_eq(x->fits, y->fits);
	ck_assert_int_eq(x->past_oom, y->past_oom);
	ck_assert_int_eq(x->too_small, y->too_small);
	ck_assert_int_eq(x->past_wait, y->past_wait);
	ck_assert_int_eq(x->failed_event, y->failed_event);
	ck_assert_uint_eq(x->failed_size, y->failed_size);
	ck_assert_uint_eq(x->allocations, y->allocations);
	ck_assert_uint_eq(x->peak_reserved, y->peak_reserved);
	ck_assert_uint_eq(x->reserved, y->reserved);
	ck_assert_uint_eq(x->peak_allocated, y->peak_allocated);
	ck_assert_uint_eq(x->peak_requested, y->peak_requested);
	ck_assert_uint_eq(x->largest_free, y->largest_free);
	ck_assert_uint_eq(x->retries, y->retries);
	ck_assert_int_eq(a->exact, b->exact);
	ck_assert_int_eq(a->peak_low, b->peak_low);
	ck_assert_int_eq(a->peak_high, b->peak_high);
	ck_assert_int_eq(a->change, b->change);
	ck_assert_str_eq(a->note, b->note);
}

static void same_question(void)
{
	const gs_replay_agreement *a = &whole.agreement, *b = &windows.agreement;
	ck_assert_int_eq(a->agrees, b->agrees);
	ck_assert_uint_eq(a->compared, b->compared);
	ck_assert_int_eq(a->event, b->event);
	ck_assert_str_eq(a->text, b->text);
	ck_assert_int_eq(a->fits_at_oom, b->fits_at_oom);
	ck_assert_uint_eq(a->pending_frees, b->pending_frees);
	ck_assert_str_eq(whole.rules->name, windows.rules->name);
	ck_assert_str_eq(whole.doubt, windows.doubt);
	for (size_t i = 0; i < whole.nnotes; i++)
		ck_assert_str_eq(whole.notes[i].text, windows.notes[i].text);
	ck_assert_uint_eq(whole.nnotes, windows.nnotes);
	ck_assert_uint_eq(whole.replay.allocations, windows.replay.allocations);
	ck_assert_uint_eq(whole.replay.nslots, windows.replay.nslots);
	ck_assert_uint_eq(whole.replay.lost, windows.replay.lost);
	ck_assert_uint_eq(whole.total, windows.total);
	ck_assert_uint_eq(whole.limit, windows.limit);
	ck_assert_int_eq(whole.starts_whole, windows.starts_whole);
}

static void same_rows(void)
{
	ck_assert_uint_eq(whole.n, windows.n);
	for (size_t i = 0; i < whole.n; i++)
		same_row(&whole.rows[i], &windows.rows[i]);
}

static void ask_both(const gs_event_source *source)
{
	gs_whatif_options read = options;
	read.source = source;
	gs_whatif_release(&whole);
	gs_whatif_release(&windows);
	ck_assert_msg(!gs_whatif_open(&whole, &snapshot, &options, &err), "%s", err.text);
	ck_assert_msg(!gs_whatif_open(&windows, &snapshot, &read, &err), "%s", err.text);
	same_question();
}

static void search_both(const gs_event_source *source)
{
	ask_both(source);
	ck_assert_msg(!gs_whatif_search(&whole, &err), "%s", err.text);
	ck_assert_msg(!gs_whatif_search(&windows, &err), "%s", err.text);
	same_rows();
}

static void minimize_both(const gs_event_source *source)
{
	static const char *const confs[] = {"", "expandable_segments:True", "max_split_size_mb:40"};
	ask_both(source);
	ck_assert(!gs_whatif_try(&whole, confs, 3, &err) && !gs_whatif_minimize(&whole, &err));
	ck_assert(!gs_whatif_try(&windows, confs, 3, &err) && !gs_whatif_minimize(&windows, &err));
	same_rows();
}

/* As the reader of streams numbers them. */
static void number_failures(void)
{
	for (size_t i = 0; i < snapshot.nooms; i++)
		snapshot.ooms[i].number = snapshot.ooms[i].idx;
}

static void read_file(const char *name)
{
	char full[200];
	snprintf(full, sizeof full, DATA "%s.zst", name);
	ck_assert_msg(!gs_read_path(full, GS_WANT_ALL, &snapshot, &err), "%s: %s", full, err.text);
	number_failures();
}

/* --- real runs */

static const char *const recordings[] = {"text-torch2.6.pickle", "serve-torch2.6.pickle",
	"image-torch2.15.pickle", "faults/shortage.pickle", "faults/leak.pickle",
	"faults/pinned.pickle", "faults/stream.pickle", "faults/graph.pickle", "faults/rounding.pickle",
	"faults/outside.pickle", "faults/limit.pickle", "faults/defect.pickle",
	"faults/smallpool.pickle"};
enum { RECORDINGS = sizeof recordings / sizeof *recordings };

START_TEST(real_runs_are_searched_alike)
{
	read_file(recordings[_i]);
	gs_event_source source = pieces(64);
	search_both(&source);
	options.capacity = 700 * (int64_t)MIB;
	source.window = 1000;
	search_both(&source);
}
END_TEST

START_TEST(the_smallest_devices_are_alike)
{
	read_file(recordings[_i]);
	gs_event_source source = pieces(300);
	minimize_both(&source);
}
END_TEST

START_TEST(a_run_that_is_looked_at_until_an_event_ends_there)
{
	read_file(recordings[_i]);
	gs_event_source source = pieces(100);
	int64_t n = (int64_t)gs_whatif_device(&snapshot, GS_NONE)->trace.n;
	for (int k = 0; k < 4; k++) {
		options.until = n / 2 + (int64_t)(next_random() % (uint64_t)(n / 2));
		search_both(&source);
	}
}
END_TEST

START_TEST(a_recording_that_lost_its_beginning_starts_from_the_same_blocks)
{
	read_file(recordings[_i]);
	gs_device *d = &snapshot.devices[0];
	gs_trace *t = &d->trace;
	t->dropped = t->n / 2;
	t->complete = 0;
	t->n -= t->dropped;
	memmove(t->events, t->events + t->dropped, t->n * sizeof *t->events);
	for (size_t i = 0; i < snapshot.nooms; i++)
		snapshot.ooms[i].idx -= (int64_t)t->dropped;
	number_failures();
	gs_event_source source = pieces(64);
	search_both(&source);
}
END_TEST

/* --- rewritten */

START_TEST(rewritten_runs_are_alike)
{
	read_file(recordings[_i % 3]);
	gs_event_source source = pieces(77);
	switch (_i / 3) {
	case 0: options.rewrite.free_pattern = "forward"; break;
	case 1: options.rewrite.without_tag = "x"; break;
	case 2: options.rewrite.pad_to = 4 * MIB, options.rewrite.pad_from = MIB; break;
	default:
		options.rewrite.free_pattern = ".py";
		options.rewrite.pad_to = 3000;
		options.capacity = 900 * (int64_t)MIB;
	}
	search_both(&source);
}
END_TEST

/* Tags on every third allocation, of which some were there before. */
START_TEST(what_was_never_asked_for_is_left_out_alike)
{
	gs_id tag;
	read_file("text-torch2.6.pickle");
	tag = gs_snapshot_string(&snapshot, "cache", 5);
	gs_trace *t = &snapshot.devices[0].trace;
	for (size_t i = 0, k = 0; i < t->n; i++)
		if (gs_event_action(&t->events[i]) == GS_ACTION_ALLOC && k++ % 3 == 0)
			t->events[i].tag_action = tag << 8 | GS_ACTION_ALLOC;
	gs_event_source source = pieces(64);
	options.rewrite.without_tag = "cache";
	search_both(&source);
	ck_assert_ptr_nonnull(strstr(windows.notes[windows.nnotes - 1].text, "rewritten"));
	options.rewrite.free_pattern = "e";
	search_both(&source);
}
END_TEST

START_TEST(categories_are_scaled_only_where_all_is_in_memory)
{
	read_file("text-torch2.6.pickle");
	gs_event_source source = pieces(64);
	options.rewrite.scales[0] = (gs_replay_scale){0, 0.5};
	options.rewrite.nscales = 1;
	options.source = &source;
	ck_assert_int_eq(gs_whatif_open(&windows, &snapshot, &options, &err), GS_INVALID);
}
END_TEST

/* --- made-up programs */

START_TEST(seeded_programs_are_searched_alike)
{
	static const char *const confs[] = {"", "expandable_segments:True", "max_split_size_mb:30",
		"roundup_power2_divisions:4", "garbage_collection_threshold:0.6"};
	static const char *const releases[] = {"2.6", "2.10", "2.12", "2.13"};
	run_figures figures;
	jobs j;
	jobs_make(&j, 7000 + (unsigned)_i, 900, _i % 2 ? 3 : 1, _i % 3 == 0);
	trace_start(&snapshot);
	jobs_run(
		&j, releases[_i % 4], confs[_i % 5], (_i % 4 ? 900 : 20000) * MIB, 0, &snapshot, &figures);
	number_failures();
	gs_event_source source = pieces(_i % 2 ? 17 : 120);
	search_both(&source);
	options.capacity = 800 * (int64_t)MIB;
	search_both(&source);
	jobs_release(&j);
}
END_TEST

START_TEST(a_run_without_a_request_has_nothing_to_replay)
{
	trace_start(&snapshot);
	trace_add(&snapshot, GS_ACTION_SEGMENT_ALLOC, 0x7f0000000000, 20 * MIB);
	gs_event_source source = pieces(64);
	options.source = &source;
	ck_assert_int_eq(gs_whatif_open(&windows, &snapshot, &options, &err), GS_NOT_FOUND);
}
END_TEST

static gs_status fail_midway(void *context, gs_event_visit *visit, void *visitor, gs_error *e)
{
	const gs_trace *t = &((const gs_device *)context)->trace;
	gs_status status = visit(visitor, t->events, t->n / 2, e);
	return status == GS_END ? GS_OK : status ? status : gs_fail(e, GS_IO, "the disk is gone");
}

START_TEST(a_source_that_fails_fails_the_question)
{
	read_file("text-torch2.6.pickle");
	gs_event_source source = pieces(64);
	source.pass = fail_midway;
	options.source = &source;
	ck_assert_int_eq(gs_whatif_open(&windows, &snapshot, &options, &err), GS_IO);
	ck_assert_ptr_nonnull(strstr(err.text, "the disk is gone"));
}
END_TEST

/* The file was cut while it was read: a later pass has fewer events than the first one. */
static gs_status shorten(void *context, gs_event_visit *visit, void *visitor, gs_error *e)
{
	static int passes;
	const gs_trace *t = &((const gs_device *)context)->trace;
	gs_status status = visit(visitor, t->events, passes++ ? t->n / 2 : t->n, e);
	return status == GS_END ? GS_OK : status;
}

START_TEST(a_source_that_becomes_shorter_fails_the_question)
{
	read_file("text-torch2.6.pickle");
	gs_event_source source = pieces(64);
	source.pass = shorten;
	options.source = &source;
	ck_assert_int_eq(gs_whatif_open(&windows, &snapshot, &options, &err), GS_TRUNCATED);
}
END_TEST

/* --- streams */

static char folder[64], path[128];

static void open_stream(uint64_t bytes)
{
	gpusnap_config c;
	strcpy(folder, "/tmp/gpusnap-whole-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/run.gsnap", folder);
	gpusnap_config_init(&c);
	c.simulated = 1;
	c.simulated_bytes = bytes;
	c.stacks = "none";
	c.max_dumps = 0;
	c.dir = folder;
	c.stream = path;
	ck_assert_msg(!gpusnap_open(&c), "%s", gpusnap_error());
}

static void run_program(int calls)
{
	static void *live[300];
	memset(live, 0, sizeof live);
	for (int i = 0; i < calls; i++) {
		void **slot = &live[next_random() % 300];
		if (i % 100 == 0)
			gpusnap_push_tag(i % 200 ? "odd" : "even");
		gpusnap_free(0, *slot);
		*slot = NULL;
		gpusnap_malloc(0, 1 + next_random() % (next_random() % 9 ? 300000 : 40 * MIB),
			next_random() % 5 ? NULL : (void *)(uintptr_t)0x1000, slot);
		if (i % 5000 == 4999)
			gpusnap_empty_cache(0);
	}
}

static void remove_folder(void)
{
	char command[200];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void compare_stream(void)
{
	gs_run *run = NULL;
	ck_assert_msg(!gs_run_open(path, 0, &run, &err), "%s", err.text);
	gs_event_source source = gs_run_events(run);
	source.window = 500;
	search_both(&source);
	options.rewrite.without_tag = "odd";
	search_both(&source);
	options.rewrite.without_tag = NULL;
	minimize_both(&source);
	gs_run_close(run);
}

START_TEST(a_stream_is_searched_alike)
{
	open_stream((_i ? 400 : 40000) * MIB);
	run_program(20000);
	gpusnap_close();
	ck_assert_msg(!gs_read_path(path, GS_WANT_HISTORY, &snapshot, &err), "%s", err.text);
	ck_assert_int_eq(snapshot.nooms > 0, _i);
	compare_stream();
	ck_assert(windows.agreement.agrees);
	ck_assert_int_eq(windows.rows[0].exact, !_i); /* it goes on past failures on a larger device */
	remove_folder();
}
END_TEST

/* --- a part of the run in memory, as commands read a long one */

static gs_snapshot part;

static void read_as_part(void)
{
	const gs_moment_wanted moment = {.what = GS_MOMENT_FAILURE, .whole_below = 1, .untold = true};
	gs_input_entry entry = {.path = path};
	ck_assert_msg(
		!gs_input_read_moment(&entry, GS_WANT_HISTORY, &moment, &part, &err), "%s", err.text);
	ck_assert(part.excerpt);
	ck_assert_ptr_nonnull(part.whole);
}

START_TEST(of_a_part_in_memory_the_whole_run_is_replayed)
{
	open_stream((_i ? 400 : 40000) * MIB);
	run_program(20000);
	gpusnap_close();
	ck_assert(!gs_read_path(path, GS_WANT_HISTORY, &snapshot, &err));
	read_as_part();
	ck_assert_msg(!gs_whatif_open(&whole, &snapshot, &options, &err), "%s", err.text);
	ck_assert_msg(!gs_whatif_open(&windows, &part, &options, &err), "%s", err.text);
	ck_assert(!windows.part && windows.run.passes > 0);
	same_question();
	ck_assert(!gs_whatif_search(&whole, &err) && !gs_whatif_search(&windows, &err));
	same_rows();
	gs_whatif_release(&windows);
	gs_snapshot_release(&part);
	remove_folder();
}
END_TEST

START_TEST(a_run_of_too_many_events_is_replayed_in_part_and_says_so)
{
	const char *conf = "";
	open_stream(40000 * MIB);
	run_program(20000);
	gpusnap_close();
	read_as_part();
	options.most_events = 1000;
	ck_assert_msg(!gs_whatif_open(&windows, &part, &options, &err), "%s", err.text);
	ck_assert(windows.part && !windows.run.passes);
	ck_assert_ptr_nonnull(strstr(windows.notes[0].text, "`gpusnap whatif` takes them all"));
	ck_assert(!gs_whatif_try(&windows, &conf, 1, &err));
	ck_assert(!windows.rows[0].exact);
	ck_assert_str_eq(windows.rows[0].note, "only a part of the run was replayed");
	gs_whatif_release(&windows);
	gs_snapshot_release(&part);
	remove_folder();
}
END_TEST

/* Twelve times a block of 30 MiB is freed and a part of it taken again: each keeps 14 MiB. */
static void pin_everything(void)
{
	void *large, *kept;
	for (int i = 0; i < 12; i++) {
		ck_assert(!gpusnap_malloc(0, 30 * MIB, NULL, &large));
		ck_assert(!gpusnap_free(0, large));
		ck_assert(!gpusnap_malloc(0, 16 * MIB, NULL, &kept));
	}
	ck_assert_int_eq(gpusnap_malloc(0, 100 * MIB, NULL, &large), GPUSNAP_OUT_OF_MEMORY);
}

static void diagnose(const gs_snapshot *s, char **text)
{
	gs_diagnose_options how = GS_DIAGNOSE_OPTIONS_INIT;
	gs_diagnosis d;
	ck_assert_msg(!gs_diagnose(s, &how, &d, &err), "%s", err.text);
	ck_assert_msg(!gs_advise(&d, true, &err), "%s", err.text);
	ck_assert(d.nadvice > 0);
	*text = malloc(2000);
	snprintf(*text, 2000, "%s: %s", d.advice[0].act, d.advice[0].because);
	gs_diagnosis_release(&d);
}

START_TEST(a_diagnosis_of_a_part_advises_by_the_whole_run)
{
	char *in_memory, *of_part;
	open_stream(400 * MIB);
	pin_everything();
	gpusnap_close();
	ck_assert(!gs_read_path(path, GS_WANT_HISTORY, &snapshot, &err));
	read_as_part();
	diagnose(&snapshot, &in_memory);
	diagnose(&part, &of_part);
	ck_assert_ptr_nonnull(strstr(in_memory, "expandable_segments:True: the run passes with"));
	ck_assert_str_eq(in_memory, of_part);
	free(in_memory);
	free(of_part);
	gs_snapshot_release(&part);
	remove_folder();
}
END_TEST

/* As after kill -9: the last section is not whole. */
START_TEST(a_stream_without_its_end_is_replayed_to_its_last_whole_section)
{
	struct stat before;
	open_stream(40000 * MIB);
	run_program(30000);
	gpusnap_close();
	ck_assert_int_eq(stat(path, &before), 0);
	ck_assert_int_eq(truncate(path, before.st_size / 2), 0);
	ck_assert_msg(!gs_read_path(path, GS_WANT_HISTORY, &snapshot, &err), "%s", err.text);
	ck_assert(!snapshot.complete);
	compare_stream();
	ck_assert(windows.agreement.agrees);
	remove_folder();
}
END_TEST

START_TEST(what_is_no_stream_or_has_no_such_device_is_not_opened)
{
	gs_run *run = NULL;
	open_stream(400 * MIB);
	run_program(100);
	gpusnap_close();
	ck_assert_int_eq(gs_run_open(path, 3, &run, &err), GS_NOT_FOUND);
	ck_assert_int_eq(gs_run_open("tests/data/whatif/truth.tsv", 0, &run, NULL), GS_INVALID);
	ck_assert_int_eq(gs_run_open("/nowhere/run.gsnap", 0, &run, NULL), GS_IO);
	ck_assert_ptr_null(run);
	remove_folder();
}
END_TEST

Suite *suite_whole_run(void);
Suite *suite_whole_run(void)
{
	Suite *s = suite_create("whole_run");
	TCase *t = tcase_create("whole_run");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, real_runs_are_searched_alike, 0, RECORDINGS);
	tcase_add_loop_test(t, the_smallest_devices_are_alike, 0, 4);
	tcase_add_loop_test(t, a_run_that_is_looked_at_until_an_event_ends_there, 0, RECORDINGS);
	tcase_add_loop_test(
		t, a_recording_that_lost_its_beginning_starts_from_the_same_blocks, 0, RECORDINGS);
	tcase_add_loop_test(t, rewritten_runs_are_alike, 0, 12);
	tcase_add_test(t, what_was_never_asked_for_is_left_out_alike);
	tcase_add_test(t, categories_are_scaled_only_where_all_is_in_memory);
	tcase_add_loop_test(t, seeded_programs_are_searched_alike, 0, 30);
	tcase_add_test(t, a_run_without_a_request_has_nothing_to_replay);
	tcase_add_test(t, a_source_that_fails_fails_the_question);
	tcase_add_test(t, a_source_that_becomes_shorter_fails_the_question);
	tcase_add_loop_test(t, a_stream_is_searched_alike, 0, 2);
	tcase_add_loop_test(t, of_a_part_in_memory_the_whole_run_is_replayed, 0, 2);
	tcase_add_test(t, a_run_of_too_many_events_is_replayed_in_part_and_says_so);
	tcase_add_test(t, a_diagnosis_of_a_part_advises_by_the_whole_run);
	tcase_add_test(t, a_stream_without_its_end_is_replayed_to_its_last_whole_section);
	tcase_add_test(t, what_is_no_stream_or_has_no_such_device_is_not_opened);
	suite_add_tcase(s, t);
	return s;
}
