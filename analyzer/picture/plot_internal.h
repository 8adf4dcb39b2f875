/* What the files of the plot share: plot.c plans the page and draws its legend, plot_area.c draws
 * bands and lines, plot_marks.c what is marked in them. */
#ifndef GS_ANALYZER_PICTURE_PLOT_INTERNAL_H
#define GS_ANALYZER_PICTURE_PLOT_INTERNAL_H

#include "analyzer/picture/plot.h"

enum {
	GS_PLOT_MARGIN = 16,
	GS_PLOT_AXIS = 84,  /* left of the plot: sizes */
	GS_PLOT_RIGHT = 96, /* right of it: names of lines */
	GS_PLOT_TITLE = 24,
	GS_PLOT_MARKS = 34,   /* above the plot: what the peak and failures are */
	GS_PLOT_HEIGHT = 340, /* its height */
	GS_PLOT_STRIP = 18,   /* below it: steps */
	GS_PLOT_TICKS = 20    /* and the axis */
};

/* A device in the picture. */
typedef struct gs_plot_row {
	gs_plot_panel in;
	gs_plot_series series;
	int source;
	uint64_t top; /* of the axis */
	bool has_capacity;
	int64_t capacity;
} gs_plot_row;

struct gs_plot {
	gs_palette palette;
	gs_plot_row *panels;
	size_t n;
	int width, height, columns, x;
	char headline[512], source[512];
	int headline_lines;
};

/* The area of one device's plot; it is GS_PLOT_HEIGHT high. */
typedef struct gs_plot_frame {
	const gs_plot *p;
	const gs_plot_row *row;
	gs_draw *d;
	int x, y, w; /* of the plot's area */
} gs_plot_frame;

/* The picture's row of a size. */
static inline int gs_plot_row_of(const gs_plot_frame *f, uint64_t bytes)
{
	double rows = (double)bytes / (double)f->row->top * GS_PLOT_HEIGHT;

	return f->y + GS_PLOT_HEIGHT - (rows > GS_PLOT_HEIGHT ? GS_PLOT_HEIGHT : (int)(rows + 0.5));
}

/* Grid, bands and their names, lines of capacity, reserved memory and holes; the lines' names go
 * over all else. */
void gs_plot_draw_area(const gs_plot_frame *f);
void gs_plot_name_lines(const gs_plot_frame *f);
/* The peak, failures, steps, annotations, and the axis below. */
void gs_plot_draw_marks(const gs_plot_frame *f);

#endif
