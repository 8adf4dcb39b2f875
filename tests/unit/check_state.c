/* States rebuilt from the last snapshot alone, held against what a real PyTorch showed at those
 * moments (tests/data/states, made by tests/torch/record_states.py and random_states.py). */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/read/open/reader.h"
#include "analyzer/state/state.h"
#include "tests/unit/skip.h"

enum { MOST_TRUTH = 1 << 22 };
#define COUNT(rows) (int)(sizeof(rows) / sizeof *(rows))

/* What a snapshot showed after an event. */
typedef struct truth {
	int device;
	int64_t idx;
	gs_layout layout;
} truth;

static char *read_truth(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "tests/data/states/%s.truth.zst", name);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s is missing", path);
	char *packed = malloc(MOST_TRUTH), *text = malloc(MOST_TRUTH);
	size_t n = fread(packed, 1, MOST_TRUTH, f);
	fclose(f);
	size_t m = ZSTD_decompress(text, MOST_TRUTH - 1, packed, n);
	ck_assert(!ZSTD_isError(m));
	text[m] = 0;
	free(packed);
	return text;
}

static bool next_line(char **at, char **line)
{
	*line = strsep(at, "\n");
	return *line && **line;
}

/* Reads the next state; false at the end. The layout's arrays are reused. */
static bool next_truth(char **at, truth *t)
{
	char *line, word[32];
	unsigned stream;
	uint64_t a, b;
	int64_t requested;
	if (!next_line(at, &line))
		return false;
	ck_assert_int_eq(sscanf(line, "state %d %" SCNd64, &t->device, &t->idx), 2);
	t->layout.nsegments = t->layout.nblocks = 0;
	while (*at && (!strncmp(*at, "segment", 7) || !strncmp(*at, "block", 5))) {
		next_line(at, &line);
		if (*line == 's') {
			gs_segment *g = &t->layout.segments[t->layout.nsegments++];
			int expandable;
			memset(g, 0, sizeof *g);
			ck_assert_int_eq(
				sscanf(line, "segment %" SCNu64 " %" SCNu64 " %31s %" SCNu64 " %" SCNu64 " %u %d",
					&g->address, &g->size, word, &g->pool_id.a, &g->pool_id.b, &stream,
					&expandable),
				7);
			g->pool = strcmp(word, "small") ? GS_LARGE : GS_SMALL;
			g->stream = stream;
			g->expandable = expandable;
			continue;
		}
		ck_assert_int_eq(
			sscanf(line, "block %" SCNu64 " %" SCNu64 " %31s %" SCNd64, &a, &b, word, &requested),
			4);
		gs_block *k = &t->layout.blocks[t->layout.nblocks++];
		*k = (gs_block){.address = a,
			.size = b,
			.requested = requested < 0 ? GS_NONE : requested,
			.state = GS_INACTIVE};
		if (strcmp(word, "inactive"))
			k->state = strcmp(word, "active_allocated") ? GS_ACTIVE_PENDING_FREE
														: GS_ACTIVE_ALLOCATED;
	}
	return true;
}

/* Where a rebuilt layout differs, "" if nowhere. */
static const char *difference(const gs_layout *got, const gs_layout *want)
{
	static char text[200];
	*text = 0;
	for (size_t i = 0; i < want->nsegments && i < got->nsegments && !*text; i++) {
		const gs_segment *a = &got->segments[i], *b = &want->segments[i];
		if (a->address != b->address || a->size != b->size || a->pool != b->pool ||
			a->stream != b->stream || a->expandable != b->expandable ||
			a->pool_id.a != b->pool_id.a || a->pool_id.b != b->pool_id.b)
			snprintf(text, sizeof text,
				"segment %zu: 0x%" PRIx64 " %" PRIu64 ", truth 0x%" PRIx64 " %" PRIu64, i,
				a->address, a->size, b->address, b->size);
	}
	for (size_t i = 0; i < want->nblocks && i < got->nblocks && !*text; i++) {
		const gs_block *a = &got->blocks[i], *b = &want->blocks[i];
		if (a->address != b->address || a->size != b->size || a->state != b->state ||
			a->requested != b->requested)
			snprintf(text, sizeof text,
				"block %zu: 0x%" PRIx64 " %" PRIu64 " %s, truth 0x%" PRIx64 " %" PRIu64 " %s", i,
				a->address, a->size, gs_block_state_text((gs_block_state)a->state), b->address,
				b->size, gs_block_state_text((gs_block_state)b->state));
	}
	if (!*text && (got->nsegments != want->nsegments || got->nblocks != want->nblocks))
		snprintf(text, sizeof text, "%zu segments and %zu blocks, truth %zu and %zu",
			got->nsegments, got->nblocks, want->nsegments, want->nblocks);
	return text;
}

