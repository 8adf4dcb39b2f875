/* What a meaning keeps for itself, shared by the files of this room. */
#ifndef GS_ANALYZER_MEANING_INTERNAL_H
#define GS_ANALYZER_MEANING_INTERNAL_H

#include "analyzer/meaning/meaning.h"
#include "analyzer/meaning/phase.h"
#include "analyzer/meaning/category_rules.h"

/* A pass: a stretch of the trace in which the program does one thing: sets up, runs forward,
 * backward, or updates. User code, libraries and batches between belong to the pass before them. A
 * backward pass goes on behind what is computed again in it. */
typedef struct gs_pass {
	uint8_t phase;     /* gs_phase; none: before the first, and behind an out-of-memory */
	bool failed;       /* an out-of-memory ended it */
	bool gradients;    /* allocations of it are gradients: they need no way to older ones */
	uint32_t last_own; /* its last allocation of that phase */
} gs_pass;

/* Events of one pass that follow each other: from that one to the next run. */
typedef struct gs_pass_run {
	uint32_t first, pass;
} gs_pass_run;
enum { GS_RUN_BLOCK = 1024 };

typedef struct gs_meaning_internal {
	gs_phases phases;
	gs_pass *passes;
	uint32_t npasses;
	gs_pass_run *runs; /* ascending: which pass each event is of (gs_pass_at) */
	uint32_t nruns;
	uint32_t *run_at; /* the runs of events 0, GS_RUN_BLOCK, 2 × GS_RUN_BLOCK …, and the last one */
	uint32_t *starts; /* first events of steps, ascending; before the first is the setup */
	uint32_t nstarts;
	bool stamped;              /* the starts are of annotations */
	bool looped;               /* they are of a loop or period that ends with no update */
	bool pass_over;            /* the last pass ended with the trace */
	uint64_t *parameter_sizes; /* different ones, ascending; as asked for */
	size_t nparameter_sizes;
} gs_meaning_internal;

/* The action of an event, and its stack (0: none, or one that is not there). */
static inline gs_action gs_meaning_action(const gs_meaning *m, size_t i)
{
	return gs_event_action(&m->history->device->trace.events[i]);
}
static inline gs_id gs_meaning_stack(const gs_meaning *m, size_t i)
{
	gs_id stack = m->history->device->trace.events[i].stack;
	return stack < m->history->snapshot->nstacks ? stack : 0;
}

/* The pass of an event. */
static inline uint32_t gs_pass_at(const gs_meaning_internal *w, size_t event)
{
	uint32_t low = w->run_at[event / GS_RUN_BLOCK], high = w->run_at[event / GS_RUN_BLOCK + 1];
	while (low < high) {
		uint32_t middle = high - (high - low) / 2;
		if (w->runs[middle].first <= event)
			low = middle;
		else
			high = middle - 1;
	}
	return w->runs[low].pass;
}

/* Index in parameter_sizes, SIZE_MAX for what is no parameter's size. */
size_t gs_parameter_size_at(const gs_meaning_internal *w, uint64_t size);

/* Passes of the trace; again when the starts of steps are known, which end a forward pass. */
gs_status gs_meaning_find_passes(gs_meaning *m);
/* Starts of steps from annotations, tags, or the trace's period. */
gs_status gs_meaning_find_starts(gs_meaning *m);
/* The steps as people see them. */
gs_status gs_meaning_make_steps(gs_meaning *m);
/* Senses of all allocations. */
gs_status gs_meaning_categorize(gs_meaning *m);

/* Steps that the program named: events by the number in an annotation or tag. Sets m->steps
 * (number, name, first, last) where there are any. */
gs_status gs_meaning_named_steps(gs_meaning *m);

#endif
