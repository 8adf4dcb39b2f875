/* A report of several snapshots: which is told first, which at length, and the table of all.
 * Private to the files of the report. */
#ifndef GS_ANALYZER_PICTURE_REPORT_OVERVIEW_H
#define GS_ANALYZER_PICTURE_REPORT_OVERVIEW_H

#include "analyzer/picture/report.h"

/* "rank 3 (NAME)", or the file's name alone. */
void gs_report_name_snapshot(const gs_snapshot *s, char *buf, size_t cap);

/* The one that failed first: by time, else the first with a failure, else the first. */
size_t gs_report_first_failed(const gs_snapshot *all, size_t n);

/* Whether the i-th has a section of its own: the one told first, and the first of the others. */
bool gs_report_tells_at_length(size_t i, size_t first);

/* The scene of the i-th; whole: with meaning and advice. *path (NULL: not asked for) gets its path.
 * Errors as of gs_scene_open; release it in any case. */
gs_status gs_report_open_scene(const gs_report_options *options, size_t i, bool whole,
	gs_scene *scene, const char **path, gs_error *err);

/* A row a snapshot, and the settings that differ. The headline is that of the snapshot which failed
 * first. *path: whose error it is. */
gs_status gs_report_overview(
	gs_page *p, const gs_report_options *options, size_t first, const char **path, gs_error *err);

/* The settings that not all have alike. */
void gs_report_differences(gs_page *p, const gs_snapshot *all, size_t n);

#endif
