/* The failed request and the device, from whatever tells them: options, the OOM's own row, a
 * message, the device's facts. */
#include "analyzer/diagnose/diagnose_internal.h"

#include "recorder/pool/rule_sets.h"

#define FIRST_KNOWN(...) \
	first_known(         \
		(const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static int64_t first_known(const int64_t *facts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (facts[i] >= 0)
			return facts[i];
	return GS_NONE;
}

/* Do two figures name the same size, one of them printed with two decimals. */
static bool same_size(int64_t a, int64_t b)
{
	gs_range printed = gs_range_printed(a);
	return a >= 0 && b >= 0 && (uint64_t)b >= printed.low && (uint64_t)b <= printed.high;
}

/* The message about this failure: the last about the same device and segment size, else the last
 * about the device. */
static const gs_oom *find_message(
	const gs_diagnosis *d, const gs_snapshot *message, const gs_oom *oom, const gs_oom *none)
{
	const gs_oom *found = none;
	bool exact = false;
	int64_t needed = oom->needed >= 0 || oom->requested < 0
		? oom->needed
		: (int64_t)d->policy->segment(&d->settings, (uint64_t)oom->requested);
	for (size_t i = 0; message && i < message->nooms; i++) {
		const gs_oom *m = &message->ooms[i];
		bool same = same_size(m->needed >= 0 ? m->needed : m->requested, needed);
		if ((m->device >= 0 && oom->device >= 0 && m->device != oom->device) || (exact && !same))
			continue;
		found = m;
		exact = same;
	}
	return found;
}

static int class_of(const gs_diagnosis *d, const gs_oom *oom)
{
	uint64_t size = (uint64_t)(oom->requested > 0 ? oom->requested : 0);
	if (d->has_layout)
		return gs_policy_request_of(d->policy, oom).pool;
	if (!d->policy->classes || !size)
		return GS_CLASS_UNKNOWN;
	if (oom->pool != GS_CLASS_UNKNOWN)
		return oom->pool;
	/* a text prints the segment's size */
	return size == GS_SMALL_SEGMENT ? GS_SMALL : size >= GS_LARGE_MIN ? GS_LARGE : GS_CLASS_UNKNOWN;
}

/* Without a word from the event it is taken to be the default pool: surely right when there is no
 * other. */
static void find_pool_id(gs_diagnosis *d, const gs_oom *oom)
{
	d->pool_id_told = oom->has_pool_id;
	d->has_pool_id = oom->has_pool_id || d->has_layout;
	d->pool_id = oom->has_pool_id ? oom->pool_id : (gs_pool_id){0, 0};
	for (size_t i = 0; !d->pool_id_told && i < d->layout.nsegments; i++)
		if (d->layout.segments[i].pool_id.a || d->layout.segments[i].pool_id.b)
			d->exact = false;
}

/* An allocator with a limit of its own (BFC): what is left of it. */
static int64_t left_of_limit(const gs_diagnosis *d)
{
	int64_t limit = FIRST_KNOWN(d->allowed, d->capacity);
	if (limit < 0 || d->reserved < 0)
		return GS_NONE;
	return limit > d->reserved ? limit - d->reserved : 0;
}

void gs_diagnose_request(gs_diagnosis *d, const gs_diagnose_options *options)
{
	gs_oom none;
	gs_oom_init(&none);
	const gs_oom *oom = d->oom == SIZE_MAX ? &none : &d->snapshot->ooms[d->oom];
	const gs_oom *told = find_message(d, options->message, oom, &none);
	const gs_device *device = d->device;
	bool captured = device &&
		(d->oom == SIZE_MAX ? d->state.idx == GS_NONE : device->layout_at_oom);
	d->capacity = FIRST_KNOWN(
		options->capacity, oom->capacity, told->capacity, device ? device->capacity : GS_NONE);
	d->allowed = FIRST_KNOWN(
		options->allowed, oom->allowed, told->allowed, device ? device->allowed : GS_NONE);
	d->device_free = FIRST_KNOWN(
		oom->device_free, told->device_free, captured ? device->device_free : GS_NONE);
	d->reserved = d->has_layout
		? (int64_t)d->totals.reserved
		: FIRST_KNOWN(oom->reserved, told->reserved, device ? device->reserved : GS_NONE);
	d->context = FIRST_KNOWN(options->context, GS_CONTEXT);
	d->others = FIRST_KNOWN(oom->told.others, told->told.others);
	d->idx = oom->idx;
	d->requested = oom->requested;
	d->stream = oom->stream;
	d->stack = oom->stack;
	d->pool = class_of(d, oom);
	find_pool_id(d, oom);
	if (d->requested < 0)
		d->requested = oom->needed;
	d->needed = FIRST_KNOWN(oom->needed, told->needed);
	if (d->needed < 0 && d->requested >= 0 && d->has_layout)
		d->needed = (int64_t)d->policy->segment(&d->settings, (uint64_t)d->requested);
	if (d->needed < 0 && (!d->policy->classes || !d->has_layout))
		d->needed = d->requested;
	if (!d->policy->limit_step && d->has_layout) {
		d->device_free = left_of_limit(d);
		if (d->needed >= 0 && d->device_free >= d->needed) { /* the driver gave none of it */
			d->unused_limit = d->device_free;
			d->device_free = GS_NONE;
		}
	}
}

gs_policy_request gs_diagnosis_request(const gs_diagnosis *d)
{
	gs_policy_request r = {.size = (uint64_t)(d->requested > 0 ? d->requested : 0),
		.stream = d->stream >= 0 ? (uint64_t)d->stream : 0,
		.pool_id = d->pool_id,
		.pool = (gs_pool_class)d->pool};
	return r;
}

void gs_diagnosis_free_for(const gs_diagnosis *d, gs_free_for *f)
{
	gs_policy_request r = gs_diagnosis_request(d);
	gs_free_for_request(d->policy, &d->layout, &r, f);
}

bool gs_diagnosis_of_pytorch(const gs_diagnosis *d) { return d->policy == &gs_policy_pytorch; }

void gs_diagnose_device(const gs_diagnosis *d, gs_range reserved, gs_figures *f)
{
	uint64_t context = (uint64_t)d->context;
	f->driver = f->device_free;
	if (d->allowed >= 0 && d->policy->limit_step) {
		uint64_t allowed = (uint64_t)d->allowed;
		uint64_t most = allowed > reserved.low ? allowed - reserved.low : 0,
				 least = allowed > reserved.high ? allowed - reserved.high : 0;
		f->driver.low = least < f->driver.low ? least : f->driver.low;
		f->driver.high = most < f->driver.high ? most : f->driver.high;
		if (reserved.said >= 0 &&
			(f->driver.said < 0 || f->driver.said > d->allowed - reserved.said))
			f->driver.said = d->allowed > reserved.said ? d->allowed - reserved.said : 0;
	}
	if (d->unused_limit >= 0) {
		f->driver = gs_range_at_most((uint64_t)d->needed - (d->needed > 0));
		f->device_free = f->driver;
	}
	f->outside = d->unused_limit >= 0
		? (gs_range){(uint64_t)d->unused_limit, UINT64_MAX, d->unused_limit}
		: d->others >= 0 ? (gs_range){gs_range_printed(d->others).low, UINT64_MAX, d->others}
						 : gs_range_unknown();
	if (d->capacity >= 0 && f->device_free.high != UINT64_MAX && reserved.high != UINT64_MAX) {
		uint64_t capacity = (uint64_t)d->capacity;
		uint64_t least = reserved.high + f->device_free.high + context,
				 most = reserved.low + f->device_free.low + context;
		uint64_t low = capacity > least ? capacity - least : 0,
				 high = capacity > most ? capacity - most : 0;
		f->outside.low = low > f->outside.low ? low : f->outside.low; /* others that are named */
		f->outside.high = high > f->outside.low ? high : f->outside.low;
		if (f->outside.said < 0 && reserved.said >= 0 && f->device_free.said >= 0) {
			int64_t held = d->capacity - reserved.said - f->device_free.said - (int64_t)context;
			f->outside.said = held > 0 ? held : 0;
		}
	}
}
