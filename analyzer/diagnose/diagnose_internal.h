/* What the files of the diagnosis share: the figures that the ladder compares, as ranges. */
#ifndef GS_ANALYZER_DIAGNOSE_DIAGNOSE_INTERNAL_H
#define GS_ANALYZER_DIAGNOSE_DIAGNOSE_INTERNAL_H

#include "analyzer/diagnose/diagnose.h"

/* What a process is taken to need outside its allocator: what CUDA itself holds for it. */
#define GS_CONTEXT (INT64_C(1) << 30)

/* Bytes, not less than low nor more than high; UINT64_MAX as high: no bound is known. said: the
 * figure as recorded or printed, GS_NONE where there is none. */
typedef struct gs_range {
	uint64_t low, high;
	int64_t said;
} gs_range;

typedef struct gs_figures {
	gs_range request; /* R */
	gs_range ask;     /* ASK */
	gs_range missing; /* expandable segments: bytes before rounding to pages; else R */
	gs_range device_free;
	gs_range driver; /* D: what this allocator may still get */
	gs_range hole;   /* the free block that the search takes, else the largest that is too small */
	gs_range waited_hole; /* the same when pending frees are completed */
	gs_range waited_gain; /* what the driver gets back then, and ASK then */
	gs_range waited_ask;
	bool waits;            /* there are pending frees, or may be */
	gs_range stream_hole;  /* largest block of the pool id cached for another stream */
	gs_range private_hole; /* largest block under another pool id */
	gs_range free_same;    /* free bytes of the pool id, class and stream */
	gs_range free_all;     /* free and pending bytes of all */
	gs_range rounding;
	gs_range outside;
	gs_range reserved; /* of a text */
	int limit;         /* whether a limit refused: 1, 0, -1; of a layout what device_free tells */
} gs_figures;

/* A figure known to the byte; one of which nothing is known; one of which only a bound is. */
static inline gs_range gs_range_of(uint64_t bytes)
{
	return (gs_range){bytes, bytes, bytes > INT64_MAX ? GS_NONE : (int64_t)bytes};
}
static inline gs_range gs_range_unknown(void) { return (gs_range){0, UINT64_MAX, GS_NONE}; }
static inline gs_range gs_range_at_most(uint64_t bytes)
{
	return (gs_range){0, bytes, bytes ? GS_NONE : 0};
}

/* Of a sum: both ends are added, without running over. */
gs_range gs_range_add(gs_range a, gs_range b);
/* A known figure as a point, GS_NONE as unknown. */
gs_range gs_range_fact(int64_t bytes);
/* A figure printed with two decimals. */
gs_range gs_range_printed(int64_t bytes);
/* Is a ≥ b: 1, 0, or -1 for not decided. */
int gs_range_reaches(gs_range a, gs_range b);

/* The request's facts, from the OOM row, the options and the message. */
void gs_diagnose_request(gs_diagnosis *d, const gs_diagnose_options *options);
/* Figures of a layout; of a text. */
gs_status gs_diagnose_layout(gs_diagnosis *d, gs_figures *f);
void gs_diagnose_bounds(gs_diagnosis *d, gs_figures *f);
/* Of a text, when D is known: whether a limit refused the request, and what that leaves known of D.
 */
void gs_diagnose_refusal(gs_diagnosis *d, gs_figures *f);
/* D and what is held outside, the same for both. reserved: at the failure. */
void gs_diagnose_device(const gs_diagnosis *d, gs_range reserved, gs_figures *f);
/* The steps and the verdict. */
void gs_diagnose_steps(gs_diagnosis *d, const gs_figures *f);

/* What would fit now; how fragmentation went. */
gs_status gs_diagnose_health(gs_diagnosis *d);

#endif
