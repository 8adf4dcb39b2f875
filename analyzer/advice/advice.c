/* Advice: what to do, and the figure that says so. Settings are in settings_advice.c: only a
 * replay shows what they would do. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/answer.h"
#include "analyzer/diagnose/diagnose_internal.h"
#include "schema/size.h"

typedef struct words {
	char text[300];
} words;

static words bytes(uint64_t n)
{
	words w;
	gs_size_format(w.text, sizeof w.text, n);
	return w;
}

static words frame(const gs_diagnosis *d, gs_id stack)
{
	words w;
	gs_diagnosis_frame(d->snapshot, stack, w.text, 120);
	return w;
}

static words format(const char *text, ...) __attribute__((format(printf, 1, 2)));
static words format(const char *text, ...)
{
	words w;
	va_list args;
	va_start(args, text);
	vsnprintf(w.text, sizeof w.text, text, args);
	va_end(args);
	return w;
}

static uint64_t known(int64_t n) { return n > 0 ? (uint64_t)n : 0; }

static gs_status advise_limit(gs_diagnosis *d)
{
	words because = format("the device has %s free and the driver was asked for %s",
		bytes(known(d->device_free)).text, bytes(known(d->ask)).text);
	if (!d->refused_by || strcmp(d->refused_by, "fraction"))
		return gs_diagnosis_advise(d, known(d->ask),
			"find what limits this process (a memory fraction, a quota of the container or the device) and raise it",
			because.text);
	uint64_t lack = known(d->reserved) + known(d->needed) - known(d->allowed);
	because = format("%s allowed, %s held and %s asked for, while %s are free on the device",
		bytes(known(d->allowed)).text, bytes(known(d->reserved)).text, bytes(known(d->needed)).text,
		bytes(known(d->device_free)).text);
	return gs_diagnosis_advise(d, known(d->ask),
		format("raise the process's memory fraction by at least %s", bytes(lack).text).text,
		because.text);
}

static gs_status advise_segment(gs_diagnosis *d)
{
	uint64_t lack = known(d->ask) > known(d->device_free) ? known(d->ask) - known(d->device_free)
														  : 0;
	return gs_diagnosis_advise(d, known(d->requested),
		format("free %s more before this request", bytes(lack).text).text,
		format("the driver has %s left and hands out %s at a time here, though %s were asked for",
			bytes(known(d->device_free)).text, bytes(known(d->ask)).text,
			bytes(known(d->requested)).text)
			.text);
}

static gs_status advise_waiting(gs_diagnosis *d)
{
	return gs_diagnosis_advise(d, d->totals.pending,
		"wait for the other streams (synchronize) before this request, or record fewer blocks on them",
		format("%s are freed but not yet usable", bytes(d->totals.pending).text).text);
}

/* The largest free block of another stream or pool, and its segment. */
static const gs_segment *foreign_hole(const gs_diagnosis *d, bool other_pool, uint64_t *size)
{
	const gs_segment *found = NULL;
	*size = 0;
	for (size_t i = 0; i < d->layout.nblocks; i++) {
		const gs_block *b = &d->layout.blocks[i];
		const gs_segment *g = &d->layout.segments[b->segment];
		bool pool = g->pool_id.a != d->pool_id.a || g->pool_id.b != d->pool_id.b;
		if (b->state != GS_INACTIVE || pool != other_pool ||
			(!pool && (int64_t)g->stream == d->stream) || b->size <= *size)
			continue;
		*size = b->size;
		found = g;
	}
	return found;
}

static gs_status advise_stream(gs_diagnosis *d)
{
	uint64_t size;
	const gs_segment *g = foreign_hole(d, false, &size);
	if (!g)
		return GS_OK;
	return gs_diagnosis_advise(d, size,
		format(
			"allocate on stream %llu what is asked for here, or free all of that stream's blocks in the segment at 0x%llx so that it goes back",
			(unsigned long long)g->stream, (unsigned long long)g->address)
			.text,
		format("%s lie free there in one block and serve stream %llu only", bytes(size).text,
			(unsigned long long)g->stream)
			.text);
}

static gs_status advise_pool(gs_diagnosis *d)
{
	uint64_t size;
	const gs_segment *g = foreign_hole(d, true, &size);
	if (!g)
		return GS_OK;
	return gs_diagnosis_advise(d, size,
		format(
			"release the CUDA graph or MemPool that owns pool %llu,%llu, or let graphs share one pool",
			(unsigned long long)g->pool_id.a, (unsigned long long)g->pool_id.b)
			.text,
		format("%s lie free there in one block and serve that pool only", bytes(size).text).text);
}

/* The stack whose blocks lose most to rounding. */
static gs_status advise_rounding(gs_diagnosis *d)
{
	uint64_t *lost = calloc((size_t)d->snapshot->nstacks + 1, sizeof *lost), most = 0;
	gs_id worst = 0;
	if (!lost)
		return GS_NO_MEMORY;
	for (size_t i = 0; i < d->layout.nblocks; i++) {
		const gs_block *b = &d->layout.blocks[i];
		if (b->state == GS_INACTIVE || b->requested == GS_NONE ||
			(uint64_t)b->requested > b->size || b->stack >= d->snapshot->nstacks)
			continue;
		lost[b->stack] += b->size - (uint64_t)b->requested;
		if (lost[b->stack] > most)
			most = lost[b->stack], worst = b->stack;
	}
	free(lost);
	return gs_diagnosis_advise(d, d->totals.rounding,
		"ask for sizes that fill their blocks (from 10 MiB on: multiples of 2 MiB), or for one large buffer",
		format("blocks are %s larger than what was asked for, %s of it by %s",
			bytes(d->totals.rounding).text, bytes(most).text, frame(d, worst).text)
			.text);
}

