/* Figures of the ladder from a text: it prints sums, rounded to two decimals, and of PyTorch's
 * request only the segment it asked for. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/diagnose_internal.h"
#include "recorder/pool/rules.h"
#include "schema/size.h"

/* Half of the last decimal that a printed figure of that size has. */
static uint64_t blur(uint64_t bytes)
{
	uint64_t unit = bytes <= 1024    ? 0
		: bytes <= UINT64_C(1) << 20 ? 1024
		: bytes <= UINT64_C(1) << 30 ? UINT64_C(1) << 20
									 : UINT64_C(1) << 30;
	return (unit + 199) / 200;
}

gs_range gs_range_printed(int64_t bytes)
{
	if (bytes < 0)
		return gs_range_unknown();
	uint64_t b = (uint64_t)bytes, d = blur(b);
	return (gs_range){b > d ? b - d : 0, b + d, bytes};
}

/* The request that PyTorch rounds up to a segment of that size. */
static gs_range request_of_segment(uint64_t n)
{
	uint64_t d = blur(n);
	if (n == GS_SMALL_SEGMENT)
		return (gs_range){GS_MIN_BLOCK, GS_SMALL_MAX, (int64_t)n};
	if (n == GS_LARGE_SEGMENT)
		return (gs_range){GS_SMALL_MAX + GS_MIN_BLOCK, GS_LARGE_SEGMENT, (int64_t)n};
	if (n < GS_LARGE_MIN)
		return (gs_range){n > d ? n - d : 0, n + d, (int64_t)n};
	return (gs_range){n - GS_LARGE_ROUND + GS_MIN_BLOCK - d, n + d, (int64_t)n};
}

/* "with 700.00 MiB allocated in private pools": in truth the bytes that are free there. */
static uint64_t private_free(const char *message)
{
	const char *at = message ? strstr(message, " allocated in private pools") : NULL, *from = at;
	char text[32];
	uint64_t bytes = 0;
	while (from && from > message && at - from < (long)sizeof text - 1 && strncmp(from, "with ", 5))
		from--;
	if (!from || strncmp(from, "with ", 5))
		return 0;
	from += 5;
	memcpy(text, from, (size_t)(at - from));
	text[at - from] = 0;
	return gs_size_parse(text, &bytes, NULL) ? 0 : bytes + blur(bytes);
}

/* Reserved and not allocated: the free and pending bytes. */
static gs_range unallocated(gs_range reserved, gs_range allocated)
{
	if (reserved.high == UINT64_MAX || allocated.high == UINT64_MAX)
		return gs_range_unknown();
	return (gs_range){reserved.low > allocated.high ? reserved.low - allocated.high : 0,
		reserved.high > allocated.low ? reserved.high - allocated.low : 0,
		reserved.said >= allocated.said ? reserved.said - allocated.said : 0};
}

static uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

void gs_diagnose_bounds(gs_diagnosis *d, gs_figures *f)
{
	const gs_oom *oom = d->oom == SIZE_MAX ? NULL : &d->snapshot->ooms[d->oom];
	bool believed = !d->device || d->device->allocated != GS_NONE ||
		d->snapshot->kind != GS_KIND_TEXT; /* see gs_oom_match.disagrees */
	gs_range allocated = gs_range_printed(oom && oom->allocated >= 0 && believed ? oom->allocated
			: d->device ? d->device->allocated
						: GS_NONE);
	gs_range reserved = gs_range_printed(d->reserved), unused = unallocated(reserved, allocated);
	uint64_t whole = gs_range_printed(d->capacity).high;
	if (unused.high > whole) /* what is free is no more than there is */
		unused = gs_range_at_most(whole);
	uint64_t in_pools = private_free(oom ? oom->message : NULL);
	f->ask = gs_range_printed(d->needed);
	f->request = d->policy->classes && d->needed > 0 ? request_of_segment((uint64_t)d->needed)
													 : gs_range_fact(d->requested);
	f->missing = f->request;
	f->device_free = d->device_free < 0 && whole != UINT64_MAX
		? gs_range_at_most(whole > reserved.low ? whole - reserved.low : 0)
		: gs_range_printed(d->device_free);
	f->hole = f->stream_hole = f->free_same = gs_range_at_most(unused.high);
	f->private_hole = gs_range_at_most(plus(unused.high, in_pools));
	f->free_all = (gs_range){unused.low, plus(unused.high, in_pools), unused.said};
	f->rounding = gs_range_at_most(allocated.high);
	f->waited_hole = f->hole;
	f->waited_ask = f->ask;
	f->waited_gain = gs_range_at_most(unused.high);
	f->waits = unused.high != 0;
}
