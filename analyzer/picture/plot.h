/* The plot: memory over time (or events), stacked by who holds it, with what is reserved, the
 * device's capacity, the largest hole, the peak, failures, steps and annotations.
 *
 * A column of pixels shows the moment, of those that fall into it, at which most was allocated, so
 * that no peak is lost; its bands are that moment's bytes to the scale of the axis. A gs_plot
 * borrows what it is made of. */
#ifndef GS_ANALYZER_PICTURE_PLOT_H
#define GS_ANALYZER_PICTURE_PLOT_H

#include "analyzer/picture/palette.h"
#include "analyzer/picture/picture.h"
#include "analyzer/picture/plot_series.h"

/* One device. */
typedef struct gs_plot_panel {
	const gs_snapshot *snapshot;
	const gs_device *device;
	const gs_history *history;
	const gs_meaning *meaning; /* NULL: no categories, no steps */
	const gs_layout *layout;   /* of the moment that ranks the holders and that the legend tells */
	const char *moment;        /* how the legend calls it: "at the failure" */
} gs_plot_panel;

enum { GS_PLOT_WIDTH = 1320, GS_PLOT_WIDTH_MIN = 320, GS_PLOT_WIDTH_MAX = 8192 };

typedef struct gs_plot_options {
	const gs_plot_panel *panels;
	size_t n;
	const char *headline; /* NULL: none */
	gs_color by;          /* holder, category, tag, stream or size */
	gs_plot_axis axis;
	const gs_palette_moment *also; /* further moments that rank the holders */
	size_t nalso;
	int width; /* 0: GS_PLOT_WIDTH */
} gs_plot_options;

typedef struct gs_plot gs_plot;

/* GS_NOT_FOUND: no panel has events; GS_LIMIT: a width out of bounds; GS_NO_MEMORY. */
gs_status gs_plot_make(gs_plot **out, const gs_plot_options *options, gs_error *err);
void gs_plot_free(gs_plot *p); /* accepts NULL */

/* The planned plot as a picture; it borrows the plot. */
gs_picture gs_plot_picture(const gs_plot *p);

#endif
