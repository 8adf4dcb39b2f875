/* Frames as people want to see them: which to hide, which is the user's own, and stacks as text.
 * All functions only read the snapshot; thread-safe as reading it is. */
#ifndef GS_ANALYZER_FRAMES_H
#define GS_ANALYZER_FRAMES_H

#include "analyzer/model/snapshot.h"

/* True for frames that PyTorch's memory_viz hides: unwinding, the interpreter's C code, dispatcher
 * boxing. */
bool gs_frame_is_plumbing(const gs_snapshot *s, gs_id frame);

/* True for frames outside the interpreter, its standard library, site-packages and C++ plumbing. */
bool gs_frame_is_user(const gs_snapshot *s, gs_id frame);

/* The first user frame of a stack, else its innermost frame; 0 for a stack without frames. */
gs_id gs_stack_user_frame(const gs_snapshot *s, gs_id stack);

/* Write "name (file:line)" (":line" left out where unknown, the bracket where the file is too) and
 * a stack's frames, innermost first, joined by newlines. Plumbing is left out unless all_frames, or
 * unless nothing else is there. Like snprintf: always terminated when cap > 0, and return the
 * length that the whole text needs. */
size_t gs_frame_text(const gs_snapshot *s, gs_id frame, char *buf, size_t cap);
size_t gs_stack_text(const gs_snapshot *s, gs_id stack, bool all_frames, char *buf, size_t cap);

#endif
