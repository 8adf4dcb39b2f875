/* Messages of the other libraries, of the driver, and what only looks like one of them. */
#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/matchers.h"
#include "analyzer/read/text/figure.h"

#include <string.h>

static const char *const cupy_words[] = {"cupy", "chainer", "outofmemoryerror:", NULL};

/* Out of memory allocating 25,600,000 bytes (allocated so far: … bytes[, limit set to: … bytes]):
 * what the pool holds, in use or not. */
int gs_match_cupy(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested), to = gs_oom_ahead(t, i, 240);
	if (end == m->end || !gs_text_ends(t, end, "bytes"))
		return 0;
	if (gs_text_is(t, end, "afteratotalof")) /* a compiler's */
		return gs_oom_not_row(m, GS_NOT_HOST, end);
	if (!gs_text_is(t, end, "(alloc") && !gs_oom_near(t, i, 300, cupy_words))
		return 0;
	m->once = true;
	size_t a = gs_oom_size_after(t, end, to, "allocatedsofar:", &m->row.reserved),
		   l = gs_oom_size_after(t, end, to, "limitsetto:", &m->row.allowed);
	return gs_oom_found(t, m, "cupy", GS_OOM_OTHER, l > a ? l : a);
}

/* Up to CuPy 6: out of memory to allocate … bytes (total … bytes[, limit set to … bytes]); the
 * total counts the request */
int gs_match_cupy_old(const gs_text *t, size_t i, gs_oom_match *m)
{
	int64_t total = GS_NONE;
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested), to = gs_oom_ahead(t, i, 240);
	bool ours = gs_oom_any(t, gs_oom_back(i, 60), i, cupy_words);
	if (!gs_text_is(t, end, "(total") && !ours) /* a title may end before any figure */
		return 0;
	m->once = true;
	size_t a = gs_oom_size_after(t, end, to, "(total", &total),
		   l = gs_oom_size_after(t, end, to, "limitsetto", &m->row.allowed);
	if (total != GS_NONE && m->row.requested != GS_NONE && total >= m->row.requested)
		m->row.reserved = total - m->row.requested;
	return gs_oom_found(t, m, "cupy", GS_OOM_OTHER, l > a ? l : a);
}

/* The exception's name alone, in a heading. */
int gs_match_cupy_name(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t j = m->end;
	gs_text_eat(t, &j, ":");
	bool ends = j >= t->n || t->gap[j] == GS_GAP_LINE || memchr("\"'`)", t->s[j], 4);
	if (!gs_oom_states(t, i) || !ends || gs_text_is(t, j, "outofmemory"))
		return 0;
	return gs_oom_found(t, m, "cupy", GS_OOM_OTHER, m->end);
}

/* Everything that RMM's exceptions say: [failed to allocate N], current/max/try size = … */
static int rmm_figures(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const words[] = {"maximumpoolsizeexceeded", "cudaerrormemoryallocation",
		"outofmemory", "unspecifiedlaunchfailure", NULL};
	size_t to = gs_oom_ahead(t, i, 500), last = m->end, word = to;
	for (size_t k = 0; words[k]; k++) {
		size_t at = gs_text_find(t, i, word, words[k]);
		if (at != SIZE_MAX) {
			word = at;
			last = at + strlen(words[k]);
		}
	}
	gs_text_eat(t, &last, "outofmemory");
	to = word < to ? gs_oom_ahead(t, last, 160) : to;
	size_t bad = gs_text_find(t, last, to, "bad_alloc");
	if (bad != SIZE_MAX)
		to = bad;
	if (gs_text_ends(t, last, words[0]) || gs_text_is(t, i, "exceededmemorylimit("))
		m->row.told.says |= GS_SAYS_LIMIT;
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
	return gs_oom_found(t, m, "rmm", GS_OOM_RMM, last);
}

/* Not the three letters alone, which the end of one word and the beginning of the next make as
 * well. */
static const char *const rmm_words[] = {
	"rmm::", "rmm/", "rmm\\", "rmm_", "rmmfailure", "rmmerror", "maximumpoolsizeexceeded(", NULL};

int gs_match_bad_alloc(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const cuda[] = {"cudaerror", "cuda_error", NULL};
	if (gs_text_ends(t, i, "std::"))
		m->begin = i - 5;
	if (gs_text_is(t, m->end, "_")) /* a name in source code */
		return 0;
	if (gs_text_is(t, m->end, ":out_of_memory") ||
		gs_oom_any(t, m->end, gs_oom_ahead(t, m->end, 300), rmm_words))
		return rmm_figures(t, i, m);
	if (gs_oom_any(t, m->end, gs_oom_ahead(t, m->end, 160), cuda)) {
		size_t out = gs_text_find(t, m->end, gs_oom_ahead(t, m->end, 400), "outofmemory");
		return out == SIZE_MAX
			? 0
			: gs_oom_found(t, m, gs_oom_library(t, i, "cuda"), GS_OOM_OTHER, out + 11);
	}
	return gs_oom_not_row(m, GS_NOT_HOST, m->end);
}