typedef struct tally {
	int states, exact, right;
} tally;

static void compare(const gs_history *h, const truth *t, int64_t cut, const char *name, tally *sum)
{
	gs_layout got;
	if (t->idx - cut < -1)
		return;
	ck_assert_int_eq(gs_history_layout(h, t->idx - cut, &got, NULL), GS_OK);
	const char *where = difference(&got, &t->layout);
	ck_assert_msg(!got.exact || !*where,
		"%s, device %d, event %" PRId64 " (first %" PRId64 " cut off) is wrong and not flagged: %s",
		name, t->device, t->idx, cut, where);
	ck_assert_msg(got.exact || *got.note, "a state that is not exact says why");
	sum->states++;
	sum->exact += got.exact;
	sum->right += !*where;
	gs_layout_release(&got);
}

/* Rebuilds all recorded states of a run, the first cut/100 of its trace taken away. */
static tally rebuild(const char *name, int percent)
{
	char path[256], *text = read_truth(name), *at = text;
	tally sum = {0, 0, 0};
	gs_error err = GS_ERROR_INIT;
	snprintf(path, sizeof path, "tests/data/states/%s.pickle.zst", name);
	for (int device = 0; device < 2; device++) {
		gs_snapshot s;
		gs_history h;
		gs_snapshot_init(&s);
		ck_assert_msg(gs_read_path(path, GS_WANT_ALL, &s, &err) == GS_OK, "%s: %s", path, err.text);
		gs_device *d = gs_snapshot_find_device(&s, device);
		if (d) {
			size_t cut = d->trace.n * (size_t)percent / 100;
			memmove(d->trace.events, d->trace.events + cut,
				(d->trace.n - cut) * sizeof *d->trace.events);
			d->trace.n -= cut;
			ck_assert_int_eq(gs_history_init(&h, &s, d, NULL), GS_OK);
			ck_assert_msg(!h.contradictions, "%s: %s", name, h.note);
			truth t = {.layout = {.segments = malloc(4096 * sizeof(gs_segment)),
						   .blocks = malloc(65536 * sizeof(gs_block))}};
			free(text);
			text = read_truth(name);
			at = text;
			while (next_truth(&at, &t))
				if (t.device == device)
					compare(&h, &t, (int64_t)cut, name, &sum);
			free(t.layout.segments);
			free(t.layout.blocks);
			gs_history_release(&h);
		}
		gs_snapshot_release(&s);
	}
	free(text);
	return sum;
}

static const char *const whole[] = {"expandable_small", "max_split", "streams",
	"expandable_max_split", "pools_two_devices", "roundup"};
static const char *const all[] = {"expandable_small", "max_split", "streams",
	"expandable_max_split", "pools_two_devices", "roundup", "settings_change", "pools_untold"};

START_TEST(every_state_of_a_complete_trace_is_exact_block_for_block)
{
	tally t = rebuild(whole[_i], 0);
	ck_assert_int_gt(t.states, 5);
	ck_assert_int_eq(t.right, t.states);
	ck_assert_int_eq(t.exact, t.states);
}
END_TEST

START_TEST(with_the_first_third_cut_off_a_state_is_exact_or_flagged)
{
	tally t = rebuild(all[_i], 33);
	ck_assert_int_gt(t.states, 3);
	ck_assert(t.exact > 0 || _i >= COUNT(whole));
}
END_TEST

START_TEST(with_most_of_the_trace_cut_off_a_state_is_exact_or_flagged) { rebuild(all[_i], 75); }
END_TEST

START_TEST(settings_that_change_in_the_run_are_noticed)
{
	tally t = rebuild("settings_change", 0);
	ck_assert_int_eq(t.right, t.states);
	ck_assert_int_lt(t.exact, t.states);
}
END_TEST

