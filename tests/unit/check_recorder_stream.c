/* Streams: a whole run in one file, held against what the ring of the same run kept. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/export/pytorch.h"
#include "analyzer/meaning/course.h"
#include "analyzer/meaning/step_state.h"
#include "analyzer/query/part.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/state/state.h"
#include "recorder/api/env.h"
#include "recorder/api/recorder.h"
#include "recorder/dump/stream_internal.h"
#include "recorder/pool/sim_device.h"
#include "schema/gsnap_read.h"
#include "tests/unit/full_tables.h"

#define MIB (UINT64_C(1) << 20)

static gs_config config;
static gs_recorder recorder;
static gs_sim *sim;
static char folder[64], path[128], errors[80];
static gs_error err = GS_ERROR_INIT;
static uint64_t seed;

static void setup(void)
{
	strcpy(folder, "/tmp/gpusnap-stream-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/run.gsnap", folder);
	snprintf(errors, sizeof errors, "%s/err", folder);
	ck_assert_ptr_nonnull(freopen(errors, "w", stderr));
	setvbuf(stderr, NULL, _IONBF, 0);
	for (const gs_env_variable *v = gs_env_variables; v->name; v++)
		unsetenv(v->name);
	ck_assert_int_eq(gs_config_read(&config, &err), GS_OK);
	ck_assert_int_eq(gs_config_set(&config, GS_ENV_DIR, folder, &err), GS_OK);
	ck_assert_int_eq(gs_config_set(&config, GS_ENV_STREAM, path, &err), GS_OK);
	/* naming frames would take most of the time */
	ck_assert_int_eq(gs_config_set(&config, GS_ENV_STACKS, "none", &err), GS_OK);
	config.sync = false;
	config.stream_epoch = 5000;
	config.events = 1 << 20;
	seed = 88172645463325252u;
}

static void open_recorder(void)
{
	gs_sim_config c = {.capacity = 4096 * MIB, .number = 0};
	ck_assert_int_eq(gs_sim_init(&sim, &c), GS_OK);
	ck_assert_msg(!gs_recorder_init(&recorder, &config, 0, &err), "%s", err.text);
	gs_heap_config h = {.ops = &gs_sim_ops, .device = sim, .name = "test card"};
	ck_assert_msg(!gs_recorder_add_device(&recorder, &h, &err), "%s", err.text);
}

static void close_recorder(void)
{
	gs_recorder_release(&recorder);
	gs_sim_release(sim);
	sim = NULL;
}

