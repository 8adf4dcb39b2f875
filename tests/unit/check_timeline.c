/* Lives, bands, spans and flame trees against the layouts that are rebuilt event by event. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/open/reader.h"
#include "analyzer/timeline/bands.h"
#include "analyzer/timeline/flame.h"
#include "analyzer/timeline/span.h"
#include "tests/unit/trace_maker.h"

static gs_snapshot snapshot;
static gs_recording recording;
static gs_timeline timeline;

static void make(const gs_snapshot *s)
{
	gs_error err = GS_ERROR_INIT;
	gs_recording_init(&recording, s, &s->devices[0], NULL);
	ck_assert_msg(!gs_timeline_init(&timeline, &recording, &err), "%s", err.text);
}

static void open_file(const char *path)
{
	gs_error err = GS_ERROR_INIT;
	ck_assert_msg(!gs_read_path(path, GS_WANT_ALL, &snapshot, &err), "%s: %s", path, err.text);
	make(&snapshot);
}

static void close_file(void)
{
	gs_timeline_release(&timeline);
	gs_recording_release(&recording);
	gs_snapshot_release(&snapshot);
}

static const char *const files[] = {"tests/data/faults/pinned.pickle",
	"tests/data/faults/leak.pickle", "tests/data/faults/graph.pickle"};

static uint32_t rolled = 12345;
static uint32_t roll(uint32_t below)
{
	rolled = rolled * 1664525 + 1013904223;
	return (rolled >> 8) % below;
}

/* A recording of a made-up program, with waits of streams and given-back cache in it. */
static void record_made_up(unsigned seed)
{
	jobs j;
	run_figures figures;
	jobs_make(&j, seed, 3000, 3, true);
	trace_start(&snapshot);
	jobs_run(&j, "2.12", "", 1u << 30, 0, &snapshot, &figures);
	jobs_release(&j);
	make(&snapshot);
}

static void compare_lives(int64_t idx)
{
	gs_layout l;
	gs_error err = GS_ERROR_INIT;
	uint32_t there = 0;
	ck_assert(!gs_history_layout(timeline.history, idx, &l, &err));
	for (size_t i = 0; i < l.nblocks; i++) {
		const gs_block *b = &l.blocks[i];
		uint32_t life = gs_lives_of_block(&timeline.lives, b);
		if (b->state == GS_INACTIVE) {
			ck_assert_uint_eq(life, GS_NO_LIFE);
			continue;
		}
		there++;
		ck_assert_uint_lt(life, timeline.lives.n);
		const gs_life *x = &timeline.lives.all[life];
		ck_assert(gs_life_lives(x, idx));
		ck_assert_uint_eq(gs_life_address(&timeline.lives, life), b->address);
		ck_assert_uint_eq(gs_life_size(&timeline.lives, life), b->size);
		ck_assert_uint_eq(gs_life_block(&timeline.lives, life).stack, b->stack);
		ck_assert_int_eq(x->freed <= idx, b->state == GS_ACTIVE_PENDING_FREE);
		ck_assert_uint_eq(gs_timeline_categorization(&timeline, life).category,
			gs_meaning_of(timeline.meaning, b).category);
	}
	for (uint32_t i = 0; i < timeline.lives.n; i++)
		there -= gs_life_lives(&timeline.lives.all[i], idx);
	ck_assert_uint_eq(there, 0);
	gs_layout_release(&l);
}

START_TEST(what_lives_after_an_event_is_what_its_layout_shows)
{
	for (unsigned seed = 1; seed <= 3; seed++) {
		record_made_up(seed);
		for (int i = 0; i < 40; i++)
			compare_lives((int64_t)roll((uint32_t)timeline.history->n + 1) - 1);
		close_file();
	}
	for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
		open_file(files[k]);
		for (int64_t i = -1; i < (int64_t)timeline.history->n; i++)
			compare_lives(i);
		close_file();
	}
}
END_TEST

/* A recording that contradicts itself: frees that are missing, doubled, or allocate. */
static void record_contradictions(unsigned seed)
{
	jobs j;
	run_figures figures;
	jobs_make(&j, seed, 1000, 3, true);
	trace_start(&snapshot);
	jobs_run(&j, "2.12", "", 1u << 30, 0, &snapshot, &figures);
	jobs_release(&j);
	gs_trace *t = &snapshot.devices[0].trace;
	for (size_t i = 0; i < t->n; i++) {
		gs_action action = gs_event_action(&t->events[i]);
		if (roll(20) ||
			(action != GS_ACTION_ALLOC && action != GS_ACTION_FREE_REQUESTED &&
				action != GS_ACTION_FREE_COMPLETED))
			continue;
		static const gs_action others[] = {GS_ACTION_ALLOC, GS_ACTION_FREE_REQUESTED,
			GS_ACTION_FREE_COMPLETED, GS_ACTION_SNAPSHOT};
		t->events[i].tag_action = (t->events[i].tag_action & ~255u) | others[roll(4)];
	}
	make(&snapshot);
}

