/* Dumps in the words of each release. */
#include "tests/unit/bfc_writer.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bfc_style_names[STYLES] = {"0.8", "1.1", "1.4", "1.15", "2.12", "jax"};

void bfc_add(bfc_text *t, const char *format, ...)
{
	va_list ap;
	char line[1024];
	va_start(ap, format);
	size_t n = (size_t)vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	ck_assert_uint_lt(n, sizeof line);
	if (t->n + n + 1 > t->cap) {
		t->cap = (t->n + n + 1) * 2;
		t->s = realloc(t->s, t->cap);
	}
	memcpy(t->s + t->n, line, n + 1);
	t->n += n;
}

static unsigned seed;
unsigned bfc_chance(unsigned n) { return (unsigned)((seed = seed * 1103515245 + 12345) >> 16) % n; }

/* gaps: regions do not touch each other. */
void bfc_make_heap(bfc_heap *h, unsigned s, int regions, bool gaps)
{
	uint64_t at = 0x7f2000000000;
	memset(h, 0, sizeof *h);
	seed = s;
	h->regions = regions;
	for (int r = 0; r < regions; r++) {
		int n = 3 + (int)bfc_chance(CHUNKS / REGIONS - 3);
		bool in_use = bfc_chance(2);
		for (int i = 0; i < n; i++) {
			uint64_t size = 256 * (uint64_t)(1 + bfc_chance(1u << bfc_chance(15)));
			in_use = !in_use || bfc_chance(3); /* no two free chunks are neighbours */
			h->chunk[h->chunks].address = at;
			h->chunk[h->chunks].size = size;
			h->chunk[h->chunks].in_use = in_use;
			h->chunk[h->chunks++].region = r;
			at += size;
			h->region[r] += size;
			h->total += size;
			if (in_use) {
				h->in_use += size;
			} else {
				h->free += size;
				h->free_chunks++;
				h->largest = size > h->largest ? size : h->largest;
			}
		}
		at += gaps ? 0x100000 : 0;
	}
	h->limit = h->total + 4096;
}

static void stamp(bfc_text *t, enum bfc_style style, int line)
{
	static unsigned us;
	us = (us + 17) % 1000000;
	if (style == TF_0_8)
		bfc_add(t, "I tensorflow/core/common_runtime/bfc_allocator.cc:%d] ", line);
	else if (style < TF_2_12)
		bfc_add(t,
			"2018-08-08 08:08:08.%06u: I tensorflow/core/common_runtime/bfc_allocator.cc:%d] ", us,
			line);
	else if (style == TF_2_12)
		bfc_add(t, "2023-08-08 08:08:08.%06u: I tensorflow/tsl/framework/bfc_allocator.cc:%d] ", us,
			line);
	else
		bfc_add(t, "I0000 00:00:1750000000.%06u   12345 bfc_allocator.cc:%d] ", us, line);
}

static const char *human(char *buf, uint64_t bytes)
{
	if (bytes < 1024)
		sprintf(buf, "%" PRIu64 "B", bytes);
	else if (bytes < 1048576)
		sprintf(buf, "%.1fKiB", (double)bytes / 1024);
	else if (bytes < 1073741824)
		sprintf(buf, "%.2fMiB", (double)bytes / 1048576);
	else
		sprintf(buf, "%.2fGiB", (double)bytes / 1073741824);
	return buf;
}

