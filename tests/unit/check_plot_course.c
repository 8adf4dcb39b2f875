/* The plot of a run of which a part is in memory: what its figures draw of the rest, held against a
 * replay of all events. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/picture/plot.h"
#include "tests/unit/trace_maker.h"

enum { STEP_US = 10, BEGIN_US = 1000000 };

static gs_snapshot whole, part;
static gs_history all, some;
static gs_meaning meaning;
static gs_palette palette;
static gs_running_totals *after; /* by event of the whole run */

static gs_device *device_of(gs_snapshot *s) { return &s->devices[0]; }

static void make_run(void)
{
	jobs j;
	run_figures figures;
	gs_running_totals g;
	trace_start(&whole);
	jobs_make(&j, 11, 4000, 2, true);
	jobs_run(&j, "2.6", "", UINT64_C(1) << 40, UINT64_C(1) << 40, &whole, &figures);
	jobs_release(&j);
	gs_trace *t = &device_of(&whole)->trace;
	for (size_t i = 0; i < t->n; i++)
		t->events[i].time_us = BEGIN_US + (int64_t)i * STEP_US;
	all = (gs_history)GS_HISTORY_INIT;
	ck_assert_int_eq(gs_history_init(&all, &whole, device_of(&whole), NULL), GS_OK);
	after = malloc(all.n * sizeof *after);
	gs_running_totals_start(&all, &g);
	for (size_t i = 0; i < all.n; i++) {
		gs_running_totals_step(&all, i, &g);
		after[i] = g;
	}
}

/* What the events from one to another come to, summed up event by event. */
static gs_run_figures sum_up(uint64_t first, uint64_t n)
{
	gs_run_figures f = {.first = first,
		.events = n,
		.from_us = BEGIN_US + (int64_t)first * STEP_US,
		.until_us = BEGIN_US + (int64_t)(first + n - 1) * STEP_US};
	for (uint64_t i = first; i < first + n; i++) {
		if (after[i].allocated > f.most_allocated) {
			f.most_allocated = f.reserved_then = after[i].allocated;
			f.allocated_idx = i;
			f.reserved_then = after[i].reserved;
		}
		if (after[i].reserved > f.most_reserved) {
			f.most_reserved = after[i].reserved;
			f.reserved_idx = i;
		}
	}
	f.allocated = after[first + n - 1].allocated;
	f.pending = after[first + n - 1].pending;
	f.reserved = after[first + n - 1].reserved;
	return f;
}

/* As a stream has one before the events. */
static void copy_layout(size_t from)
{
	gs_layout *l = &device_of(&part)->captured;
	ck_assert_int_eq(gs_history_layout(&all, (int64_t)from - 1, l, NULL), GS_OK);
	for (size_t i = 0; i < l->nblocks; i++) {
		l->blocks[i].stack = l->blocks[i].tag = 0;
		l->blocks[i].idx = GS_NONE;
	}
	for (size_t i = 0; i < l->nsegments; i++)
		l->segments[i].stack = 0;
	l->idx = -1;
}

/* Events from … to - 1 in memory, and rows of up to 60 events about the whole run. */
static void make_part(size_t from, size_t to)
{
	trace_start(&part);
	for (uint32_t i = 0; i < whole.nstreams; i++)
		gs_snapshot_stream(&part, whole.streams[i]);
	gs_trace *t = &device_of(&part)->trace;
	for (size_t i = from; i < to; i++) {
		gs_event *e = gs_trace_append(t);
		*e = device_of(&whole)->trace.events[i];
		e->stack = 0;
		e->tag_action &= 255;
		e->pool = 0;
	}
	part.excerpt = part.stream = true;
	t->first = from;
	t->skipped = all.n - (to - from);
	t->complete = 0;
	for (uint64_t at = 0, n; at < all.n; at += n) {
		n = 1 + (uint64_t)rand() % 60;
		n = n < all.n - at ? n : all.n - at;
		const gs_run_figures f = sum_up(at, n);
		ck_assert_int_eq(gs_trace_add_figures(t, &f), GS_OK);
	}
	copy_layout(from);
}