static void teardown(void)
{
	char command[200];
	if (sim)
		close_recorder();
	snprintf(command, sizeof command, "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static gs_heap *heap(void) { return gs_recorder_heap(&recorder, 0); }

__attribute__((noinline)) static gs_status allocate(uint64_t bytes, uint64_t *address)
{
	gs_regs from;
	gs_call call;
	gs_regs_of_caller(&from);
	gs_recorder_call(&recorder, &from, &call);
	return gs_heap_malloc(heap(), &call, bytes, 0, address, NULL, NULL);
}

static void give_back(uint64_t address)
{
	gs_call call;
	gs_recorder_call_free(&recorder, &call);
	gs_heap_free(heap(), &call, address);
}

/* Random calls on 200 slots; the last ones stay allocated. */
static void run(int calls)
{
	static uint64_t live[200];
	memset(live, 0, sizeof live);
	for (int i = 0; i < calls; i++) {
		uint64_t *slot = &live[next_random() % 200];
		if (i % 1000 == 0)
			gs_recorder_push_tag(&recorder, i % 2000 ? "odd" : "even");
		if (*slot)
			give_back(*slot);
		if (allocate(next_random() % (next_random() % 4 ? 60000 : 12 * MIB) + 1, slot))
			*slot = 0;
		if (i % 3000 == 2999)
			allocate(5000 * MIB, slot), *slot = 0;
	}
}

/* A layout is asked for by then, where one is due: the next call gives it. */
static void wait_until_written(void)
{
	const struct timespec step = {0, 1000000};
	while (heap()->log.lane->tail < heap()->log.lane->head)
		nanosleep(&step, NULL);
}

static void read_file(const char *name, gs_snapshot *s)
{
	char full[400];
	snprintf(full, sizeof full, "%s/%s", folder, name);
	ck_assert_msg(!gs_read_path(full, GS_WANT_ALL, s, &err), "%s: %s", full, err.text);
}

static uint32_t frames_of(const gs_snapshot *s, gs_id stack)
{
	return stack ? s->stacks[stack].n : 0;
}

static void same_events(const gs_snapshot *a, const gs_snapshot *b, size_t n)
{
	const gs_trace *x = &a->devices[0].trace, *y = &b->devices[0].trace;
	for (size_t i = 0; i < n; i++) {
		const gs_event *e = &x->events[i], *f = &y->events[i];
		ck_assert_msg(gs_event_action(e) == gs_event_action(f) && e->address == f->address &&
				e->size == f->size &&
				!strcmp(gs_string_text(a, gs_event_tag(e)), gs_string_text(b, gs_event_tag(f))),
			"event %zu", i);
		ck_assert_uint_eq(frames_of(a, e->stack), frames_of(b, f->stack));
	}
}

static void same_layout(const gs_layout *a, const gs_layout *b)
{
	ck_assert_uint_eq(a->nsegments, b->nsegments);
	ck_assert_uint_eq(a->nblocks, b->nblocks);
	for (size_t i = 0; i < a->nblocks; i++) {
		ck_assert_uint_eq(a->blocks[i].address, b->blocks[i].address);
		ck_assert_uint_eq(a->blocks[i].size, b->blocks[i].size);
		ck_assert_int_eq(a->blocks[i].state, b->blocks[i].state);
		ck_assert_int_eq(a->blocks[i].requested, b->blocks[i].requested);
	}
}

/* The state after an event, by each file. */
static void same_state(const gs_snapshot *a, const gs_snapshot *b, const char *selector)
{
	gs_layout x, y;
	gs_layout_init(&x);
	gs_layout_init(&y);
	ck_assert_msg(!gs_state_select(a, &a->devices[0], selector, &x, NULL, &err), "%s", err.text);
	ck_assert_msg(!gs_state_select(b, &b->devices[0], selector, &y, NULL, &err), "%s", err.text);
	same_layout(&x, &y);
	gs_layout_release(&x);
	gs_layout_release(&y);
}

static int lines_said(void)
{
	int lines = 0, c;
	FILE *f = fopen(errors, "r");
	while ((c = getc(f)) != EOF)
		lines += c == '\n';
	fclose(f);
	return lines;
}

START_TEST(the_stream_holds_every_event_and_every_state_that_the_ring_shows)
{
	gs_snapshot stream, dump;
	char written[PATH_MAX], selector[24];
	gs_dump_request request = {.reason = GS_DUMP_DEMAND, .path = written};
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	gs_config_set(&config, GS_ENV_STACKS, "c", &err);
	open_recorder();
	run(9000);
	snprintf(written, sizeof written, "%s/dump.gsnap", folder);
	ck_assert_int_eq(gs_heap_dump(heap(), &request, NULL, 0, &err), GS_OK);
	close_recorder();
	read_file("run.gsnap", &stream);
	read_file("dump.gsnap", &dump);
	ck_assert(stream.complete);
	ck_assert_uint_eq(stream.devices[0].trace.n, dump.devices[0].trace.n);
	ck_assert_int_eq(stream.devices[0].trace.complete, 1);
	same_events(&stream, &dump, dump.devices[0].trace.n);
	ck_assert_uint_eq(stream.nsettings, dump.nsettings);
	ck_assert_uint_gt(stream.nsettings, 3);
	ck_assert_str_eq(gs_snapshot_setting(&stream, "expandable_segments"),
		gs_snapshot_setting(&dump, "expandable_segments"));
	ck_assert_str_eq(gs_snapshot_setting(&stream, "max_split_size"),
		gs_snapshot_setting(&dump, "max_split_size"));
	ck_assert_uint_eq(stream.nooms, dump.nooms);
	for (size_t i = 0; i < dump.nooms; i++) {
		ck_assert_int_eq(stream.ooms[i].idx, dump.ooms[i].idx);
		ck_assert_int_eq(stream.ooms[i].requested, dump.ooms[i].requested);
		ck_assert_int_eq(stream.ooms[i].device_free, dump.ooms[i].device_free);
	}
	for (int i = 0; i < 20; i++) {
		snprintf(selector, sizeof selector, "%llu",
			(unsigned long long)(next_random() % dump.devices[0].trace.n));
		same_state(&stream, &dump, selector);
	}
	same_state(&stream, &dump, "captured");
	gs_snapshot_release(&stream);
	gs_snapshot_release(&dump);
}
END_TEST

static void read_moment(const char *name, gs_moment_wanted moment, gs_snapshot *s)
{
	char full[400];
	snprintf(full, sizeof full, "%s/%s", folder, name);
	ck_assert_msg(!gs_read_moment(full, GS_WANT_ALL, &moment, s, &err), "%s: %s", full, err.text);
}

/* The state that a selector means, by the whole run and by the part of it around that moment; how
 * many events the part has. */
static size_t same_part(
	const gs_snapshot *whole, const char *name, gs_moment_wanted moment, const char *selector)
{
	gs_snapshot part;
	read_moment(name, moment, &part);
	ck_assert(part.excerpt);
	const gs_trace *t = &part.devices[0].trace;
	ck_assert_uint_eq(t->n + t->skipped, whole->devices[0].trace.n);
	ck_assert_uint_eq(part.nooms, whole->nooms);
	for (size_t i = 0; i < t->n; i += 97)
		ck_assert_uint_eq(
			t->events[i].address, whole->devices[0].trace.events[t->first + i].address);
	same_state(&part, whole, selector);
	size_t n = t->n;
	gs_snapshot_release(&part);
	return n;
}

/* Moments of every kind of a run, each held against the full replay: the most events read. */
static size_t most_events_of_a_part(const char *name)
{
	gs_snapshot whole;
	char selector[24];
	size_t most = 0, n;
	read_file(name, &whole);
	for (int i = 0; i < 20; i++) {
		uint64_t event = next_random() % whole.devices[0].trace.n;
		snprintf(selector, sizeof selector, "%llu", (unsigned long long)event);
		n = same_part(&whole, name,
			(gs_moment_wanted){.what = GS_MOMENT_EVENT, .number = event, .whole_below = 0},
			selector);
		most = n > most ? n : most;
	}
	for (size_t i = 1; i <= whole.nooms; i += 1 + whole.nooms / 4) {
		snprintf(selector, sizeof selector, "oom %zu", i);
		n = same_part(&whole, name,
			(gs_moment_wanted){.what = GS_MOMENT_FAILURE, .number = i, .whole_below = 0}, selector);
		most = n > most ? n : most;
	}
	n = same_part(&whole, name,
		(gs_moment_wanted){.what = GS_MOMENT_FAILURE, .number = 0, .whole_below = 0}, "oom");
	most = n > most ? n : most;
	n = same_part(&whole, name,
		(gs_moment_wanted){.what = GS_MOMENT_LAST, .number = 0, .whole_below = 0}, "captured");
	gs_snapshot_release(&whole);
	return n > most ? n : most;
}

static void stream_of(int calls, const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
	ck_assert_int_eq(gs_config_set(&config, GS_ENV_STREAM, path, &err), GS_OK);
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	config.stream_epoch = 5000;
	open_recorder();
	run(calls);
	close_recorder();
}

START_TEST(a_moment_right_before_a_layout_is_found)
{
	uint64_t a;
	gs_snapshot whole;
	char selector[32];
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	config.stream_epoch = 100;
	open_recorder();
	for (int i = 0; i < 3; i++) {
		run(1000);
		allocate(5000 * MIB, &a);
		wait_until_written();
	}
	close_recorder();
	read_file("run.gsnap", &whole);
	for (size_t i = 0; i < whole.nooms; i++) {
		snprintf(selector, sizeof selector, "oom %zu", i + 1);
		same_part(&whole, "run.gsnap",
			(gs_moment_wanted){.what = GS_MOMENT_FAILURE, .number = i + 1}, selector);
		snprintf(selector, sizeof selector, "%lld", (long long)whole.ooms[i].idx);
		same_part(&whole, "run.gsnap",
			(gs_moment_wanted){.what = GS_MOMENT_EVENT, .number = (uint64_t)whole.ooms[i].idx},
			selector);
	}
	ck_assert_uint_ge(whole.nooms, 3);
	gs_snapshot_release(&whole);
}
END_TEST

/* Two layouts are 32 events a block apart, or 5000 (the run has up to 200 blocks and as many
 * holes); the rest is what the lane may hold (2^17) when a layout is asked for. */
START_TEST(one_state_costs_the_events_since_a_layout_whatever_the_length)
{
	stream_of(15000, "short.gsnap");
	stream_of(120000, "long.gsnap");
	size_t few = most_events_of_a_part("short.gsnap"), many = most_events_of_a_part("long.gsnap");
	gs_snapshot all;
	read_file("long.gsnap", &all);
	ck_assert_uint_gt(all.devices[0].trace.n, 200000);
	ck_assert_msg(many < 150000 && few < 150000, "%zu and %zu events", few, many);
	gs_snapshot_release(&all);
}
END_TEST

/* The whole file, and a part of it long behind the tag that had no room. */
START_TEST(a_stream_says_that_not_all_tags_had_room)
{
	gs_snapshot s;
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	open_recorder();
	/* run() has two of its own */
	gs_name_tags(&recorder, gs_tables_default.tags - (_i ? 1 : 3));
	for (int i = 0; i < 3; i++) {
		run(20000);
		wait_until_written();
	}
	close_recorder();
	read_file("run.gsnap", &s);
	size_t n = s.devices[0].trace.n;
	ck_assert_int_eq(gs_warnings_of_full_tables(&s), _i);
	gs_snapshot_release(&s);
	read_moment("run.gsnap", (gs_moment_wanted){.what = GS_MOMENT_EVENT, .number = n - 1}, &s);
	ck_assert(s.excerpt);
	ck_assert_uint_gt(s.devices[0].trace.first, 0);
	ck_assert_int_eq(gs_warnings_of_full_tables(&s), _i);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_part_of_a_stream_without_an_end_is_found_by_its_headers)
{
	char full[400];
	struct stat about;
	stream_of(30000, "killed.gsnap");
	snprintf(full, sizeof full, "%s/killed.gsnap", folder);
	ck_assert_int_eq(stat(full, &about), 0);
	ck_assert_int_eq(truncate(full, about.st_size * 2 / 3), 0);
	ck_assert_uint_gt(most_events_of_a_part("killed.gsnap"), 0);
}
END_TEST

START_TEST(a_short_stream_is_read_whole_where_that_was_asked_for)
{
	gs_snapshot s;
	stream_of(3000, "small.gsnap");
	read_moment("small.gsnap",
		(gs_moment_wanted){.what = GS_MOMENT_EVENT, .number = 10, .whole_below = 1 << 20}, &s);
	ck_assert(!s.excerpt);
	ck_assert_uint_eq(s.devices[0].trace.first, 0);
	ck_assert_uint_gt(s.devices[0].trace.n, 3000);
	gs_snapshot_release(&s);
}
END_TEST

/* --- the course of a run by its figures, held against its events */

enum { COURSE_STEPS = 60 };

static void run_of_steps(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
	ck_assert_int_eq(gs_config_set(&config, GS_ENV_STREAM, path, &err), GS_OK);
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	open_recorder();
	for (int i = 0; i < COURSE_STEPS; i++) {
		char mark[24];
		snprintf(mark, sizeof mark, "step %d", i);
		gs_marks_put(&recorder.dumper.marks, mark, GS_MARK_MOMENT, gs_clock_ticks(&recorder.clock));
		run(700 + i % 7 * 100);
	}
	close_recorder();
}

static void read_course(const char *name, const char *selector, gs_snapshot *s)
{
	char full[400];
	snprintf(full, sizeof full, "%s/%s", folder, name);
	const gs_input_entry entry = {.path = full};
	const gs_part_wanted part = {.selector = selector, .course = true};
	ck_assert_msg(!gs_part_read(&entry, GS_WANT_HISTORY, &part, s, &err), "%s", err.text);
}

static void same_steps(const gs_snapshot *whole, const gs_snapshot *part)
{
	gs_history h = GS_HISTORY_INIT;
	gs_meaning m = GS_MEANING_INIT;
	gs_phase_step *steps;
	size_t n;
	ck_assert_int_eq(gs_history_init(&h, whole, &whole->devices[0], &err), GS_OK);
	ck_assert_int_eq(gs_meaning_init(&m, &h, NULL, &err), GS_OK);
	ck_assert_int_eq(gs_course_steps(part, &part->devices[0], &steps, &n), GS_OK);
	ck_assert_uint_eq(n, m.nsteps);
	ck_assert_uint_gt(n, COURSE_STEPS / 2);
	for (size_t i = 0; i < n; i++) {
		const gs_phase_step *a = &m.steps[i], *b = &steps[i];
		ck_assert_msg(a->number == b->number && a->first_idx == b->first_idx &&
				a->last_idx == b->last_idx && a->start_allocated == b->start_allocated &&
				a->peak_allocated == b->peak_allocated && a->peak_reserved == b->peak_reserved &&
				a->peak_idx == b->peak_idx && a->end_allocated == b->end_allocated &&
				a->growth == b->growth && a->retries == b->retries && a->whole == b->whole &&
				!strcmp(a->name, b->name),
			"step %zu of %zu: %lld %lld, peaks %llu %llu at %lld %lld, from %lld %lld to %lld %lld",
			i, n, (long long)a->number, (long long)b->number, (unsigned long long)a->peak_allocated,
			(unsigned long long)b->peak_allocated, (long long)a->peak_idx, (long long)b->peak_idx,
			(long long)a->first_idx, (long long)b->first_idx, (long long)a->last_idx,
			(long long)b->last_idx);
	}
	const gs_run_figures *most = gs_course_peak(&part->devices[0], false),
						 *reserved = gs_course_peak(&part->devices[0], true);
	ck_assert_int_eq((int64_t)most->allocated_idx, gs_history_peak(&h, false));
	ck_assert_int_eq((int64_t)reserved->reserved_idx, gs_history_peak(&h, true));
	free(steps);
	gs_meaning_release(&m);
	gs_history_release(&h);
}

/* A moment by part: the same layout as of the whole. */
static void same_moment(const gs_snapshot *whole, const char *name, const char *selector)
{
	gs_snapshot part;
	gs_moments a, b;
	read_course(name, selector, &part);
	ck_assert_int_eq(gs_meaning_moments_select(whole, 0, selector, &a, &err), GS_OK);
	ck_assert_msg(!gs_meaning_moments_select(&part, 0, selector, &b, &err), "%s", err.text);
	same_layout(&a.at[0].layout, &b.at[0].layout);
	ck_assert_int_eq(a.at[0].state.idx, gs_event_number(&part.devices[0].trace, b.at[0].state.idx));
	gs_moments_release(&a);
	gs_moments_release(&b);
	gs_snapshot_release(&part);
}

static void same_moments(const gs_snapshot *whole, const char *name)
{
	static const char *const selectors[] = {"peak", "peak reserved", "step 7", "step 20 peak"};
	for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++)
		same_moment(whole, name, selectors[i]);
}

static gs_peak peak_of(const gs_snapshot *s)
{
	gs_history h = GS_HISTORY_INIT;
	gs_meaning m = GS_MEANING_INIT;
	gs_peak peak;
	ck_assert_int_eq(gs_history_init(&h, s, &s->devices[0], &err), GS_OK);
	ck_assert_int_eq(gs_meaning_init(&m, &h, NULL, &err), GS_OK);
	gs_meaning_peak(&m, GS_NONE, &peak);
	gs_meaning_release(&m);
	gs_history_release(&h);
	return peak;
}

/* Also where its event is not in memory, and then it says so. */
static void same_peak(const gs_snapshot *whole, const gs_snapshot *part)
{
	gs_peak a = peak_of(whole), b = peak_of(part);
	const gs_trace *t = &part->devices[0].trace;
	ck_assert_uint_eq(a.allocated, b.allocated);
	ck_assert_uint_eq(a.reserved, b.reserved);
	ck_assert_int_eq(a.number, b.number);
	ck_assert_int_eq(
		b.is_apart, (uint64_t)b.number < t->first || (uint64_t)b.number - t->first >= t->n);
}

static void same_course(const char *name)
{
	gs_snapshot whole, part;
	read_file(name, &whole);
	read_course(name, NULL, &part);
	ck_assert(part.excerpt);
	same_steps(&whole, &part);
	same_peak(&whole, &part);
	same_moments(&whole, name);
	gs_snapshot_release(&whole);
	gs_snapshot_release(&part);
}

START_TEST(figures_tell_the_steps_and_peaks_that_all_events_tell)
{
	run_of_steps("run.gsnap");
	same_course("run.gsnap");
}
END_TEST

/* --- cut in every section, read whole and in part */

static void copy_start(const char *from, const char *to, uint64_t bytes)
{
	char command[1000];
	snprintf(command, sizeof command, "head -c %llu %s/%s >%s/%s", (unsigned long long)bytes,
		folder, from, folder, to);
	ck_assert_int_eq(system(command), 0);
}

static gs_status read_bytes(void *arg, void *buf, size_t n, size_t *got, gs_error *e)
{
	(void)e;
	*got = buf || !n ? fread(buf, 1, n, arg) : fseek(arg, (long)n, SEEK_CUR) ? 0 : n;
	return GS_OK;
}

/* Headers of all sections of a file; malloc'd. */
static gs_section *list_sections(const char *name, size_t *n)
{
	char full[400];
	gs_section *all = NULL;
	gs_sections *r;
	snprintf(full, sizeof full, "%s/%s", folder, name);
	FILE *f = fopen(full, "rb");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(gs_sections_open(&r, (gs_section_input){read_bytes, f}, &err), GS_OK);
	for (*n = 0;; ++*n) {
		all = realloc(all, (*n + 1) * sizeof *all);
		gs_status status = gs_sections_next(r, &all[*n], &err);
		if (status == GS_END)
			break;
		ck_assert_msg(!status, "%s", err.text);
	}
	gs_sections_close(r);
	fclose(f);
	return all;
}

/* Cut somewhere behind seven tenths of the events: a step 20 is whole, wherever layouts lie. */
START_TEST(a_course_without_its_end_is_completed_from_the_last_events)
{
	size_t n, late = 0;
	run_of_steps("run.gsnap");
	gs_section *all = list_sections("run.gsnap", &n);
	uint64_t events = 0;
	for (size_t i = 0; i < n; i++)
		if (all[i].kind == GS_SECTION_EVENT)
			events = all[i].first + all[i].rows;
	while (all[late].kind != GS_SECTION_EVENT || all[late].first < events * 7 / 10)
		late++;
	for (int i = 0; i < 6; i++) {
		const gs_section *section = &all[late + next_random() % (n - late)];
		copy_start("run.gsnap", "cut.gsnap",
			section->offset + next_random() % (GS_GSNAP_SECTION_SIZE + section->packed));
		same_course("cut.gsnap");
	}
	free(all);
}
END_TEST

/* Whole and in part it answers alike, or does not answer. */
static bool same_answers(const char *name)
{
	static const char *const selectors[] = {"captured", "peak", "peak reserved", "100"};
	char full[400];
	gs_snapshot whole;
	snprintf(full, sizeof full, "%s/%s", folder, name);
	if (gs_read_path(full, GS_WANT_ALL, &whole, &err))
		return false;
	if (!whole.ndevices || whole.devices[0].trace.n <= 100) {
		gs_snapshot_release(&whole);
		return false;
	}
	for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++)
		same_moment(&whole, name, selectors[i]);
	gs_snapshot_release(&whole);
	return true;
}