/* --- small traces by hand ------------------------------------------------------------------------
 */

enum { MIB = 1 << 20 };
#define BASE UINT64_C(0x7f0000000000)

static void event(gs_device *d, gs_action action, uint64_t offset, uint64_t size)
{
	gs_event *e = gs_trace_append(&d->trace);
	e->address = action == GS_ACTION_OOM ? offset : BASE + offset;
	e->size = size;
	e->tag_action = action;
}

static gs_device *device_of(gs_snapshot *s)
{
	gs_snapshot_init(s);
	s->kind = GS_KIND_PYTORCH;
	gs_snapshot_stream(s, 0);
	gs_device *d = gs_snapshot_device(s, 0);
	d->has_layout = true;
	return d;
}

/* A layout of one large segment of 64 MiB with the given live blocks (offset and size in MiB, ended
 * by size 0). */
static void capture(gs_device *d, const int (*live)[2])
{
	gs_layout *l = &d->captured;
	l->segments = calloc(1, sizeof *l->segments);
	l->blocks = calloc(16, sizeof *l->blocks);
	l->segments[0] = (gs_segment){
		.address = BASE, .size = 64 * MIB, .pool = GS_LARGE, .has_address = true};
	l->nsegments = 1;
	uint64_t at = 0;
	for (; (*live)[1]; live++) {
		uint64_t from = (uint64_t)(*live)[0] * MIB, size = (uint64_t)(*live)[1] * MIB;
		if (from > at)
			l->blocks[l->nblocks++] = (gs_block){.address = BASE + at,
				.size = from - at,
				.requested = GS_NONE,
				.idx = GS_NONE,
				.state = GS_INACTIVE};
		l->blocks[l->nblocks++] = (gs_block){
			.address = BASE + from, .size = size, .requested = (int64_t)size, .idx = GS_NONE};
		at = from + size;
	}
	if (at < 64 * MIB)
		l->blocks[l->nblocks++] = (gs_block){.address = BASE + at,
			.size = 64 * MIB - at,
			.requested = GS_NONE,
			.idx = GS_NONE,
			.state = GS_INACTIVE};
	l->segments[0].nblocks = l->nblocks;
}

START_TEST(a_block_born_before_the_trace_is_bounded_until_an_allocation_behind_it_tells)
{
	gs_snapshot s;
	gs_layout l;
	gs_device *d = device_of(&s);
	capture(d, (const int[][2]){{40, 24}, {0, 0}});
	event(d, GS_ACTION_FREE_REQUESTED, 0, 10 * MIB - 100);
	event(d, GS_ACTION_FREE_COMPLETED, 0, 10 * MIB - 100);

	ck_assert_int_eq(gs_state_select(&s, d, "0", &l, NULL, NULL), GS_OK);

	ck_assert(!l.exact);
	ck_assert_ptr_nonnull(strstr(l.note, "born before"));
	ck_assert_int_eq(l.blocks[0].state, GS_ACTIVE_PENDING_FREE);
	ck_assert_int_ge(l.blocks[0].size, 10 * MIB);
	gs_layout_release(&l);
	ck_assert_int_eq(gs_state_select(&s, d, "1", &l, NULL, NULL), GS_OK);
	ck_assert(l.exact);
	gs_layout_release(&l);
	gs_snapshot_release(&s);
}
END_TEST