static void open_part(size_t from, size_t to)
{
	gs_palette_moment moment;
	gs_layout last;
	make_part(from, to);
	some = (gs_history)GS_HISTORY_INIT;
	meaning = (gs_meaning)GS_MEANING_INIT;
	ck_assert_int_eq(gs_history_init(&some, &part, device_of(&part), NULL), GS_OK);
	ck_assert_int_eq(gs_meaning_init(&meaning, &some, NULL, NULL), GS_OK);
	ck_assert_int_eq(gs_history_layout(&some, (int64_t)some.n - 1, &last, NULL), GS_OK);
	moment = (gs_palette_moment){&part, &last, &meaning, false};
	ck_assert_int_eq(gs_palette_init(&palette, &moment, 1, GS_COLOR_SIZE, true, NULL), GS_OK);
	gs_layout_release(&last);
}

static void close_part(void)
{
	gs_palette_release(&palette);
	gs_meaning_release(&meaning);
	gs_history_release(&some);
	gs_snapshot_release(&part);
}

static void setup(void)
{
	srand(3);
	make_run();
}

static void teardown(void)
{
	free(after);
	gs_history_release(&all);
	gs_snapshot_release(&whole);
}

static int64_t on_axis(const gs_plot_series *s, uint64_t number)
{
	return s->timed ? BEGIN_US + (int64_t)number * STEP_US : (int64_t)number;
}

static void raise_to(gs_plot_column *c, uint64_t allocated, uint64_t reserved)
{
	c->allocated = allocated > c->allocated ? allocated : c->allocated;
	c->reserved = reserved > c->reserved ? reserved : c->reserved;
}

/* What each column has to show: of events in memory each by itself, and what was in use before it;
 * of the others a row of figures as a whole, wherever one of its events is. */
static gs_plot_column *expected_of(const gs_plot_series *s)
{
	const gs_trace *t = &device_of(&part)->trace;
	gs_plot_column *expected = calloc((size_t)s->n, sizeof *expected);
	int first = gs_plot_column_at(s, on_axis(s, t->first)),
		last = gs_plot_column_at(s, on_axis(s, t->first + t->n - 1));
	for (uint64_t i = t->first; i < t->first + t->n; i++) {
		gs_plot_column *c = &expected[gs_plot_column_at(s, on_axis(s, i))];
		raise_to(c, after[i].allocated, after[i].reserved);
		if (i)
			raise_to(c, after[i - 1].allocated, after[i - 1].reserved);
	}
	for (size_t k = 0; k < t->nfigures; k++) {
		const gs_run_figures *f = &t->figures[k];
		bool outside = f->first + f->events <= t->first || f->first >= t->first + t->n;
		for (uint64_t i = f->first; i < f->first + f->events; i++) {
			int c = gs_plot_column_at(s, on_axis(s, i));
			if (outside || c < first || c > last)
				raise_to(&expected[c], f->most_allocated, f->most_reserved);
		}
	}
	return expected;
}

static const struct {
	double from, to; /* parts of the run */
	gs_plot_axis axis;
	int columns;
} cases[] = {
	{0.6, 1, GS_PLOT_EVENTS, 50},
	{0.6, 1, GS_PLOT_TIME, 50},
	{0.3, 0.5, GS_PLOT_EVENTS, 7},
	{0.3, 0.5, GS_PLOT_TIME, 300},
	{0.9, 0.95, GS_PLOT_EVENTS, 1000},
	{0.9, 0.95, GS_PLOT_AUTO, 1},
	{0, 0.1, GS_PLOT_EVENTS, 120},
};
enum { CASES = sizeof cases / sizeof *cases };

static void open_series(gs_plot_series *s, int _i)
{
	open_part((size_t)(cases[_i].from * (double)all.n), (size_t)(cases[_i].to * (double)all.n));
	ck_assert_int_eq(gs_plot_series_init(
						 s, &some, &meaning, &palette, 0, cases[_i].axis, cases[_i].columns, NULL),
		GS_OK);
	ck_assert(s->course);
}