/* In a section's header, in its body, and between two. */
static size_t cut_in(const gs_section *section, size_t *answers)
{
	const uint64_t body = section->offset + GS_GSNAP_SECTION_SIZE;
	const uint64_t cuts[] = {
		section->offset + 1, body, body + section->packed / 2, body + section->packed};
	for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
		copy_start("run.gsnap", "cut.gsnap", cuts[k]);
		*answers += same_answers("cut.gsnap");
	}
	return 1;
}

START_TEST(a_stream_cut_in_any_section_answers_alike_whole_and_in_part)
{
	enum { EACH = 6 }; /* the last ones of each kind */
	size_t n, cut[GS_SECTION_KINDS] = {0}, answers = 0;
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	config.stream_epoch = 100;
	open_recorder();
	for (int i = 0; i < 5; i++) {
		run(200);
		wait_until_written();
	}
	close_recorder();
	gs_section *all = list_sections("run.gsnap", &n);
	for (size_t i = n; i-- > 0;)
		if (cut[all[i].kind] < EACH)
			cut[all[i].kind] += cut_in(&all[i], &answers);
	ck_assert_uint_ge(cut[GS_SECTION_BLOCK], 2);
	ck_assert_uint_gt(answers, 20);
	free(all);
}
END_TEST

/* Each mark once, in order, under the name and stage that it was given. */
START_TEST(what_the_program_names_is_in_the_stream)
{
	enum { STEPS = 200 };
	char name[40];
	gs_snapshot s;
	open_recorder();
	for (int i = 0; i < STEPS; i++) {
		snprintf(name, sizeof name, "step %d", i);
		gs_marks_put(&recorder.dumper.marks, name, GS_MARK_MOMENT, gs_clock_ticks(&recorder.clock));
		gs_marks_put(&recorder.dumper.marks, "span", i % 2 ? GS_MARK_END : GS_MARK_START,
			gs_clock_ticks(&recorder.clock));
		run(5);
	}
	close_recorder();
	read_file("run.gsnap", &s);
	ck_assert_uint_eq(s.nannotations, 2 * STEPS);
	for (size_t i = 0; i < s.nannotations; i++) {
		const gs_annotation *a = &s.annotations[i];
		snprintf(name, sizeof name, "step %zu", i / 2);
		ck_assert_str_eq(gs_string_text(&s, a->name), i % 2 ? "span" : name);
		ck_assert_str_eq(gs_string_text(&s, a->stage),
			!(i % 2)         ? ""
				: i % 4 == 1 ? "START"
							 : "END");
		ck_assert_int_eq(a->device, 0);
		ck_assert(!i || a->time_us >= s.annotations[i - 1].time_us);
	}
	gs_snapshot_release(&s);
}
END_TEST

