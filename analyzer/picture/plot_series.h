/* What a plot shows of a device, column by column. */
#ifndef GS_ANALYZER_PICTURE_PLOT_SERIES_H
#define GS_ANALYZER_PICTURE_PLOT_SERIES_H

#include "analyzer/picture/palette.h"

/* A moment of a column: the one with most allocated. */
typedef struct gs_plot_column {
	uint64_t allocated;
	uint64_t bands[GS_CLASSES]; /* live bytes by class, and GS_CLASS_PENDING */
	uint64_t reserved;          /* the greatest in the column */
	int64_t idx;                /* -1: before the first event */
	int64_t hole;               /* the largest hole; GS_NONE: not sampled here */
	bool failed;                /* a request failed in it */
} gs_plot_column;

/* What the axis counts; auto is time unless most of it would be empty. */
typedef enum gs_plot_axis { GS_PLOT_AUTO, GS_PLOT_TIME, GS_PLOT_EVENTS } gs_plot_axis;

typedef struct gs_plot_series {
	const gs_history *history;
	gs_plot_column *columns;
	int n;
	bool timed;         /* the axis is time */
	int64_t begin, end; /* of the axis: microseconds, or events */
	uint64_t most;      /* reserved or allocated */
	int64_t peak;       /* event of the allocated peak, -1 */
	uint64_t peak_allocated;
} gs_plot_series;

/* Of a device with events. source: of the palette. GS_NO_MEMORY. */
gs_status gs_plot_series_init(gs_plot_series *s, const gs_history *h, const gs_meaning *meaning,
	const gs_palette *palette, int source, gs_plot_axis axis, int columns, gs_error *err);
void gs_plot_series_release(gs_plot_series *s);

/* The column of an event; of a value of the axis (clamped); of a time in microseconds, whatever the
 * axis counts (-1: the events have no times). */
int gs_plot_column_of(const gs_plot_series *s, size_t event);
int gs_plot_column_at(const gs_plot_series *s, int64_t value);
int gs_plot_column_time(const gs_plot_series *s, int64_t time_us);

#endif
