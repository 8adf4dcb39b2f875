/* What the program was at when it allocated: the phase and trait of each stack, by the marks of
 * category_rules.def. Private to this room. */
#ifndef GS_ANALYZER_MEANING_PHASE_H
#define GS_ANALYZER_MEANING_PHASE_H

#include "analyzer/meaning/category.h"
#include "analyzer/model/snapshot.h"

enum gs_phase {
	GS_PHASE_NONE, /* nothing is known: no frames, and they mean nothing here */
	GS_PHASE_USER, /* frames, but none is marked */
	GS_PHASE_SETUP,
	GS_PHASE_FORWARD,
	GS_PHASE_RECOMPUTE,
	GS_PHASE_BACKWARD,
	GS_PHASE_OPTIMIZER,
	GS_PHASE_LIBRARY,
	GS_PHASE_INPUT,
	GS_PHASE_ANY
};

enum gs_trait {
	GS_TRAIT_NONE,
	GS_TRAIT_MOVED,
	GS_TRAIT_BUFFER,
	GS_TRAIT_MADE,
	GS_TRAIT_LOADED,
	GS_TRAIT_SHARED,
	GS_TRAIT_CHECKPOINT,
	GS_TRAIT_STATE,
	GS_TRAIT_AVERAGED,
	GS_TRAIT_NODE,
	/* of user code, by where in its step it allocates; given to an allocation, not to a stack */
	GS_TRAIT_BEFORE,
	GS_TRAIT_WITHIN,
	GS_TRAIT_AFTER,
	GS_TRAIT_ANY
};

typedef struct gs_stack_phase {
	uint8_t phase, trait;
	uint8_t rule;     /* of the user's rule that its frames match, else 0 */
	bool python;      /* has a frame of a Python file */
	bool autograd;    /* begins in the autograd thread */
	bool constructor; /* its innermost Python frame is a constructor's */
	bool layer;       /* its innermost Python frame is in one of PyTorch's own layers */
	bool argument;    /* its innermost Python frame is on a line that calls a module */
} gs_stack_phase;

typedef struct gs_phases {
	gs_stack_phase *stacks; /* by stack id */
	bool *python;           /* by frame id: of a Python file */
	uint8_t *frames;        /* by frame id: the phase that it marks */
	bool empty_is_backward; /* a stack without frames is the autograd thread's */
} gs_phases;

/* O(frames + stacks' frames). rules: the user's, or NULL. GS_OK or GS_NO_MEMORY. */
gs_status gs_phases_init(gs_phases *p, const gs_snapshot *s, const gs_category_rules *rules);
void gs_phases_release(gs_phases *p);

/* The phase of a stack, 0 being one without frames. */
static inline uint8_t gs_phase_of(const gs_phases *p, gs_id stack)
{
	if (!stack)
		return p->empty_is_backward ? GS_PHASE_BACKWARD : GS_PHASE_NONE;
	return p->stacks[stack].phase;
}

/* The next frame of a stack (not 0) that tells lines of the program, from number i (its count of
 * frames at first) inwards; UINT32_MAX: there is none. */
uint32_t gs_phases_next_frame(const gs_phases *p, const gs_snapshot *s, gs_id stack, uint32_t i);

/* Where two stacks part, seen from the outermost frame. */
typedef struct gs_parting {
	gs_id common;   /* the innermost frame that they share, 0 none */
	gs_id from, to; /* what each has inside of it */
	uint32_t depth; /* frames that they share */
} gs_parting;
/* False: one lies wholly in the other, or nothing tells. */
bool gs_phases_part(
	const gs_phases *p, const gs_snapshot *s, gs_id from, gs_id to, gs_parting *out);

/* Does the program come back to an earlier line between two stacks: 1 the second is on an earlier
 * line of the outermost function in which they differ, -1 on a later one, 0 nothing tells. *depth
 * gets how many frames stand outside of that function. */
int gs_phases_turn(const gs_phases *p, const gs_snapshot *s, gs_id from, gs_id to, uint32_t *depth);

#endif