/* More marks than are kept, made faster than they are written: each has its microsecond, and the
 * event behind it is not in the step before. */
START_TEST(steps_of_one_event_are_all_in_the_stream)
{
	enum { STEPS = 3 * GS_MARKS_KEPT };
	gs_snapshot s;
	uint64_t a;
	open_recorder();
	allocate(100, &a);
	for (int i = 0; i < STEPS; i++) {
		char name[40];
		snprintf(name, sizeof name, "step %d", i);
		gs_marks_put(
			&recorder.dumper.marks, name, GS_MARK_MOMENT, gs_clock_ticks_apart(&recorder.clock));
		allocate(100, &a);
	}
	close_recorder();
	read_file("run.gsnap", &s);
	const gs_trace *t = &s.devices[0].trace;
	size_t n = 0; /* allocations so far; the first one is before the first step */
	ck_assert_uint_eq(s.nannotations, STEPS);
	for (size_t i = 0; i < t->n; i++) {
		if (gs_event_action(&t->events[i]) != GS_ACTION_ALLOC)
			continue;
		ck_assert(!n || t->events[i].time_us >= s.annotations[n - 1].time_us);
		ck_assert(n == STEPS || t->events[i].time_us < s.annotations[n].time_us);
		n++;
	}
	ck_assert_uint_eq(n, STEPS + 1);
	gs_snapshot_release(&s);
}
END_TEST

