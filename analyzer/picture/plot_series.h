/* What a plot shows of a device, column by column. Of a run of which a part is in memory
 * (gs_snapshot.excerpt) the rest is drawn by its figures (meaning/course.h): how much was in use,
 * not who held it. */
#ifndef GS_ANALYZER_PICTURE_PLOT_SERIES_H
#define GS_ANALYZER_PICTURE_PLOT_SERIES_H

#include "analyzer/picture/palette.h"

/* A moment of a column: the one with most allocated. */
typedef struct gs_plot_column {
	uint64_t allocated;
	uint64_t bands[GS_CLASSES]; /* live bytes by class, and GS_CLASS_PENDING; GS_CLASS_UNTOLD: what
								   figures alone tell */
	uint64_t reserved;          /* the greatest in the column */
	int64_t idx;                /* -1: before the first event in memory, or not in it */
	int64_t hole;               /* the largest hole; GS_NONE: not sampled here */
	bool failed;                /* a request failed in it */
} gs_plot_column;

/* What the axis counts; auto is time unless most of it would be empty. */
typedef enum gs_plot_axis { GS_PLOT_AUTO, GS_PLOT_TIME, GS_PLOT_EVENTS } gs_plot_axis;

typedef struct gs_plot_series {
	const gs_history *history;
	gs_plot_column *columns;
	int n;
	bool course;        /* figures tell what is outside the events in memory */
	bool timed;         /* the axis is time */
	int64_t begin, end; /* of the axis: microseconds, or events */
	uint64_t most;      /* reserved or allocated */
	int64_t peak;       /* event of the allocated peak as the file numbers it, -1 */
	int peak_column;
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
/* Of an event as the file numbers it, in memory or not. */
int gs_plot_column_numbered(const gs_plot_series *s, uint64_t number);
/* Events of the run, in memory or not. */
uint64_t gs_plot_events(const gs_plot_series *s);

#endif