/* Played again by address, one after the other. */
static void compare_events_of_lives(void)
{
	const gs_lives *x = &timeline.lives;
	const gs_trace *t = &snapshot.devices[0].trace;
	uint32_t *living = malloc((x->n + 1) * sizeof *living), n = 0, born = x->before;
	for (; n < x->before; n++)
		living[n] = n;
	for (size_t i = 0; i < t->n; i++) {
		gs_action action = gs_event_action(&t->events[i]);
		uint32_t k = 0, expected = GS_NO_LIFE;
		while (k < n && gs_life_address(x, living[k]) != t->events[i].address)
			k++;
		if (action == GS_ACTION_ALLOC)
			living[k] = expected = born++;
		else if (action == GS_ACTION_FREE_REQUESTED || action == GS_ACTION_FREE_COMPLETED)
			expected = k < n ? living[k] : GS_NO_LIFE;
		n += action == GS_ACTION_ALLOC && k == n;
		if (action == GS_ACTION_FREE_COMPLETED && k < n)
			living[k] = living[--n];
		ck_assert_uint_eq(gs_life_at(x, i), expected);
	}
	ck_assert_uint_eq(born, x->n);
	free(living);
}

START_TEST(an_event_is_of_the_life_that_lives_at_its_address)
{
	if (_i < 3)
		open_file(files[_i]);
	else if (_i < 6)
		record_made_up((unsigned)_i);
	else
		record_contradictions((unsigned)_i);
	ck_assert(_i < 6 || timeline.lives.nunseen);
	compare_events_of_lives();
	close_file();
}
END_TEST

START_TEST(holders_of_lives_are_those_of_the_layout)
{
	open_file(files[1]);
	gs_layout l;
	gs_error err = GS_ERROR_INIT;
	gs_holder_row *rows;
	size_t n;
	int64_t idx = (int64_t)timeline.history->n / 2;
	ck_assert(!gs_history_layout(timeline.history, idx, &l, &err));
	ck_assert(!gs_meaning_holders(timeline.meaning, &l, &rows, &n));
	ck_assert_uint_gt(n, 1);
	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = 0;
		for (uint32_t k = 0; k < timeline.lives.n; k++) {
			const gs_timeline_holder *h = &timeline.holders[timeline.holder[k]];
			if (gs_life_lives(&timeline.lives.all[k], idx) && !strcmp(h->where, rows[i].where) &&
				!strcmp(h->called_by, rows[i].called_by) &&
				gs_timeline_categorization(&timeline, k).category == rows[i].category)
				bytes += gs_life_size(&timeline.lives, k);
		}
		ck_assert_uint_eq(bytes, rows[i].bytes);
	}
	free(rows);
	gs_layout_release(&l);
	close_file();
}
END_TEST

/* What is live after event idx, by going through all lives. */
static uint64_t live_bytes(int64_t idx)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < timeline.lives.n; i++)
		if (gs_life_lives(&timeline.lives.all[i], idx))
			bytes += gs_life_size(&timeline.lives, i);
	return bytes;
}

static int by_bottom(const void *a, const void *b)
{
	const gs_band *x = a, *y = b;
	return x->bottom != y->bottom ? (x->bottom > y->bottom) - (x->bottom < y->bottom)
								  : (x->height > y->height) - (x->height < y->height);
}

static void check_column(const gs_bands *b, int c, double scale)
{
	int64_t idx = b->columns[c].idx;
	gs_band *pieces = malloc((b->npieces + 1) * sizeof *pieces);
	size_t n = 0;
	uint32_t blocks = 0, live = 0;
	double top = 0;
	for (size_t i = 0; i < b->npieces; i++)
		if (b->pieces[i].first <= c && b->pieces[i].last > c)
			pieces[n++] = b->pieces[i];
	qsort(pieces, n, sizeof *pieces, by_bottom);
	for (size_t i = 0; i < n; i++) {
		ck_assert_double_eq_tol(pieces[i].bottom, top, 1e-3);
		ck_assert(gs_life_lives(&timeline.lives.all[pieces[i].life], idx));
		top = (double)pieces[i].bottom + (double)pieces[i].height;
		blocks += pieces[i].count;
		if (pieces[i].count == 1 && pieces[i].height >= 1)
			ck_assert_double_eq_tol(pieces[i].height,
				(double)gs_life_size(&timeline.lives, pieces[i].life) * scale, 1e-3);
	}
	for (uint32_t i = 0; i < timeline.lives.n; i++)
		live += gs_life_lives(&timeline.lives.all[i], idx);
	ck_assert_uint_eq(blocks, live);
	ck_assert_double_eq_tol(top, (double)live_bytes(idx) * scale, 0.01);
	free(pieces);
}

