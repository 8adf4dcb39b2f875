/* ggml's messages (llama.cpp, Ollama and whatever else is built on it), and the words about
 * cudaMalloc that others share. */
#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/matchers.h"
#include "analyzer/read/text/figure.h"

#include <string.h>

/* ggml: allocating 144.00 MiB on device 4: cudaMalloc failed: out of memory; MXNet prints the end
 * alone */
int gs_match_ggml_cuda_malloc_failed(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const ondevice[] = {"ondevice", NULL},
							 *const host[] = {"cudamallochost", "hostmalloc", "pinned", NULL};
	static const char *const runner[] = {
		"processhasterminated", "startingllamarunner", NULL}; /* what has started it sums up */
	size_t from = gs_oom_back(i, 60), at = gs_text_find_last(t, from, i, "allocating");
	if (gs_oom_any(t, gs_oom_back(i, 4), gs_oom_ahead(t, i, 40), host))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	m->once = true;
	if (at != SIZE_MAX) {
		gs_oom_size_at(t, at + 10, &m->row.requested);
		m->row.device = gs_oom_device(t, at, i, ondevice);
		m->begin = at;
	}
	m->again = gs_oom_any(t, from, i, runner);
	const char *library = gs_oom_library(t, i, at != SIZE_MAX || m->again ? "ggml" : "cuda");
	return gs_oom_found(
		t, m, library, strcmp(library, "ggml") ? GS_OOM_OTHER : GS_OOM_GGML, m->end);
}

/* failed to allocate CUDA0 buffer of size 150995968 */
int gs_match_ggml_buffer(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const buffers[] = {"failedtoallocatecuda", "failedtoallocaterocm",
		"failedtoallocatevulkan", "failedtoallocatesycl", "failedtoallocatemusa",
		"failedtoallocatecann", NULL};
	size_t from = gs_oom_back(i, 32);
	if (gs_text_find(t, from, i, "_host") != SIZE_MAX ||
		gs_text_find(t, from, i, "cpu") != SIZE_MAX)
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	if (!gs_oom_any(t, from, i, buffers))
		return 0;
	m->row.device = gs_oom_device(t, from, i, buffers);
	m->end = gs_oom_size_at(t, m->end, &m->row.requested);
	return gs_oom_found(t, m, "ggml", GS_OOM_GGML, m->end);
}

/* llama_model_load: error loading model: unable to allocate CUDA0 buffer — what the caller says of
 * it, perhaps alone in a report */
int gs_match_ggml_unable(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const buffers[] = {"cuda", "rocm", "vulkan", "sycl", "musa", NULL};
	uint64_t device;
	size_t j = m->end;
	(void)i;
	for (size_t k = 0; buffers[k]; k++)
		if (gs_text_eat(t, &j, buffers[k]))
			break;
	if (j == m->end || !gs_text_number(t, &j, &device) || device > 1023 ||
		!gs_text_eat(t, &j, "buffer"))
		return 0;
	m->row.device = (int32_t)device;
	m->again = true;
	return gs_oom_found(t, m, "ggml", GS_OOM_GGML, j);
}
