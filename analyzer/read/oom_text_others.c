/* Messages of the other libraries, of the driver, and what only looks like one of them. */
#include "analyzer/read/oom_text_labels.h"
#include "analyzer/read/oom_text_rules.h"
#include "analyzer/read/text_figure.h"

#include <string.h>

static size_t back(size_t i, size_t n) { return i > n ? i - n : 0; }
static size_t ahead(const gs_text *t, size_t i, size_t n) { return i + n < t->n ? i + n : t->n; }

static int found(const gs_text *t, gs_oom_match *m, const char *library, gs_oom_kind kind, size_t last)
{
	m->row.library = library;
	m->kind = kind;
	m->end = gs_oom_line_end(t, last > m->end ? last : m->end, ahead(t, last, 400));
	return 1;
}

/* Out of memory allocating 25,600,000 bytes (allocated so far: … bytes[, limit set to: … bytes]). */
static int cupy(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested), to = ahead(t, i, 240);
	if (end == m->end || !gs_text_ends(t, end, "bytes"))
		return 0;
	size_t a = gs_oom_size_after(t, end, to, "allocatedsofar:", &m->row.allocated), l = gs_oom_size_after(t, end, to, "limitsetto:", &m->row.allowed);
	return found(t, m, "cupy", GS_OOM_OTHER, l > a ? l : a);
}

/* Up to CuPy 6: out of memory to allocate … bytes (total … bytes[, limit set to … bytes]); the total counts the request */
static int cupy_old(const gs_text *t, size_t i, gs_oom_match *m)
{
	int64_t total = GS_NONE;
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested), to = ahead(t, i, 240);
	if (end == m->end || !gs_text_is(t, end, "(total"))
		return 0;
	size_t a = gs_oom_size_after(t, end, to, "(total", &total), l = gs_oom_size_after(t, end, to, "limitsetto", &m->row.allowed);
	if (total != GS_NONE && total >= m->row.requested)
		m->row.allocated = total - m->row.requested;
	return found(t, m, "cupy", GS_OOM_OTHER, l > a ? l : a);
}

/* Everything that RMM's exceptions say: [failed to allocate N], current/max/try size = … */
static int rmm_figures(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const words[] = { "maximumpoolsizeexceeded", "cudaerrormemoryallocation", "outofmemory", "unspecifiedlaunchfailure", NULL };
	size_t to = ahead(t, i, 500), last = m->end, word = to;
	for (size_t k = 0; words[k]; k++) {
		size_t at = gs_text_find(t, i, word, words[k]);
		if (at != SIZE_MAX) {
			word = at;
			last = at + strlen(words[k]);
		}
	}
	gs_text_eat(t, &last, "outofmemory");
	to = word < to ? ahead(t, last, 160) : to;
	size_t bad = gs_text_find(t, last, to, "bad_alloc");
	if (bad != SIZE_MAX)
		to = bad;
	size_t end = gs_oom_size_after(t, i, to, "(failedtoallocate", &m->row.requested);
	if (m->row.requested != GS_NONE && end > last)
		last = end;
	end = gs_oom_size_after(t, i, to, "current/max/trysize=", &m->row.reserved);
	if (m->row.reserved != GS_NONE) {
		int64_t try_size = GS_NONE;
		if (gs_text_eat(t, &end, ","))
			end = gs_oom_size_at(t, end, &m->row.allowed);
		if (gs_text_eat(t, &end, ","))
			end = gs_oom_size_at(t, end, &try_size);
		last = end > last ? end : last;
	}
	return found(t, m, "rmm", GS_OOM_RMM, last);
}