/* Every column's pieces pile up to what lives at its moment, without gap or overlap; blocks add up;
 * what is in no column's moment is counted as passed. */
static void check_bands(const gs_bands_ask *ask)
{
	gs_bands b;
	gs_error err = GS_ERROR_INIT;
	double scale = ask->rows / (ask->high - ask->low);
	ck_assert_msg(!gs_bands_init(&b, &timeline, ask, &err), "%s", err.text);
	for (int c = 0; c < b.ncolumns; c++)
		check_column(&b, c, scale);
	uint64_t passed = 0, shown = 0, in_view = 0;
	for (int c = 0; c < b.ncolumns; c++)
		passed += b.columns[c].passed;
	for (uint32_t i = 0; i < timeline.lives.n; i++) {
		const gs_life *l = &timeline.lives.all[i];
		bool seen = false;
		for (int c = 0; c < b.ncolumns && !seen; c++)
			seen = gs_life_lives(l, b.columns[c].idx);
		shown += seen;
		in_view++;
	}
	if (ask->from <= 0 && ask->to >= (double)timeline.history->n)
		ck_assert_uint_eq(shown + passed, in_view);
	gs_bands_release(&b);
}

START_TEST(bands_pile_up_to_what_lives_and_nothing_is_dropped)
{
	record_made_up(7);
	gs_running_totals g = gs_timeline_totals(&timeline, gs_history_peak(timeline.history, false));
	double n = (double)timeline.history->n, high = 2 * (double)(g.allocated + g.pending);
	for (int key = 0; key < GS_LIFE_KEY_COUNT; key++) {
		gs_bands_ask whole = {false, 0, n, 60, 100, 0, high, (gs_life_key)key, GS_LIFE_KEY_HOLDER};
		check_bands(&whole);
	}
	gs_bands_ask near = {
		false, n / 2, n / 2 + 20, 200, 50, 0, high, GS_LIFE_KEY_BIRTH, GS_LIFE_KEY_SIZE};
	check_bands(&near);
	close_file();
}
END_TEST

START_TEST(a_column_tells_the_most_and_the_least_that_it_has)
{
	record_made_up(9);
	gs_bands b;
	gs_error err = GS_ERROR_INIT;
	gs_bands_ask ask = {.to = (double)timeline.history->n, .columns = 7};
	ck_assert(!gs_bands_init(&b, &timeline, &ask, &err));
	ck_assert_uint_eq(b.npieces, 0);
	for (int c = 0; c < 7; c++) {
		uint64_t most = 0, least = UINT64_MAX, reserved = 0;
		for (int64_t i = -1; i < (int64_t)timeline.history->n; i++) {
			gs_running_totals g = gs_timeline_totals(&timeline, i);
			double at = (double)(i + 1) * 7 / (double)timeline.history->n;
			bool entry = i + 1 < (int64_t)timeline.history->n && (int)at == c &&
				(i < 0 || (int)((double)i * 7 / (double)timeline.history->n) != c);
			if (!entry && (i < 0 || (int)((double)i * 7 / (double)timeline.history->n) != c))
				continue;
			most = g.allocated > most ? g.allocated : most;
			least = g.allocated < least ? g.allocated : least;
			reserved = g.reserved > reserved ? g.reserved : reserved;
		}
		ck_assert_uint_eq(b.columns[c].allocated, most);
		ck_assert_uint_eq(b.columns[c].least, least);
		ck_assert_uint_eq(b.columns[c].reserved, reserved);
		ck_assert_uint_eq(gs_timeline_totals(&timeline, b.columns[c].idx).allocated, most);
	}
	gs_bands_release(&b);
	close_file();
}
END_TEST

START_TEST(the_block_under_a_point_is_the_one_piled_there)
{
	open_file(files[1]);
	gs_error err = GS_ERROR_INIT;
	int64_t idx = (int64_t)timeline.history->n / 2;
	uint64_t bottom = 0;
	for (uint32_t i = 0; i < timeline.lives.n; i++) {
		if (!gs_life_lives(&timeline.lives.all[i], idx))
			continue;
		uint64_t size = gs_life_size(&timeline.lives, i), at;
		uint32_t life;
		ck_assert(!gs_bands_find(&timeline, GS_LIFE_KEY_BIRTH, idx,
			(double)bottom + (double)size / 2, &life, &at, &err));
		ck_assert_uint_eq(life, i);
		ck_assert_uint_eq(at, bottom);
		bottom += size;
	}
	uint32_t life;
	uint64_t at;
	ck_assert(
		!gs_bands_find(&timeline, GS_LIFE_KEY_BIRTH, idx, (double)bottom + 1, &life, &at, &err));
	ck_assert_uint_eq(life, GS_NO_LIFE);
	close_file();
}
END_TEST

