/* Messages of programs and libraries that sit on the CUDA runtime and say in words of their own
 * that memory is short. */
#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/rules.h"
#include "analyzer/read/text/figure.h"

/* XGBoost: Memory allocation error on worker 0: … - Free memory: N - Requested memory: M */
static int xgboost(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = gs_oom_ahead(t, i, 600);
	size_t f = gs_oom_size_after(t, i, to, "freememory:", &m->row.device_free),
		   r = gs_oom_size_after(t, i, to, "requestedmemory:", &m->row.requested);
	static const char *const gpu[] = {"cuda", "device", NULL};
	if (!gs_oom_any(t, i, to, gpu))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	return gs_oom_found(t, m, "xgboost", GS_OOM_OTHER, r > f ? r : f);
}

/* Kokkos: Allocation of size 42.5 G failed, … (The allocation mechanism was cudaMalloc().) */
static int kokkos(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const words[] = {"kokkos", "memoryspace", "allocationmechanism", NULL},
							 *const gpu[] = {"cuda", "hip", "sycl", NULL};
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested), to = gs_oom_ahead(t, i, 400);
	if (end == m->end || !gs_text_is(t, end, "failed") || !gs_oom_near(t, i, 400, words) ||
		gs_text_is(t, end, "failedbecauseofanunknownerror"))
		return 0;
	if (!gs_oom_any(t, gs_oom_back(i, 120), to, gpu))
		return gs_oom_not_row(m, GS_NOT_HOST, end);
	size_t code = gs_text_find(
		t, end, gs_oom_ahead(t, end, 240), "returnedtheerrorcode"); /* in brackets behind it */
	return gs_oom_found(
		t, m, "kokkos", GS_OOM_OTHER, code != SIZE_MAX ? gs_oom_ahead(t, code, 48) : end);
}

/* Kokkos since 4.5: Cuda memory space failed to allocate 42.5 GiB (label="A"). */
static int kokkos_space(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const gpu[] = {"cuda", "hip", "sycl", NULL},
							 *const host[] = {"host", "openmp", NULL};
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested),
		   code = gs_text_find(t, end, gs_oom_ahead(t, end, 200), "outofmemory");
	if (m->row.requested == GS_NONE || gs_oom_any(t, gs_oom_back(i, 16), i, host))
		return m->row.requested == GS_NONE ? 0 : gs_oom_not_row(m, GS_NOT_HOST, end);
	if (!gs_oom_any(t, gs_oom_back(i, 24), i, gpu))
		return 0;
	return gs_oom_found(t, m, "kokkos", GS_OOM_OTHER, code != SIZE_MAX ? code + 11 : end);
}

/* FAISS: alloc fail type FlatData dev 0 space Device … size N bytes (cudaMalloc error out of memory
 * [2]) */
static int faiss(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const devices[] = {"dev", NULL};
	size_t to = gs_oom_ahead(t, i, 240),
		   size = gs_oom_size_after(t, i, to, "size", &m->row.requested);
	size_t code = gs_text_find(t, i, to, "outofmemory");
	if (m->row.requested == GS_NONE || code == SIZE_MAX)
		return 0;
	m->row.device = gs_oom_device(t, i, size, devices);
	return gs_oom_found(t, m, "faiss", GS_OOM_OTHER, code + 11);
}

/* FAISS before: failed to cudaMalloc N bytes [on device 0] (error 2 out of memory) */
static int faiss_malloc(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const devices[] = {"ondevice", NULL};
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested), to = gs_oom_ahead(t, i, 120),
		   code = gs_text_find(t, i, to, "outofmemory");
	if (m->row.requested == GS_NONE)
		return 0;
	m->row.device = gs_oom_device(t, end, gs_oom_ahead(t, end, 24), devices);
	return gs_oom_found(
		t, m, gs_oom_library(t, i, "faiss"), GS_OOM_OTHER, code != SIZE_MAX ? code + 11 : end);
}

/* Warp: Failed to allocate N bytes on device 'cuda:0'; its native part has logged the driver's
 * error before */
static int warp(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const devices[] = {"cuda:", NULL};
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested);
	(void)i;
	if (m->row.requested == GS_NONE || !gs_text_eat(t, &end, "ondevice"))
		return 0;
	size_t named = end + (end < t->n && (t->s[end] == '\'' || t->s[end] == '"'));
	if (!gs_text_is(t, named, "cuda"))
		return 0;
	m->row.device = gs_oom_device(t, named, gs_oom_ahead(t, named, 10), devices);
	m->again = true;
	return gs_oom_found(t, m, "warp", GS_OOM_OTHER, named + 4);
}

static int warp_native(const gs_text *t, size_t i, gs_oom_match *m)
{
	(void)i;
	return gs_oom_found(t, m, "warp", GS_OOM_OTHER, m->end);
}

