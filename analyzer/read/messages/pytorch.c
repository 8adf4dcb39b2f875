/* PyTorch's messages, from 0.3 to now, on every backend, with the cudaMallocAsync backend, whole or
 * cut. */
#include "analyzer/read/messages/labels.h"
#include "analyzer/read/messages/matchers.h"
#include "analyzer/read/text/figure.h"

enum {
	SPAN = 4000, /* squeezed characters that one message may have */
	CUT = 40,    /* … that may be left of a sentence */
	NAMED = 30   /* … from the request to the device, where the figures behind it are cut */
};

static const char *const host_words[] = {
	"notenoughmemory:", "defaultcpuallocator", "cpuallocator", "alloc_cpu.cpp", NULL};

/* "CUDA out of memory", "MPS backend out of memory", …: where its first word begins, given where
 * "out of memory" does. */
static size_t backend_begins(const gs_text *t, size_t out)
{
	static const char *const words[] = {"cuda", "hip", "xpu", "npu", "mpsbackend", "musa", "mlu",
		"hpu", "gcu", "privateuseone", "mtia", "sdaa", "dcu", "gpu", "maca", "supa", "iluvatar",
		NULL};
	for (size_t k = 0; words[k]; k++)
		if (gs_text_ends(t, out, words[k])) {
			size_t n = 0;
			while (words[k][n])
				n++;
			return out - n;
		}
	return out;
}

/* "(GPU 0;" or "(NPU 3;" or "GPU 0 has a total" */
static int32_t device_of(const gs_text *t, size_t from, size_t to)
{
	static const char *const phrases[] = {"(gpu", "(npu", "(xpu", "(mlu", "(musa", "(cuda", "(hpu",
		"(dcu", "allocationondevice", ".gpu", ").gpu", ".npu", ".xpu", "gpu", NULL};
	return gs_oom_device(t, from, to, phrases);
}

/* Whether the figures that PyTorch prints follow. */
static bool figures_follow(const gs_text *t, size_t i)
{
	static const char *const phrases[] = {"totalcapac", "alreadyallocated", "allocatedbypytorch",
		"onprivatepool", "onsharedpool", NULL};
	return gs_oom_any(t, i, i + 400, phrases);
}

/* Where the message that has begun at i must end: where another one begins. */
static size_t next_message(const gs_text *t, size_t i)
{
	static const char *const anchors[] = {"outofmemory.triedtoallocate", "backendoutofmemory",
		"allocationondevice", "triedtoallocate"};
	size_t end = i + SPAN < t->n ? i + SPAN : t->n;
	if (gs_text_is(t, i, "(mpsallocated")) /* there the figures come before it */
		return end;
	for (size_t k = 0; k < sizeof anchors / sizeof *anchors; k++) {
		size_t next = gs_text_find(t, i + 1, end, anchors[k]);
		if (next != SIZE_MAX)
			end = next;
	}
	return end;
}

