/* What a frame is, apart from its words: all that analysis asks of names and paths, in 32 bits. A
 * redacted copy keeps it where the words are taken out, so that categories, steps and holders stay
 * what they were. The numbers are those of FORMAT.md (frame, class). */
#ifndef GS_ANALYZER_MODEL_FRAME_CLASS_H
#define GS_ANALYZER_MODEL_FRAME_CLASS_H

#include "analyzer/model/snapshot.h"

enum {
	GS_FRAME_CLASSED = 1 << 0,      /* the other bits are told */
	GS_FRAME_USER = 1 << 1,         /* the program's own code */
	GS_FRAME_PLUMBING = 1 << 2,     /* interpreter or dispatcher */
	GS_FRAME_LIBRARY = 1 << 3,      /* Python of a library that is not PyTorch */
	GS_FRAME_COMPILED = 1 << 4,     /* of torch.compile */
	GS_FRAME_NODE = 1 << 5,         /* a node of autograd */
	GS_FRAME_PYTHON = 1 << 6,       /* a Python file */
	GS_FRAME_BODY = 1 << 7,         /* <module>: the body of a file */
	GS_FRAME_CONSTRUCTOR = 1 << 8,  /* __init__ */
	GS_FRAME_MOVES = 1 << 9,        /* Module._apply */
	GS_FRAME_ENGINE = 1 << 10,      /* the autograd engine's thread */
	GS_FRAME_CALLED_BACK = 1 << 11, /* Python that the engine calls */
	GS_FRAME_BARE = 1 << 12,        /* a node that a recorder names alone */
	GS_FRAME_PHASE_AT = 16,         /* four bits: the phase that it marks (meaning/phase.h) */
	GS_FRAME_TRAIT_AT = 20          /* four bits: the trait */
};

/* The bits that the model knows of a frame's words, GS_FRAME_CLASSED among them; of a frame that
 * has a class, that. */
uint32_t gs_frame_class(const gs_snapshot *s, gs_id frame);

#endif
