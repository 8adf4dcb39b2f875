/* The verdict: on failures of a real PyTorch (tests/data/diagnose: those handed out, and those of
 * tests/torch/failures.py), on messages by bounds, and on random heaps against brute force. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/advice/advice.h"
#include "analyzer/advice/answer.h"
#include "schema/printable.h"
#include "analyzer/model/frames.h"
#include "analyzer/read/open/reader.h"
#include "recorder/pool/pool.h"
#include "recorder/pool/sim_device.h"

#define COUNT(rows) (int)(sizeof(rows) / sizeof *(rows))
enum { MIB = 1 << 20 };

/* --- real failures -------------------------------------------------------------------------------
 */

typedef struct expected {
	char name[64], verdict[32];
	int exact;
	int64_t capacity, needed, device_free;
} expected;

enum { CASES = 26 };

static void read_expected(int row, expected *e)
{
	char line[300];
	FILE *f = fopen("tests/data/diagnose/expected.txt", "r");
	ck_assert_ptr_nonnull(f);
	for (int i = -1; i < row;) {
		ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
		i += *line != '#';
	}
	fclose(f);
	ck_assert_int_eq(sscanf(line, "%63s %31s %d %" SCNd64 " %" SCNd64 " %" SCNd64, e->name,
						 e->verdict, &e->exact, &e->capacity, &e->needed, &e->device_free),
		6);
}

static void open_case(const char *name, gs_snapshot *s)
{
	char path[200];
	gs_error err = GS_ERROR_INIT;
	snprintf(path, sizeof path, "tests/data/diagnose/%s.pickle.zst", name);
	gs_snapshot_init(s);
	ck_assert_msg(!gs_read_path(path, GS_WANT_ALL, s, &err), "%s: %s", path, err.text);
}

static void diagnose(const gs_snapshot *s, int64_t capacity, gs_diagnosis *d)
{
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	gs_error err = GS_ERROR_INIT;
	o.capacity = capacity;
	ck_assert_msg(!gs_diagnose(s, &o, d, &err), "%s", err.text);
}

