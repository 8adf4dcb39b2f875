/* Frames as people want to see them: which to hide, which is the user's own, and stacks as text.
 * All functions only read the snapshot; thread-safe as reading it is. */
#ifndef GS_ANALYZER_MODEL_FRAMES_H
#define GS_ANALYZER_MODEL_FRAMES_H

#include "analyzer/model/snapshot.h"

/* True for frames that PyTorch's memory_viz hides: unwinding, the interpreter's C code, dispatcher
 * boxing. */
bool gs_frame_is_plumbing(const gs_snapshot *s, gs_id frame);

/* True for frames outside the interpreter, its standard library, site-packages and C++ plumbing. */
bool gs_frame_is_user(const gs_snapshot *s, gs_id frame);

/* True for Python frames of an installed library that is not PyTorch. */
bool gs_frame_is_library(const gs_snapshot *s, gs_id frame);

/* True for code that torch.compile made: a line of the file names no place of a program. */
bool gs_frame_is_compiled(const gs_snapshot *s, gs_id frame);

/* Whether a frame is a node of autograd that a recorder names alone: "AddmmBackward0", without a
 * file. The frames outside it ordered its work (gpusnap_work_for), they do not run. */
bool gs_frame_is_bare_node(const gs_snapshot *s, gs_id frame);

/* How many frames a stack (not 0) has inside the first such node: all, where there is none. */
uint32_t gs_stack_own(const gs_snapshot *s, gs_id stack);

/* The name of the autograd node that a frame runs ("AddmmBackward0"); returns its length, 0 where
 * the frame is none. Like snprintf. */
size_t gs_frame_node(const gs_snapshot *s, gs_id frame, char *buf, size_t cap);

/* The frame of a stack that people look for: the innermost of the user's code; also where that is
 * only a launcher's <module>, the innermost of a library that is not PyTorch; else that of the
 * autograd node; else 0. */
gs_id gs_stack_user_frame(const gs_snapshot *s, gs_id stack);

/* The order of two stacks with equal figures: by their texts (as gs_stack_text shows them and SQL
 * compares them), then by all frames from the innermost. The same whatever ids an input gives them;
 * <0, 0, >0 as strcmp. */
int gs_stack_order(const gs_snapshot *s, gs_id a, gs_id b);

/* Write "name (file:line)" (":line" left out where unknown, the bracket where the file is too) and
 * a stack's frames, innermost first, joined by newlines. Plumbing is left out unless all_frames, or
 * unless nothing else is there. Like snprintf: always terminated when cap > 0, and return the
 * length that the whole text needs. */
size_t gs_frame_text(const gs_snapshot *s, gs_id frame, char *buf, size_t cap);
size_t gs_stack_text(const gs_snapshot *s, gs_id stack, bool all_frames, char *buf, size_t cap);

#endif