int gs_match_rmm_pool(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const pool[] = {"[upstream", "trysize", "(rmm", NULL};
	if (!gs_oom_near(t, i, 300, rmm_words) && !gs_oom_near(t, i, 300, pool))
		return 0;
	size_t up = gs_text_find_last(t, gs_oom_back(i, 60), i, "[upstream"); /* the debug log's line */
	if (up != SIZE_MAX)
		gs_oom_size_at(t, up + 9, &m->row.requested);
	return rmm_figures(t, i, m);
}

int gs_match_rmm_alloc(const gs_text *t, size_t i, gs_oom_match *m) { return rmm_figures(t, i, m); }

/* What CUDA.jl says of its pool: (P reserved); up to 3.x, of whatever pool, (A allocated, C
 * cached), and what the allocator below took from the driver in all, perhaps with its cap. */
static size_t julia_pool(const gs_text *t, size_t from, size_t to, gs_oom_match *m)
{
	size_t last = from, pool = gs_text_find(t, from, to, "memorypoolusage:"),
		   split = gs_text_find(t, from, to, "allocated,");
	int64_t cached = GS_NONE;
	if (split != SIZE_MAX) {
		size_t bracket = gs_text_find_last(t, gs_oom_back(split, 20), split, "(");
		if (bracket != SIZE_MAX)
			gs_oom_size_at(t, bracket + 1, &m->row.allocated);
		last = gs_oom_size_at(t, split + 10, &cached);
		if (cached != GS_NONE && m->row.allocated != GS_NONE && cached < INT64_MAX / 4 &&
			m->row.allocated < INT64_MAX / 4)
			m->row.reserved = m->row.allocated + cached;
	} else if (pool != SIZE_MAX) {
		last = gs_oom_size_at(t, pool + 16, &m->row.allocated);
		if (gs_text_eat(t, &last, "("))
			last = gs_oom_size_at(t, last, &m->row.reserved);
	}
	size_t taken = gs_oom_size_after(t, from, to, "allocatorusage:", &m->row.reserved);
	if (taken != from && gs_text_eat(t, &taken, "(cappedat"))
		taken = gs_oom_size_at(t, taken, &m->row.allowed);
	return taken > last ? taken : last;
}

/* CUDA.jl: Out of GPU memory [trying to allocate X] / Effective GPU memory usage: 99 % (U/T) / the
 * pool / Memory limit: soft = S, hard = H */
int gs_match_julia(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t j = m->end, to = gs_oom_ahead(t, i, 500), last = j;
	int64_t used = GS_NONE;
	size_t again = gs_text_find(t, j, to, "outofgpumemory");
	if (again != SIZE_MAX)
		to = again;
	if (gs_text_eat(t, &j, "tryingtoallocate"))
		last = gs_oom_size_at(t, j, &m->row.requested);
	else if (gs_text_is(t, j, "error") && again != SIZE_MAX &&
		again < j + 60) /* the name of the exception, in front of its text */
		return 0;
	else if (gs_text_is(t, j, ".free:"))
		return 0;
	size_t effective = gs_text_find(t, last, to, "effectivegpumemoryusage:");
	if (!gs_oom_states(t, i) ||
		(m->row.requested == GS_NONE && effective == SIZE_MAX &&
			gs_text_find(t, gs_oom_back(i, 40), i, "error") == SIZE_MAX))
		return 0;
	size_t open = effective == SIZE_MAX
		? SIZE_MAX
		: gs_text_find(t, effective, gs_oom_ahead(t, effective, 50), "(");
	if (open != SIZE_MAX) {
		last = gs_oom_size_at(t, open + 1, &used);
		if (gs_text_eat(t, &last, "/"))
			last = gs_oom_size_at(t, last, &m->row.capacity);
		last = julia_pool(t, last, to, m);
	}
	m->once = true;
	if (gs_text_find(t, last, to, "betweenmemorypoolandallocator") != SIZE_MAX)
		m->row.told.says |= GS_SAYS_DISAGREES;
	size_t limits = gs_text_find(t, last, gs_oom_ahead(t, last, 60), "memorylimit:");
	if (limits != SIZE_MAX && limits < to) {
		size_t hard = gs_oom_size_after(
			t, limits, gs_oom_ahead(t, limits, 60), "hard=", &m->row.allowed);
		last = hard > limits ? hard : last;
	}
	return gs_oom_found(t, m, "julia", GS_OOM_OTHER, last);
}

