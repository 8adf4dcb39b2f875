/* The report: one file to attach to a bug, readable without anything else. What failed and what to
 * do, how the device was used, map, plot, holders, categories, steps, settings, what other settings
 * would have done, the environment. Several snapshots (ranks, files): first a table with a row each
 * and what differs. Two moments: what changed between them. */
#ifndef GS_ANALYZER_PICTURE_REPORT_H
#define GS_ANALYZER_PICTURE_REPORT_H

#include "analyzer/picture/page.h"
#include "analyzer/picture/scene.h"

#define GS_REPORT_STAND_IN "gpusnap-stand-in"

enum {
	GS_REPORT_WHOLE = 8
}; /* snapshots told at length; of the others the first table has a row */

typedef struct gs_report_options {
	const gs_snapshot *snapshots;
	size_t n;
	int64_t device;    /* GS_NONE: all */
	const char *state; /* selector, NULL the default */
	const gs_snapshot
		*before; /* with one snapshot alone: another moment to compare with; NULL none */
	const char *before_state;
	gs_page_form form;
	gs_page_beside *beside; /* Markdown's pictures; NULL: none */
	void *context;
	/* An interactive part (HTML). viewer writes its elements, which follow the verdict; the picture
	 * of memory over time stands behind them, in an element with the id GS_REPORT_STAND_IN, until
	 * they have their own. recordings writes what they show, at the end: a reader need not wait for
	 * it; which: the n snapshots that are told at length, in that order. viewer NULL: the report is
	 * static. */
	void (*viewer)(gs_markup *m, void *context);
	void (*recordings)(gs_markup *m, const size_t *which, size_t n, void *context);
	void *viewer_context;
	const char *viewer_script; /* which scripts its policy allows, as of gs_page_open */
} gs_report_options;

/* *path (may be NULL) gets the path of the snapshot that an error is about, borrowed. Errors as of
 * gs_scene_open; errors of writing are the stream's. */
gs_status gs_report_write(
	const gs_report_options *options, FILE *out, const char **path, gs_error *err);

#endif