static void *make_steps(void *arg)
{
	for (int i = 0; i < 2 * GS_MARKS_KEPT; i++)
		gs_marks_put(
			&recorder.dumper.marks, "step", GS_MARK_MOMENT, gs_clock_ticks_apart(&recorder.clock));
	return arg;
}

/* Its thread comes to run when more have been made than are kept. */
START_TEST(no_step_is_lost_while_the_thread_of_a_stream_is_held_up)
{
	const struct timespec a_while = {0, 200000000};
	gs_snapshot s;
	uint64_t a;
	pthread_t thread;
	open_recorder();
	pthread_mutex_lock(&recorder.stream->lock);
	allocate(100, &a);
	ck_assert_int_eq(pthread_create(&thread, NULL, make_steps, NULL), 0);
	nanosleep(&a_while, NULL);
	pthread_mutex_unlock(&recorder.stream->lock);
	pthread_join(thread, NULL);
	close_recorder();
	read_file("run.gsnap", &s);
	ck_assert_uint_eq(s.nannotations, 2 * GS_MARKS_KEPT);
	gs_snapshot_release(&s);
}
END_TEST

static size_t file_size(const char *name)
{
	struct stat about;
	char full[400];
	snprintf(full, sizeof full, "%s/%s", folder, name);
	return stat(full, &about) ? 0 : (size_t)about.st_size;
}

START_TEST(a_stream_cut_anywhere_holds_its_whole_sections)
{
	gs_snapshot whole, cut;
	char command[300];
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	open_recorder();
	run(6000);
	close_recorder();
	read_file("run.gsnap", &whole);
	size_t size = file_size("run.gsnap"), most = 0, readable = 0;
	for (int i = 0; i < 60; i++) {
		snprintf(command, sizeof command, "head -c %zu %s >%s/cut.gsnap",
			(size_t)(next_random() % size), path, folder);
		ck_assert_int_eq(system(command), 0);
		snprintf(command, sizeof command, "%s/cut.gsnap", folder);
		if (gs_read_path(command, GS_WANT_ALL, &cut, &err))
			continue; /* before the first device */
		size_t n = cut.ndevices ? cut.devices[0].trace.n : 0;
		ck_assert(!cut.complete);
		ck_assert_uint_le(n, whole.devices[0].trace.n);
		same_events(&cut, &whole, n);
		if (n)
			same_state(&cut, &whole, n > 1000 ? "1000" : "0");
		most = n > most ? n : most;
		readable++;
		gs_snapshot_release(&cut);
	}
	ck_assert_uint_gt(readable, 50);
	ck_assert_uint_gt(most, whole.devices[0].trace.n / 2);
	gs_snapshot_release(&whole);
}
END_TEST

START_TEST(what_a_killed_process_streamed_is_there)
{
	gs_snapshot s;
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	for (int i = 0; i < 20; i++) {
		const struct timespec wait = {0, (long)(next_random() % 40000000)};
		pid_t child = fork();
		if (!child) {
			open_recorder();
			for (;;)
				run(1000);
		}
		nanosleep(&wait, NULL);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		if (!gs_read_path(path, GS_WANT_ALL, &s, &err)) {
			gs_layout l;
			gs_layout_init(&l);
			if (s.ndevices && s.devices[0].trace.n) {
				ck_assert_int_eq(
					gs_state_select(&s, &s.devices[0], "captured", &l, NULL, &err), GS_OK);
				ck_assert(l.exact);
			}
			gs_layout_release(&l);
			gs_snapshot_release(&s);
		} else {
			ck_assert_msg(
				err.status == GS_TRUNCATED || file_size("run.gsnap") == 0, "%s", err.text);
		}
		unlink(path);
	}
}
END_TEST

static size_t events_in_file(void)
{
	gs_snapshot s;
	if (gs_read_path(path, GS_WANT_ALL, &s, &err))
		return 0;
	size_t n = s.ndevices ? s.devices[0].trace.n : 0;
	gs_snapshot_release(&s);
	return n;
}