START_TEST(a_view_without_extent_is_refused)
{
	static const gs_bands_ask wrong[] = {
		{.from = 3, .to = 3, .columns = 10},
		{.from = 0, .to = 3, .columns = 0},
		{.from = 0, .to = 3, .columns = GS_BANDS_MOST + 1},
		{.from = 0, .to = 3, .columns = 1, .rows = 10, .low = 5, .high = 5},
		{.from = 0, .to = 1e300 * 1e300, .columns = 1},
		{.timed = true, .from = 0, .to = 3, .columns = 1},
	};
	record_made_up(3);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		gs_bands b;
		gs_error err = GS_ERROR_INIT;
		ck_assert_int_eq(gs_bands_init(&b, &timeline, &wrong[i], &err), GS_INVALID);
		gs_bands_release(&b);
	}
	close_file();
}
END_TEST

START_TEST(a_span_parts_lives_into_born_died_stayed_and_passed)
{
	record_made_up(11);
	gs_error err = GS_ERROR_INIT;
	int64_t from = (int64_t)timeline.history->n / 3, to = 2 * from;
	gs_timeline_span span;
	ck_assert(!gs_span_init(&span, &timeline, from, to, &err));
	const gs_span_row *t = &span.total;
	ck_assert_uint_gt(t->born.blocks, 0);
	ck_assert_uint_gt(t->died.blocks, 0);
	ck_assert_uint_gt(t->passed.blocks, 0);
	ck_assert_uint_eq(t->died.bytes + t->stayed.bytes, live_bytes(from));
	ck_assert_uint_eq(t->born.bytes + t->stayed.bytes, live_bytes(to));
	uint64_t born = 0, passed = 0;
	for (size_t i = 0; i < span.n; i++) {
		born += span.rows[i].born.bytes;
		passed += span.rows[i].passed.blocks;
	}
	ck_assert_uint_eq(born, t->born.bytes);
	ck_assert_uint_eq(passed, t->passed.blocks);
	gs_span_release(&span);
	ck_assert_int_eq(
		gs_span_init(&span, &timeline, 5, (int64_t)timeline.history->n, &err), GS_INVALID);
	gs_span_release(&span);
	close_file();
}
END_TEST

START_TEST(a_flame_tree_adds_up_to_what_is_allocated)
{
	open_file(files[1]);
	gs_error err = GS_ERROR_INIT;
	gs_flame f;
	int64_t idx = (int64_t)timeline.history->n - 1;
	double roots = 0, expected = 0;
	ck_assert(!gs_flame_moment(&f, &timeline, idx, &err));
	for (size_t i = 0; i < f.n; i++) {
		ck_assert_int_lt(f.nodes[i].parent, (int32_t)i);
		roots += f.nodes[i].parent < 0 ? f.nodes[i].value : 0;
	}
	ck_assert_double_eq(roots, (double)gs_timeline_totals(&timeline, idx).allocated);
	ck_assert_double_eq(roots, f.total);
	gs_flame_release(&f);

	ck_assert(!gs_flame_stretch(&f, &timeline, -1, idx, &err));
	for (int64_t i = 0; i < idx; i++) { /* the area under the curve */
		const gs_event *e = &timeline.device->trace.events[i];
		double wide = timeline.timed ? (double)(e[1].time_us - e->time_us) : 1;
		expected += (double)gs_timeline_totals(&timeline, i).allocated * wide;
	}
	if (!timeline.timed)
		expected += (double)gs_timeline_totals(&timeline, -1).allocated;
	ck_assert_double_eq_tol(f.total, expected, expected * 1e-9);
	gs_flame_release(&f);
	close_file();
}
END_TEST

Suite *suite_timeline(void);
Suite *suite_timeline(void)
{
	Suite *s = suite_create("timeline");
	TCase *c = tcase_create("timeline");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, what_lives_after_an_event_is_what_its_layout_shows);
	tcase_add_loop_test(c, an_event_is_of_the_life_that_lives_at_its_address, 0, 9);
	tcase_add_test(c, holders_of_lives_are_those_of_the_layout);
	tcase_add_test(c, bands_pile_up_to_what_lives_and_nothing_is_dropped);
	tcase_add_test(c, a_column_tells_the_most_and_the_least_that_it_has);
	tcase_add_test(c, the_block_under_a_point_is_the_one_piled_there);
	tcase_add_test(c, a_view_without_extent_is_refused);
	tcase_add_test(c, a_span_parts_lives_into_born_died_stayed_and_passed);
	tcase_add_test(c, a_flame_tree_adds_up_to_what_is_allocated);
	suite_add_tcase(s, c);
	return s;
}