static int bad_alloc(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const rmm[] = { "rmm", "out_of_memory", "maximumpoolsizeexceeded", NULL }, *const cuda[] = { "cudaerror", "cuda_error", NULL };
	if (gs_text_ends(t, i, "std::"))
		m->begin = i - 5;
	if (gs_oom_any(t, m->end, ahead(t, m->end, 300), rmm))
		return rmm_figures(t, i, m);
	if (gs_oom_any(t, m->end, ahead(t, m->end, 160), cuda)) {
		size_t out = gs_text_find(t, m->end, ahead(t, m->end, 400), "outofmemory");
		return out == SIZE_MAX ? 0 : found(t, m, gs_oom_library(t, i, "cuda"), GS_OOM_OTHER, out + 11);
	}
	return gs_oom_not_row(m, GS_NOT_HOST, m->end);
}

static int rmm_pool(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const rmm[] = { "rmm", "[upstream", "trysize", NULL };
	if (!gs_oom_near(t, i, 300, rmm))
		return 0;
	size_t up = gs_text_find_last(t, back(i, 60), i, "[upstream"); /* the debug log's line */
	if (up != SIZE_MAX)
		gs_oom_size_at(t, up + 9, &m->row.requested);
	return rmm_figures(t, i, m);
}

static int rmm_alloc(const gs_text *t, size_t i, gs_oom_match *m)
{
	return rmm_figures(t, i, m);
}

/* Out of memory error on GPU 0. Cannot allocate … memory on GPU 0, … memory has been allocated and available memory is only … */
static int paddle(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = ahead(t, i, 1200), again = gs_text_find(t, m->end, to, "outofmemoryerrorongpu");
	uint64_t device;
	size_t j = m->end;
	int64_t limit = GS_NONE;
	if (again != SIZE_MAX)
		to = again;
	gs_text_eat(t, &j, "virtualmemory");
	if (gs_text_number(t, &j, &device) && device < 1024)
		m->row.device = (int32_t)device;
	size_t last = gs_oom_size_after(t, i, to, "cannotallocate", &m->row.requested);
	if (m->row.requested == GS_NONE)
		return 0;
	size_t has = gs_text_find(t, last, ahead(t, last, 120), "memoryhasbeenallocated");
	for (size_t k = last; has != SIZE_MAX && k < has; k++) {
		int64_t bytes = GS_NONE;
		if (gs_text_digit_begins(t, k) && gs_oom_size_at(t, k, &bytes) == has)
			m->row.allocated = bytes;
	}
	size_t end = gs_oom_size_after(t, last, to, "availablememoryisonly", &m->row.device_free);
	if (m->row.device_free == GS_NONE)
		end = gs_oom_size_after(t, last, to, "availablememoryis", &m->row.device_free);
	gs_oom_size_after(t, last, to, "memoryusageislimitedto", &limit);
	if (limit != GS_NONE)
		m->row.allowed = limit;
	return found(t, m, "paddle", GS_OOM_OTHER, end > last ? end : last);
}

/* Paddle's first versions: enforce allocating <= available failed, N > M */
static int paddle_enforce(const gs_text *t, size_t i, gs_oom_match *m)
{
	(void)i;
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested);
	if (gs_text_eat(t, &end, ">"))
		end = gs_oom_size_at(t, end, &m->row.device_free);
	return m->row.requested == GS_NONE ? 0 : found(t, m, "paddle", GS_OOM_OTHER, end);
}