/* The layout of a stream stands at its beginning; pages go back behind it. */
START_TEST(pages_that_go_back_behind_the_layout_are_of_expandable_segments)
{
	gs_snapshot s;
	gs_layout l;
	gs_device *d = device_of(&s);
	capture(d, (const int[][2]){{0, 0}});
	d->captured.segments[0].expandable = true;
	d->captured.idx = 0;
	ck_assert_int_eq(
		gs_snapshot_add_setting(&s, "PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"), GS_OK);
	event(d, GS_ACTION_SEGMENT_MAP, 0, 64 * MIB);
	event(d, GS_ACTION_ALLOC, 0, 2 * MIB);
	event(d, GS_ACTION_ALLOC, 2 * MIB, 2 * MIB);
	event(d, GS_ACTION_FREE_REQUESTED, 0, 2 * MIB);
	event(d, GS_ACTION_FREE_COMPLETED, 0, 2 * MIB);
	event(d, GS_ACTION_ALLOC, 0, 2 * MIB - 256 * 1024);
	event(d, GS_ACTION_SEGMENT_UNMAP, 20 * MIB, 20 * MIB);

	ck_assert_int_eq(gs_state_select(&s, d, "5", &l, NULL, NULL), GS_OK);
	ck_assert_msg(l.exact, "%s", l.note);
	ck_assert_uint_eq(l.blocks[0].size, 2 * MIB - 256 * 1024);
	gs_layout_release(&l);
	ck_assert_int_eq(gs_state_select(&s, d, "6", &l, NULL, NULL), GS_OK);
	ck_assert_msg(l.exact, "%s", l.note);
	ck_assert_uint_eq(l.nsegments, 2);
	gs_layout_release(&l);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(a_block_has_its_size_however_large_or_odd)
{
	static const uint64_t sizes[] = {512, UINT64_C(0x7fffffff), UINT64_C(0x80000000),
		UINT64_C(0x80000001), 512 * UINT64_C(0x3fffffff), 512 * UINT64_C(0x40000000),
		UINT64_C(1) << 45, 3 * UINT64_C(0x80000000) + 511};
	enum { N = sizeof sizes / sizeof *sizes };
	gs_snapshot s;
	gs_history h;
	gs_device *d = device_of(&s);
	gs_layout *l = &d->captured;
	l->segments = calloc(N, sizeof *l->segments);
	l->blocks = calloc(N, sizeof *l->blocks);
	for (uint32_t i = 0; i < N; i++) {
		uint64_t offset = (uint64_t)i << 46;
		l->segments[i] = (gs_segment){.address = BASE + offset,
			.size = sizes[i],
			.first_block = i,
			.nblocks = 1,
			.has_address = true};
		l->blocks[i] = (gs_block){
			.address = BASE + offset, .size = sizes[i], .requested = 1, .segment = i};
		event(d, GS_ACTION_SEGMENT_ALLOC, offset, sizes[i]);
		event(d, GS_ACTION_ALLOC, offset, 1);
		event(d, GS_ACTION_FREE_REQUESTED, offset, 1);
	}
	l->nsegments = l->nblocks = N;
	for (size_t i = 0; i < N; i++)
		l->blocks[i].state = GS_ACTIVE_PENDING_FREE;
	ck_assert_int_eq(gs_history_init(&h, &s, d, NULL), GS_OK);
	for (size_t i = 0; i < N; i++) {
		ck_assert_uint_eq(gs_history_size(&h, 3 * i), 0);
		ck_assert_uint_eq(gs_history_size(&h, 3 * i + 1), sizes[i]);
		ck_assert_uint_eq(gs_history_size(&h, 3 * i + 2), sizes[i]);
	}
	gs_history_release(&h);
	gs_snapshot_release(&s);
}
END_TEST

/* Two allocations of 4 MiB live and die in the trace; a third block was there before it and dies in
 * it. */
static const struct {
	gs_id of_free[2];
	gs_id preexisting;
} stacks_of_frees[] = {
	{{1, 2}, 3}, /* as their allocations: so is the third's */
	{{1, 3}, 0}, /* one is not: the free names the call that freed, nothing tells who allocated */
	{{0, 0}, 0}  /* nothing shows whose they are */
};

START_TEST(whose_stack_a_free_carries_is_learnt_from_blocks_with_both_events)
{
	gs_snapshot s;
	gs_layout l;
	gs_device *d = device_of(&s);
	capture(d, (const int[][2]){{40, 24}, {0, 0}});
	for (int i = 0; i < 2; i++) {
		event(d, GS_ACTION_ALLOC, 12 * MIB, 4 * MIB);
		d->trace.events[d->trace.n - 1].stack = (gs_id)i + 1;
		event(d, GS_ACTION_FREE_REQUESTED, 12 * MIB, 4 * MIB);
		d->trace.events[d->trace.n - 1].stack = stacks_of_frees[_i].of_free[i];
		event(d, GS_ACTION_FREE_COMPLETED, 12 * MIB, 4 * MIB);
		d->trace.events[d->trace.n - 1].stack = stacks_of_frees[_i].of_free[i];
	}
	event(d, GS_ACTION_FREE_REQUESTED, 0, 12 * MIB);
	d->trace.events[d->trace.n - 1].stack = 3;
	event(d, GS_ACTION_FREE_COMPLETED, 0, 12 * MIB);

	ck_assert_int_eq(gs_state_select(&s, d, "0", &l, NULL, NULL), GS_OK);

	ck_assert_int_eq(l.blocks[0].state, GS_ACTIVE_ALLOCATED);
	ck_assert_uint_eq(l.blocks[0].stack, stacks_of_frees[_i].preexisting);
	ck_assert_uint_eq(l.blocks[1].stack, 1);
	gs_layout_release(&l);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(an_allocation_behind_a_block_tells_where_it_ends)
{
	gs_snapshot s;
	gs_layout l;
	gs_history h;
	gs_device *d = device_of(&s);
	capture(d, (const int[][2]){{11, 3}, {40, 24}, {0, 0}});
	event(d, GS_ACTION_ALLOC, 11 * MIB, 3 * MIB);
	event(d, GS_ACTION_FREE_REQUESTED, 0, 10 * MIB + 512 * 1024);
	event(d, GS_ACTION_FREE_COMPLETED, 0, 10 * MIB + 512 * 1024);

	ck_assert_int_eq(gs_history_init(&h, &s, d, NULL), GS_OK);
	ck_assert_int_eq(gs_history_layout(&h, 0, &l, NULL), GS_OK);

	ck_assert(l.exact);
	ck_assert_uint_eq(l.blocks[0].size, 11 * MIB);
	ck_assert_int_eq(h.births[1], -1);
	ck_assert_uint_eq(gs_history_size(&h, 2), 11 * MIB);
	ck_assert(!h.starts_empty);
	gs_layout_release(&l);
	gs_history_release(&h);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(events_that_contradict_the_layout_make_states_inexact)
{
	gs_snapshot s;
	gs_layout l;
	gs_device *d = device_of(&s);
	capture(d, (const int[][2]){{40, 24}, {0, 0}});
	event(d, GS_ACTION_ALLOC, 0, 2 * MIB);
	event(d, GS_ACTION_ALLOC, 2 * MIB, 2 * MIB);
	event(d, GS_ACTION_FREE_COMPLETED, 2 * MIB, 2 * MIB);

	ck_assert_int_eq(gs_state_select(&s, d, "1", &l, NULL, NULL), GS_OK);

	ck_assert(!l.exact);
	ck_assert_ptr_nonnull(strstr(l.note, "do not show"));
	gs_layout_release(&l);
	gs_snapshot_release(&s);
}
END_TEST

static uint64_t seed_state;

static uint64_t draw(uint64_t below)
{
	seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed_state >> 33) % below;
}

/* Nonsense: any action at any of a few addresses, sizes that overlap, overflow and are zero. */
static void nonsense(gs_device *d)
{
	static const uint64_t sizes[] = {
		0, 1, 512, MIB, 2 * MIB, 20 * MIB, 64 * MIB, UINT64_MAX, UINT64_MAX - BASE};
	for (uint64_t n = 1 + draw(120); n; n--)
		event(d, (gs_action)draw(GS_ACTION_COUNT), draw(40) * (draw(2) ? MIB : 10 * MIB),
			sizes[draw(draw(4) ? 7 : 9)]);
	for (size_t i = 0; i < d->trace.n; i++)
		d->trace.events[i].stream = (uint32_t)draw(3);
}

static void check_whole(const gs_layout *l, uint64_t seed)
{
	gs_totals t;
	gs_layout_totals(l, &t);
	for (size_t i = 0; l->exact && i < l->nsegments; i++) {
		uint64_t at = l->segments[i].address;
		for (size_t k = l->segments[i].first_block;
			 k < l->segments[i].first_block + l->segments[i].nblocks; k++) {
			ck_assert_msg(l->blocks[k].address == at,
				"seed %" PRIu64 ": block 0x%" PRIx64 " after 0x%" PRIx64, seed,
				l->blocks[k].address, at);
			at += l->blocks[k].size;
		}
		ck_assert_msg(at == l->segments[i].address + l->segments[i].size, "seed %" PRIu64, seed);
	}
}

START_TEST(whatever_a_trace_says_states_are_whole_or_flagged_and_judged)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		gs_snapshot s;
		gs_history h;
		gs_device *d = device_of(&s);
		gs_snapshot_stream(&s, 7);
		gs_snapshot_stream(&s, 8);
		seed_state = seed * 31 + (uint64_t)_i;
		if (_i == 1)
			capture(d, (const int[][2]){{0, 2}, {11, 3}, {40, 24}, {0, 0}});
		if (_i == 2)
			s.kind = GS_KIND_RMM;
		nonsense(d);
		ck_assert_int_eq(gs_history_init(&h, &s, d, NULL), GS_OK);
		for (int64_t i = -1; i < (int64_t)h.n; i += 1 + (int64_t)draw(9)) {
			gs_layout l;
			ck_assert_int_eq(gs_history_layout(&h, i, &l, NULL), GS_OK);
			check_whole(&l, seed);
			gs_layout_release(&l);
		}
		gs_history_release(&h);
		gs_diagnosis verdict;
		gs_diagnose_options options = GS_DIAGNOSE_OPTIONS_INIT;
		ck_assert_int_eq(gs_snapshot_finish(&s, NULL), GS_OK);
		ck_assert_int_eq(gs_diagnose(&s, &options, &verdict, NULL), GS_OK);
		gs_diagnosis_release(&verdict);
		gs_snapshot_release(&s);
	}
}
END_TEST