static int64_t sum(int64_t a, int64_t b)
{
	return a == GS_NONE || b == GS_NONE ? GS_NONE : a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* On Metal the limit counts what this allocator holds and what others of the process do. */
static void metal_counts(gs_oom *row)
{
	row->told.counted = sum(row->allocated, row->told.others);
	row->told.others = GS_NONE; /* not of others, and part of what is counted */
}

/* In a container the message does not know which of the processes it names is its own: the one that
 * holds what this allocator has reserved, and least beyond it. */
static void find_own_process(gs_oom_match *m)
{
	gs_oom_told *told = &m->row.told;
	size_t own = SIZE_MAX;
	for (size_t k = 0; k < m->nprocesses && told->own == GS_NONE && m->row.reserved > 0; k++)
		if (m->processes[k].bytes >= m->row.reserved &&
			(own == SIZE_MAX || m->processes[k].bytes < m->processes[own].bytes))
			own = k;
	if (own == SIZE_MAX)
		return;
	told->own = m->processes[own].bytes;
	told->others -= told->own;
	m->processes[own] = m->processes[--m->nprocesses];
}

/* A message that names its device goes on to what is allocated there; on its way from another place
 * only the end of it gets lost, or the beginning. */
static bool is_cut(const gs_oom *row)
{
	return row->requested == GS_NONE || row->allocated == GS_NONE;
}

static int torch_message(const gs_text *t, size_t begin, size_t figures, gs_oom_match *m)
{
	size_t to = next_message(t, figures), stop = to;
	m->row.library = "pytorch";
	m->kind = GS_OOM_TORCH;
	m->begin = begin;
	size_t last = gs_oom_labels(t, figures, stop, m);
	size_t named = last, total = gs_text_find(t, last, last + NAMED, "hasatotal");
	if (last > figures && m->row.capacity == GS_NONE && total != SIZE_MAX)
		named = total;
	if (named == figures)
		named = figures + 40;
	m->row.device = device_of(t, figures, named < to ? named : to);
	/* the segment's size since 1.4; up to 1.3 ("cached") and on MPS it is the request itself */
	if (gs_text_is(t, figures, "triedtoallocate") &&
		gs_text_find(t, figures, last + 8, "cached)") == SIZE_MAX && !gs_text_is(t, begin, "mps"))
		m->row.needed = m->row.requested;
	if (m->row.requested == GS_NONE && gs_text_is(t, figures, "triedtoallocatemorethan")) {
		m->kind = GS_OOM_OTHER; /* no heading of another message */
		m->row.told.says |= GS_SAYS_HUGE;
	}
	if (gs_text_is(t, begin, "mps"))
		metal_counts(&m->row);
	find_own_process(m);
	if (gs_text_is(t, figures, "allocationwaspreemptivelyrejected"))
		m->row.told.says |= GS_SAYS_LIMIT;
	else if (m->kind == GS_OOM_TORCH && is_cut(&m->row))
		m->row.told.says |= GS_SAYS_CUT;
	m->end = gs_oom_line_end(t, last > m->end ? last : m->end, to);
	return 1;
}

int gs_match_torch_tried_to_allocate(const gs_text *t, size_t i, gs_oom_match *m)
{
	if (gs_oom_any(t, gs_oom_back(i, 200), i, host_words) &&
		gs_text_find(t, gs_oom_back(i, 200), i, "cudaoutofmemory") == SIZE_MAX)
		return gs_oom_not_row(m, GS_NOT_HOST, m->end);
	size_t out = gs_text_find_last(t, gs_oom_back(i, 24), i, "outofmemory");
	if (out == SIZE_MAX && !figures_follow(t, i) && !gs_text_ends(t, i, "npuworkspaceallocator"))
		return 0;
	return torch_message(t, out == SIZE_MAX ? i : backend_begins(t, out), i, m);
}

int gs_match_torch_backend_out_of_memory(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t j = m->end;
	bool stop = gs_text_eat(t, &j, ".") || gs_text_eat(t, &j, "!") || gs_text_eat(t, &j, ":");
	if (gs_text_is(t, j, "triedtoallocate") || gs_text_is(t, m->end, "(mpsallocated"))
		return torch_message(t, i, j, m);
	if (gs_text_is(t, j, "allocationwaspreemptivelyrejected"))
		return torch_message(t, i, j, m);
	size_t tried = stop ? gs_text_find(t, j, j + 60, "triedtoallocate")
						: SIZE_MAX; /* "NPUWorkspaceAllocator tried to allocate" */
	if (tried != SIZE_MAX && figures_follow(t, tried))
		return torch_message(t, i, tried, m);
	bool wrapper = gs_text_is(t, m->end, "occurredwhen") || gs_text_is(t, m->end, "occurredduring");
	bool ends = m->end >= t->n || t->gap[m->end] >= GS_GAP_WRAP || stop ||
		(unsigned char)t->s[m->end] >= 0x80 || gs_text_is(t, m->end, "\"") ||
		gs_text_is(t, m->end, "'") || gs_text_is(t, m->end, ",") || gs_text_is(t, m->end, "(");
	if (!gs_oom_states(t, i) || !(wrapper || ends) || gs_oom_listed(t, i, m->end))
		return 0;
	m->row.library = "pytorch";
	m->kind = GS_OOM_TORCH_BARE;
	m->end = gs_oom_line_end(t, m->end, m->end + 400 < t->n ? m->end + 400 : t->n);
	return 1;
}

/* The figures without the beginning of the sentence: someone quoted only a part. */
int gs_match_torch_headless(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t begin = i;
	size_t gpu = gs_text_find_last(t, gs_oom_back(i, 12), i, "gpu");
	if (gpu == SIZE_MAX)
		gpu = gs_text_find_last(t, gs_oom_back(i, 12), i, "npu");
	if (gpu != SIZE_MAX)
		begin = gpu;
	else if (gs_text_is(t, i, "hasatotalcapac"))
		return 0;
	if (gs_text_is(t, i, "hasatotalcapac") && gs_text_find(t, i, i + 80, "ofwhich") == SIZE_MAX &&
		gs_text_find(t, i, i + 80, "oftheallocated") == SIZE_MAX)
		return 0;
	if (gs_text_is(t, i, "totalcapac")) { /* the figure stands before it */
		begin = gs_text_find_last(t, gs_oom_back(i, 40), i, "(");
		if (gs_text_find(t, i, i + 80, "alreadyallocated") == SIZE_MAX)
			return 0;
	}
	if (begin == SIZE_MAX)
		return 0;
	if (gs_text_is(t, i, "isallocatedbypytorch")) {
		begin = gs_text_find_last(t, gs_oom_back(i, 60), i, "oftheallocatedmemory");
		if (begin == SIZE_MAX)
			return 0;
	}
	return torch_message(t, begin, begin, m);
}

int gs_match_torch_on_device(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t j = m->end;
	uint64_t device;
	if (!gs_oom_states(t, i))
		return 0;
	if (gs_text_number(t, &j, &device) && device < 1024)
		m->row.device = (int32_t)device;
	bool exceeds = gs_text_eat(t, &j, "wouldexceedallowedmemory"),
		 named = gs_text_ends(t, i, "outofmemoryerror:");
	if (!exceeds && !named && j < t->n && t->gap[j] < GS_GAP_WRAP &&
		!gs_text_is(t, j, "thiserrormeans") && !gs_text_is(t, j, "would") &&
		!gs_text_is(t, j, "\"") && !gs_text_is(t, j, "'") && !gs_text_is(t, j, "."))
		return 0;
	m->row.library = "pytorch";
	m->kind = GS_OOM_TORCH;
	m->end = j;
	if (exceeds) {
		size_t to = j + 500 < t->n ? j + 500 : t->n, last = gs_oom_labels(t, j, to, m);
		m->end = gs_oom_line_end(t, last, to);
	}
	return 1;
}

/* The exception's name at the beginning of a line, nothing recognised behind it: alone, or with the
 * beginning of a sentence that was cut. */
int gs_match_torch_exception_name(const gs_text *t, size_t i, gs_oom_match *m)
{
	size_t j = m->end;
	if (i && t->gap[i] < GS_GAP_WRAP && !gs_text_ends(t, i, ":"))
		return 0;
	bool colon = gs_text_eat(t, &j, ":");
	size_t end = j;
	while (end < t->n && end < j + CUT && t->gap[end] < GS_GAP_WRAP)
		end++;
	if (end == j + CUT || (end > j && !colon) ||
		(end == j && !colon && j < t->n && t->gap[j] != GS_GAP_LINE))
		return 0;
	if (gs_text_find(t, j, j + 60, "outofmemory") != SIZE_MAX ||
		gs_text_find(t, j, j + 60, "allocationondevice") != SIZE_MAX)
		return 0;
	m->row.library = "pytorch";
	m->kind = GS_OOM_TORCH_BARE;
	m->end = end;
	return 1;
}
