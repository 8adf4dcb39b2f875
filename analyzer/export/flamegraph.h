/* Who holds the allocated bytes of a moment, as stacks that flame graph tools draw: folded lines
 * (`outer;inner BYTES`) and speedscope's file format. A stack's weight is the size of its allocated
 * blocks; frames of plumbing are left out as everywhere else (frames.h). Of several devices the
 * outermost frame is the device. Errors of writing are the stream's (ferror). */
#ifndef GS_ANALYZER_EXPORT_FLAMEGRAPH_H
#define GS_ANALYZER_EXPORT_FLAMEGRAPH_H

#include <stdio.h>

#include "analyzer/state/moments.h"

/* One line a stack, most bytes first. GS_NO_MEMORY. */
gs_status gs_export_folded(
	const gs_snapshot *s, const gs_moments *moments, FILE *out, gs_error *err);

/* One profile a device. GS_NO_MEMORY. */
gs_status gs_export_speedscope(
	const gs_snapshot *s, const gs_moments *moments, FILE *out, gs_error *err);

#endif