static gs_status advise_outside(gs_diagnosis *d)
{
	uint64_t held = known(d->capacity) - known(d->reserved) - known(d->device_free);
	return gs_diagnosis_advise(d, held, "end the other users of this device, or take a free one",
		format(
			"of %s this allocator holds %s and %s are free: %s are held by others (a context of about 1 GiB included)",
			bytes(known(d->capacity)).text, bytes(known(d->reserved)).text,
			bytes(known(d->device_free)).text, bytes(held).text)
			.text);
}

static gs_status advise_shortage(gs_diagnosis *d)
{
	if (d->missing < 0 || !d->nholders)
		return GS_OK;
	const gs_holder *h = &d->holders[0];
	return gs_diagnosis_advise(d, known(d->missing),
		format("hold at least %s less, or use a larger device", bytes(known(d->missing)).text).text,
		format("no rearranging gives as much; most is held by %s: %s in %llu blocks",
			frame(d, h->stack).text, bytes(h->bytes).text, (unsigned long long)h->blocks)
			.text);
}

static gs_status advise_by_verdict(gs_diagnosis *d)
{
	switch (d->verdict) {
	case GS_STEP_MISSED_FIT:
		return gs_diagnosis_advise(d, known(d->requested),
			"catch the error and ask again: the allocator then finds the block",
			format(
				"a free block of %s is there for a request of %s, made free while the failing request waited",
				bytes(known(d->largest_free)).text, bytes(known(d->requested)).text)
				.text);
	case GS_STEP_LIMIT: return advise_limit(d);
	case GS_STEP_SEGMENT_SIZE: return advise_segment(d);
	case GS_STEP_PENDING_FREE: return advise_waiting(d);
	case GS_STEP_OTHER_STREAM: return advise_stream(d);
	case GS_STEP_PRIVATE_POOL: return advise_pool(d);
	case GS_STEP_ROUNDING: return advise_rounding(d);
	case GS_STEP_OUTSIDE: return advise_outside(d);
	case GS_VERDICT_SHORTAGE: return advise_shortage(d);
	default: return GS_OK;
	}
}

/* The stack with most live bytes in a run. */
static gs_id holder_of_run(const gs_diagnosis *d, const gs_eviction *e)
{
	gs_id stack = 0;
	uint64_t most = 0;
	for (size_t k = e->first; k < e->first + e->nblocks; k++) {
		const gs_block *b = &d->layout.blocks[k];
		if (b->state != GS_INACTIVE && b->size > most)
			most = b->size, stack = b->stack;
	}
	return stack;
}

static gs_status advise_eviction(gs_diagnosis *d)
{
	const gs_eviction *e = d->nevictions ? &d->evictions[0] : NULL;
	if (!e || !e->sufficient || !e->live_blocks || gs_step_kind(d->verdict) == NULL ||
		strcmp(gs_step_kind(d->verdict), "fragmentation"))
		return GS_OK;
	unsigned long long n = e->live_blocks;
	const char *s = n == 1 ? "" : "s";
	if (e->segment == SIZE_MAX)
		return gs_diagnosis_advise(d, e->size,
			format(
				"release, before this request, the %llu live block%s (%s) that keep segments from going back",
				n, s, bytes(e->live_bytes).text)
				.text,
			format("segments of %s then go back to the driver, enough for it", bytes(e->size).text)
				.text);
	return gs_diagnosis_advise(d, e->size,
		format("release %llu live block%s (%s) at 0x%llx before this request, first those of %s", n,
			s, bytes(e->live_bytes).text, (unsigned long long)e->address,
			frame(d, holder_of_run(d, e)).text)
			.text,
		format("%s then lie free in one piece, enough for it", bytes(e->size).text).text);
}

static gs_status advise_pinning(gs_diagnosis *d)
{
	const char *kind = gs_step_kind(d->verdict);
	const gs_pinning *p = d->npinning ? &d->pinning[0] : NULL;
	if (!p || !p->sets_free || !kind || strcmp(kind, "fragmentation"))
		return GS_OK;
	return gs_diagnosis_advise(d, p->free_pinned,
		format("allocate what %s keeps before the large short-lived blocks, or copy it out of them",
			frame(d, p->stack).text)
			.text,
		format(
			"it has %llu live blocks (%s) in %llu segments whose other %s are free and cannot go back to the driver",
			(unsigned long long)p->blocks, bytes(p->bytes).text, (unsigned long long)p->segments,
			bytes(p->free_pinned).text)
			.text);
}

static gs_status advise_growth(gs_diagnosis *d)
{
	const gs_growth *g = d->ngrowth ? &d->growth[0] : NULL;
	if (!g || g->bytes < d->totals.allocated / 20)
		return GS_OK;
	return gs_diagnosis_advise(d, g->bytes,
		format("stop keeping what %s allocates", frame(d, g->stack).text).text,
		format("it grows step after step: %s in %llu blocks by now, %s more in the last %s",
			bytes(g->bytes).text, (unsigned long long)g->blocks, bytes(g->each_step).text,
			g->estimated ? "third of the recording" : "step")
			.text);
}

gs_status gs_advise(gs_diagnosis *d, bool replays, gs_error *err)
{
	gs_status status = advise_by_verdict(d);
	if (!status)
		status = advise_eviction(d);
	if (!status)
		status = advise_pinning(d);
	if (!status)
		status = advise_growth(d);
	if (status)
		return gs_fail(err, status, "out of memory");
	return replays ? gs_advise_settings(d, err) : GS_OK;
}