/* SGLang's check of the memory for its cache */
static int sglang(const gs_text *t, size_t i, gs_oom_match *m)
{
	(void)i;
	return gs_oom_found(t, m, "sglang", GS_OOM_OTHER, m->end);
}

static int mlx(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = gs_oom_ahead(t, i, 240),
		   end = gs_oom_size_after(t, i, to, "attemptingtoallocate", &m->row.requested);
	if (m->row.requested == GS_NONE)
		return 0;
	size_t l = gs_oom_size_after(t, end, to, "maximumallowedbuffersizeof", &m->row.allowed);
	return gs_oom_found(t, m, "mlx", GS_OOM_OTHER, l > end ? l : end);
}

/* vLLM's own checks before it allocates: 24.0 GiB KV cache is needed, … */
static int vllm_cache(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t number = i;
	while (number > gs_oom_back(i, 16) &&
		((t->s[number - 1] >= '0' && t->s[number - 1] <= '9') || t->s[number - 1] == '.'))
		number--;
	if (number < i)
		gs_oom_size_at(t, number, &m->row.requested);
	return gs_oom_found(t, m, "vllm", GS_OOM_OTHER, m->end);
}

/* No available memory for the cache blocks. A traceback shows the line of source first that raises
 * it. */
static int vllm_blocks(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t said = gs_text_find(
		t, m->end, gs_oom_ahead(t, m->end, 600), "noavailablememoryforthecacheblocks");
	bool source = gs_text_ends(t, i, "raisevalueerror(\"");
	if (!gs_oom_states(t, i) || (source && said != SIZE_MAX && !gs_text_ends(t, said, "(\"")))
		return 0;
	return gs_oom_found(t, m, "vllm", GS_OOM_OTHER, m->end);
}

/* The model's max seq len (N) is larger than the maximum number of tokens that can be stored in KV
 * cache (M): tokens, no bytes */
static int vllm_tokens(const gs_text *t, size_t i, gs_oom_match *m)
{
	if (gs_text_find(t, gs_oom_back(i, 60), i, "maxseqlen") == SIZE_MAX)
		return 0;
	return gs_oom_found(t, m, "vllm", GS_OOM_OTHER, m->end);
}

static int vllm_startup(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const phrases[] = {"cuda:", NULL};
	size_t open = gs_text_find(t, i, gs_oom_ahead(t, i, 40), "("), to = gs_oom_ahead(t, i, 240);
	size_t desired = gs_text_find(t, i, to, "islessthandesired");
	if (open == SIZE_MAX || desired == SIZE_MAX)
		return 0;
	m->row.device = gs_oom_device(t, i, open, phrases);
	size_t j = open + 1, want = gs_text_find(t, desired, to, "utilization(");
	gs_text_size_of(t, &j, &m->row.device_free, &m->row.capacity);
	if (want != SIZE_MAX &&
		(want = gs_text_find(t, want, gs_oom_ahead(t, want, 40), ",")) != SIZE_MAX)
		desired = gs_oom_size_at(t, want + 1, &m->row.requested);
	return gs_oom_found(t, m, "vllm", GS_OOM_OTHER, desired);
}

/* Theano: Error allocating N bytes of device memory (out of memory). Driver report F bytes free and
 * T bytes total */
static int theano(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t end = gs_oom_size_at(t, m->end, &m->row.requested);
	(void)i;
	if (end == m->end || !gs_text_is(t, end, "ofdevicememory"))
		return 0;
	end += 14;
	size_t report = gs_oom_size_after(
		t, end, gs_oom_ahead(t, end, 60), "driverreport", &m->row.device_free);
	if (report > end && gs_text_eat(t, &report, "freeand"))
		end = gs_oom_size_at(t, report, &m->row.capacity);
	return gs_oom_found(t, m, "theano", GS_OOM_OTHER, end);
}

/* AMReX: Arena out of memory!!! Bytes to allocate: N (…) Memory type: GPU device memory … Error:
 * cudaMalloc returned 2: out of memory */
static int amrex_arena(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const device[] = {"device", "gpu", "managed", NULL};
	size_t to = gs_oom_ahead(t, i, 400), next = gs_text_find(t, m->end, to, "arenaoutofmemory");
	if (next != SIZE_MAX)
		to = next;
	size_t end = gs_oom_size_after(t, i, to, "bytestoallocate:", &m->row.requested),
		   type = gs_text_find(t, i, to, "memorytype:");
	if (m->row.requested == GS_NONE)
		return 0;
	size_t code = gs_text_find(t, end, to, "outofmemory");
	if (code != SIZE_MAX)
		end = code + 11;
	if (type != SIZE_MAX && !gs_oom_any(t, type, gs_oom_ahead(t, type, 40), device))
		return gs_oom_not_row(m, GS_NOT_HOST, end);
	return gs_oom_found(t, m, "amrex", GS_OOM_OTHER, end);
}

