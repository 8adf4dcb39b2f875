/* What if: the recorded run replayed under other settings, on other devices, or rewritten.
 *
 * A gs_whatif is one question about one device: gs_whatif_open prepares the requests, replays the
 * recorded settings against the recording and works out budget and limit; then rows are asked for:
 * one a conf, a searched set, or the smallest device for each. Rows are runs of their own and may
 * use several threads. It borrows the snapshot.
 *
 * Where the snapshot holds only a part of a run, all of the run is read again and again from where
 * it came from (gs_snapshot.whole), a window of events at a time: memory depends on live blocks
 * alone, time on the run. Where that cannot be, is too long (most_events), or categories are
 * scaled, the part alone is replayed, and the notes and each row say so. */
#ifndef GS_ANALYZER_REPLAY_WHATIF_H
#define GS_ANALYZER_REPLAY_WHATIF_H

#include "analyzer/meaning/recording.h"
#include "analyzer/replay/replay.h"
#include "analyzer/replay/whole_run.h"

struct gs_rules;

typedef struct gs_whatif_options {
	int64_t device;   /* GS_NONE: that of the last OOM by time, else the one with most events */
	int64_t capacity; /* total of the device to try, GS_NONE: what the recording shows */
	int64_t recorded_capacity; /* where the file does not tell, GS_NONE */
	int64_t allowed;           /* a limit on reserved bytes, GS_NONE */
	int64_t until;             /* last event to replay, by its number in the run, GS_NONE */
	const char *until_step;    /* instead: "step 3", "step 3 peak"; NULL */
	const char *rules;         /* a release, NULL: from the file, else the newest */
	gs_replay_rewrite rewrite;
	gs_recordings recordings;        /* kept by the caller; they must outlive the question */
	uint64_t most_events;            /* of a run that is read again for the question; 0: no bound */
	gs_whole_run_progress *progress; /* of such a run; NULL nobody is told */
	/* In its place all events of the device asked about, borrowed (tests). NULL: as above. */
	const gs_event_source *source;
} gs_whatif_options;
#define GS_WHATIF_OPTIONS_INIT                                                                \
	{                                                                                         \
		GS_NONE, GS_NONE, GS_NONE, GS_NONE, GS_NONE, NULL, NULL, {.pad_to = 0}, {NULL, 0}, 0, \
			NULL, NULL                                                                        \
	}

typedef enum gs_whatif_change {
	GS_WHATIF_UNJUDGED,
	GS_WHATIF_RECORDED,
	GS_WHATIF_BETTER,
	GS_WHATIF_SAME,
	GS_WHATIF_WORSE
} gs_whatif_change;

enum { GS_WHATIF_CONF = 360 }; /* bytes of a settings text */

typedef struct gs_whatif_row {
	char conf[GS_WHATIF_CONF];
	int64_t capacity; /* of the device tried, GS_NONE unlimited */
	gs_replay_result result;
	bool exact;
	int64_t peak_low, peak_high; /* bounds of the true peak reserved since the recording begins;
									equal when exact; GS_NONE: no upper bound */
	gs_whatif_change change; /* against the recorded settings: whether it passes, else how far it
								comes, then the peak reserved; same where people see none */
	char note[160];          /* why it is not exact, or "" */
} gs_whatif_row;

typedef struct gs_whatif_note {
	char text[320];
} gs_whatif_note;

typedef struct gs_whatif {
	gs_replay replay;
	gs_whole_run run; /* where that is what is replayed */
	bool part;        /* of a run only a part is replayed */
	const gs_device *device;
	const struct gs_rules *rules;
	char recorded_conf[GS_WHATIF_CONF];
	gs_replay_agreement agreement;
	gs_whatif_options options;
	/* the device to try */
	uint64_t total, outside; /* total: GS_WHATIF_UNLIMITED where nothing bounds it */
	int64_t capacity;        /* as rows show it */
	bool outside_known;
	int64_t recorded_capacity; /* GS_NONE unknown */
	uint64_t limit, limit_low; /* reserved bytes: as it is replayed, and the least it could be;
								  UINT64_MAX none */
	bool starts_whole;         /* the recording begins with an empty allocator */
	int64_t last_step; /* the number of the step that the recording ends in; GS_NONE unknown */
	bool still_grows;  /* memory outgrows steps where it ends (meaning/growth.h) */
	char doubt[160];   /* what makes every row inexact, "" nothing */
	gs_whatif_note notes[8]; /* what was inferred, for people */
	size_t nnotes;
	gs_whatif_row *rows;
	size_t n;
} gs_whatif;

#define GS_WHATIF_UNLIMITED (UINT64_C(1) << 40)

/* most_events of a question that is asked beside others (a diagnosis' advice, a report): some ten
 * seconds of a processor for a searched set. */
enum { GS_WHATIF_BESIDE_EVENTS = 1 << 23 };

/* The device that a question is about (options->device); NULL: there is none. */
const gs_device *gs_whatif_device(const gs_snapshot *s, int64_t number);

/* GS_NOT_FOUND: no such device, or nothing to replay; GS_INVALID: rules, or a source and scales.
 * Release in any case. */
gs_status gs_whatif_open(
	gs_whatif *w, const gs_snapshot *s, const gs_whatif_options *options, gs_error *err);
void gs_whatif_release(gs_whatif *w);

/* One row a conf, in order. GS_INVALID with the allocator's message (and the conf) for one that it
 * refuses. */
gs_status gs_whatif_try(gs_whatif *w, const char *const *confs, size_t n, gs_error *err);

/* The recorded settings, then a searched set, the best first: those that fit, then by peak reserved
 * (those that fail: by how far they came). */
gs_status gs_whatif_search(gs_whatif *w, gs_error *err);

/* For the rows there are: the smallest capacity (to 2 MiB) on which the run passes, by bisection
 * between the greatest allocated and the reserved bytes that it takes without a bound; the figures
 * are of the run on it. Rows that never fit keep fits = false. */
gs_status gs_whatif_minimize(gs_whatif *w, gs_error *err);

const char *gs_whatif_change_text(
	gs_whatif_change change); /* "" unjudged, recorded, better, same, worse */

/* For advice after a failure: of a few settings those under which the run, the failed request
 * included, passes. The least reserved first. */
typedef struct gs_whatif_advice {
	size_t n;
	gs_whatif_row rows[4];
	gs_whatif_row recorded;
	bool agrees; /* the replay of the recorded settings agreed with the recording */
	bool failed; /* and it failed at the last recorded OOM; else there are no rows */
} gs_whatif_advice;
gs_status gs_whatif_advise(const gs_snapshot *s, const gs_whatif_options *options,
	gs_whatif_advice *advice, gs_error *err);

#endif
