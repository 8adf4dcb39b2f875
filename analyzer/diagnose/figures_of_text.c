/* Figures of the ladder from a text: it prints sums, rounded to two decimals, and of PyTorch's
 * request only the segment it asked for. */
#include "analyzer/diagnose/diagnose_internal.h"
#include "recorder/pool/rule_sets.h"

#define MOST_OF_A_DEVICE (UINT64_C(1) << 50) /* no device has more */

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

/* A figure of the row; one of the device where no other failure may have set it. */
static int64_t own_or_device(const gs_diagnosis *d, int64_t row, int64_t device)
{
	size_t here = 0;
	for (size_t i = 0; i < d->snapshot->nooms; i++)
		here += d->device && d->snapshot->ooms[i].device == d->device->device;
	return row >= 0 || here > 1 || !d->device ? row : device;
}

static gs_range allocated_of(const gs_diagnosis *d, const gs_oom *oom)
{
	if (oom->told.says & GS_SAYS_DISAGREES)
		return gs_range_unknown();
	return gs_range_printed(
		own_or_device(d, oom->allocated, d->device ? d->device->allocated : GS_NONE));
}

/* What the process holds in all bounds what its allocator reserves. */
static gs_range reserved_of(const gs_diagnosis *d, const gs_oom *oom)
{
	gs_range r = gs_range_printed(
		own_or_device(d, oom->reserved, d->has_layout ? GS_NONE : d->reserved));
	gs_range allocated = allocated_of(d, oom), own = gs_range_printed(oom->told.own);
	if (r.high != UINT64_MAX)
		return r;
	r.low = allocated.said >= 0 ? allocated.low : 0;
	r.high = own.high;
	return r;
}

/* The request; PyTorch's is known by its segment. */
static gs_range request_of(const gs_diagnosis *d, const gs_oom *oom)
{
	if (oom->told.says & GS_SAYS_HUGE && d->requested < 0)
		return (gs_range){UINT64_C(1) << 60, UINT64_MAX - 1, GS_NONE};
	if (d->policy->classes && d->needed > 0)
		return request_of_segment((uint64_t)d->needed);
	return gs_range_fact(d->requested);
}

/* Of what is reserved and not allocated, the bytes that a large request could be given: crumbs of
 * the small pool only in whole segments of 2 MiB. */
static gs_range for_request(const gs_diagnosis *d, gs_range unused, gs_range request)
{
	if (d->policy->classes && request.high > GS_SMALL_MAX)
		unused.low = unused.low > GS_SMALL_SEGMENT ? unused.low - GS_SMALL_SEGMENT : 0;
	return unused;
}

/* A pool of fixed size tells what is free in it. */
static void pool_figures(const gs_oom *oom, gs_figures *f)
{
	const gs_oom_told *told = &oom->told;
	if (told->pool_free >= 0)
		f->free_same = f->free_all = gs_range_printed(told->pool_free);
	if (told->pool_largest >= 0)
		f->hole = f->waited_hole = gs_range_printed(told->pool_largest);
	else if (told->pool_free >= 0)
		f->hole = f->waited_hole = gs_range_at_most(f->free_same.high);
	if (told->pool_free >= 0) {
		f->stream_hole = f->private_hole = gs_range_of(0);
		f->waits = false;
	}
}

void gs_diagnose_bounds(gs_diagnosis *d, gs_figures *f)
{
	const gs_oom *oom = &d->snapshot->ooms[d->oom];
	gs_range allocated = allocated_of(d, oom), reserved = reserved_of(d, oom),
			 unused = unallocated(reserved, allocated);
	uint64_t whole = d->capacity >= 0 ? gs_range_printed(d->capacity).high : MOST_OF_A_DEVICE;
	if (unused.high > whole) /* what is free is no more than there is */
		unused = gs_range_at_most(whole);
	uint64_t in_pools = oom->told.private_free >= 0 ? gs_range_printed(oom->told.private_free).high
													: 0;
	f->reserved = reserved;
	f->request = request_of(d, oom);
	f->ask = d->needed >= 0 ? gs_range_printed(d->needed) : f->request;
	f->missing = f->request;
	f->device_free = d->device_free < 0 || oom->told.says & GS_SAYS_CONTRADICTS
		? gs_range_at_most(whole > reserved.low ? whole - reserved.low : 0)
		: gs_range_printed(d->device_free);
	f->hole = f->stream_hole = f->free_same = gs_range_at_most(unused.high);
	f->private_hole = gs_range_at_most(plus(unused.high, in_pools));
	f->free_all = for_request(d, unused, f->request);
	f->free_all.high = plus(unused.high, in_pools);
	f->rounding = gs_range_at_most(allocated.high < whole ? allocated.high : whole);
	f->waited_hole = f->hole;
	f->waited_ask = f->ask;
	f->waited_gain = gs_range_at_most(unused.high);
	f->waits = unused.high != 0;
	pool_figures(oom, f);
	if (oom->told.pool_free >= 0) {
		d->free = oom->told.pool_free;
		d->largest_free = oom->told.pool_largest;
	}
}

/* What the limit counts and this request together, beyond it: 1, 0, or -1 for not known. */
static int beyond_limit(const gs_diagnosis *d, const gs_oom *oom, const gs_figures *f)
{
	gs_range counted = oom->told.counted >= 0 ? gs_range_printed(oom->told.counted) : f->reserved;
	gs_range allowed = gs_range_printed(d->allowed), ask = f->ask;
	if (d->allowed < 0)
		return -1;
	if (f->ask.high == UINT64_MAX)
		ask.low = 1; /* whatever it is, it is not nothing */
	gs_range all = gs_range_add(counted, ask);
	return all.low > allowed.high ? 1 : all.high <= allowed.low ? 0 : -1;
}

/* A limit is proven by a text that states one. The device's free bytes were read when the driver
 * had refused already: where they are enough for what it was asked, what it had then is not known.
 */
void gs_diagnose_refusal(gs_diagnosis *d, gs_figures *f)
{
	const gs_oom *oom = &d->snapshot->ooms[d->oom];
	bool told = d->device_free >= 0 && !(oom->told.says & GS_SAYS_CONTRADICTS),
		 enough = told && gs_range_reaches(f->device_free, f->ask) != 0,
		 short_of_it = told && !enough;
	f->limit = short_of_it ? 0 : beyond_limit(d, oom, f);
	if (f->limit == 0 && !short_of_it)
		f->limit = -1;
	if (oom->told.says & GS_SAYS_LIMIT)
		f->limit = 1;
	else if (f->request.low > MOST_OF_A_DEVICE && f->request.high != UINT64_MAX)
		f->limit = 0;
	if (oom->told.own >= 0 && told && d->capacity >= 0) {
		uint64_t all = gs_range_printed(d->capacity).low,
				 held = plus(gs_range_printed(oom->told.own).high, f->device_free.high),
				 others = all > held ? all - held : 0;
		f->outside.low = others > f->outside.low ? others : f->outside.low;
	}
	if (f->outside.high == UINT64_MAX)
		f->outside.high = MOST_OF_A_DEVICE;
	if (f->outside.high < f->outside.low)
		f->outside.high = f->outside.low;
	if (oom->told.says & GS_SAYS_OWN_POOL) {
		f->driver = gs_range_of(0);
		f->limit = f->limit == 1;
	} else if (enough && f->limit != 1) {
		f->driver = gs_range_unknown();
	}
}