static const struct {
	const char *selector;
	gs_status status;
	int64_t idx;
} selectors[] = {
	{NULL, GS_OK, 2},
	{"", GS_OK, 2},
	{"captured", GS_OK, GS_NONE},
	{"oom", GS_OK, 2},
	{"oom 1", GS_OK, 2},
	{"peak", GS_OK, 1},
	{"peak reserved", GS_OK, 0},
	{"0", GS_OK, 0},
	{"4", GS_OK, 4},
	{"5", GS_NOT_FOUND, 0},
	{"oom 2", GS_NOT_FOUND, 0},
	{"oom 0", GS_INVALID, 0},
	{"oom x", GS_INVALID, 0},
	{"peaks", GS_INVALID, 0},
	{"-1", GS_INVALID, 0},
	{"99999999999999999999", GS_INVALID, 0},
};

START_TEST(a_selector_names_a_state_of_a_device)
{
	gs_snapshot s;
	gs_state state = {"", 77, 0};
	gs_error err = GS_ERROR_INIT;
	gs_device *d = device_of(&s);
	event(d, GS_ACTION_SEGMENT_ALLOC, 0, 64 * MIB);
	event(d, GS_ACTION_ALLOC, 0, 3 * MIB);
	event(d, GS_ACTION_OOM, 5, 99 * MIB);
	event(d, GS_ACTION_FREE_REQUESTED, 0, 3 * MIB);
	event(d, GS_ACTION_FREE_COMPLETED, 0, 3 * MIB);
	capture(d, (const int[][2]){{0, 0}});
	ck_assert_int_eq(gs_snapshot_finish(&s, NULL), GS_OK);
	d = gs_snapshot_find_device(&s, 0);

	ck_assert_int_eq(
		gs_state_find(&s, d, NULL, selectors[_i].selector, &state, &err), selectors[_i].status);

	if (!selectors[_i].status)
		ck_assert_int_eq(state.idx, selectors[_i].idx);
	else
		ck_assert(*err.text && state.idx == 77);
	gs_snapshot_release(&s);
}
END_TEST

