/* One snapshot made ready for pictures and the report: the diagnosis of the failure it is about,
 * the selected state of each device, and, where asked for, what the memory means. */
#ifndef GS_ANALYZER_PICTURE_SCENE_H
#define GS_ANALYZER_PICTURE_SCENE_H

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/meaning/recording.h"
#include "analyzer/picture/map.h"
#include "analyzer/picture/plot.h"
#include "analyzer/state/moments.h"

typedef struct gs_scene_options {
	int64_t device;    /* GS_NONE: all; the one that failed first */
	const char *state; /* selector, NULL the default */
	bool meaning;      /* categories, steps, histories are wanted */
	bool advice;       /* is wanted, with replays */
	bool heapless;     /* an input that tells of no segments (a bare message) is no error */
	bool bare;         /* pictures without the headline: it stands above them already */
} gs_scene_options;

typedef struct gs_scene {
	const gs_snapshot *snapshot;
	bool asked; /* for a state */
	bool bare;
	gs_diagnosis diagnosis;
	char headline[512]; /* the diagnosis' first line */
	gs_moments moments; /* the diagnosed device's first */
	/* by moment, of those opened with meaning (else NULL); the diagnosed device's are the
	 * diagnosis' */
	const gs_history **histories;
	const gs_meaning **meanings;
	gs_recording *own;        /* the others' */
	gs_layout *peaks;         /* by moment: where most was allocated */
	gs_palette_moment *ranks; /* what ranks holders: the moments and the peaks */
} gs_scene;

/* Errors as of gs_diagnose and gs_moments_select. Release in any case. */
gs_status gs_scene_open(
	gs_scene *scene, const gs_snapshot *s, const gs_scene_options *options, gs_error *err);
void gs_scene_release(gs_scene *scene);

/* The map of its devices (the first GS_MAP_PANELS_MAX); before: the same devices at another moment,
 * or NULL. */
gs_status gs_scene_map(const gs_scene *scene, const gs_scene *before, gs_color color, int width,
	gs_map **map, gs_error *err);

/* The plot of its devices; it must have been opened with meaning. Its legend tells what the map
 * shows: one state for all, the failure or the one asked for. Where nothing failed and no state was
 * asked for it tells the peak. */
gs_status gs_scene_plot(const gs_scene *scene, gs_color by, gs_plot_axis axis, int width,
	gs_plot **plot, gs_error *err);

#endif