START_TEST(each_column_shows_the_most_that_was_in_use_in_it)
{
	gs_plot_series s;
	open_series(&s, _i);
	gs_plot_column *expected = expected_of(&s);
	ck_assert_uint_eq(gs_plot_events(&s), all.n);
	for (int i = 0; i < s.n; i++) {
		const gs_plot_column *c = &s.columns[i];
		uint64_t sum = c->bands[GS_CLASS_UNTOLD];
		/* a column without an event goes on as it was before, which is not looked at */
		ck_assert_msg(!expected[i].reserved || c->reserved >= expected[i].reserved,
			"column %d: reserved %llu, should be %llu", i, (unsigned long long)c->reserved,
			(unsigned long long)expected[i].reserved);
		if (expected[i].allocated)
			ck_assert_msg(c->allocated == expected[i].allocated, "column %d: %llu, should be %llu",
				i, (unsigned long long)c->allocated, (unsigned long long)expected[i].allocated);
		for (int k = GS_CLASS_LIVE; k < GS_CLASSES; k++)
			sum += c->bands[k];
		if (c->bands[GS_CLASS_UNTOLD]) /* then nothing else is told of that moment */
			ck_assert_uint_eq(c->bands[GS_CLASS_UNTOLD], c->allocated);
		ck_assert_uint_eq(sum, c->allocated);
	}
	free(expected);
	gs_plot_series_release(&s);
	close_part();
}
END_TEST

START_TEST(the_peak_of_the_run_is_named_and_drawn_wherever_it_is)
{
	gs_plot_series s;
	uint64_t most = 0, drawn = 0, at = 0;
	open_series(&s, _i);
	for (size_t i = 0; i < all.n; i++)
		if (after[i].allocated > most) {
			most = after[i].allocated;
			at = i;
		}
	for (int i = 0; i < s.n; i++)
		drawn = s.columns[i].allocated > drawn ? s.columns[i].allocated : drawn;
	ck_assert_uint_eq(drawn, most);
	ck_assert_uint_eq(s.peak_allocated, most);
	ck_assert_int_eq(s.peak, (int64_t)at);
	ck_assert_uint_ge(s.most, most);
	gs_plot_series_release(&s);
	close_part();
}
END_TEST

START_TEST(failures_outside_memory_stand_in_their_columns)
{
	gs_plot_series s;
	const uint64_t numbers[] = {1, (uint64_t)(all.n / 2), (uint64_t)all.n - 2};
	open_part(all.n / 4, all.n / 3);
	for (int i = 0; i < 3; i++) {
		gs_oom *o = gs_snapshot_add_oom(&part);
		o->device = 0;
		o->idx = GS_NONE;
		o->number = (int64_t)numbers[i];
	}
	ck_assert_int_eq(
		gs_plot_series_init(&s, &some, &meaning, &palette, 0, GS_PLOT_EVENTS, 40, NULL), GS_OK);
	for (int i = 0, failed = 0; i < s.n; i++) {
		failed += s.columns[i].failed;
		if (i == s.n - 1)
			ck_assert_int_eq(failed, 3);
	}
	for (int i = 0; i < 3; i++)
		ck_assert(s.columns[gs_plot_column_at(&s, (int64_t)numbers[i])].failed);
	gs_plot_series_release(&s);
	close_part();
}
END_TEST

Suite *suite_plot_course(void);
Suite *suite_plot_course(void)
{
	Suite *s = suite_create("plot_course");
	TCase *t = tcase_create("plot_course");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, each_column_shows_the_most_that_was_in_use_in_it, 0, CASES);
	tcase_add_loop_test(t, the_peak_of_the_run_is_named_and_drawn_wherever_it_is, 0, CASES);
	tcase_add_test(t, failures_outside_memory_stand_in_their_columns);
	suite_add_tcase(s, t);
	return s;
}
