/* The axis of a picture over time: microseconds where the recording has them, else events. */
#ifndef GS_ANALYZER_TIMELINE_AXIS_H
#define GS_ANALYZER_TIMELINE_AXIS_H

#include "analyzer/model/snapshot.h"

/* Whether every event has a time, none is earlier than the one before, and they differ. */
bool gs_axis_timed(const gs_trace *t);

/* Of such a trace: whether events lie in a small part of the time that they span (a program that
 * waits, then works). */
bool gs_axis_crowded(const gs_trace *t);

/* The first event whose place on the axis (its time, or its number) is at least x; n where there is
 * none. */
size_t gs_axis_event(const gs_trace *t, bool timed, double x);

#endif
