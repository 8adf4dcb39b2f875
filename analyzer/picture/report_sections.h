/* The parts of the report about one snapshot. */
#ifndef GS_ANALYZER_PICTURE_REPORT_SECTIONS_H
#define GS_ANALYZER_PICTURE_REPORT_SECTIONS_H

#include "analyzer/picture/page.h"
#include "analyzer/picture/scene.h"

/* The answer: the facts of the verdict and what to try. alone: the page is about nothing else (then
 * these are sections of their own). */
void gs_report_answer(gs_page *p, const gs_scene *scene, bool alone);

/* The picture of memory over time by itself, until a viewer has a better one (report.h). */
gs_status gs_report_stand_in(gs_page *p, const gs_scene *scene, bool alone, gs_error *err);

/* All that stands behind it, in the order of a reader's questions. plotted: memory over time stands
 * there already. */
gs_status gs_report_sections(
	gs_page *p, const gs_scene *scene, bool alone, bool plotted, gs_error *err);

/* What changed between two moments: in words, as a table, as two maps side by side. */
gs_status gs_report_changes(gs_page *p, const gs_scene *before, const gs_scene *now, gs_error *err);

#endif
