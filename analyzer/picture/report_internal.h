/* What the files of a report's sections share. Private to them. */
#ifndef GS_ANALYZER_PICTURE_REPORT_INTERNAL_H
#define GS_ANALYZER_PICTURE_REPORT_INTERNAL_H

#include "analyzer/picture/report_sections.h"

enum { ROWS_MOST = 40, NARROW = 420 /* pixels */ };

typedef struct gs_sections {
	gs_page *p;
	const gs_scene *scene;
	int level; /* of headings */
} gs_sections;

static inline void gs_section_heading(const gs_sections *s, const char *text)
{
	gs_page_heading(s->p, s->level, NULL, text);
}

/* --- report_answer.c */

/* Each step of the ladder with its figures. */
void gs_section_ladder(const gs_sections *s);

/* --- report_pictures.c */

/* One picture of the maps of all devices, and a narrow one beside it in HTML; name is the picture's
 * file's. before: what was not there then is marked, NULL: nothing is. */
gs_status gs_section_maps(
	gs_page *p, const gs_scene *scene, const gs_scene *before, const char *name, gs_error *err);
/* Whether a moment of it has segments to map. */
bool gs_scene_has_segments(const gs_scene *scene);
/* Maps; plots, without a heading. */
gs_status gs_section_heap(const gs_sections *s, gs_error *err);
gs_status gs_section_over_time(const gs_sections *s, gs_error *err);

/* --- report_tables.c */

/* A cell with bytes gained or lost, with their sign. */
void gs_page_change(gs_page *p, int64_t bytes);
/* Holders, categories and steps of each device. */
gs_status gs_section_tables(const gs_sections *s, gs_error *err);

#endif
