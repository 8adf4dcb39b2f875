/* What an open stream is, shared by its three files: stream.c has its thread and its life,
 * stream_file.c the file that it writes, stream_encode.c what goes into that. Everything but the
 * lanes' rings is the business of whoever holds the lock. */
#ifndef GS_RECORDER_DUMP_STREAM_INTERNAL_H
#define GS_RECORDER_DUMP_STREAM_INTERNAL_H

#include <limits.h>
#include <pthread.h>
#include <sys/types.h>

#include "recorder/dump/stream.h"

enum {
	GS_STREAM_LANES = 64,
	GS_STREAM_SAME_NAMES = 10000, /* files of one process that want the same name */
	GS_STREAM_CUTS = 1024,        /* last marks whose times are remembered */
	GS_STREAM_MARKS = 64,         /* copied in one go */
	GS_STREAM_MARK_NAMES = 64     /* last ones whose id is remembered */
};

struct gs_stream {
	const gs_config *config;
	gs_tables *tables;
	gs_clock *clock;
	gs_pages *pages;
	gs_encoder encoder;
	gs_writer *w; /* NULL: no file is open (a forked child that pushed nothing yet) */
	int fd;
	uint64_t bytes; /* whole sections sent */
	int failed;     /* errno of the write that ended it; 0: it goes on */
	char path[PATH_MAX];
	pid_t pid;
	gs_marks *marks; /* NULL: none */
	uint64_t marks_seen;
	gs_mark batch[GS_STREAM_MARKS];
	struct {
		gs_id id;
		char text[GS_MARK_NAME];
	} names[GS_STREAM_MARK_NAMES]; /* in this file; the oldest is replaced */
	uint32_t next_name;
	int64_t cuts[GS_STREAM_CUTS]; /* first microsecond behind each of the last marks */
	uint64_t ncuts;
	gs_lane *lanes[GS_STREAM_LANES];
	_Atomic uint32_t nlanes;
	pthread_mutex_t lock; /* held by whoever encodes; never by a producer */
	gs_lane_consumer consumer;
	pthread_t thread;
	bool headed;            /* the file tells of the process */
	bool settled;           /* … and of the allocator's settings */
	bool told_full;         /* … and that the tables were full */
	struct gs_stream *next; /* of all open ones, for the end of the process */
};

/* --- stream_file.c */

/* One line on stderr about the file. */
void gs_stream_say(const gs_stream *s, const char *text);
/* The stream ends here, because of this errno (0: EIO), with a line. */
void gs_stream_fail(gs_stream *s, int error);
/* Opens the pattern's file, or where another process has it one that is named after ours, and
 * begins it: ids and events are counted anew. False, with a line and why in s->failed, where it
 * cannot be written. */
bool gs_stream_begin_file(gs_stream *s);
/* Index and end; the file is whole. */
void gs_stream_end_file(gs_stream *s);
/* Whether the file holds half of what may be taken (config->stream_bytes). */
bool gs_stream_is_half_full(const gs_stream *s);
/* The file becomes the old one, and a new one begins. */
void gs_stream_rotate(gs_stream *s);

/* --- stream_encode.c */

/* The file tells of the process and of the lane's device, without which no event can stand. */
void gs_stream_put_device(gs_stream *s, gs_lane *l);
/* n events of the lane from number tail on, and the failures among them. */
void gs_stream_put_events(gs_stream *s, gs_lane *l, uint64_t tail, uint64_t n);
/* The layout in l->staging, which holds before event tail. */
void gs_stream_put_layout(gs_stream *s, gs_lane *l, uint64_t tail);
/* Marks that the program made since; they wait until the file tells of a device. Returns how many.
 */
uint64_t gs_stream_put_marks(gs_stream *s);

/* --- stream_figures.c */

/* Counts an event in, before or behind which it is written. */
void gs_stream_count(
	gs_stream *s, gs_lane *l, const gs_ring_event *e, uint64_t block, int64_t time_us);
/* The event that waits for its block, if one does, is counted. */
void gs_stream_count_held(gs_stream *s, gs_lane *l, uint64_t block);
/* Sends the figures gathered since. */
void gs_stream_put_figures(gs_stream *s, gs_lane *l);
/* The layout in l->staging tells the sums. */
void gs_stream_sum_layout(gs_lane *l);
/* A file begins with the events that come now. */
void gs_stream_begin_figures(gs_lane *l);

#endif
