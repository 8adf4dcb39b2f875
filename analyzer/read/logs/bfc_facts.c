/* What the collected dumps of the BFC allocator give a snapshot: layouts, limits, statistics. */
#include <stdio.h>
#include <string.h>

#include "analyzer/read/logs/bfc_dump.h"

typedef struct adder {
	gs_snapshot *s;
	int32_t device;
	gs_status status;
} adder;

static void add_stat(adder *a, const char *name, const char *pool, int64_t current, int64_t peak,
	int64_t allocated, int64_t freed)
{
	if (a->status || (current == GS_NONE && peak == GS_NONE))
		return;
	gs_stat x = {.device = a->device,
		.name = gs_snapshot_string(a->s, name, strlen(name)),
		.pool = gs_snapshot_string(a->s, pool, strlen(pool)),
		.current = current,
		.peak = peak,
		.allocated = allocated,
		.freed = freed};
	a->status = x.name && x.pool ? gs_snapshot_add_stat(a->s, &x) : GS_NO_MEMORY;
}

/* Printed but perhaps never filled in. */
static int64_t believed(int64_t value) { return value == 0 ? GS_NONE : value; }

static void add_bin(adder *a, const gs_bfc_bin *bin)
{
	char size[24];
	if (!bin->chunks)
		return;
	int64_t used = bin->used_bytes == GS_NONE ? 0 : bin->used_bytes;
	snprintf(size, sizeof size, "%llu", (unsigned long long)bin->size);
	add_stat(a, "bin_bytes", size, used, GS_NONE, bin->bytes, bin->bytes - used);
	add_stat(a, "bin_chunks", size, bin->used_chunks, GS_NONE, bin->chunks,
		bin->chunks - bin->used_chunks);
	add_stat(a, "bin_requested", size, bin->requested, GS_NONE, GS_NONE, GS_NONE);
}

static gs_status add_stats(gs_snapshot *s, const gs_bfc_dump *d, int32_t device)
{
	adder a = {s, device, GS_OK};
	add_stat(&a, "limit", "all", d->limit, GS_NONE, GS_NONE, GS_NONE);
	add_stat(&a, "in_use", "all", d->in_use, d->max_in_use, GS_NONE, GS_NONE);
	add_stat(&a, "pool", "all", d->pool, GS_NONE, GS_NONE, GS_NONE);
	add_stat(&a, "num_allocs", "all", d->num_allocs, GS_NONE, GS_NONE, GS_NONE);
	add_stat(&a, "max_alloc_size", "all", GS_NONE, d->max_alloc, GS_NONE, GS_NONE);
	add_stat(&a, "largest_free_block", "all", believed(d->largest_free), GS_NONE, GS_NONE, GS_NONE);
	add_stat(&a, "reserved", "all", believed(d->reserved), GS_NONE, GS_NONE, GS_NONE);
	for (size_t k = 0; k < d->nbins; k++)
		add_bin(&a, &d->bins[k]);
	return a.status;
}

static bool failed_on(const gs_snapshot *s, int32_t device)
{
	for (size_t i = 0; i < s->nooms; i++)
		if (s->ooms[i].device == device)
			return true;
	return false;
}

static bool last_of_device(const gs_bfc *b, size_t k)
{
	for (size_t i = k + 1; i < b->n; i++)
		if (b->dumps[i].device == b->dumps[k].device && !gs_bfc_empty(&b->dumps[i]))
			return false;
	return true;
}

gs_status gs_bfc_finish(gs_bfc *b, gs_snapshot *s, bool *cut, gs_error *err)
{
	size_t earlier = 0, devices = 0;
	*cut = false;
	for (size_t k = 0; k < b->n; k++) {
		gs_bfc_dump *d = &b->dumps[k];
		bool whole = false;
		if (!last_of_device(b, k)) {
			earlier += !gs_bfc_empty(d);
			continue;
		}
		if (!d->nchunks && !d->nregions && !d->nbins && !d->stats && !d->listed)
			continue;
		gs_device *device = gs_snapshot_device(s, d->device < 0 ? 0 : d->device);
		if (!device)
			return gs_fail(err, GS_NO_MEMORY, "no memory for a device");
		gs_status status = gs_bfc_layout(d, s, device, &whole, err);
		if (status)
			return status;
		device->layout_at_oom = device->has_layout && failed_on(s, device->device);
		device->allowed = d->limit != GS_NONE ? d->limit : device->allowed;
		device->reserved = device->allocated = GS_NONE;
		*cut |= !whole;
		devices++;
		if (add_stats(s, d, device->device))
			return gs_fail(err, GS_NO_MEMORY, "no memory for statistics");
	}
	if (devices == 1 && !b->capacities)
		for (size_t i = 0; i < s->ndevices; i++)
			if (s->devices[i].has_layout)
				s->devices[i].capacity = b->capacity;
	if (earlier)
		gs_snapshot_warn(s, "%zu earlier dump%s of the same device: the layout is the last one's",
			earlier, earlier > 1 ? "s" : "");
	return GS_OK;
}