/* CUDA.jl: Out of GPU memory [trying to allocate X] / Effective GPU memory usage: 99 % (U/T) / Memory pool usage: P (R reserved) */
static int julia(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t j = m->end, to = ahead(t, i, 500), last = j;
	int64_t used = GS_NONE, cached = GS_NONE;
	size_t again = gs_text_find(t, j, to, "outofgpumemory");
	if (again != SIZE_MAX)
		to = again;
	if (gs_text_eat(t, &j, "tryingtoallocate"))
		last = gs_oom_size_at(t, j, &m->row.requested);
	size_t effective = gs_text_find(t, last, to, "effectivegpumemoryusage:");
	if (!gs_oom_states(t, i) || (m->row.requested == GS_NONE && effective == SIZE_MAX && gs_text_find(t, back(i, 40), i, "error") == SIZE_MAX))
		return 0;
	size_t open = effective == SIZE_MAX ? SIZE_MAX : gs_text_find(t, effective, ahead(t, effective, 50), "(");
	if (open != SIZE_MAX) {
		last = gs_oom_size_at(t, open + 1, &used);
		if (gs_text_eat(t, &last, "/"))
			last = gs_oom_size_at(t, last, &m->row.capacity);
	}
	size_t pool = gs_text_find(t, last, to, "memorypoolusage:"), split = gs_text_find(t, last, to, "allocated,");
	if (pool != SIZE_MAX) {
		last = gs_oom_size_at(t, pool + 16, &m->row.allocated);
		if (gs_text_eat(t, &last, "("))
			last = gs_oom_size_at(t, last, &m->row.reserved);
	}
	if (split != SIZE_MAX) { /* up to 3.x, of whatever pool: (A allocated, C cached) */
		size_t bracket = gs_text_find_last(t, back(split, 20), split, "(");
		if (bracket != SIZE_MAX)
			gs_oom_size_at(t, bracket + 1, &m->row.allocated);
		last = gs_oom_size_at(t, split + 10, &cached);
		m->row.reserved = cached == GS_NONE || m->row.allocated == GS_NONE ? GS_NONE : m->row.allocated + cached;
	}
	gs_oom_size_after(t, last, to, "hardmemorylimit:", &m->row.allowed);
	return found(t, m, "julia", GS_OOM_OTHER, last);
}

/* ggml: allocating 144.00 MiB on device 4: cudaMalloc failed: out of memory; MXNet prints the end alone */
static int cuda_malloc_failed(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const ondevice[] = { "ondevice", NULL }, *const host[] = { "cudamallochost", "hostmalloc", "pinned", NULL };
	size_t from = back(i, 60), at = gs_text_find_last(t, from, i, "allocating");
	if (gs_oom_any(t, back(i, 4), ahead(t, i, 40), host))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	if (at != SIZE_MAX) {
		gs_oom_size_at(t, at + 10, &m->row.requested);
		m->row.device = gs_oom_device(t, at, i, ondevice);
		m->begin = at;
	}
	return found(t, m, gs_oom_library(t, i, at != SIZE_MAX ? "ggml" : "cuda"), at != SIZE_MAX ? GS_OOM_GGML : GS_OOM_OTHER, m->end);
}

/* failed to allocate CUDA0 buffer of size 150995968 */
static int ggml_buffer(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const buffers[] = { "failedtoallocatecuda", "failedtoallocaterocm", "failedtoallocatevulkan", "failedtoallocatesycl",
					       "failedtoallocatemusa", "failedtoallocatecann", NULL };
	size_t from = back(i, 32);
	if (gs_text_find(t, from, i, "_host") != SIZE_MAX || gs_text_find(t, from, i, "cpu") != SIZE_MAX)
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	if (!gs_oom_any(t, from, i, buffers))
		return 0;
	m->row.device = gs_oom_device(t, from, i, buffers);
	m->end = gs_oom_size_at(t, m->end, &m->row.requested);
	return found(t, m, "ggml", GS_OOM_GGML, m->end);
}

static int ggml_vulkan(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested);
	if (m->row.requested == GS_NONE || !gs_text_is(t, end, "failed"))
		return 0;
	return found(t, m, gs_oom_library(t, i, "vulkan"), GS_OOM_GGML, end + 6);
}

static int tensorrt(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = ahead(t, i, 160), end = m->end;
	if (gs_text_eat(t, &end, "(")) {
		end = gs_oom_size_at(t, end, &m->row.requested);
		if (m->row.requested == GS_NONE)
			gs_oom_size_after(t, i, to, "requestedsizewas", &m->row.requested);
	} else if (gs_text_ends(t, end, "(")) {
		end = gs_oom_size_at(t, end, &m->row.requested);
	}
	if (gs_text_find(t, i, ahead(t, i, 300), "skippingtactic") != SIZE_MAX)
		return gs_oom_not_row(m, GS_NOT_A_FAILURE, end);
	return found(t, m, "tensorrt", GS_OOM_TRT, end);
}

