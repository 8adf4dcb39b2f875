/* Whether two sentences of a text tell of one failure.
 *
 * Said by several: old PyTorch's THCudaCheck and RuntimeError; cuda-memcheck and RMM; what
 * TensorFlow, JAX, ONNX Runtime, ggml and TensorRT log and then raise; an error and right behind it
 * the exception that C++ reports when it ends the program; PyTorch's message and a wrapper's, or a
 * heading's, that has no figures. Said twice: a sentence with the same figures (those that both
 * print) on the same device, once as a logger shows it and once as the end of a traceback, that is
 * with something else before it on its line, but not with two different sentences that lead up to
 * it (two tests, two requests); or in the same form, when Python says between them that one
 * exception led to the other. The same form again without that is another failure: one piece of
 * code printed both. So are records more than five seconds apart. */
#ifndef GS_ANALYZER_READ_MESSAGES_JOIN_H
#define GS_ANALYZER_READ_MESSAGES_JOIN_H

#include "analyzer/read/messages/message.h"

/* Index of the find that f, standing behind all of them, belongs to; n where it is a failure of its
 * own. chained: Python's words about two exceptions stand between the last find and f. */
size_t gs_oom_same_failure(const gs_oom_find *finds, size_t n, const gs_oom_find *f, bool chained);

/* Whether f's text is the better one to show for both. */
bool gs_oom_tells_more(const gs_oom_find *a, const gs_oom_find *f);

/* Takes over into a figures that it lacks. */
void gs_oom_fill(gs_oom *a, const gs_oom *f);

/* Takes over into a what f tells in addition, and its text where it tells more. */
void gs_oom_join(gs_oom_find *a, const gs_oom_find *f);

#endif
