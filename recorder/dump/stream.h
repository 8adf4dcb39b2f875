/* A whole run in one file that only grows (FORMAT.md, "A stream"): every event from the first to
 * the last, with a full layout of each device every so many.
 *
 * A device's events go through its lane (lane.h) to a thread of ours, which encodes and writes
 * them. How often the program had to wait for it is told at the end. Memory is taken when a lane is
 * made.
 *
 * A process that is killed loses the section being filled, of events not older than 0.2 s; and,
 * where the thread lagged, what it had not taken out of the lane (GS_LANE_EVENTS at most).
 *
 * A full disk, or any other failed write, ends the stream with one line; the rest goes on. What is
 * in the file then ends with a whole section. A forked child begins a file of its own. */
#ifndef GS_RECORDER_DUMP_STREAM_H
#define GS_RECORDER_DUMP_STREAM_H

#include <stdbool.h>

#include "recorder/capture/clock.h"
#include "recorder/capture/marks.h"
#include "recorder/capture/pages.h"
#include "recorder/capture/tables.h"
#include "recorder/dump/config.h"
#include "recorder/dump/lane.h"

typedef struct gs_stream gs_stream;

/* Opens the file of the pattern config->stream and starts the thread. NULL where it cannot be
 * written, which is told on stderr. tables, clock and config outlive it. */
gs_stream *gs_stream_open(
	const gs_config *config, gs_tables *tables, gs_clock *clock, gs_pages *pages);

/* What the program names goes into the file too, as annotations of each device in it; from the
 * first mark that is kept on. marks outlives the stream. */
void gs_stream_watch_marks(gs_stream *s, gs_marks *marks);

/* Writes what is left, and the index; no producer may be inside. NULL: nothing. */
void gs_stream_close(gs_stream *s);

/* A lane for a device: metadata_bytes as gs_staging_reserve. NULL: no memory, or too many. */
gs_lane *gs_stream_lane(gs_stream *s, const gs_dump_device *device, gs_ring *ring,
	const char *library, const char *rules);

/* The number of a device whose layout is wanted; −1: none. */
int gs_stream_layout_due(const gs_stream *s);

/* Around fork, when no producer is inside: the child's lanes go on in a file of its own. */
void gs_stream_before_fork(gs_stream *s);
void gs_stream_after_fork(gs_stream *s, bool child);

#endif
