/* The plot: its columns against the gauge, its drawn areas against its columns. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/picture/plot.h"
#include "tests/unit/trace_maker.h"

static gs_snapshot snapshot;
static gs_history history;
static gs_meaning meaning;
static gs_palette palette;

/* A random run of 3000 requests on two streams, some of them of tagged stacks. */
static void setup(void)
{
	jobs j;
	run_figures figures;
	gs_palette_moment moment;
	static gs_layout last;

	trace_start(&snapshot);
	jobs_make(&j, 5, 3000, 2, true);
	jobs_run(&j, "2.6", "", UINT64_C(1) << 40, UINT64_C(1) << 40, &snapshot, &figures);
	jobs_release(&j);
	history = (gs_history)GS_HISTORY_INIT;
	meaning = (gs_meaning)GS_MEANING_INIT;
	ck_assert_int_eq(gs_history_init(&history, &snapshot, &snapshot.devices[0], NULL), GS_OK);
	ck_assert_int_eq(gs_meaning_init(&meaning, &history, NULL, NULL), GS_OK);
	ck_assert_int_eq(gs_history_layout(&history, (int64_t)history.n - 1, &last, NULL), GS_OK);
	moment = (gs_palette_moment){&snapshot, &last, &meaning, false};
	ck_assert_int_eq(gs_palette_init(&palette, &moment, 1, GS_COLOR_SIZE, true, NULL), GS_OK);
	gs_layout_release(&last);
}

static void teardown(void)
{
	gs_palette_release(&palette);
	gs_meaning_release(&meaning);
	gs_history_release(&history);
	gs_snapshot_release(&snapshot);
}

static uint64_t live(const gs_plot_column *c)
{
	uint64_t sum = 0;

	for (int i = GS_CLASS_LIVE; i < GS_CLASSES; i++)
		sum += c->bands[i];
	return sum;
}

/* Of event i: freed here and complete with the next event, so that it waits for nobody. */
static uint64_t complete_at_once(size_t i)
{
	const gs_event *e = &history.device->trace.events[i];

	return i + 1 < history.n && gs_event_action(e) == GS_ACTION_FREE_REQUESTED &&
			gs_event_action(e + 1) == GS_ACTION_FREE_COMPLETED && e[0].address == e[1].address
		? gs_history_size(&history, i)
		: 0;
}

static const int widths[] = {1, 50, 1000, 20000};

START_TEST(bands_of_each_column_sum_up_to_what_the_gauge_says)
{
	gs_plot_series s;
	gs_running_totals g;
	int column = 0;

	ck_assert_int_eq(
		gs_plot_series_init(&s, &history, &meaning, &palette, 0, GS_PLOT_EVENTS, widths[_i], NULL),
		GS_OK);
	gs_running_totals_start(&history, &g);
	for (size_t i = 0; i < history.n; i++) {
		gs_running_totals_step(&history, i, &g);
		for (column = 0; column < s.n; column++)
			if (s.columns[column].idx == (int64_t)i) {
				ck_assert_uint_eq(s.columns[column].allocated, g.allocated);
				ck_assert_uint_eq(live(&s.columns[column]), g.allocated);
				ck_assert_uint_eq(
					s.columns[column].bands[GS_CLASS_PENDING], g.pending - complete_at_once(i));
				ck_assert_uint_ge(s.columns[column].reserved, g.reserved);
			}
	}
	gs_plot_series_release(&s);
}
END_TEST

START_TEST(no_peak_is_lost_however_narrow_the_picture)
{
	gs_plot_series s;
	uint64_t most = 0;
	gs_running_totals g;

	gs_running_totals_start(&history, &g);
	for (size_t i = 0; i < history.n; i++) {
		gs_running_totals_step(&history, i, &g);
		most = g.allocated > most ? g.allocated : most;
	}
	ck_assert_int_eq(
		gs_plot_series_init(&s, &history, &meaning, &palette, 0, GS_PLOT_EVENTS, widths[_i], NULL),
		GS_OK);
	uint64_t shown = 0;
	for (int i = 0; i < s.n; i++)
		shown = s.columns[i].allocated > shown ? s.columns[i].allocated : shown;
	ck_assert_uint_eq(shown, most);
	ck_assert_uint_eq(s.peak_allocated, most);
	ck_assert_int_eq(s.peak, gs_history_peak(&history, false));
	gs_plot_series_release(&s);
}
END_TEST

START_TEST(the_largest_hole_is_that_of_the_layout)
{
	gs_plot_series s;
	int compared = 0;

	ck_assert_int_eq(
		gs_plot_series_init(&s, &history, &meaning, &palette, 0, GS_PLOT_EVENTS, 100, NULL), GS_OK);
	for (int i = 0; i < s.n; i += 9) {
		gs_layout l;
		gs_totals t;
		if (s.columns[i].hole == GS_NONE)
			continue;
		ck_assert_int_eq(gs_history_layout(&history, s.columns[i].idx, &l, NULL), GS_OK);
		gs_layout_totals(&l, &t);
		ck_assert_int_eq(
			s.columns[i].hole, t.largest == SIZE_MAX ? 0 : (int64_t)l.blocks[t.largest].size);
		gs_layout_release(&l);
		compared++;
	}
	ck_assert_int_gt(compared, 5);
	gs_plot_series_release(&s);
}
END_TEST