/* XGBoost: Memory allocation error on worker 0: … - Free memory: N - Requested memory: M */
static int xgboost(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = ahead(t, i, 600);
	size_t f = gs_oom_size_after(t, i, to, "freememory:", &m->row.device_free), r = gs_oom_size_after(t, i, to, "requestedmemory:", &m->row.requested);
	static const char *const gpu[] = { "cuda", "device", NULL };
	if (!gs_oom_any(t, i, to, gpu))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	return found(t, m, "xgboost", GS_OOM_OTHER, r > f ? r : f);
}

/* Kokkos: Allocation of size 42.5 G failed, … (The allocation mechanism was cudaMalloc().) */
static int kokkos(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const words[] = { "kokkos", "memoryspace", "allocationmechanism", NULL }, *const gpu[] = { "cuda", "hip", "sycl", NULL };
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested), to = ahead(t, i, 400);
	if (end == m->end || !gs_text_is(t, end, "failed") || !gs_oom_near(t, i, 400, words))
		return 0;
	if (!gs_oom_any(t, back(i, 120), to, gpu))
		return gs_oom_not_row(m, GS_NOT_HOST, end);
	return found(t, m, "kokkos", GS_OOM_OTHER, end);
}

static int mlx(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = ahead(t, i, 240), end = gs_oom_size_after(t, i, to, "attemptingtoallocate", &m->row.requested);
	if (m->row.requested == GS_NONE)
		return 0;
	size_t l = gs_oom_size_after(t, end, to, "maximumallowedbuffersizeof", &m->row.allowed);
	return found(t, m, "mlx", GS_OOM_OTHER, l > end ? l : end);
}

/* vLLM's own checks before it allocates */
static int vllm_cache(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t kv = gs_text_find_last(t, back(i, 24), i, "(");
	if (kv != SIZE_MAX)
		gs_oom_size_at(t, kv + 1, &m->row.requested);
	return found(t, m, "vllm", GS_OOM_OTHER, m->end);
}

static int vllm_blocks(const gs_text *t, size_t i, gs_oom_match *m)
{
	return gs_oom_states(t, i) ? found(t, m, "vllm", GS_OOM_OTHER, m->end) : 0;
}

static int vllm_startup(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const phrases[] = { "cuda:", NULL };
	size_t open = gs_text_find(t, i, ahead(t, i, 40), "("), to = ahead(t, i, 240);
	size_t desired = gs_text_find(t, i, to, "islessthandesired");
	if (open == SIZE_MAX || desired == SIZE_MAX)
		return 0;
	m->row.device = gs_oom_device(t, i, open, phrases);
	size_t j = gs_oom_size_at(t, open + 1, &m->row.device_free);
	if (gs_text_eat(t, &j, "/"))
		gs_oom_size_at(t, j, &m->row.capacity);
	size_t want = gs_text_find(t, desired, to, "utilization(");
	if (want != SIZE_MAX && (want = gs_text_find(t, want, ahead(t, want, 40), ",")) != SIZE_MAX)
		desired = gs_oom_size_at(t, want + 1, &m->row.requested);
	if (m->row.capacity != GS_NONE && m->row.device_free < 1024) /* "(3.2/23.6 GiB)": one unit for both */
		m->row.device_free = GS_NONE;
	return found(t, m, "vllm", GS_OOM_OTHER, desired);
}

/* ========= Program hit cudaErrorMemoryAllocation (error 2) due to "out of memory" on CUDA API call to … */
static int memcheck(const gs_text *t, size_t i, gs_oom_match *m)
{
	if (gs_text_find(t, i, ahead(t, i, 70), "outofmemory") == SIZE_MAX && gs_text_find(t, i, ahead(t, i, 40), "memoryallocation") == SIZE_MAX)
		return 0;
	return found(t, m, gs_oom_library(t, i, "cuda"), GS_OOM_MEMCHECK, m->end);
}

