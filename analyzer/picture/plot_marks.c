/* What is marked in a device's plot, and its axis. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/meaning/course.h"
#include "analyzer/picture/plot_internal.h"
#include "schema/size.h"

enum { FAILURE = 0xb3261e, LABELS_MOST = 40 };

/* A word above the plot at a column, where the words before leave room: two lines of them. */
typedef struct labels {
	int right[2];
} labels;

static bool put_label(const gs_plot_frame *f, labels *l, int column, uint32_t rgb, const char *text)
{
	int width = f->d->ops->measure(f->d, 11, text) + 8, x = f->x + column + 4;

	if (x + width > f->x + f->w)
		x = f->x + column - width;
	if (x < f->x)
		x = f->x;
	for (int line = 1; line >= 0; line--)
		if (x > l->right[line]) {
			gs_draw_text(f->d, x, f->y - GS_PLOT_MARKS + line * 15, 11, rgb, width, text);
			l->right[line] = x + width;
			return true;
		}
	return false;
}

static void draw_peak(const gs_plot_frame *f, labels *l)
{
	const gs_plot_series *s = &f->row->series;
	char text[120], size[32];
	int column, y;

	if (s->peak < 0)
		return;
	column = s->peak_column;
	y = gs_plot_row_of(f, s->peak_allocated);
	for (int i = 0; i < 5; i++) /* a triangle that points at it */
		gs_draw_rect(f->d, f->x + column - i, y - 4 - i, 2 * i + 1, 1, GS_INK);
	snprintf(text, sizeof text, "peak %s, event %" PRId64,
		gs_size_format(size, sizeof size, s->peak_allocated), s->peak);
	put_label(f, l, column, GS_INK, text);
}

static const gs_oom *oom_of(const gs_plot_panel *in, int64_t idx)
{
	for (size_t i = 0; i < in->snapshot->nooms; i++)
		if (in->snapshot->ooms[i].device == in->device->device && in->snapshot->ooms[i].idx == idx)
			return &in->snapshot->ooms[i];
	return NULL;
}

static void label_failure(const gs_plot_frame *f, labels *l, size_t event, int column)
{
	const gs_oom *oom = oom_of(&f->row->in, (int64_t)event);
	char text[120], size[32];

	if (oom && oom->requested > 0)
		snprintf(text, sizeof text, "failed: %s asked for",
			gs_size_format(size, sizeof size, (uint64_t)oom->requested));
	else
		snprintf(text, sizeof text, "out of memory");
	put_label(f, l, column, FAILURE, text);
}

/* A line a column that has failures; the first of each is named, as far as there is room. */
static void draw_failures(const gs_plot_frame *f, labels *l)
{
	const gs_plot_series *s = &f->row->series;
	const gs_trace *t = &f->row->in.device->trace;
	int named = 0, last = -1;

	for (int i = 0; i < s->n; i++)
		if (s->columns[i].failed)
			gs_draw_rect(f->d, f->x + i - 1, f->y - 4, 2, GS_PLOT_HEIGHT + 4, FAILURE);
	for (size_t i = 0; i < t->n && named < LABELS_MOST; i++) {
		if (gs_event_action(&t->events[i]) != GS_ACTION_OOM)
			continue;
		int column = gs_plot_column_of(s, i);
		if (column != last)
			label_failure(f, l, i, column);
		named += column != last;
		last = column;
	}
}

static void draw_step(const gs_plot_frame *f, const char *name, bool light, int from, int to)
{
	gs_draw_rect(f->d, f->x + from, f->y + GS_PLOT_HEIGHT + 2, to - from, GS_PLOT_STRIP - 4,
		light ? 0xe9edf2 : 0xd4dbe3);
	gs_draw_rect(f->d, f->x + from, f->y + GS_PLOT_HEIGHT + 2, 1, GS_PLOT_STRIP - 4, 0x8a97a6);
	if (to - from > f->d->ops->measure(f->d, 10, name) + 6)
		gs_draw_text(f->d, f->x + from + 4, f->y + GS_PLOT_HEIGHT + 3, 10, GS_INK, to - from, name);
}