static void bfc_message(bfc_text *t, enum bfc_style style, uint64_t request, int device)
{
	char buf[32];
	if (style == TF_0_8)
		bfc_add(t,
			"W tensorflow/core/common_runtime/bfc_allocator.cc:271] Ran out of memory trying to allocate %s.  See logs for memory state.\n",
			human(buf, request));
	else if (style < TF_1_15)
		bfc_add(t,
			"2018-08-08 08:08:08.000001: W tensorflow/core/common_runtime/bfc_allocator.cc:273] Allocator (GPU_%d_bfc) ran out of memory trying to "
			"allocate %s.  Current allocation summary follows.\n",
			device, human(buf, request));
	else if (style == TF_1_15)
		bfc_add(t,
			"2018-08-08 08:08:08.000001: W tensorflow/core/common_runtime/bfc_allocator.cc:419] Allocator (GPU_%d_bfc) ran out of memory trying to "
			"allocate %s (rounded to %" PRIu64 ").  Current allocation summary follows.\n",
			device, human(buf, request), request);
	else
		bfc_add(t,
			"%s Allocator (GPU_%d_bfc) ran out of memory trying to allocate %s (rounded to %" PRIu64
			")requested by op Mul\nIf the cause is memory "
			"fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. \nCurrent allocation "
			"summary follows.\nCurrent allocation summary follows.\n",
			style == TF_2_12
				? "2023-08-08 08:08:08.000001: W tensorflow/tsl/framework/bfc_allocator.cc:485]"
				: "W0000 00:00:1750000000.000001   12345 bfc_allocator.cc:513]",
			device, human(buf, request), request);
}

/* Up to 1.1 the bins count free chunks alone, later all. */
void bfc_bins(bfc_text *t, enum bfc_style style, const bfc_heap *h)
{
	for (int k = 0; k < 21; k++) {
		uint64_t low = 256u << k, high = k == 20 ? UINT64_MAX : low * 2, bytes = 0, used = 0;
		unsigned n = 0, nused = 0;
		char a[32], b[32], c[32];
		for (int i = 0; i < h->chunks; i++)
			if (h->chunk[i].size >= low && h->chunk[i].size < high &&
				(style > TF_1_1 || !h->chunk[i].in_use)) {
				bytes += h->chunk[i].size;
				used += h->chunk[i].in_use ? h->chunk[i].size : 0;
				n++;
				nused += h->chunk[i].in_use;
			}
		stamp(t, style, 643);
		if (style <= TF_1_1)
			bfc_add(t,
				"Bin (%" PRIu64
				"): \tTotal Chunks: %u, Chunks in use: %u %s allocated for chunks. %s client-requested for chunks. %s in use in bin. 0B "
				"client-requested in use in bin.\n",
				low, n, nused, human(a, bytes), human(b, bytes / 2), human(c, used));
		else
			bfc_add(t,
				"Bin (%" PRIu64
				"): \tTotal Chunks: %u, Chunks in use: %u. %s allocated for chunks. %s in use in bin. %s client-requested in use in "
				"bin.\n",
				low, n, nused, human(a, bytes), human(b, used), human(c, used));
	}
}

static void bfc_chunk_line(bfc_text *t, enum bfc_style style, const bfc_heap *h, int i)
{
	bool in_use = h->chunk[i].in_use;
	stamp(t, style, 660);
	if (style <= TF_1_4)
		bfc_add(t, "%s at 0x%" PRIx64 " of size %" PRIu64 "\n",
			in_use                ? "Chunk"
				: style == TF_1_4 ? "Free "
								  : "Free",
			h->chunk[i].address, h->chunk[i].size);
	else if (style == TF_1_15)
		bfc_add(t, "%s at 0x%" PRIx64 " next %d of size %" PRIu64 "\n", in_use ? "InUse" : "Free ",
			h->chunk[i].address, i + 1, h->chunk[i].size);
	else
		bfc_add(t, "%s at %" PRIx64 " of size %" PRIu64 " next %d\n", in_use ? "InUse" : "Free ",
			h->chunk[i].address, h->chunk[i].size, i + 1);
}

static void bfc_chunks(bfc_text *t, enum bfc_style style, const bfc_heap *h)
{
	int region = -1;
	for (int pass = 0; pass < (style == TF_1_4 ? 2 : 1);
		 pass++) /* there the free ones are listed last */
		for (int i = 0; i < h->chunks; i++) {
			if (style >= TF_1_15 && h->chunk[i].region != region) {
				region = h->chunk[i].region;
				stamp(t, style, 898);
				bfc_add(t, "Next region of size %" PRIu64 "\n", h->region[region]);
			}
			if (style != TF_1_4 || h->chunk[i].in_use == !pass)
				bfc_chunk_line(t, style, h, i);
		}
}

