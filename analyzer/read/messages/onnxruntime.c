/* ONNX Runtime's messages. */
#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/matchers.h"
#include "analyzer/read/text/figure.h"

/* A BFCArena's. The arena of the CPU says the same; the node's layout or the provider gives it
 * away.
 */
static int ort_is_host(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const cpu[] = {"nchwc", "cpuexecutionprovider", "arenaforcpu", NULL},
							 *const told[] = {"defaultcpu", "providercpu", NULL};
	static const char *const gpu[] = {
		"cuda", "gpu", "tensorrt", "rocm", "migraphx", "directml", NULL};
	bool host = gs_oom_near(t, i, 400, cpu) ||
		gs_oom_near(t, i, 1500, told); /* a report that names its provider */
	if (host && !gs_oom_near(t, i, 400, gpu))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	m->row.library = "onnxruntime";
	m->kind = GS_OOM_ORT;
	return 1;
}

int gs_match_ort_buffer(const gs_text *t, size_t i, gs_oom_match *m)
{
	m->end = gs_oom_size_at(t, m->end, &m->row.requested);
	return ort_is_host(t, i, m);
}

/* A heading cut before the figure: … BFCArena::AllocateRawInternal(…) Failed to alloc */
int gs_match_ort_cut(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t failed = gs_text_find(t, i, gs_oom_ahead(t, i, 200), "failedtoalloc");
	if (failed == SIZE_MAX ||
		gs_text_is(t, failed, "failedtoallocatememoryforrequestedbufferofsize"))
		return 0;
	size_t end = failed + 13;
	while (end < t->n && t->gap[end] < GS_GAP_LINE && end < failed + 48)
		end++;
	if (end < t->n && t->gap[end] < GS_GAP_LINE)
		return 0;
	m->end = end;
	return ort_is_host(t, i, m);
}

int gs_match_ort_available(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t j = gs_oom_size_at(t, m->end, &m->row.device_free);
	if (!gs_text_eat(t, &j, "issmallerthanrequestedbytesof"))
		return 0;
	m->row.device_free = GS_NONE; /* it is what the arena's limit leaves */
	m->end = gs_oom_size_at(t, j, &m->row.requested);
	return ort_is_host(t, i, m);
}

int gs_match_ort_cuda(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const phrases[] = {"gpu=", NULL};
	static const char *const cntk[] = {"cntk", NULL}; /* from which the sentence was taken over */
	m->row.library = gs_oom_near(t, i, 300, cntk) ? "cntk" : gs_oom_library(t, i, "onnxruntime");
	m->kind = GS_OOM_ORT;
	m->row.device = gs_oom_device(t, i, gs_oom_ahead(t, i, 80), phrases);
	m->end = gs_oom_line_end(t, m->end, gs_oom_ahead(t, i, 400));
	return 1;
}

/* DirectML: 8007000E Not enough memory resources are available to complete this operation. */
int gs_match_ort_directml(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const words[] = {"dml", "directml", "d3d12", "dxgi", NULL};
	if (!gs_oom_near(t, i, 400, words))
		return 0;
	m->row.library = gs_oom_library(t, i, "onnxruntime");
	m->kind = GS_OOM_ORT;
	m->end = gs_oom_line_end(t, m->end, gs_oom_ahead(t, i, 160));
	return 1;
}