/* A few events each millisecond never pause for long, and would take seconds to fill a section. */
START_TEST(what_goes_on_slowly_is_in_the_file_all_the_same)
{
	const struct timespec step = {0, 1000000};
	uint64_t a;
	size_t seen = 0;
	open_recorder();
	for (int i = 0; i < 4000 && !seen; i++) {
		ck_assert_int_eq(allocate(1000, &a), GS_OK);
		give_back(a);
		nanosleep(&step, NULL);
		if (i % 100 == 99)
			seen = events_in_file();
	}
	ck_assert_uint_gt(seen, 0);
	close_recorder();
}
END_TEST

/* Another program takes the process over: what it replaced is in the file, which nobody writes on.
 */
START_TEST(a_process_that_becomes_another_leaves_its_stream)
{
	gs_snapshot s;
	int status;
	pid_t child = fork();
	if (!child) {
		open_recorder();
		run(3000);
		wait_until_written();
		const struct timespec flushed = {0, 500000000};
		nanosleep(&flushed, NULL);
		execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(WEXITSTATUS(status), 3);
	read_file("run.gsnap", &s);
	ck_assert(!s.complete);
	ck_assert_uint_gt(s.devices[0].trace.n, 3000);
	same_state(&s, &s, "captured");
	gs_snapshot_release(&s);
}
END_TEST

static gs_status to_file(void *arg, const void *data, size_t n)
{
	return fwrite(data, 1, n, arg) == n ? GS_OK : GS_IO;
}

/* The file's only layout is from before the first event. */
START_TEST(a_stream_becomes_a_pickle_of_its_last_state)
{
	gs_snapshot s, pickle;
	gs_layout last;
	int status;
	pid_t child = fork();
	if (!child) { /* which ends without a last layout */
		config.stream_epoch = 1 << 20;
		open_recorder();
		run(300);
		wait_until_written();
		const struct timespec flushed = {0, 500000000};
		nanosleep(&flushed, NULL);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	read_file("run.gsnap", &s);
	ck_assert_uint_eq(s.devices[0].captured.nsegments, 0);
	gs_layout_init(&last);
	ck_assert_int_eq(gs_state_select(&s, &s.devices[0], "captured", &last, NULL, &err), GS_OK);
	char name[128];
	snprintf(name, sizeof name, "%s/run.pickle", folder);
	FILE *f = fopen(name, "wb");
	ck_assert_int_eq(gs_export_pytorch(&s, to_file, f, NULL, &err), GS_OK);
	fclose(f);
	read_file("run.pickle", &pickle);
	ck_assert_uint_gt(last.nsegments, 0);
	ck_assert_uint_eq(pickle.devices[0].captured.nsegments, last.nsegments);
	ck_assert_uint_eq(pickle.devices[0].captured.nblocks, last.nblocks);
	for (size_t i = 0; i < last.nblocks; i++) {
		const gs_block *b = &pickle.devices[0].captured.blocks[i];
		ck_assert(b->address == last.blocks[i].address && b->state == last.blocks[i].state);
	}
	gs_layout_release(&last);
	gs_snapshot_release(&pickle);
	gs_snapshot_release(&s);
}
END_TEST

/* One line, and the program goes on. */
START_TEST(a_read_only_folder_costs_one_line)
{
	uint64_t a;
	char file[100];
	snprintf(file, sizeof file, "%s/closed", folder);
	ck_assert_int_eq(mkdir(file, 0555), 0);
	snprintf(file, sizeof file, "%s/closed/run.gsnap", folder);
	gs_config_set(&config, GS_ENV_STREAM, file, &err);
	if (!getuid())
		ck_assert_int_eq(seteuid(65534), 0);
	open_recorder();
	if (!getuid())
		ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(allocate(100, &a), GS_OK);
	give_back(a);
	ck_assert_int_eq(lines_said(), 1);
	ck_assert_int_ne(access(file, F_OK), 0);
}
END_TEST

START_TEST(a_full_disk_ends_the_stream_with_one_line_and_the_ring_goes_on)
{
	gs_snapshot s;
	const struct rlimit small = {40000, 40000};
	pid_t child = fork();
	int status;
	if (!child) {
		gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
		open_recorder();
		run(30000);
		uint64_t n = heap()->log.ring.count;
		close_recorder();
		_exit(n < 60000 || lines_said() != 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	read_file("run.gsnap", &s);
	ck_assert(!s.complete);
	ck_assert_uint_gt(s.devices[0].trace.n, 1000);
	ck_assert_uint_eq(s.cut_at, file_size("run.gsnap")); /* not a byte behind the last section */
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_forked_child_streams_into_a_file_of_its_own)
{
	gs_snapshot parent, child;
	char name[64];
	int status;
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	open_recorder();
	run(1000);
	wait_until_written(); /* its thread is past its beginning, in which AddressSanitizer takes locks
							 that a child would find taken */
	run(1000);
	uint64_t before = heap()->log.ring.count;
	pid_t pid = fork();
	if (!pid) {
		run(1000);
		close_recorder();
		_exit(0);
	}
	run(500);
	uint64_t all = heap()->log.ring.count;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	close_recorder();
	read_file("run.gsnap", &parent);
	ck_assert_uint_eq(parent.devices[0].trace.n, all);
	snprintf(name, sizeof name, "run-%d.gsnap", pid);
	read_file(name, &child);
	ck_assert_uint_eq(child.devices[0].trace.dropped, before);
	ck_assert_int_eq(child.pid, pid);
	ck_assert_uint_gt(child.devices[0].trace.n, 1500);
	ck_assert(child.complete && child.devices[0].has_layout);
	gs_snapshot_release(&parent);
	gs_snapshot_release(&child);
}
END_TEST

/* Nobody empties the child's lane: it does not wait for that. */
START_TEST(a_child_forked_after_the_stream_has_ended_goes_on)
{
	const struct rlimit small = {40000, 40000};
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	pid_t parent = fork();
	int status;
	if (!parent) {
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
		open_recorder();
		while (!lines_said())
			run(3000);
		pid_t child = fork();
		if (!child) {
			run(2 * GS_LANE_EVENTS);
			close_recorder();
			_exit(lines_said() != 1);
		}
		waitpid(child, &status, 0);
		_exit(status != 0);
	}
	ck_assert_int_eq(waitpid(parent, &status, 0), parent);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* No thread of ours can be had, here because none has room for its stack. */
START_TEST(a_stream_without_a_thread_ends_with_one_line)
{
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	ck_assert_int_eq(pthread_attr_setstacksize(&attr, (size_t)1 << 46), 0);
	ck_assert_int_eq(pthread_setattr_default_np(&attr), 0);
	pthread_attr_destroy(&attr);
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	open_recorder();
	run(2 * GS_LANE_EVENTS);
	ck_assert_uint_gt(heap()->log.ring.count, 2 * GS_LANE_EVENTS);
	ck_assert_int_eq(lines_said(), 1);
	close_recorder();
	ck_assert_int_eq(lines_said(), 1);
}
END_TEST

/* More than the lane holds of them at once. */
START_TEST(each_failure_of_many_in_a_row_has_its_figures)
{
	enum { FAILURES = 40 * GS_LANE_OOMS };
	uint64_t a;
	gs_snapshot s;
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	open_recorder();
	for (uint64_t i = 0; i < FAILURES; i++)
		ck_assert_int_eq(allocate((5000 + i) * MIB, &a), GS_DEVICE_MEMORY);
	close_recorder();
	read_file("run.gsnap", &s);
	ck_assert_uint_eq(s.nooms, FAILURES);
	for (uint64_t i = 0; i < FAILURES; i++)
		ck_assert_int_eq(s.ooms[i].requested, (int64_t)((5000 + i) * MIB));
	gs_snapshot_release(&s);
}
END_TEST

/* Here nobody writes any. */
START_TEST(no_figures_of_a_failure_are_lost_to_those_of_a_later_one)
{
	static gs_lane_consumer nobody;
	static gs_lane l = {.consumer = &nobody};
	gs_stage_oom oom = {0};
	for (uint64_t i = 0; i < GS_LANE_OOMS + 3; i++) {
		oom.figures.requested = 1 + i;
		gs_lane_push_oom(&l, &oom);
	}
	ck_assert_uint_eq(l.nooms, GS_LANE_OOMS);
	for (uint64_t i = 0; i < GS_LANE_OOMS; i++)
		ck_assert_uint_eq(l.ooms[i].figures.requested, 1 + i);
}
END_TEST

static void *churn(void *arg)
{
	uint64_t a;
	(void)arg;
	for (int i = 0; i < 4000; i++)
		if (!allocate(1000 + (uint64_t)i % 5000, &a))
			give_back(a);
	return NULL;
}

START_TEST(threads_stream_every_event_once)
{
	pthread_t t[16];
	gs_snapshot s;
	open_recorder();
	for (int i = 0; i < 16; i++)
		pthread_create(&t[i], NULL, churn, NULL);
	for (int i = 0; i < 16; i++)
		pthread_join(t[i], NULL);
	uint64_t n = heap()->log.ring.count;
	close_recorder();
	read_file("run.gsnap", &s);
	ck_assert_uint_eq(s.devices[0].trace.n, n);
	ck_assert(s.complete);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_capped_stream_keeps_its_newest_part_with_a_layout)
{
	gs_snapshot s, old;
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	config.stream_bytes = 200000;
	open_recorder();
	run(24000);
	uint64_t n = heap()->log.ring.count;
	close_recorder();
	ck_assert_uint_le(file_size("run.gsnap") + file_size("run-old.gsnap"),
		400000); /* it is asked for at 100000 */
	read_file("run.gsnap", &s);
	read_file("run-old.gsnap", &old);
	ck_assert_uint_gt(s.devices[0].trace.dropped, 0);
	ck_assert_uint_eq(s.devices[0].trace.dropped + s.devices[0].trace.n, n);
	ck_assert_uint_eq(
		old.devices[0].trace.dropped + old.devices[0].trace.n, s.devices[0].trace.dropped);
	ck_assert(s.devices[0].has_layout && s.complete);
	gs_snapshot_release(&s);
	gs_snapshot_release(&old);
}
END_TEST

START_TEST(a_file_that_is_there_is_left_alone)
{
	gs_snapshot s;
	char name[64];
	FILE *f = fopen(path, "w");
	fputs("mine", f);
	fclose(f);
	open_recorder();
	run(10);
	close_recorder();
	ck_assert_uint_eq(file_size("run.gsnap"), 4);
	snprintf(name, sizeof name, "run-%d.gsnap", getpid());
	read_file(name, &s);
	gs_snapshot_release(&s);
}
END_TEST

/* As daemon(3) does it. */
START_TEST(a_parent_that_ends_right_behind_its_fork_has_told_what_it_did)
{
	gs_snapshot s;
	int status;
	pid_t parent = fork();
	if (!parent) {
		gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
		open_recorder();
		run(300);
		_exit(!fork() || heap()->log.ring.count < 300);
	}
	ck_assert_int_eq(waitpid(parent, &status, 0), parent);
	ck_assert_int_eq(status, 0);
	read_file("run.gsnap", &s);
	ck_assert_uint_gt(s.devices[0].trace.n, 300);
	gs_snapshot_release(&s);
}
END_TEST

/* Its first thread leaves by pthread_exit, another goes on a while: the process ends with that one,
 * and its stream is whole. */
static void *work_and_end(void *arg)
{
	const struct timespec a_while = {0, 300000000};
	nanosleep(&a_while, NULL);
	run(300);
	return arg;
}

START_TEST(a_program_ends_with_the_last_thread_of_its_own)
{
	gs_snapshot s;
	int status = -1;
	pid_t ended = 0, program = fork();
	if (!program) {
		pthread_t thread;
		gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
		open_recorder();
		if (pthread_create(&thread, NULL, work_and_end, NULL))
			_exit(1);
		pthread_exit(NULL);
	}
	const struct timespec step = {0, 20000000};
	for (int i = 0; i < 1000 && !ended; i++) {
		ended = waitpid(program, &status, WNOHANG);
		nanosleep(&step, NULL);
	}
	if (!ended)
		kill(program, SIGKILL);
	ck_assert_int_eq(ended, program);
	ck_assert(WIFEXITED(status)); /* a sanitizer misses what the first thread had on its stack */
	read_file("run.gsnap", &s);
	ck_assert_uint_gt(s.devices[0].trace.n, 300);
	ck_assert(s.complete);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_process_streams_as_often_as_it_opens_a_recorder)
{
	char name[64];
	gs_snapshot s;
	for (int i = 0; i < 15; i++) {
		open_recorder();
		run(10 + i);
		close_recorder();
	}
	ck_assert_int_eq(lines_said(), 0);
	snprintf(name, sizeof name, "run-%d-14.gsnap", getpid());
	read_file(name, &s);
	ck_assert(s.complete);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_name_of_a_folder_or_a_pipe_costs_one_line)
{
	static const char *const names[] = {"folder", "pipe"};
	char file[100];
	snprintf(file, sizeof file, "%s/folder", folder);
	ck_assert_int_eq(mkdir(file, 0755), 0);
	snprintf(file, sizeof file, "%s/pipe", folder);
	ck_assert_int_eq(mkfifo(file, 0600), 0);
	for (int i = 0; i < 2; i++) {
		uint64_t a;
		snprintf(file, sizeof file, "%s/%s", folder, names[i]);
		gs_config_set(&config, GS_ENV_STREAM, file, &err);
		open_recorder();
		ck_assert_int_eq(allocate(100, &a), GS_OK);
		close_recorder();
		ck_assert_int_eq(lines_said(), i + 1);
		snprintf(file, sizeof file, "%s/%s-%d", folder, names[i], getpid());
		ck_assert_int_ne(access(file, F_OK), 0);
	}
}
END_TEST

/* The limit's signal would end the program. */
START_TEST(a_disk_without_room_for_the_first_byte_leaves_no_file)
{
	const struct rlimit none = {0, 0};
	int status;
	pid_t child = fork();
	if (!child) {
		uint64_t a;
		gs_sim_config c = {.capacity = 4096 * MIB, .number = 0};
		gs_sim_init(&sim, &c);
		gs_heap_config h = {.ops = &gs_sim_ops, .device = sim, .name = "test card"};
		/* stderr is a file here, and so is where a ck_assert notes that it was met */
		gs_config_set(&config, GS_ENV_LOG, "none", &err);
		setrlimit(RLIMIT_FSIZE, &none);
		_exit(gs_recorder_init(&recorder, &config, 0, &err) ||
			gs_recorder_add_device(&recorder, &h, &err) || allocate(100, &a) != GS_OK ||
			!access(path, F_OK));
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(a_capped_stream_whose_folder_is_gone_ends_with_one_line)
{
	char file[100];
	snprintf(file, sizeof file, "%s/gone", folder);
	ck_assert_int_eq(mkdir(file, 0755), 0);
	snprintf(file, sizeof file, "%s/gone/run.gsnap", folder);
	gs_config_set(&config, GS_ENV_STREAM, file, &err);
	gs_config_set(&config, GS_ENV_MAX_DUMPS, "0", &err);
	config.stream_bytes = 200000;
	open_recorder();
	run(100);
	ck_assert_int_eq(unlink(file), 0);
	snprintf(file, sizeof file, "%s/gone", folder);
	ck_assert_int_eq(rmdir(file), 0);
	run(24000);
	close_recorder();
	ck_assert_int_eq(lines_said(), 1);
}
END_TEST

START_TEST(a_stream_that_cannot_be_opened_costs_one_line)
{
	uint64_t a;
	char file[100];
	snprintf(file, sizeof file, "%s/err/run.gsnap", folder); /* err is a file */
	gs_config_set(&config, GS_ENV_STREAM, file, &err);
	open_recorder();
	ck_assert_int_eq(allocate(100, &a), GS_OK);
	ck_assert_int_eq(lines_said(), 1);
}
END_TEST

Suite *suite_recorder_stream(void);
Suite *suite_recorder_stream(void)
{
	Suite *s = suite_create("recorder_stream");
	TCase *t = tcase_create("streams");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, the_stream_holds_every_event_and_every_state_that_the_ring_shows);
	tcase_add_test(t, a_moment_right_before_a_layout_is_found);
	tcase_add_test(t, one_state_costs_the_events_since_a_layout_whatever_the_length);
	tcase_add_loop_test(t, a_stream_says_that_not_all_tags_had_room, 0, 2);
	tcase_add_test(t, a_part_of_a_stream_without_an_end_is_found_by_its_headers);
	tcase_add_test(t, a_short_stream_is_read_whole_where_that_was_asked_for);
	tcase_add_test(t, figures_tell_the_steps_and_peaks_that_all_events_tell);
	tcase_add_test(t, a_course_without_its_end_is_completed_from_the_last_events);
	tcase_add_test(t, a_stream_cut_in_any_section_answers_alike_whole_and_in_part);
	tcase_add_test(t, what_the_program_names_is_in_the_stream);
	tcase_add_test(t, a_stream_becomes_a_pickle_of_its_last_state);
	tcase_add_test(t, steps_of_one_event_are_all_in_the_stream);
	tcase_add_test(t, no_step_is_lost_while_the_thread_of_a_stream_is_held_up);
	tcase_add_test(t, a_stream_cut_anywhere_holds_its_whole_sections);
	tcase_add_test(t, what_a_killed_process_streamed_is_there);
	tcase_add_test(t, what_goes_on_slowly_is_in_the_file_all_the_same);
	tcase_add_test(t, a_process_that_becomes_another_leaves_its_stream);
	tcase_add_test(t, a_read_only_folder_costs_one_line);
	tcase_add_test(t, a_full_disk_ends_the_stream_with_one_line_and_the_ring_goes_on);
	tcase_add_test(t, a_forked_child_streams_into_a_file_of_its_own);
	tcase_add_test(t, a_child_forked_after_the_stream_has_ended_goes_on);
	tcase_add_test(t, a_stream_without_a_thread_ends_with_one_line);
	tcase_add_test(t, no_figures_of_a_failure_are_lost_to_those_of_a_later_one);
	tcase_add_test(t, each_failure_of_many_in_a_row_has_its_figures);
	tcase_add_test(t, threads_stream_every_event_once);
	tcase_add_test(t, a_capped_stream_keeps_its_newest_part_with_a_layout);
	tcase_add_test(t, a_file_that_is_there_is_left_alone);
	tcase_add_test(t, a_stream_that_cannot_be_opened_costs_one_line);
	tcase_add_test(t, a_parent_that_ends_right_behind_its_fork_has_told_what_it_did);
	tcase_add_test(t, a_program_ends_with_the_last_thread_of_its_own);
	tcase_add_test(t, a_process_streams_as_often_as_it_opens_a_recorder);
	tcase_add_test(t, the_name_of_a_folder_or_a_pipe_costs_one_line);
	tcase_add_test(t, a_disk_without_room_for_the_first_byte_leaves_no_file);
	tcase_add_test(t, a_capped_stream_whose_folder_is_gone_ends_with_one_line);
	suite_add_tcase(s, t);
	return s;
}