int gs_match_tensorrt(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = gs_oom_ahead(t, i, 160), end = m->end;
	if (gs_text_eat(t, &end, "(")) {
		end = gs_oom_size_at(t, end, &m->row.requested);
		if (m->row.requested == GS_NONE)
			gs_oom_size_after(t, i, to, "requestedsizewas", &m->row.requested);
	} else if (gs_text_ends(t, end, "(")) {
		end = gs_oom_size_at(t, end, &m->row.requested);
	}
	if (gs_text_find(t, i, gs_oom_ahead(t, i, 500), "skippingtactic") != SIZE_MAX)
		return gs_oom_not_row(m, GS_NOT_A_FAILURE, end);
	return gs_oom_found(t, m, "tensorrt", GS_OOM_TRT, end);
}

/* ========= Program hit cudaErrorMemoryAllocation (error 2) due to "out of memory" on CUDA API call
 * to … */
int gs_match_memcheck(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const host[] = {"calltocudahostalloc", "calltocudamallochost",
		"calltocumemhost", "calltocumemallochost", NULL};
	if (gs_text_find(t, i, gs_oom_ahead(t, i, 70), "outofmemory") == SIZE_MAX &&
		gs_text_find(t, i, gs_oom_ahead(t, i, 40), "memoryallocation") == SIZE_MAX)
		return 0;
	if (gs_oom_any(t, i, gs_oom_ahead(t, i, 130), host))
		return gs_oom_not_row(m, GS_NOT_HOST, gs_oom_line_end(t, m->end, gs_oom_ahead(t, i, 140)));
	return gs_oom_found(t, m, gs_oom_library(t, i, "cuda"), GS_OOM_MEMCHECK, m->end);
}

/* Behind what explains the code that stands at [i, end): its words, and the code once more ("[OOM]
 * Call to f results in OOM"). */
static size_t said_again(const gs_text *t, size_t i, size_t end)
{
	char code[48];
	size_t n = end - i, out = gs_text_find(t, end, gs_oom_ahead(t, end, 16), "outofmemory");
	if (n >= sizeof code)
		return end;
	memcpy(code, t->s + i, n);
	code[n] = 0;
	size_t results = gs_text_find(t, end, gs_oom_ahead(t, end, 48), "resultsin");
	if (results != SIZE_MAX && gs_text_is(t, results + 9, code))
		return results + 9 + n;
	return out != SIZE_MAX ? out + 11 : end;
}

/* An error code of a driver or runtime, said as the result of something (not in a listing of source
 * code). */
int gs_match_driver_code(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const host[] = {
		"hostalloc", "mallochost", "hostregister", "pinned", "cumemhost", NULL};
	static const char *const called[] = {
		"runtime.hostalloc", "cuda.pinned_memory.", NULL}; /* CuPy's traceback */
	static const struct {
		const char *word, *library;
	} codes[] = {{"hip", "hip"}, {"mem_object", "opencl"}, {"memoryobject", "opencl"},
		{"ur_", "sycl"}, {"ze_", "sycl"}, {"pi_", "sycl"}, {"vk_", "vulkan"},
		{"erroroutofdevice", "vulkan"}, {"kiogpu", "metal"}};
	const char *library = "cuda";
	if (gs_text_is(t, m->end, "==") || gs_text_ends(t, i, "==") || gs_text_ends(t, i, "case") ||
		gs_text_ends(t, i, "!=") || gs_text_ends(t, i, "::") || gs_text_ends(t, i, "searchfor`") ||
		gs_text_ends(t, i, "searchfor'") || gs_text_ends(t, i, "searchfor"))
		return 0; /* a listing of source code; PyTorch's advice where to look */
	size_t end = said_again(t, i, m->end);
	if (gs_oom_any(t, gs_oom_back(i, 60), gs_oom_ahead(t, i, 60), host) ||
		gs_oom_any(t, gs_oom_back(i, 260), i, called))
		return gs_oom_not_row(m, GS_NOT_HOST, end);
	for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
		if (gs_text_is(t, i, codes[k].word))
			library = codes[k].library;
	library = gs_oom_library(t, i, library);
	return gs_oom_found(t, m, library, !strcmp(library, "ggml") ? GS_OOM_GGML : GS_OOM_OTHER, end);
}

