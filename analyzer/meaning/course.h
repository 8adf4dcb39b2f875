/* The course of a long run by the figures of its stream, where not all of its events are in memory
 * (gs_snapshot.excerpt): peaks, steps, bytes over time. Event numbers are the file's. */
#ifndef GS_ANALYZER_MEANING_COURSE_H
#define GS_ANALYZER_MEANING_COURSE_H

#include "analyzer/meaning/meaning.h"

/* Whether figures tell of all events of the device before those that are in memory. */
bool gs_course_is_told(const gs_device *d);

/* Adds figures of the events in memory behind the last ones that the file tells of, so that the
 * course is told to the end of them. GS_NO_MEMORY, GS_LIMIT. */
gs_status gs_course_complete(const gs_snapshot *s, gs_device *d, gs_error *err);

/* The figures in which most was allocated (reserved); NULL where there are none. */
const gs_run_figures *gs_course_peak(const gs_device *d, bool reserved);

/* The steps that the program names, with first_idx, last_idx and peak_idx as the file numbers them;
 * none where it names none. malloc'd. GS_NO_MEMORY. */
gs_status gs_course_steps(
	const gs_snapshot *s, const gs_device *d, gs_phase_step **steps, size_t *n);

/* The event after which the state of a selector holds: "peak", "peak reserved", "step 7",
 * "step 7 peak". GS_NOT_FOUND: the device has no such step, or no events; GS_INVALID: it is another
 * selector. */
gs_status gs_course_find(
	const gs_snapshot *s, const gs_device *d, const char *selector, uint64_t *event, gs_error *err);

#endif