START_TEST(the_gauge_agrees_with_every_rebuilt_layout)
{
	gs_snapshot s;
	gs_history h;
	gs_running_totals g;
	gs_snapshot_init(&s);
	ck_assert_int_eq(
		gs_read_path("tests/data/states/expandable_small.pickle.zst", GS_WANT_ALL, &s, NULL),
		GS_OK);
	ck_assert_int_eq(gs_history_init(&h, &s, &s.devices[0], NULL), GS_OK);

	gs_running_totals_start(&h, &g);
	for (size_t i = 0; i < h.n; i++) {
		gs_layout l;
		gs_totals t;
		gs_running_totals_step(&h, i, &g);
		ck_assert_int_eq(gs_history_layout(&h, (int64_t)i, &l, NULL), GS_OK);
		gs_layout_totals(&l, &t);
		ck_assert_uint_eq(t.allocated, g.allocated);
		ck_assert_uint_eq(t.pending, g.pending);
		ck_assert_uint_eq(t.reserved, g.reserved);
		gs_layout_release(&l);
	}
	gs_history_release(&h);
	gs_snapshot_release(&s);
}
END_TEST

/* The table of shared/golden/README.md, in the public files themselves. */
static const struct {
	const char *file;
	int device;
	uint64_t request, free, segments, reserved, allocated, inactive, blocks, largest;
} public_files[] = {
	{"torch2.5-oom-default-settings.json", 0, 402653184, 264634368, 125, 23297261568, 23279878144,
		17383424, 17, 10092544},
	{"torch2.7-oom-expandable-four-devices.pickle", 1, 5308694528, 95682560, 8, 84202749952,
		84063358976, 139390976, 23, 17313792},
};