/* An error code of a driver or runtime, said as the result of something (not in a listing of source code). */
static int driver_code(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const host[] = { "hostalloc", "mallochost", "hostregister", "pinned", "cumemhost", NULL };
	static const struct { const char *word, *library; } codes[] = { { "hip", "hip" }, { "mem_object", "opencl" }, { "ur_", "sycl" }, { "ze_", "sycl" },
		{ "pi_", "sycl" }, { "vk_", "vulkan" }, { "erroroutofdevice", "vulkan" }, { "kiogpu", "metal" } };
	const char *library = "cuda";
	if (gs_text_is(t, m->end, "==") || gs_text_ends(t, i, "==") || gs_text_ends(t, i, "case") || gs_text_ends(t, i, "!=") || gs_text_ends(t, i, "::"))
		return 0;
	if (gs_oom_any(t, back(i, 60), ahead(t, i, 60), host))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
		if (gs_text_is(t, i, codes[k].word))
			library = codes[k].library;
	size_t j = m->end, out = gs_text_find(t, j, ahead(t, j, 12), "outofmemory");
	return found(t, m, gs_oom_library(t, i, library), GS_OOM_OTHER, out != SIZE_MAX ? out + 11 : j);
}

/* CUDA error: out of memory — of PyTorch, ggml, Julia and many others */
static int cuda_error(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const phrases[] = { "currentdevice:", NULL }, *const julia_words[] = { "(code2,", "(code#2,", "code2,error", NULL };
	static const char *const torch[] = { "runtimeerror:", "acceleratorerror:", "kernelerrorsmightbeasynchronously", "torch", "outofmemoryerror:", NULL };
	const char *library = gs_oom_library(t, i, "cuda");
	if (gs_oom_any(t, m->end, ahead(t, m->end, 24), julia_words))
		library = "julia";
	else if (gs_oom_any(t, back(i, 24), i, torch) || gs_oom_any(t, m->end, ahead(t, m->end, 200), torch))
		library = "pytorch";
	m->row.device = gs_oom_device(t, m->end, ahead(t, m->end, 40), phrases);
	if (!gs_oom_states(t, i))
		return 0;
	return found(t, m, library, !strcmp(library, "pytorch") ? GS_OOM_TORCH_BARE : GS_OOM_OTHER, m->end);
}

/* Spark's plugin for RAPIDS: GPU OutOfMemory */
static int gpu_out_of_memory(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const rapids[] = { "rapids", "cudf", "rmm", NULL };
	bool ends = m->end >= t->n || t->gap[m->end] >= GS_GAP_WRAP || t->s[m->end] == ':' || t->s[m->end] == '.';
	if (!gs_oom_states(t, i) || !ends)
		return 0;
	return found(t, m, gs_oom_near(t, i, 300, rapids) ? "rmm" : gs_oom_library(t, i, "cuda"), GS_OOM_OTHER, m->end);
}

/* Theano: Error allocating N bytes of device memory (out of memory). Others: out of memory allocating … on GPU */
static int theano(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested);
	if (end == m->end || !gs_text_is(t, end, "ofdevicememory"))
		return 0;
	return found(t, m, gs_oom_library(t, i, "theano"), GS_OOM_OTHER, end + 14);
}

/* Sentences of host memory, and those of memory that no allocator of a GPU gives out. */
static int host(const gs_text *t, size_t i, gs_oom_match *m)
{
	return gs_oom_not_row(m, GS_NOT_HOST, gs_oom_line_end(t, m->end, ahead(t, i, 300)));
}

static int java(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const rmm[] = { "rmm", "bad_alloc:", "cuda", NULL };
	(void)i;
	return gs_oom_any(t, m->end, ahead(t, m->end, 200), rmm) ? 0 : gs_oom_not_row(m, GS_NOT_HOST, m->end);
}

static int on_chip(const gs_text *t, size_t i, gs_oom_match *m)
{
	(void)t;
	(void)i;
	return gs_oom_not_row(m, GS_NOT_DEVICE_MEMORY, m->end);
}

