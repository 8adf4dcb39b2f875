/* Where in a program a stack allocates, in few words: "model.py:41 forward", and who called it. All
 * only read the snapshot; thread-safe as reading it is. */
#ifndef GS_ANALYZER_MODEL_PLACE_H
#define GS_ANALYZER_MODEL_PLACE_H

#include "analyzer/model/snapshot.h"

enum { GS_PLACE_TEXT = 192 };

/* where: the frame that people look for (gs_stack_user_frame), as `file:line function` without the
 * file's folder; of the autograd thread its node, "MmBackward0 (backward pass)", or, where the
 * forward line is known, "gradient of attend (model.py:49)"; of code that torch.compile made the
 * line that was compiled, "net.py:22 forward, compiled"; of a notebook its cell, "cell 3:6
 * <module>"; where that frame calls a library beside PyTorch which allocates, the library's
 * innermost frame, called by it. called_by: the nearest frame of the user's code at another place
 * (of the library's, where where is a library's), of a gradient its node, "" where there is none.
 * What is too long loses its middle to "..."; never file and line. Returns false, both "", where no
 * frame is worth naming. Both hold GS_PLACE_TEXT bytes. */
bool gs_stack_place(const gs_snapshot *s, gs_id stack, char *where, char *called_by);

/* Adds to a place, as gs_stack_place wrote it, the forward line of memory of the backward pass,
 * which 2.15 keeps with anomaly mode (`File "x.py", line 3, in f`, as Python's traceback has it):
 * more is the JSON object of block or event. The innermost that is not a library's. Without one
 * nothing changes. */
void gs_forward_place(const char *more, char *where, char *called_by);

/* The place of a failed request: its stack's, with the forward line of its event. Returns false
 * where neither names anybody. */
bool gs_oom_place(const gs_snapshot *s, const gs_oom *oom, char *where, char *called_by);

#endif