START_TEST(the_verdict_on_a_real_failure_is_what_was_done_to_it)
{
	expected e;
	gs_snapshot s;
	gs_diagnosis d;
	read_expected(_i, &e);
	open_case(e.name, &s);

	diagnose(&s, e.capacity, &d);

	ck_assert_msg(!strcmp(gs_step_word(d.verdict), e.verdict), "%s: %s, expected %s", e.name,
		gs_step_word(d.verdict), e.verdict);
	ck_assert_msg(d.exact == e.exact, "%s: exact %d", e.name, d.exact);
	ck_assert_int_eq(d.needed, e.needed);
	ck_assert_int_eq(d.device_free, e.device_free);
	for (int i = 0; i < d.nladder && d.ladder[i].step < d.verdict; i++)
		ck_assert_int_eq(d.ladder[i].fits, 0);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(without_the_capacity_memory_held_outside_is_a_shortage_that_says_so)
{
	gs_snapshot s;
	gs_diagnosis d;
	char doubts[1000];
	open_case("fault_outside", &s);

	diagnose(&s, GS_NONE, &d);

	ck_assert_int_eq(d.verdict, GS_VERDICT_SHORTAGE);
	ck_assert(!d.exact && d.null[GS_STEP_OUTSIDE]);
	ck_assert_int_eq(d.missing, 4194304000 - 2617245696);
	ck_assert_ptr_nonnull(strstr(gs_diagnosis_doubts(&d, doubts, sizeof doubts), "--capacity"));
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_recording_that_the_caller_keeps_is_used_and_stays)
{
	gs_snapshot s;
	gs_diagnosis d;
	gs_recording kept;
	gs_error err = GS_ERROR_INIT;
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	gs_category_rules *rules = NULL;
	static const char none[] = "activation train.py";
	open_case("fault_leak", &s);
	gs_recording_init(&kept, &s, &s.devices[0], NULL);
	o.recordings = (gs_recordings){&kept, 1};

	ck_assert(!gs_diagnose(&s, &o, &d, &err));
	ck_assert_ptr_eq(d.recording, &kept);
	ck_assert(kept.has_history && kept.has_meaning && !d.own.has_history);
	gs_diagnosis_release(&d);
	ck_assert_uint_eq(kept.history.n, s.devices[0].trace.n);

	/* by other rules for categories it is another recording */
	ck_assert(!gs_category_rules_read(none, strlen(none), &rules, &err));
	o.rules = rules;
	ck_assert(!gs_diagnose(&s, &o, &d, &err));
	ck_assert_ptr_eq(d.recording, &d.own);
	gs_diagnosis_release(&d);

	gs_category_rules_free(rules);
	gs_recording_release(&kept);
	gs_snapshot_release(&s);
}
END_TEST

static bool stack_names(const gs_snapshot *s, gs_id stack, const char *function)
{
	char text[4000];
	gs_stack_text(s, stack, false, text, sizeof text);
	return strstr(text, function) != NULL;
}

START_TEST(a_leak_is_blamed_on_the_function_that_keeps)
{
	static const char *const names[][2] = {
		{"fault_leak", "keep_metrics"}, {"fragmented_and_leaking", "keep_log"}};
	gs_snapshot s;
	gs_diagnosis d;
	open_case(names[_i][0], &s);

	diagnose(&s, GS_NONE, &d);

	ck_assert_uint_gt(d.ngrowth, 0);
	ck_assert(stack_names(&s, d.growth[0].stack, names[_i][1]));
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* Allocations alone show no more than that a program builds up. */
START_TEST(what_only_builds_up_is_no_leak)
{
	static const char *const names[] = {"first_forward", "one_line_thirty_times",
		"parameters_updated", "two_devices_built_up", "two_lines_in_turn", "notebook_cell",
		"fault_rounding"};
	gs_snapshot s;
	gs_diagnosis d;
	open_case(names[_i], &s);

	diagnose(&s, GS_NONE, &d);

	ck_assert_uint_eq(d.ngrowth, 0);
	ck_assert_uint_gt(d.nholders, 0);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* 5 GiB in pages of 20 MiB, the first 52 of which hold 1 GiB of blocks: the other 204 can go. */
START_TEST(whole_pages_of_an_expandable_segment_can_go_back)
{
	gs_snapshot s;
	gs_diagnosis d;
	open_case("expandable_one_hole", &s);

	diagnose(&s, GS_NONE, &d);

	ck_assert_uint_eq(d.free_whole, 204 * UINT64_C(20) * MIB);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_limit_that_is_told_is_named_and_bounds_what_is_left)
{
	gs_snapshot s;
	gs_diagnosis d;
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	open_case("fault_limit", &s);
	o.allowed = 409 * MIB;

	ck_assert_int_eq(gs_diagnose(&s, &o, &d, NULL), GS_OK);

	ck_assert_int_eq(d.verdict, GS_STEP_LIMIT);
	ck_assert_str_eq(d.refused_by, "fraction");
	ck_assert_int_eq(d.ladder[GS_STEP_SEGMENT_SIZE].available, 209 * MIB);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_failing_device_is_diagnosed_and_another_can_be_named)
{
	gs_snapshot s;
	gs_diagnosis d;
	gs_diagnose_options o = GS_DIAGNOSE_OPTIONS_INIT;
	open_case("two_devices_one_failing", &s);
	ck_assert_int_eq(gs_diagnose(&s, &o, &d, NULL), GS_OK);
	ck_assert_int_eq(d.device->device, 1);
	gs_diagnosis_release(&d);
	o.any_device = false;

	ck_assert_int_eq(gs_diagnose(&s, &o, &d, NULL), GS_OK);

	ck_assert_int_eq(d.verdict, GS_VERDICT_NONE);
	ck_assert_uint_gt(d.npool_fits, 0);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

static char *printed(const gs_diagnosis *d, const gs_voice *voice)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	ck_assert_ptr_nonnull(f);
	gs_diagnosis_print(d, f, voice);
	fclose(f);
	return text;
}

START_TEST(an_answer_begins_with_its_verdict_and_fits_a_screen_of_any_width)
{
	expected e;
	gs_snapshot s;
	gs_diagnosis d;
	char verdict[64];
	read_expected(_i, &e);
	open_case(e.name, &s);
	diagnose(&s, e.capacity, &d);
	ck_assert_int_eq(gs_advise(&d, true, NULL), GS_OK);
	snprintf(verdict, sizeof verdict, "%s: ", e.verdict);

	for (int width = 60; width <= 100; width += 20) {
		gs_voice voice = {.width = width, .utf8 = true};
		char *text = printed(&d, &voice);
		size_t lines = 0;
		ck_assert_msg(!strncmp(text, verdict, strlen(verdict)), "%s: %s", e.name, text);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
			ck_assert_msg(gs_utf8_width(line, strlen(line)) <= (size_t)width, "%s", line);
		if (width >= 80)
			ck_assert_msg(lines <= 24, "%s: %zu lines", e.name, lines);
		free(text);
	}
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(without_utf8_an_answer_is_ascii)
{
	expected e;
	gs_snapshot s;
	gs_diagnosis d;
	gs_voice voice = GS_VOICE_INIT;
	read_expected(_i, &e);
	open_case(e.name, &s);
	diagnose(&s, e.capacity, &d);
	ck_assert_int_eq(gs_advise(&d, true, NULL), GS_OK);

	char *text = printed(&d, &voice);

	for (const char *at = text; *at; at++)
		ck_assert_msg((unsigned char)*at < 0x80, "%s", at);
	free(text);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* --- messages ------------------------------------------------------------------------------------
 */

static const struct {
	const char *text, *verdict;
	int exact;
	int64_t missing;
} messages[] = {
	{"CUDA out of memory. Tried to allocate 400.00 MiB. GPU 0 has a total capacity of 1024.00 MiB of which 824.00 MiB is free. Of the allocated "
	 "memory 200.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.",
		"unknown", 0, GS_NONE}, /* what the driver had when it refused is not told */
	{"CUDA out of memory. Tried to allocate 400.00 MiB. GPU 0 has a total capacity of 1024.00 MiB of which 24.00 MiB is free. Of the allocated "
	 "memory 990.00 MiB is allocated by PyTorch, and 10.00 MiB is reserved by PyTorch but unallocated.",
		"shortage", 0, 366 * MIB},
	{"CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 1024.00 MiB of which 16.00 MiB is free. Of the allocated "
	 "memory 1008.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.",
		"unknown", 0, GS_NONE},
	{"CUDA out of memory. Tried to allocate 200.00 MiB. GPU 0 has a total capacity of 1024.00 MiB of which 24.00 MiB is free. Of the allocated "
	 "memory 120.00 MiB is allocated by PyTorch, and 880.00 MiB is reserved by PyTorch but unallocated.",
		"stranded", 0, GS_NONE},
	{"CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 16.00 GiB of which 2.44 GiB is free. Of the allocated "
	 "memory 1.56 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.",
		"outside", 0, GS_NONE},
};

/* The end of a dump tells how much was free, not in which pieces: it may not be said that a piece
 * was large enough. */
START_TEST(free_memory_of_unknown_pieces_proves_no_missed_fit)
{
	static const char log[] =
		"2025-02-02 02:02:02.000001: I external/xla/xla/tsl/framework/bfc_allocator.cc:1122] 2 Chunks of size 1048576 totalling 2.00MiB\n"
		"2025-02-02 02:02:02.000002: I external/xla/xla/tsl/framework/bfc_allocator.cc:1126] Sum Total of in-use chunks: 2.00MiB\n"
		"2025-02-02 02:02:02.000003: I external/xla/xla/tsl/framework/bfc_allocator.cc:1128] Total bytes in pool: 8388608 memory_limit_: 8389632 "
		"available bytes: 1024 curr_region_allocation_bytes_: 16777216\n"
		"2025-02-02 02:02:02.000004: I external/xla/xla/tsl/framework/bfc_allocator.cc:1133] Stats: \nLimit:                         8389632\n"
		"InUse:                         2097152\nMaxInUse:                      2097152\nNumAllocs:                           2\n"
		"MaxAllocSize:                  1048576\n\nE0202 02:02:02.000005  4242 pjrt_stream_executor_client.cc:3088] Execution of replica 0 failed: "
		"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4194304 bytes.\n";
	gs_snapshot s;
	gs_diagnosis d;
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(!gs_read_memory(log, sizeof log - 1, GS_WANT_ALL, &s, &err), "%s", err.text);
	diagnose(&s, GS_NONE, &d);
	ck_assert_str_eq(gs_step_word(d.verdict), "fragmented");
	ck_assert_int_eq(d.requested, 4194304);
	ck_assert_int_eq(d.free, 6291456);
	ck_assert(d.null[GS_STEP_MISSED_FIT] && !d.exact);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_message_is_judged_by_bounds)
{
	gs_snapshot s;
	gs_diagnosis d;
	gs_error err = GS_ERROR_INIT;
	gs_snapshot_init(&s);
	ck_assert_msg(
		!gs_read_memory(messages[_i].text, strlen(messages[_i].text), GS_WANT_ALL, &s, &err), "%s",
		err.text);

	diagnose(&s, GS_NONE, &d);

	ck_assert_str_eq(gs_step_word(d.verdict), messages[_i].verdict);
	ck_assert_int_eq(d.exact, messages[_i].exact);
	if (messages[_i].missing != GS_NONE)
		ck_assert_int_eq(d.missing, messages[_i].missing);
	gs_diagnosis_release(&d);
	gs_snapshot_release(&s);
}
END_TEST

/* --- random heaps against brute force --- */

static uint64_t seed_state;

static uint64_t draw(uint64_t below)
{
	seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed_state >> 33) % below;
}

enum { UNIT = 512, MOST_SEGMENTS = 24, MOST_CELLS = 64 * MIB / UNIT };

/* A heap as cells of 512 bytes, the brute form. */
typedef struct heap {
	gs_snapshot s;
	unsigned char cell[MOST_SEGMENTS][MOST_CELLS]; /* gs_block_state */
	uint64_t cells[MOST_SEGMENTS];
	uint64_t waste;
	uint64_t request, device_free, capacity, reserved;
	gs_policy_request r;
} heap;

static void add_block(heap *h, gs_layout *l, uint64_t at, uint64_t size, gs_block_state state)
{
	gs_segment *g = &l->segments[l->nsegments - 1];
	gs_block *b = &l->blocks[l->nblocks++];
	uint64_t waste = state == GS_INACTIVE ? 0 : draw(UNIT);
	*b = (gs_block){.address = g->address + at,
		.size = size,
		.requested = state == GS_INACTIVE ? GS_NONE : (int64_t)(size - waste),
		.idx = GS_NONE,
		.segment = (uint32_t)(l->nsegments - 1),
		.state = (uint8_t)state};
	g->nblocks++;
	h->waste += waste;
	memset(&h->cell[l->nsegments - 1][at / UNIT], (int)state, size / UNIT);
}

static void add_segment(heap *h, gs_layout *l, uint64_t size)
{
	gs_segment *g = &l->segments[l->nsegments++];
	*g = (gs_segment){.address = UINT64_C(0x7f0000000000) + l->nsegments * UINT64_C(0x10000000),
		.size = size,
		.stream = draw(2),
		.has_address = true,
		.pool = size == 2 * MIB ? GS_SMALL : GS_LARGE,
		.first_block = l->nblocks,
		.pool_id = {draw(4) == 0, 0}};
	h->cells[l->nsegments - 1] = size / UNIT;
	h->reserved += size;
	gs_block_state last = GS_ACTIVE_ALLOCATED;
	for (uint64_t at = 0; at < size;) {
		uint64_t n = (1 + draw(size / UNIT / 3 + 1)) * UNIT, left = size - at;
		gs_block_state state = draw(10) < 4 ? GS_INACTIVE
			: draw(10) < 8                  ? GS_ACTIVE_ALLOCATED
											: GS_ACTIVE_PENDING_FREE;
		if (state == GS_INACTIVE && last == GS_INACTIVE)
			state = GS_ACTIVE_ALLOCATED;
		n = n > left ? left : n;
		add_block(h, l, at, n, state);
		at += n;
		last = state;
	}
}

/* A device whose layout is that of its one OOM. */
static heap *random_heap(uint64_t seed)
{
	heap *h = calloc(1, sizeof *h);
	seed_state = seed * 7919 + 1;
	gs_snapshot_init(&h->s);
	h->s.kind = GS_KIND_PYTORCH;
	gs_device *d = gs_snapshot_device(&h->s, 0);
	gs_layout *l = &d->captured;
	l->segments = calloc(MOST_SEGMENTS, sizeof *l->segments);
	l->blocks = calloc(MOST_SEGMENTS * 400, sizeof *l->blocks);
	for (uint64_t n = 1 + draw(12); n; n--)
		add_segment(h, l, draw(3) ? (10 + 2 * draw(20)) * MIB : 2 * MIB);
	d->has_layout = d->layout_at_oom = true;
	h->request = draw(4) ? (1 + draw(60 * MIB / UNIT)) * UNIT : (1 + draw(2048)) * UNIT;
	h->device_free = draw(30) * MIB;
	h->capacity = h->reserved + h->device_free + (uint64_t)MIB * draw(1200);
	gs_oom *oom = gs_snapshot_add_oom(&h->s);
	oom->device = 0;
	oom->requested = (int64_t)h->request;
	oom->device_free = (int64_t)h->device_free;
	oom->capacity = (int64_t)h->capacity;
	oom->stream = 0;
	oom->has_pool_id = true;
	h->r = (gs_policy_request){.size = h->request, .pool = h->request <= MIB ? GS_SMALL : GS_LARGE};
	return h;
}

static void release_heap(heap *h)
{
	gs_snapshot_release(&h->s);
	free(h);
}

static uint64_t segment_asked(uint64_t request)
{
	return request <= MIB    ? 2 * MIB
		: request < 10 * MIB ? 20 * MIB
							 : (request + 2 * MIB - 1) / (2 * MIB) * (2 * MIB);
}

typedef bool belongs(const heap *h, const gs_segment *g);

static bool is_same(const heap *h, const gs_segment *g)
{
	return !g->pool_id.a && g->stream == h->r.stream && g->pool == h->r.pool;
}
static bool is_other_stream(const heap *h, const gs_segment *g)
{
	return !g->pool_id.a && g->stream != h->r.stream;
}
static bool is_other_pool(const heap *h, const gs_segment *g)
{
	(void)h;
	return g->pool_id.a != 0;
}
static bool is_any(const heap *h, const gs_segment *g)
{
	(void)h;
	(void)g;
	return true;
}

static bool is_small(const heap *h, const gs_segment *g)
{
	(void)h;
	return g->pool == GS_SMALL;
}

static bool is_free(unsigned char cell, bool waited)
{
	return cell == GS_INACTIVE || (waited && cell == GS_ACTIVE_PENDING_FREE);
}

/* The longest run of free cells in one segment of those; all their free cells; segments that
 * waiting makes whole. */
static void scan(const heap *h, belongs *wanted, bool waited, uint64_t *longest, uint64_t *total,
	uint64_t *whole)
{
	const gs_layout *l = &h->s.devices[0].captured;
	*longest = *total = *whole = 0;
	for (size_t i = 0; i < l->nsegments; i++) {
		uint64_t run = 0, free_cells = 0, pending = 0;
		for (uint64_t c = 0; c < h->cells[i]; c++) {
			bool f = is_free(h->cell[i][c], waited);
			pending += h->cell[i][c] == GS_ACTIVE_PENDING_FREE;
			run = f ? run + 1 : 0;
			free_cells += f;
			if (wanted(h, &l->segments[i]) && run * UNIT > *longest)
				*longest = run * UNIT;
		}
		if (wanted(h, &l->segments[i]))
			*total += free_cells * UNIT;
		if (waited && pending && free_cells == h->cells[i] && !l->segments[i].pool_id.a)
			*whole += h->cells[i] * UNIT;
	}
}

static void brute(const heap *h, bool fits[GS_STEPS])
{
	uint64_t longest, total, whole, asked = segment_asked(h->request), r = h->request,
									d = h->device_free, waiting = 0, held;
	scan(h, is_same, false, &longest, &total, &whole);
	fits[GS_STEP_MISSED_FIT] = longest >= r;
	fits[GS_STEP_LIMIT] = d >= asked;
	fits[GS_STEP_SEGMENT_SIZE] = d >= r;
	fits[GS_STEP_FRAGMENTED] = d + total >= r;
	scan(h, is_same, true, &longest, &total, &whole);
	scan(h, is_small, true, &held, &total, &whole);
	uint64_t crumbs = r > MIB ? total % (2 * MIB) : 0; /* a large request cannot have them */
	scan(h, is_any, true, &held, &total, &whole);
	for (size_t i = 0; i < h->s.devices[0].captured.nblocks; i++)
		waiting += h->s.devices[0].captured.blocks[i].state == GS_ACTIVE_PENDING_FREE;
	fits[GS_STEP_PENDING_FREE] = longest >= r || (waiting && d + whole >= asked);
	total -= crumbs;
	fits[GS_STEP_STRANDED] = d + total >= r;
	fits[GS_STEP_ROUNDING] = d + total + h->waste >= r;
	held = h->capacity - h->reserved - h->device_free;
	fits[GS_STEP_OUTSIDE] = d + total + h->waste +
			(held > 1024ull * MIB ? held - 1024ull * MIB : 0) >=
		r;
	scan(h, is_other_stream, false, &longest, &total, &whole);
	fits[GS_STEP_OTHER_STREAM] = longest >= r;
	scan(h, is_other_pool, false, &longest, &total, &whole);
	fits[GS_STEP_PRIVATE_POOL] = longest >= r;
}

enum { HEAPS = 400 };

START_TEST(every_step_of_the_ladder_equals_brute_force_on_random_heaps)
{
	int verdicts[GS_VERDICT_NONE] = {0};
	for (uint64_t seed = 1; seed <= HEAPS; seed++) {
		heap *h = random_heap(seed);
		gs_diagnosis d;
		bool fits[GS_STEPS];
		int first = GS_STEPS;
		diagnose(&h->s, GS_NONE, &d);
		brute(h, fits);
		for (int i = GS_STEPS - 1; i >= 0; i--) {
			ck_assert_int_eq(d.ladder[i].step, i);
			ck_assert_msg(d.ladder[i].fits == fits[i], "seed %" PRIu64 ", %s: %d, brute force %d",
				seed, gs_step_word((gs_step)i), d.ladder[i].fits, fits[i]);
			first = fits[i] ? i : first;
		}
		ck_assert_int_eq(d.verdict, first);
		ck_assert(d.exact);
		verdicts[d.verdict]++;
		gs_diagnosis_release(&d);
		release_heap(h);
	}
	for (int i = 0; i < GS_STEPS; i++)
		ck_assert_msg(i == GS_STEP_ROUNDING || verdicts[i] > 0, "no heap is a case of %s",
			gs_step_word((gs_step)i));
}
END_TEST

/* The fewest live bytes of any run of blocks that holds the request, by trying all. */
static uint64_t cheapest(const heap *h, bool *found)
{
	const gs_layout *l = &h->s.devices[0].captured;
	uint64_t best = UINT64_MAX;
	for (size_t i = 0; i < l->nsegments; i++) {
		const gs_segment *g = &l->segments[i];
		for (size_t a = g->first_block; is_same(h, g) && a < g->first_block + g->nblocks; a++) {
			uint64_t size = 0, live = 0;
			for (size_t b = a; b < g->first_block + g->nblocks; b++) {
				size += l->blocks[b].size;
				live += l->blocks[b].state == GS_INACTIVE ? 0 : l->blocks[b].size;
				if (size >= h->request && live < best)
					best = live;
			}
		}
	}
	*found = best != UINT64_MAX;
	return best;
}

/* With those blocks gone, does the search find room. */
static bool served_without(
	const heap *h, const gs_diagnosis *d, const gs_eviction *e, bool keep_one)
{
	bool *gone = calloc(d->layout.nblocks + 1, sizeof *gone), kept = false;
	gs_layout after;
	uint64_t released;
	for (size_t k = e->first; k < e->first + e->nblocks; k++) {
		gone[k] = d->layout.blocks[k].state == GS_INACTIVE || !keep_one || kept;
		kept |= d->layout.blocks[k].state != GS_INACTIVE;
	}
	ck_assert_int_eq(
		gs_layout_without(d->policy, &d->settings, &d->layout, gone, false, &after, &released),
		GS_OK);
	bool served = gs_policy_search(d->policy, &d->settings, &after, &h->r) != SIZE_MAX;
	gs_layout_release(&after);
	free(gone);
	return served;
}

START_TEST(the_cheapest_eviction_equals_brute_force_and_every_block_of_it_counts)
{
	int proven = 0;
	for (uint64_t seed = 1; seed <= HEAPS; seed++) {
		heap *h = random_heap(seed);
		gs_diagnosis d;
		bool found;
		diagnose(&h->s, GS_NONE, &d);
		uint64_t live = cheapest(h, &found);
		if (found) {
			const gs_eviction *e = &d.evictions[0];
			ck_assert_uint_gt(d.nevictions, 0);
			ck_assert_msg(e->segment != SIZE_MAX && e->live_bytes == live,
				"seed %" PRIu64 ": %" PRIu64 " bytes, brute force %" PRIu64, seed, e->live_bytes,
				live);
			ck_assert(e->sufficient && served_without(h, &d, e, false));
			ck_assert(!e->live_blocks || !served_without(h, &d, e, true));
			proven++;
		} else {
			ck_assert(!d.nevictions || d.evictions[0].segment == SIZE_MAX);
		}
		gs_diagnosis_release(&d);
		release_heap(h);
	}
	ck_assert_int_gt(proven, HEAPS / 10);
}
END_TEST

/* --- the pool itself as judge --- */

typedef struct pool_heap {
	gs_snapshot s;
	gs_pool *pool;
	gs_pool_oom oom;
	bool failed;
} pool_heap;

static gs_status copy_pool_segment(void *user, const gs_pool_segment_info *g)
{
	gs_layout *l = &((pool_heap *)user)->s.devices[0].captured;
	l->segments[l->nsegments++] = (gs_segment){.address = g->address,
		.size = g->size,
		.stream = g->stream,
		.pool_id = g->pool_id,
		.pool = (uint8_t)g->pool,
		.expandable = g->expandable,
		.has_address = true,
		.first_block = l->nblocks};
	return GS_OK;
}

static gs_status copy_pool_block(void *user, const gs_pool_block_info *b)
{
	gs_layout *l = &((pool_heap *)user)->s.devices[0].captured;
	l->blocks[l->nblocks++] = (gs_block){.address = b->address,
		.size = b->size,
		.idx = GS_NONE,
		.segment = (uint32_t)(l->nsegments - 1),
		.requested = b->state == GS_INACTIVE ? GS_NONE : (int64_t)b->requested,
		.state = (uint8_t)b->state};
	l->segments[l->nsegments - 1].nblocks++;
	return GS_OK;
}

/* Keeps the state right at the failure. */
static void on_action(void *user, const gs_pool_action *action)
{
	pool_heap *h = user;
	static const gs_pool_visitor visitor = {copy_pool_segment, copy_pool_block};
	if (action->action != GS_ACTION_OOM || h->failed)
		return;
	h->failed = true;
	h->oom = *gs_pool_last_oom(h->pool);
	gs_pool_walk(h->pool, &visitor, h);
}

static const char *const pool_settings[] = {"", "max_split_size_mb:24", "expandable_segments:True",
	"roundup_power2_divisions:4", "expandable_segments:True,max_split_size_mb:24"};

static void run_until_failure(pool_heap *h, gs_sim *sim)
{
	uint64_t live[600], n = 0;
	for (int step = 0; step < 20000 && !h->failed; step++) {
		if (n && (n == 600 || draw(100) < 45)) {
			uint64_t k = draw(n);
			gs_pool_free(h->pool, live[k]);
			live[k] = live[--n];
			continue;
		}
		uint64_t size = draw(3) ? 1 + draw(12 * MIB) : 1 + draw(60 * MIB), address;
		if (draw(4) == 0)
			size = 1 + draw(MIB);
		if (!gs_pool_malloc(
				h->pool, size, gs_sim_stream(draw(2)), (gs_pool_ctx){0, 0}, &address, NULL))
			live[n++] = address;
	}
	(void)sim;
}

static void describe(pool_heap *h, const char *settings)
{
	gs_oom *oom = gs_snapshot_add_oom(&h->s);
	oom->device = 0;
	oom->requested = (int64_t)h->oom.rounded;
	oom->needed = (int64_t)h->oom.needed;
	oom->device_free = (int64_t)h->oom.device_free;
	oom->stream = (int64_t)h->oom.stream;
	oom->pool = (int8_t)h->oom.pool;
	oom->has_pool_id = true;
	h->s.devices[0].has_layout = h->s.devices[0].layout_at_oom = true;
	ck_assert_int_eq(gs_snapshot_add_setting(&h->s, "PYTORCH_CUDA_ALLOC_CONF", settings), GS_OK);
	ck_assert_int_eq(gs_snapshot_add_setting(&h->s, "expandable_segments",
						 strstr(settings, "expandable") ? "True" : "False"),
		GS_OK);
}

/* Asks the very pool again while the driver refuses everything: what succeeds then, succeeds from
 * its free blocks. */
static void ask_again(pool_heap *h, gs_sim *sim, uint64_t seed)
{
	gs_diagnosis d;
	uint64_t address;
	gs_totals t;
	diagnose(&h->s, GS_NONE, &d);
	gs_layout_totals(&d.layout, &t);
	gs_sim_refuse(sim, UINT32_MAX);
	bool found = !gs_pool_malloc(
		h->pool, h->oom.requested, h->oom.stream, (gs_pool_ctx){0, 0}, &address, NULL);
	ck_assert_msg(found == (d.ladder[0].fits == 1),
		"seed %" PRIu64 " under %s: searching again %s, missed_fit %d", seed,
		gs_pool_rules_name(h->pool), found ? "finds" : "fails", d.ladder[0].fits);
	ck_assert(d.exact || d.null[GS_STEP_OUTSIDE]);
	ck_assert_int_eq(d.ladder[GS_STEP_LIMIT].fits, 0);
	ck_assert_int_eq(d.needed, (int64_t)h->oom.needed);
	ck_assert_uint_eq(t.reserved, h->oom.reserved);
	gs_diagnosis_release(&d);
}

START_TEST(missed_fit_is_what_the_pool_finds_when_it_is_asked_again)
{
	int failures = 0;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		pool_heap h;
		gs_sim *sim;
		memset(&h, 0, sizeof h);
		gs_snapshot_init(&h.s);
		h.s.kind = GS_KIND_PYTORCH;
		gs_device *dev = gs_snapshot_device(&h.s, 0);
		dev->captured.segments = calloc(2000, sizeof *dev->captured.segments);
		dev->captured.blocks = calloc(20000, sizeof *dev->captured.blocks);
		seed_state = seed * 104729 + (uint64_t)_i;
		ck_assert_int_eq(
			gs_sim_init(&sim, &(gs_sim_config){.capacity = (300 + draw(300)) * MIB}), GS_OK);
		gs_pool_config config = {.ops = &gs_sim_ops,
			.device = sim,
			.memory = gs_pool_heap,
			.on_action = on_action,
			.user = &h};
		ck_assert_int_eq(gs_pool_init(&h.pool, &config, NULL), GS_OK);
		ck_assert_int_eq(gs_pool_configure(h.pool, pool_settings[_i], NULL), GS_OK);
		run_until_failure(&h, sim);
		if (h.failed) {
			describe(&h, pool_settings[_i]);
			ask_again(&h, sim, seed);
			failures++;
		}
		gs_pool_release(h.pool);
		gs_sim_release(sim);
		gs_snapshot_release(&h.s);
	}
	ck_assert_int_gt(failures, 20);
}
END_TEST

Suite *suite_diagnose(void);
Suite *suite_diagnose(void)
{
	Suite *s = suite_create("diagnose");
	TCase *t = tcase_create("real failures");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, the_verdict_on_a_real_failure_is_what_was_done_to_it, 0, CASES);
	tcase_add_loop_test(
		t, an_answer_begins_with_its_verdict_and_fits_a_screen_of_any_width, 0, CASES);
	tcase_add_loop_test(t, without_utf8_an_answer_is_ascii, 0, CASES);
	tcase_add_test(t, a_recording_that_the_caller_keeps_is_used_and_stays);
	tcase_add_test(t, without_the_capacity_memory_held_outside_is_a_shortage_that_says_so);
	tcase_add_loop_test(t, a_leak_is_blamed_on_the_function_that_keeps, 0, 2);
	tcase_add_loop_test(t, what_only_builds_up_is_no_leak, 0, 7);
	tcase_add_test(t, whole_pages_of_an_expandable_segment_can_go_back);
	tcase_add_test(t, a_limit_that_is_told_is_named_and_bounds_what_is_left);
	tcase_add_test(t, the_failing_device_is_diagnosed_and_another_can_be_named);
	suite_add_tcase(s, t);
	t = tcase_create("messages");
	tcase_add_test(t, free_memory_of_unknown_pieces_proves_no_missed_fit);
	tcase_add_loop_test(t, a_message_is_judged_by_bounds, 0, COUNT(messages));
	suite_add_tcase(s, t);
	t = tcase_create("random heaps");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, every_step_of_the_ladder_equals_brute_force_on_random_heaps);
	tcase_add_test(t, the_cheapest_eviction_equals_brute_force_and_every_block_of_it_counts);
	tcase_add_loop_test(
		t, missed_fit_is_what_the_pool_finds_when_it_is_asked_again, 0, COUNT(pool_settings));
	suite_add_tcase(s, t);
	return s;
}