void bfc_by_size(bfc_text *t, enum bfc_style style, const bfc_heap *h)
{
	char buf[32];
	stamp(t, style, 676);
	bfc_add(t, "     Summary of in-use Chunks by size: \n");
	for (int i = 0; i < h->chunks; i++) {
		unsigned n = 0;
		bool before = false;
		for (int k = 0; k < h->chunks; k++)
			if (h->chunk[k].in_use && h->chunk[k].size == h->chunk[i].size) {
				n++;
				before |= k < i;
			}
		if (!h->chunk[i].in_use || before)
			continue;
		stamp(t, style, 679);
		bfc_add(t, "%u Chunks of size %" PRIu64 " totalling %s\n", n, h->chunk[i].size,
			human(buf, n * h->chunk[i].size));
	}
	stamp(t, style, 683);
	bfc_add(t, "Sum Total of in-use chunks: %s\n", human(buf, h->in_use));
}

void bfc_statistics(bfc_text *t, enum bfc_style style, const bfc_heap *h)
{
	char a[32], b[32], c[32];
	if (style == TF_1_15) {
		stamp(t, style, 923);
		bfc_add(t,
			"total_region_allocated_bytes_: %" PRIu64 " memory_limit_: %" PRIu64
			" available bytes: %" PRIu64 " curr_region_allocation_bytes_: 1048576\n",
			h->total, h->limit, h->limit - h->total);
	} else if (style == TF_2_12) {
		stamp(t, style, 1109);
		bfc_add(t,
			"Total bytes in pool: %" PRIu64 " memory_limit_: %" PRIu64 " available bytes: %" PRIu64
			" curr_region_allocation_bytes_: 1048576\n",
			h->total, h->limit, h->limit - h->total);
	} else if (style == JAX_NOW) {
		stamp(t, style, 1119);
		bfc_add(t,
			"Total size in pool: %s memory_limit_: %s available size: %s curr_region_allocation_bytes_: 1.00MiB\n",
			human(a, h->total), human(b, h->limit), human(c, h->limit - h->total));
	}
	stamp(t, style, 685);
	if (style == JAX_NOW)
		bfc_add(t,
			"Stats: \nLimit:            %16s\nInUse:            %16s\nMaxInUse:         %16s\nNumAllocs:        %16d\nMaxAllocSize:     %16s\n",
			human(a, h->limit), human(b, h->in_use), human(c, h->in_use), 4321, "1.0KiB");
	else
		bfc_add(t,
			"Stats: \nLimit:            %16" PRIu64 "\nInUse:            %16" PRIu64
			"\nMaxInUse:         %16" PRIu64 "\nNumAllocs:        %16d\nMaxAllocSize:     "
			"%16d\n",
			h->limit, h->in_use, h->in_use + 256, 4321, 1024);
	if (style >= TF_2_12)
		bfc_add(t, "Reserved:         %16d%s\nPeakReserved:     %16d%s\nLargestFreeBlock: %16d%s\n",
			0, style == JAX_NOW ? "B" : "", 0, style == JAX_NOW ? "B" : "", 0,
			style == JAX_NOW ? "B" : "");
	bfc_add(t, "\n");
	stamp(t, style, 277);
	bfc_add(t, "****____***********__________xxx\n");
}