/* --- what is drawn ------------------------------------------------------------------------------
 */

typedef struct area_log {
	gs_draw draw;
	int height[GS_PLOT_WIDTH_MAX];
	int first;
	char text[16384];
} area_log;

static void no_rect(gs_draw *d, int x, int y, int w, int h, const gs_paint *paint)
{
	(void)d, (void)x, (void)y, (void)w, (void)h, (void)paint;
}

static void log_area(
	gs_draw *d, int x, int n, const int *top, const int *bottom, const gs_paint *paint)
{
	area_log *l = (area_log *)d;

	for (int k = GS_CLASS_LIVE; k < GS_CLASSES; k++)
		if (*palette.classes[k].name && palette.classes[k].paint.rgb == paint->rgb)
			for (int i = 0; i < n; i++)
				l->height[i] += bottom[i] > top[i] ? bottom[i] - top[i] : 0;
	l->first = x;
}

static void log_text(gs_draw *d, int x, int y, int px, uint32_t rgb, const char *text)
{
	area_log *l = (area_log *)d;

	(void)x, (void)y, (void)px, (void)rgb;
	if (strlen(l->text) + strlen(text) + 2 < sizeof l->text)
		strcat(strcat(l->text, text), "\n");
}

static int measure(gs_draw *d, int px, const char *text)
{
	(void)d;
	return (int)strlen(text) * px / 2;
}

static const gs_draw_ops area_ops = {no_rect, log_area, log_text, measure};
static area_log drawn;

START_TEST(drawn_heights_are_the_allocated_bytes_to_one_scale)
{
	gs_plot_series s;
	gs_layout *last = &history.initial;
	gs_plot_panel panel = {&snapshot, &snapshot.devices[0], &history, &meaning, last, "at the end"};
	gs_plot_options options = {
		.panels = &panel, .n = 1, .by = GS_COLOR_SIZE, .axis = GS_PLOT_EVENTS, .width = 1320};
	gs_plot *p = NULL;
	int n = 0, most = 0;

	ck_assert_int_eq(gs_plot_make(&p, &options, NULL), GS_OK);
	memset(&drawn, 0, sizeof drawn);
	drawn.draw.ops = &area_ops;
	gs_picture picture = gs_plot_picture(p);
	picture.draw(picture.subject, &drawn.draw);
	while (n < GS_PLOT_WIDTH_MAX && n < 1320 - drawn.first - 96 - 16)
		n++;
	ck_assert_int_eq(
		gs_plot_series_init(&s, &history, &meaning, &palette, 0, GS_PLOT_EVENTS, n, NULL), GS_OK);
	for (int i = 0; i < n; i++)
		most = drawn.height[i] > drawn.height[most] ? i : most;
	for (int i = 0; i < n; i++) {
		double want = (double)s.columns[i].allocated / (double)s.columns[most].allocated *
			drawn.height[most];
		ck_assert_msg(want - drawn.height[i] < 1.6 && drawn.height[i] - want < 1.6,
			"column %d: %d pixels, %.2f wanted", i, drawn.height[i], want);
	}
	ck_assert_ptr_nonnull(strstr(drawn.text, "peak "));
	ck_assert_ptr_nonnull(strstr(drawn.text, "reserved\n"));
	ck_assert_ptr_nonnull(strstr(drawn.text, "largest hole\n"));
	gs_plot_series_release(&s);
	gs_plot_free(p);
}
END_TEST

START_TEST(a_recording_without_events_says_what_is_missing)
{
	gs_history none = GS_HISTORY_INIT;
	gs_plot_panel panel = {
		&snapshot, &snapshot.devices[0], &none, NULL, &history.initial, "as captured"};
	gs_plot_options options = {.panels = &panel, .n = 1, .by = GS_COLOR_SIZE};
	gs_error err = GS_ERROR_INIT;
	gs_plot *p = NULL;

	ck_assert_int_eq(gs_plot_make(&p, &options, &err), GS_NOT_FOUND);
	ck_assert_str_eq(err.text, "it has no events: how memory went is not known, only how it was");
	ck_assert_ptr_null(p);
}
END_TEST

Suite *suite_plot(void);
Suite *suite_plot(void)
{
	Suite *s = suite_create("plot");
	TCase *t = tcase_create("plot");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60); /* heaps of 100,000 blocks, on a busy machine */
	tcase_add_loop_test(t, bands_of_each_column_sum_up_to_what_the_gauge_says, 0, 3);
	tcase_add_loop_test(t, no_peak_is_lost_however_narrow_the_picture, 0, 4);
	tcase_add_test(t, the_largest_hole_is_that_of_the_layout);
	tcase_add_test(t, drawn_heights_are_the_allocated_bytes_to_one_scale);
	tcase_add_test(t, a_recording_without_events_says_what_is_missing);
	suite_add_tcase(s, t);
	return s;
}
