/* Whose code a frame is, by the words of its name and file. Pure. frames.h asks it of frames of a
 * snapshot, whose class goes first where the words were taken out. */
#ifndef GS_ANALYZER_MODEL_FRAME_ORIGIN_H
#define GS_ANALYZER_MODEL_FRAME_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* What PyTorch's memory_viz hides (torch/cuda/_memory_viz.py): unwinding, the interpreter's C code,
 * dispatcher boxing. */
bool gs_origin_is_plumbing(const char *name, const char *file);

/* What is neither an installed package's, the standard library's, the interpreter's, a framework's
 * nor made by torch.compile. Windows' paths are judged by the same words. */
bool gs_origin_is_user(const char *name, const char *file);

/* Python that torch.compile made; Python of an installed package that is not PyTorch's own. */
bool gs_origin_is_compiled(const char *file);
bool gs_origin_is_library(const char *file);

/* The length of the autograd node's name where a recorder names it alone ("AddmmBackward0", no
 * file), else 0. */
size_t gs_origin_bare_node(const char *name, const char *file);

#endif