/* Any other "out of memory": a message where it is said as one and something of a GPU stands beside it. */
static int out_of_memory(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const gpu[] = { "cuda", "gpu", "hip", "nvidia", "vram", "thrust::", "opencl", "rocm", "devicememory", "directx", "cumem", NULL };
	static const char *const killer[] = { ":kill", "killer", "error:killed", "(oom)", NULL };
	if (gs_oom_any(t, m->end, ahead(t, m->end, 12), killer) || gs_text_ends(t, i, "heap"))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	bool stands = gs_oom_states(t, i) || gs_text_ends(t, i, "(2vs.0)") || gs_text_ends(t, i, "failed") || gs_text_ends(t, i, "error");
	bool word = m->end < t->n && t->gap[m->end] == GS_GAP_NONE && t->s[m->end] >= 'a' && t->s[m->end] <= 'z';
	if (!stands || word)
		return 0;
	if (!gs_oom_near(t, i, 240, gpu))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	return found(t, m, gs_oom_library(t, i, "cuda"), GS_OOM_OTHER, m->end);
}

const gs_oom_rule gs_oom_rules_others[] = {
	{ "outofmemoryallocating", cupy }, { "outofmemorytoallocate", cupy_old }, { "bad_alloc", bad_alloc }, { "maximumpoolsizeexceeded", rmm_pool },
	{ "rmm_alloc:", rmm_alloc }, { "rmm_error_out_of_memory", rmm_alloc }, { "out_of_memory:cudaerror", rmm_alloc }, { "exceededmemorylimit(", rmm_alloc },
	{ "outofmemoryerrorongpu", paddle }, { "enforceallocating<=availablefailed,", paddle_enforce }, { "outofgpumemory", julia },
	{ "cudamallocfailed:outofmemory", cuda_malloc_failed }, { "cudamallocretryfailed:outofmemory", cuda_malloc_failed },
	{ "hipmallocfailed:outofmemory", cuda_malloc_failed }, { "bufferofsize", ggml_buffer }, { "devicememoryallocationofsize", ggml_vulkan },
	{ "requestedamountofgpumemory(", tensorrt }, { "requestedamountofmemory(", tensorrt }, { "cudaruntime(outofmemory)", tensorrt },
	{ "cudaerrorinallocate:2(outofmemory)", tensorrt }, { "errorcode2:outofmemory", tensorrt }, { "memoryallocationerroronworker", xgboost },
	{ "allocationofsize", kokkos }, { "[metal::malloc]", mlx }, { "gibkvcacheisneeded", vllm_cache }, { "gbkvcacheisneeded", vllm_cache },
	{ "noavailablememoryforthecacheblocks", vllm_blocks }, { "freememoryondevice", vllm_startup }, { "programhit", memcheck },
	{ "cudaerrormemoryallocation", driver_code }, { "cuda_error_out_of_memory", driver_code }, { "hiperroroutofmemory", driver_code },
	{ "hiperrormemoryallocation", driver_code }, { "mem_object_allocation_failure", driver_code },
	{ "ur_result_error_out_of_device_memory", driver_code }, { "ze_result_error_out_of_device_memory", driver_code },
	{ "pi_error_out_of_resources", driver_code }, { "vk_error_out_of_device_memory", driver_code }, { "erroroutofdevicememory", driver_code },
	{ "kiogpucommandbuffercallbackerroroutofmemory", driver_code }, { "cudaerror:outofmemory", cuda_error }, { "hiperror:outofmemory", cuda_error },
	{ "errorallocating", theano }, { "gpuoutofmemory", gpu_out_of_memory },
	{ "notenoughmemory:youtriedtoallocate", host }, { "defaultcpuallocator:", host }, { "java.lang.outofmemoryerror", java },
	{ "heapoutofmemory", host }, { "oom_reaper", host }, { "oom-kill", host }, { "ofpinnedmemory", host }, { "exceeds10%offreesystemmemory", host },
	{ "outofresource:sharedmemory", on_chip }, { "outofmemory", out_of_memory },
	{ NULL, NULL },
};
