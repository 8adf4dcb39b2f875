/* Bytes by stack as a tree of frames, outermost first: of a moment, or over a stretch bytes times
 * how long they lived. Frames of plumbing are left out as everywhere else (model/frames.h). */
#ifndef GS_ANALYZER_TIMELINE_FLAME_H
#define GS_ANALYZER_TIMELINE_FLAME_H

#include "analyzer/timeline/timeline.h"

typedef struct gs_flame_node {
	gs_id frame;    /* 0: no stack was recorded */
	int32_t parent; /* its number, less than the node's own; -1: outermost */
	double value;   /* with that of its children */
} gs_flame_node;

typedef struct gs_flame {
	gs_flame_node *nodes;
	size_t n, cap;
	double total;
	bool timed; /* of a stretch: the value is bytes × microseconds, else bytes × events */
} gs_flame;

#define GS_FLAME_INIT \
	{                 \
		0             \
	}

/* Allocated bytes after event idx. GS_INVALID: no such event; GS_NO_MEMORY. Release in any case. */
gs_status gs_flame_moment(gs_flame *f, const gs_timeline *t, int64_t idx, gs_error *err);

/* Bytes × the part of each life, up to when freeing was asked for, that lies between the moments
 * after two events. */
gs_status gs_flame_stretch(
	gs_flame *f, const gs_timeline *t, int64_t from, int64_t to, gs_error *err);
void gs_flame_release(gs_flame *f);

#endif
