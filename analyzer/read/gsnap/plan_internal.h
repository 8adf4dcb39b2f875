/* What the files that plan the reading of one moment share. Private to them. */
#ifndef GS_ANALYZER_READ_GSNAP_PLAN_INTERNAL_H
#define GS_ANALYZER_READ_GSNAP_PLAN_INTERNAL_H

#include "analyzer/read/gsnap/plan.h"
#include "schema/gsnap_read.h"

typedef struct gs_layout_place {
	uint32_t window; /* which device's */
	uint64_t offset;
	int64_t idx;
} gs_layout_place;

typedef struct gs_failure_place {
	int32_t device;
	int64_t idx;
} gs_failure_place;

typedef struct gs_planning {
	gs_gsnap_plan *plan;
	gs_sections *sections;
	gs_section section;
	gs_layout_place *layouts, open;
	gs_failure_place *failures;
	size_t nlayouts, cap_layouts, nfailures, cap_failures, cap_windows;
	bool is_open; /* a layout has begun */
} gs_planning;

/* The number of a device's window, made when new; UINT32_MAX: no memory. */
uint32_t gs_planning_window_number(gs_planning *p, int32_t device);

/* Notes the failures of the section at hand, which is of their kind. */
gs_status gs_planning_note_failures(gs_planning *p, gs_error *err);

/* Notes where layouts, events and failures are in all sections from here on, and says where the
 * file ends: in its end, or cut. */
gs_status gs_planning_scan(gs_planning *p, gs_error *err);

/* The same by the indexes, and from the last one on by the sections. GS_NOT_FOUND: no index can be
 * believed. */
gs_status gs_planning_look_up(gs_planning *p, gs_source *source, gs_error *err);

#endif