/* AMReX with amrex.abort_on_out_of_gpu_memory: Out of gpu memory. Free: F Asked: N */
static int amrex_asked(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t to = gs_oom_ahead(t, i, 60), end;
	m->end = gs_oom_size_at(t, m->end, &m->row.device_free);
	end = gs_oom_size_after(t, m->end, to, "asked:", &m->row.requested);
	return m->row.requested == GS_NONE ? 0 : gs_oom_found(t, m, "amrex", GS_OOM_OTHER, end);
}

/* MXNet's first versions: …/pooled_storage_manager.h:62: Memory allocation failed. */
static int mxnet(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const words[] = {
		"pooled_storage_manager", "gpu_device_storage", "mxneterror", NULL};
	if (!gs_oom_any(t, gs_oom_back(i, 120), i, words))
		return 0;
	gs_text_eat(t, &m->end, "outofmemory");
	return gs_oom_found(t, m, "mxnet", GS_OOM_OTHER, m->end);
}

/* LAMMPS: ERROR on proc 0: Insufficient memory on accelerator */
static int lammps(const gs_text *t, size_t i, gs_oom_match *m)
{
	return gs_oom_states(t, i) ? gs_oom_found(t, m, "lammps", GS_OOM_OTHER, m->end) : 0;
}

/* Blender: System is out of GPU [and shared host] memory; Out of memory in cuMemAlloc(…) */
static int blender_system(const gs_text *t, size_t i, gs_oom_match *m)
{
	if (!gs_oom_states(t, i) ||
		!(gs_text_eat(t, &m->end, "memory") || gs_text_eat(t, &m->end, "andsharedhostmemory")))
		return 0;
	return gs_oom_found(t, m, "blender", GS_OOM_OTHER, m->end);
}

static int blender_call(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const host[] = {"incumemhost", "inhiphost", NULL};
	if (gs_oom_any(t, i, gs_oom_ahead(t, i, 30), host))
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	if (!gs_oom_states(t, i) && !gs_text_ends(t, i, "error:"))
		return 0;
	return gs_oom_found(t, m, "blender", GS_OOM_OTHER, m->end);
}

/* V-Ray and others give the driver's own explanation: unable to allocate enough memory to perform
 * the requested operation */
static int explained(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const said[] = {"out_of_memory", "outofmemory", "memoryallocation", NULL};
	if (gs_oom_any(
			t, gs_oom_back(i, 80), i, said)) /* the code stands before it and is the message */
		return 0;
	static const char *const gpu[] = {"cuda", "gpu", "hip", NULL};
	return gs_oom_near(t, i, 80, gpu)
		? gs_oom_found(t, m, gs_oom_library(t, i, "cuda"), GS_OOM_OTHER, m->end)
		: 0;
}

/* ManagedCuda names the driver's codes as its own: ErrorOutOfMemory: The API call failed because …
 */
static int managed(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const cuda[] = {"cuda", NULL};
	if (!gs_oom_any(t, gs_oom_back(i, 80), i, cuda))
		return 0;
	size_t end = gs_text_find(t, m->end, gs_oom_ahead(t, m->end, 160), "therequestedoperation");
	return gs_oom_found(t, m, "cuda", GS_OOM_OTHER, end != SIZE_MAX ? end + 21 : m->end);
}

const gs_oom_rule gs_oom_rules_apps[] = {
	{"erroroutofmemory:theapicall", managed},
	{"memoryspacefailedtoallocate", kokkos_space},
	{"allocfailtype", faiss},
	{"failedtocudamalloc", faiss_malloc},
	{"failedtoallocate", warp},
	{"warpcudaerror2:outofmemory", warp_native},
	{"notenoughmemory.pleasetrytoincrease--mem-fraction-static", sglang},
	{"memoryallocationerroronworker", xgboost},
	{"allocationofsize", kokkos},
	{"[metal::malloc]", mlx},
	{"gibkvcacheisneeded", vllm_cache},
	{"gbkvcacheisneeded", vllm_cache},
	{"noavailablememoryforthecacheblocks", vllm_blocks},
	{"islargerthanthemaximumnumberoftokensthatcanbestoredinkvcache", vllm_tokens},
	{"freememoryondevice", vllm_startup},
	{"errorallocating", theano},
	{"arenaoutofmemory", amrex_arena},
	{"outofgpumemory.free:", amrex_asked},
	{"memoryallocationfailed", mxnet},
	{"insufficientmemoryonaccelerator", lammps},
	{"systemisoutofgpu", blender_system},
	{"outofmemoryincumem", blender_call},
	{"outofmemoryinculaunch", blender_call},
	{"outofmemoryincuarray", blender_call},
	{"outofmemoryinhip", blender_call},
	{"unabletoallocateenoughmemory", explained},
	{NULL, NULL},
};