START_TEST(the_state_at_the_failure_of_a_public_file_is_known)
{
	char path[256];
	gs_snapshot s;
	gs_state state;
	gs_layout l;
	gs_totals t;
	snprintf(path, sizeof path, "../shared/corpus/%s", public_files[_i].file);
	if (access(path, R_OK)) {
		gs_skip(path);
		return;
	}
	gs_snapshot_init(&s);
	ck_assert_int_eq(gs_read_path(path, GS_WANT_ALL, &s, NULL), GS_OK);
	ck_assert_int_eq(gs_state_select(&s, gs_snapshot_find_device(&s, public_files[_i].device),
						 "oom 1", &l, &state, NULL),
		GS_OK);

	gs_layout_totals(&l, &t);
	ck_assert(l.exact);
	ck_assert_int_eq(s.ooms[state.oom].requested, (int64_t)public_files[_i].request);
	ck_assert_int_eq(s.ooms[state.oom].device_free, (int64_t)public_files[_i].free);
	ck_assert_uint_eq(t.segments, public_files[_i].segments);
	ck_assert_uint_eq(t.reserved, public_files[_i].reserved);
	ck_assert_uint_eq(t.allocated, public_files[_i].allocated);
	ck_assert_uint_eq(t.free, public_files[_i].inactive);
	ck_assert_uint_eq(t.free_blocks, public_files[_i].blocks);
	ck_assert_uint_eq(l.blocks[t.largest].size, public_files[_i].largest);
	gs_layout_release(&l);
	gs_snapshot_release(&s);
}
END_TEST

Suite *suite_state(void);
Suite *suite_state(void)
{
	Suite *s = suite_create("state");
	TCase *t = tcase_create("recorded runs");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(
		t, every_state_of_a_complete_trace_is_exact_block_for_block, 0, COUNT(whole));
	tcase_add_loop_test(t, with_the_first_third_cut_off_a_state_is_exact_or_flagged, 0, COUNT(all));
	tcase_add_loop_test(
		t, with_most_of_the_trace_cut_off_a_state_is_exact_or_flagged, 0, COUNT(all));
	tcase_add_test(t, settings_that_change_in_the_run_are_noticed);
	tcase_add_loop_test(
		t, the_state_at_the_failure_of_a_public_file_is_known, 0, COUNT(public_files));
	suite_add_tcase(s, t);
	t = tcase_create("by hand");
	tcase_add_test(t, a_block_born_before_the_trace_is_bounded_until_an_allocation_behind_it_tells);
	tcase_add_loop_test(t, whose_stack_a_free_carries_is_learnt_from_blocks_with_both_events, 0,
		COUNT(stacks_of_frees));
	tcase_add_test(t, an_allocation_behind_a_block_tells_where_it_ends);
	tcase_add_test(t, pages_that_go_back_behind_the_layout_are_of_expandable_segments);
	tcase_add_test(t, a_block_has_its_size_however_large_or_odd);
	tcase_add_test(t, events_that_contradict_the_layout_make_states_inexact);
	tcase_add_loop_test(t, a_selector_names_a_state_of_a_device, 0, COUNT(selectors));
	tcase_add_loop_test(t, whatever_a_trace_says_states_are_whole_or_flagged_and_judged, 0, 3);
	tcase_add_test(t, the_gauge_agrees_with_every_rebuilt_layout);
	suite_add_tcase(s, t);
	return s;
}