void bfc_dump(bfc_text *t, enum bfc_style style, const bfc_heap *h, uint64_t request, int device)
{
	char buf[32];
	if (style != TF_0_8) /* where it follows */
		bfc_message(t, style, request, device);
	if (style >= TF_2_12) {
		stamp(t, style, 1039);
		bfc_add(t, "BFCAllocator dump for GPU_%d_bfc\n", device);
	}
	bfc_bins(t, style, h);
	stamp(t, style, 660);
	bfc_add(t, "Bin for %s was 256.00MiB, Chunk State: \n", human(buf, request));
	stamp(t, style, 649);
	bfc_add(t,
		"  Size: 66.42MiB | Requested Size: 0B | in_use: 0, prev:   Size: 3.38MiB | Requested Size: 3.38MiB | in_use: 1\n");
	bfc_chunks(t, style, h);
	bfc_by_size(t, style, h);
	bfc_statistics(t, style, h);
	if (style == TF_0_8)
		bfc_message(t, style, request, device);
	if (style < JAX_NOW)
		bfc_add(t,
			"2018-08-08 08:08:09.000000: W tensorflow/core/framework/op_kernel.cc:1192] Resource exhausted: OOM when allocating tensor with shape[%d,3]\n"
			"ResourceExhaustedError (see above for traceback): OOM when allocating tensor with shape[%d,3]\n",
			1000 + device, 1000 + device);
}

/* ONNX Runtime's arena has lines of its own for bins and sums, and no regions. */
void bfc_arena_dump(bfc_text *t, const char *allocator, const bfc_heap *h, uint64_t request)
{
	static const char log[] =
		"2023-08-08 08:08:08.123456789 [I:onnxruntime:Default, bfc_arena.cc:520 onnxruntime::BFCArena::DumpMemoryLog] ";
	bfc_add(t,
		"2023-08-08 08:08:08.123456789 [E:onnxruntime:Default, bfc_arena.cc:340 AllocateRawInternal] BFC Arena ran out of memory trying to allocate %" PRIu64
		".  Current allocation summary follows.\n%sAllocator:%s\n%sBin size: Chunks in_use/total (if not zero). Allocated bytes in_use/total. Requested bytes.\n",
		request, log, allocator, log);
	for (int k = 0; k < 21; k++) {
		uint64_t low = 256u << k, bytes = 0, used = 0;
		unsigned n = 0, nused = 0;
		for (int i = 0; i < h->chunks; i++)
			if (h->chunk[i].size >= low && (k == 20 || h->chunk[i].size < low * 2)) {
				bytes += h->chunk[i].size;
				used += h->chunk[i].in_use ? h->chunk[i].size : 0;
				n++;
				nused += h->chunk[i].in_use;
			}
		if (n)
			bfc_add(t,
				"%s%" PRIu64 ": Chunks %u/%u. Bytes %" PRIu64 "/%" PRIu64 ". Requested %" PRIu64
				".\n",
				log, low, nused, n, used, bytes, used);
	}
	bfc_add(t,
		"%sBin for %" PRIu64
		" bytes has max bytes of 268435456, Chunk State: \n%sOverall chunks summary:\n",
		log, request, log);
	for (int i = 0; i < h->chunks; i++)
		bfc_add(t, "%s%s at 0x%" PRIx64 " of size %" PRIu64 "\n", log,
			h->chunk[i].in_use ? "  Chunk" : "  Free ", h->chunk[i].address, h->chunk[i].size);
	bfc_add(t, "%sSummary of in-use chunks by size: \n", log);
	for (int i = 0; i < h->chunks; i++)
		if (h->chunk[i].in_use)
			bfc_add(t, "%s  1 chunks of size %" PRIu64 ". Total %" PRIu64 "\n", log,
				h->chunk[i].size, h->chunk[i].size);
	bfc_add(t,
		"%sSum Total of in-use chunks: %" PRIu64 "\n%sStats: \nLimit:                    %" PRIu64
		"\nInUse:                    %" PRIu64 "\nTotalAllocated:           %" PRIu64
		"\nMaxInUse:                 %" PRIu64
		"\nNumAllocs:                4321\nNumReserves:              0\n"
		"NumArenaExtensions:       2\nNumArenaShrinkages:       0\nMaxAllocSize:             1024\n\n",
		log, h->in_use, log, h->limit, h->in_use, h->total, h->in_use);
	bfc_add(t,
		"[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned while running Conv node. Status Message: bfc_arena.cc:342 void* "
		"onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) Failed to allocate memory for requested buffer of size %" PRIu64
		"\n",
		(request + 255) / 256 * 256);
}
