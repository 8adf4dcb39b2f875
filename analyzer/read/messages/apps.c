/* Messages of programs and libraries that sit on the CUDA runtime and say in words of their own
 * that memory is short. */
#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/matchers.h"
#include "analyzer/read/text/figure.h"

/* Kokkos: Allocation of size 42.5 G failed, … (The allocation mechanism was cudaMalloc().) */
int gs_match_kokkos(const gs_text *t, size_t i, gs_oom_match *m)
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
int gs_match_kokkos_space(const gs_text *t, size_t i, gs_oom_match *m)
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

/* FAISS before: failed to cudaMalloc N bytes [on device 0] (error 2 out of memory) */
int gs_match_faiss_malloc(const gs_text *t, size_t i, gs_oom_match *m)
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
int gs_match_warp(const gs_text *t, size_t i, gs_oom_match *m)
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

/* model weights take W; non_torch_memory takes N; … activation peak memory takes P; the rest of the
 * memory reserved for KV Cache is R: what counts against the budget. */
int gs_match_vllm_budget(const gs_text *t, size_t i, gs_oom_match *m)
{
	int64_t sum = 0;
	size_t to = gs_oom_ahead(t, i, 240), cache = gs_text_find(t, i, to, "forkvcache"), at = i;
	if (cache == SIZE_MAX)
		return 0;
	for (size_t k = i; (k = gs_text_find(t, k, cache, "take")) != SIZE_MAX; k = at) {
		int64_t bytes = GS_NONE;
		at = k + 4;
		gs_text_eat(t, &at, "s");
		gs_oom_size_at(t, at, &bytes);
		if (bytes != GS_NONE)
			sum = sum > INT64_MAX - bytes ? INT64_MAX : sum + bytes;
	}
	m->aside = true;
	m->row.told.counted = sum;
	return gs_oom_found(t, m, "vllm", GS_OOM_OTHER, cache);
}

/* vLLM's own checks before it allocates: 24.0 GiB KV cache is needed, which is larger than the
 * available KV cache memory (1.2 GiB) */
int gs_match_vllm_cache(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t number = i;
	while (number > gs_oom_back(i, 16) &&
		((t->s[number - 1] >= '0' && t->s[number - 1] <= '9') || t->s[number - 1] == '.'))
		number--;
	if (number < i)
		gs_oom_size_at(t, number, &m->row.requested);
	m->row.told.says |= GS_SAYS_LIMIT;
	size_t last = gs_oom_size_after(
		t, m->end, gs_oom_ahead(t, m->end, 80), "availablekvcachememory(", &m->row.told.pool_free);
	return gs_oom_found(t, m, "vllm", GS_OOM_OTHER, last);
}

/* No available memory for the cache blocks. A traceback shows the line of source first that raises
 * it. */
int gs_match_vllm_blocks(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t said = gs_text_find(
		t, m->end, gs_oom_ahead(t, m->end, 600), "noavailablememoryforthecacheblocks");
	bool source = gs_text_ends(t, i, "raisevalueerror(\"");
	if (!gs_oom_states(t, i) || (source && said != SIZE_MAX && !gs_text_ends(t, said, "(\"")))
		return 0;
	m->row.told.says |= GS_SAYS_LIMIT;
	return gs_oom_found(t, m, "vllm", GS_OOM_OTHER, m->end);
}

int gs_match_vllm_startup(const gs_text *t, size_t i, gs_oom_match *m)
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
	m->row.told.own = 0; /* it has allocated nothing yet */
	return gs_oom_found(t, m, "vllm", GS_OOM_OTHER, desired);
}

/* AMReX: Arena out of memory!!! Bytes to allocate: N (…) Memory type: GPU device memory … Error:
 * cudaMalloc returned 2: out of memory */
int gs_match_amrex_arena(const gs_text *t, size_t i, gs_oom_match *m)
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

/* Blender: System is out of GPU [and shared host] memory; Out of memory in cuMemAlloc(…) */
int gs_match_blender_system(const gs_text *t, size_t i, gs_oom_match *m)
{
	if (!gs_oom_states(t, i) ||
		!(gs_text_eat(t, &m->end, "memory") || gs_text_eat(t, &m->end, "andsharedhostmemory")))
		return 0;
	return gs_oom_found(t, m, "blender", GS_OOM_OTHER, m->end);
}

/* ManagedCuda names the driver's codes as its own: ErrorOutOfMemory: The API call failed because …
 */
int gs_match_managed(const gs_text *t, size_t i, gs_oom_match *m)
{
	static const char *const cuda[] = {"cuda", NULL};
	if (!gs_oom_any(t, gs_oom_back(i, 80), i, cuda))
		return 0;
	size_t end = gs_text_find(t, m->end, gs_oom_ahead(t, m->end, 160), "therequestedoperation");
	return gs_oom_found(t, m, "cuda", GS_OOM_OTHER, end != SIZE_MAX ? end + 21 : m->end);
}