/* Those of the whole run, as its figures tell them. */
static void draw_steps_of_course(const gs_plot_frame *f)
{
	const gs_plot_series *s = &f->row->series;
	gs_phase_step *steps = NULL;
	size_t n = 0;

	if (!gs_course_steps(f->row->in.snapshot, f->row->in.device, &steps, &n))
		for (size_t i = 0; i < n; i++)
			draw_step(f, steps[i].name, i % 2 == 0,
				gs_plot_column_numbered(s, (uint64_t)steps[i].first_idx),
				gs_plot_column_numbered(s, (uint64_t)steps[i].last_idx) + 1);
	free(steps);
}

/* The strip below: steps in turn light and dark, named where there is room. */
static void draw_steps(const gs_plot_frame *f)
{
	const gs_meaning *m = f->row->in.meaning;
	const gs_plot_series *s = &f->row->series;

	if (s->course) {
		draw_steps_of_course(f);
		return;
	}
	for (size_t i = 0; m && i < m->nsteps; i++)
		draw_step(f, m->steps[i].name, i % 2 == 0,
			gs_plot_column_of(s, (size_t)m->steps[i].first_idx),
			gs_plot_column_of(s, (size_t)m->steps[i].last_idx) + 1);
}

/* Annotations as ticks on top of the strip; their names where the steps leave it empty. */
static void draw_annotations(const gs_plot_frame *f)
{
	const gs_plot_panel *in = &f->row->in;
	bool steps = in->meaning && in->meaning->nsteps;
	int right = 0;

	for (size_t i = 0; i < in->snapshot->nannotations; i++) {
		const gs_annotation *a = &in->snapshot->annotations[i];
		const char *name = gs_string_text(in->snapshot, a->name);
		if (a->device != in->device->device || a->time_us == GS_NONE)
			continue;
		int column = gs_plot_column_time(&f->row->series, a->time_us), x = f->x + column,
			width = f->d->ops->measure(f->d, 10, name) + 8;
		if (column < 0)
			return;
		gs_draw_rect(f->d, x, f->y + GS_PLOT_HEIGHT - 3, 1, 7, 0x5d6b7a);
		if (steps || x <= right || x + width > f->x + f->w)
			continue;
		gs_draw_text(f->d, x + 3, f->y + GS_PLOT_HEIGHT + 3, 10, GS_FAINT, width, name);
		right = x + width;
	}
}

static void time_text(char *buf, size_t cap, double seconds)
{
	if (seconds >= 600)
		snprintf(buf, cap, "%.0f min", seconds / 60);
	else if (seconds >= 1)
		snprintf(buf, cap, "%.3g s", seconds);
	else if (seconds >= 1e-3 || seconds <= 0)
		snprintf(buf, cap, "%.3g ms", seconds * 1000);
	else
		snprintf(buf, cap, "%.3g µs", seconds * 1e6);
}

static void draw_axis(const gs_plot_frame *f)
{
	const gs_plot_series *s = &f->row->series;
	int n = f->w / 180, y = f->y + GS_PLOT_HEIGHT + GS_PLOT_STRIP;
	char text[60];

	n = n < 1 ? 1 : n;
	for (int i = 0; i <= n; i++) {
		double part = (double)i / n, value = (double)(s->end - s->begin) * part;
		int x = f->x + (int)(part * (f->w - 1));
		if (s->timed)
			time_text(text, sizeof text, value / 1e6);
		else
			snprintf(text, sizeof text, i ? "%.0f" : "event %.0f", value);
		gs_draw_rect(f->d, x, y - 1, 1, 4, GS_FAINT);
		if (i == n)
			gs_draw_text_right(f->d, f->x + f->w, y + 3, 11, GS_FAINT, 120, text);
		else
			gs_draw_text(f->d, x + 3, y + 3, 11, GS_FAINT, 120, text);
	}
	gs_draw_rect(f->d, f->x, f->y + GS_PLOT_HEIGHT, f->w, 1, GS_LINE);
}

void gs_plot_draw_marks(const gs_plot_frame *f)
{
	labels l = {{0, 0}};

	draw_failures(f, &l);
	draw_peak(f, &l);
	draw_axis(f);
	draw_steps(f);
	draw_annotations(f);
}