/* CUDA error: out of memory — of PyTorch, ggml, Julia and many others */
int gs_match_cuda_error(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const phrases[] = {"currentdevice:", NULL},
							 *const julia_words[] = {"(code2,", "(code#2,", "code2,error", NULL};
	static const char *const torch[] = {"runtimeerror:", "acceleratorerror:",
		"kernelerrorsmightbeasynchronously", "torch", "outofmemoryerror:", NULL};
	static const char *const cycles[] = {"incumem", "inculaunch", "incuarray", "inhip", NULL};
	static const char *const host[] = {
		"hostalloc", "mallochost", "hostregister", "pinnedmemory", "pinninghost", NULL};
	const char *library = gs_oom_library(t, i, "cuda");
	if (gs_oom_any(t, m->end, gs_oom_ahead(t, m->end, 60), host))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	if (gs_oom_any(t, m->end, gs_oom_ahead(t, m->end, 12), cycles))
		library = "blender";
	else if (gs_oom_any(t, m->end, gs_oom_ahead(t, m->end, 24), julia_words))
		library = "julia";
	else if (gs_oom_any(t, gs_oom_back(i, 24), i, torch) ||
		gs_oom_any(t, m->end, gs_oom_ahead(t, m->end, 200), torch))
		library = "pytorch";
	static const char *const runner[] = {"processhasterminated", "startingllamarunner", NULL};
	m->row.device = gs_oom_device(t, m->end, gs_oom_ahead(t, m->end, 40), phrases);
	if (!gs_oom_states(t, i) || gs_oom_listed(t, i, m->end))
		return 0;
	m->again = gs_oom_any(t, gs_oom_back(i, 60), i, runner);
	return gs_oom_found(
		t, m, library, !strcmp(library, "ggml") ? GS_OOM_GGML : GS_OOM_OTHER, m->end);
}

/* Spark's plugin for RAPIDS: GPU OutOfMemory */
int gs_match_gpu_out_of_memory(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const rapids[] = {"rapids", "cudf", "rmm", NULL};
	bool ends = m->end >= t->n || t->gap[m->end] >= GS_GAP_WRAP || t->s[m->end] == ':' ||
		t->s[m->end] == '.' || gs_text_is(t, m->end, "(oom)");
	if (!gs_oom_states(t, i) || !ends)
		return 0;
	return gs_oom_found(t, m, gs_oom_near(t, i, 300, rapids) ? "rmm" : gs_oom_library(t, i, "cuda"),
		GS_OOM_OTHER, m->end);
}

int gs_match_java(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const device[] = {"bad_alloc:", "cuda", NULL};
	size_t to = gs_oom_ahead(t, m->end, 200);
	(void)i;
	return gs_oom_any(t, m->end, to, rmm_words) || gs_oom_any(t, m->end, to, device)
		? 0
		: gs_oom_not_row(m, GS_NOT_HOST, m->end);
}

/* Any other "out of memory": a message where it is said as one and something of a GPU stands beside
 * it. */
int gs_match_out_of_memory(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const gpu[] = {"cuda", "gpu", "hip", "nvidia", "vram", "thrust", "opencl",
		"rocm", "devicememory", "directx", "cumem", "cu_mem", "curesult", "parallel_for", "vulkan",
		"sycl", "cublas", "cudnn", "mallocmc", NULL};
	static const char *const killer[] = {":kill", "killer", "error:killed", "(oom)", NULL};
	bool of_gpu = gs_text_ends(t, i, "gpu") || gs_text_ends(t, i, "cuda") ||
		gs_text_ends(t, i, "hip") || gs_text_ends(t, i, "vram");
	if ((!of_gpu && gs_oom_any(t, m->end, gs_oom_ahead(t, m->end, 12), killer)) ||
		gs_text_ends(t, i, "heap"))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	bool stands = gs_oom_states(t, i) || gs_text_ends(t, i, "(2vs.0)") ||
		gs_text_ends(t, i, "failed") || gs_text_ends(t, i, "error2") ||
		(gs_text_ends(t, i, "error") && t->gap[i] != GS_GAP_NONE) || gs_text_ends(t, i, "<");
	bool word = m->end < t->n && t->gap[m->end] == GS_GAP_NONE && t->s[m->end] >= 'a' &&
		t->s[m->end] <= 'z';
	if (gs_text_ends(t, i, "gpuapicall)")) /* OpenCV's */
		stands = true;
	bool identifier = i + 11 == m->end && t->gap[i + 3] == GS_GAP_NONE &&
		t->gap[i + 5] == GS_GAP_NONE && m->end < t->n && memchr(",>_(", t->s[m->end], 4);
	if (!stands || word || identifier || gs_oom_listed(t, i, m->end))
		return 0;
	if (!gs_oom_near(t, i, 240, gpu))
		return gs_oom_not_row(m, GS_NOT_KNOWN, m->end);
	bool pycuda = gs_text_ends(t, i, "cumemallocfailed:");
	return gs_oom_found(
		t, m, pycuda ? "pycuda" : gs_oom_library(t, i, "cuda"), GS_OOM_OTHER, m->end);
}
