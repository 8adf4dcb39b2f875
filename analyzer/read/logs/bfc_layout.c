/* From a dump to segments and blocks. What chunk lines show is exact; the rest comes from sums,
 * statistics and bin lines and is put in segments without an address: one for what is in use, one
 * for each free chunk (free chunks are never neighbours; in one segment they would look as if they
 * could merge). */
#include "analyzer/model/array.h"
#include "analyzer/read/logs/bfc_dump.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/model/memory.h"

enum { MAX_FREE_OF_A_BIN = 4096 /* blocks made from the count of one bin line */ };

/* What is being built; arrays grow by append. */
typedef struct build {
	gs_layout *l;
	size_t cap_segments, cap_blocks;
	bool failed;
} build;

static void add_block(build *b, uint64_t address, uint64_t size, bool in_use)
{
	gs_layout *l = b->l;
	if (!GS_ARRAY_RESERVE(l->blocks, b->cap_blocks, l->nblocks + 1)) {
		b->failed = true;
		return;
	}
	gs_segment *g = &l->segments[l->nsegments - 1];
	l->blocks[l->nblocks++] = (gs_block){.address = address,
		.size = size,
		.requested = GS_NONE,
		.idx = GS_NONE,
		.segment = (uint32_t)(l->nsegments - 1),
		.state = in_use ? GS_ACTIVE_ALLOCATED : GS_INACTIVE};
	g->nblocks++;
}

static void add_segment(build *b, uint64_t address, uint64_t size)
{
	gs_layout *l = b->l;
	if (b->failed)
		return;
	if (!GS_ARRAY_RESERVE(l->segments, b->cap_segments, l->nsegments + 1)) {
		b->failed = true;
		return;
	}
	l->segments[l->nsegments++] = (gs_segment){.address = address,
		.size = size,
		.has_address = address != 0,
		.pool = GS_CLASS_UNKNOWN,
		.first_block = l->nblocks};
}

/* --- what the lines show --- */

static int by_address(const void *a, const void *b)
{
	const gs_bfc_chunk *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

/* Whether a number goes on behind the line's end that stands in it. next: the address of the next
 * chunk, 0 not known. */
static bool goes_on(const gs_bfc_chunk *c, uint64_t next)
{
	bool fits = next && c->address + c->size == next,
		 short_fits = next && c->address + c->shorter == next;
	if (fits != short_fits)
		return fits;
	return c->size % GS_BFC_UNIT == 0 || c->shorter % GS_BFC_UNIT != 0;
}

/* Takes the sizes that fit, of sorted chunks. */
static void settle_sizes(gs_bfc_chunk *c, size_t n, uint64_t region)
{
	uint64_t rest = region;
	for (size_t i = 0; i < n; i++) {
		if (c[i].shorter && !goes_on(&c[i], i + 1 < n ? c[i + 1].address : c[i].address + rest))
			c[i].size = c[i].shorter;
		rest -= rest > c[i].size ? c[i].size : rest;
	}
}

/* Sorts chunks [from, to) and drops those that stand twice or overlap; returns how many are left.
 */
static size_t in_order(gs_bfc_chunk *c, size_t n, uint64_t region, size_t *overlaps)
{
	size_t kept = 0;
	if (n > 1)
		qsort(c, n, sizeof *c, by_address);
	settle_sizes(c, n, region);
	for (size_t i = 0; i < n; i++) {
		if (kept && c[i].address < c[kept - 1].address + c[kept - 1].size) {
			*overlaps += by_address(&c[i], &c[kept - 1]) != 0;
			continue;
		}
		c[kept++] = c[i];
	}
	return kept;
}

/* Runs of chunks without a gap: a segment each. Returns the number of runs. */
static size_t add_runs(build *b, const gs_bfc_chunk *c, size_t n)
{
	size_t runs = 0;
	for (size_t i = 0; i < n && !b->failed; i++) {
		if (!i || c[i].address != c[i - 1].address + c[i - 1].size) {
			add_segment(b, c[i].address, 0);
			runs++;
		}
		if (b->failed)
			break;
		b->l->segments[b->l->nsegments - 1].size += c[i].size;
		add_block(b, c[i].address, c[i].size, c[i].in_use);
	}
	return runs;
}

typedef struct printed {
	uint64_t in_use, free, regions, missing;
	size_t used_chunks, overlaps;
} printed;

/* Chunks between two region lines; a region that they do not fill is made of its runs, and what
 * lacks is counted. */
static void add_region(build *b, gs_bfc_chunk *c, size_t n, const gs_bfc_region *r, printed *s)
{
	uint64_t sum = 0, size = r->size;
	n = in_order(c, n, size, &s->overlaps); /* c may be NULL where n is 0 */
	for (size_t i = 0; i < n; i++) {
		sum += c[i].size;
		if (c[i].in_use) {
			s->in_use += c[i].size;
			s->used_chunks++;
		} else {
			s->free += c[i].size;
		}
	}
	add_runs(b, c, n);
	if (r->shorter && r->shorter == sum)
		size = sum;
	s->regions = s->regions > UINT64_MAX / 2 ? s->regions : s->regions + size;
	if (size > sum)
		s->missing += size - sum;
}

static void add_printed(build *b, gs_bfc_dump *d, printed *s)
{
	size_t first = d->nregions ? d->regions[0].first : d->nchunks;
	add_region(b, d->chunks, first, &(gs_bfc_region){0}, s);
	for (size_t r = 0; r < d->nregions; r++) {
		size_t from = d->regions[r].first,
			   to = r + 1 < d->nregions ? d->regions[r + 1].first : d->nchunks;
		add_region(b, to > from ? d->chunks + from : NULL, to - from, &d->regions[r], s);
	}
}

/* --- what they lack --- */

/* Bytes and count of free chunks that a bin line tells and no chunk line shows. */
static void free_of_bin(const gs_bfc_dump *d, size_t k, uint64_t *bytes, size_t *count)
{
	const gs_bfc_bin *bin = &d->bins[k];
	uint64_t upper = k + 1 < d->nbins ? d->bins[k + 1].size : UINT64_MAX;
	int64_t n = bin->chunks - bin->used_chunks,
			left = bin->bytes - (bin->used_bytes == GS_NONE ? 0 : bin->used_bytes);
	for (size_t i = 0; i < d->nchunks; i++)
		if (!d->chunks[i].in_use && d->chunks[i].size >= bin->size && d->chunks[i].size < upper) {
			n--;
			left -= (int64_t)d->chunks[i].size;
		}
	*count = n > 0 ? (size_t)n : 0;
	*bytes = n > 0 && left > 0 ? (uint64_t)left : 0;
	if (n > 0 && *bytes < (uint64_t)n * bin->size)
		*bytes = (uint64_t)n * bin->size; /* shown with one or two decimals */
}

static void add_rest_block(build *b, uint64_t size, bool in_use)
{
	add_segment(b, 0, size);
	if (!b->failed)
		add_block(b, 0, size, in_use);
}

/* Free chunks of the bin lines as blocks; total: what they must add up to, UINT64_MAX not known.
 * Returns their bytes. */
static uint64_t add_free_of_bins(build *b, const gs_bfc_dump *d, uint64_t total)
{
	uint64_t made = 0;
	size_t blocks = 0;
	for (size_t k = 0; k < d->nbins && !b->failed; k++) {
		uint64_t bytes;
		size_t count;
		free_of_bin(d, k, &bytes, &count);
		if (count > MAX_FREE_OF_A_BIN)
			count = MAX_FREE_OF_A_BIN;
		for (size_t i = 0; i < count && !b->failed && bytes; i++) {
			uint64_t size = i + 1 < count ? bytes / count / 256 * 256
										  : bytes - bytes / count / 256 * 256 * (count - 1);
			if (made > total || size > total - made)
				size = made < total ? total - made : 0;
			if (!size)
				break;
			add_rest_block(b, size, false);
			made += size;
			blocks++;
		}
	}
	if (blocks && total != UINT64_MAX && made < total &&
		!b->failed) { /* the decimals that were cut off */
		b->l->blocks[b->l->nblocks - 1].size += total - made;
		b->l->segments[b->l->nsegments - 1].size += total - made;
		made = total;
	}
	return made;
}

static uint64_t used_by_bins(const gs_bfc_dump *d)
{
	uint64_t used = 0;
	for (size_t k = 0; k < d->nbins; k++)
		if (d->bins[k].used_bytes > 0)
			used += (uint64_t)d->bins[k].used_bytes;
	return used;
}

static bool bins_tell_free(const gs_bfc_dump *d)
{
	for (size_t k = 0; k < d->nbins; k++)
		if (d->bins[k].chunks > d->bins[k].used_chunks)
			return true;
	return false;
}

/* Whether the exact figure may be what is printed rounded. */
static bool about(uint64_t exact, int64_t rounded)
{
	uint64_t s = (uint64_t)rounded, difference = exact > s ? exact - s : s - exact;
	return difference <= s / 100 + 64;
}

uint64_t gs_bfc_in_use(const gs_bfc_dump *d)
{
	if (d->in_use != GS_NONE && d->shortened && d->listed_bytes &&
		about(d->listed_bytes, d->in_use))
		return d->listed_bytes;
	if (d->in_use != GS_NONE)
		return (uint64_t)d->in_use;
	if (d->listed_bytes && d->summed)
		return d->listed_bytes;
	return used_by_bins(d);
}

/* Bytes of all regions, 0 where nothing tells them. */
static uint64_t told_size(const gs_bfc_dump *d, const printed *s)
{
	bool regions = d->headed && d->summed && s->regions;
	if (d->pool != GS_NONE && !(regions && d->pool_shortened && about(s->regions, d->pool)))
		return (uint64_t)d->pool;
	return regions ? s->regions : 0;
}

/* Segments without an address for everything that no chunk line shows. */
static void add_rest(build *b, const gs_bfc_dump *d, const printed *s, const char **source)
{
	uint64_t all = told_size(d, s); /* 0: not known */
	uint64_t here = s->in_use + s->free, used = gs_bfc_in_use(d);
	uint64_t rest = all > here ? all - here : 0,
			 rest_used = used > s->in_use ? used - s->in_use : 0;
	if (all && rest_used > rest && d->pool_shortened && about(here + rest_used, d->pool))
		rest = rest_used;
	else if (all && rest_used > rest)
		rest_used = rest;
	if (rest + rest_used == 0 && !(bins_tell_free(d) && !all))
		return;
	if (rest_used)
		add_rest_block(b, rest_used, true);
	uint64_t free_bytes = add_free_of_bins(b, d, all ? rest - rest_used : UINT64_MAX);
	bool sums = d->in_use != GS_NONE || d->pool != GS_NONE || d->listed || s->regions;
	*source = free_bytes && sums ? "the bin lines and the sums"
		: free_bytes || !sums    ? "the bin lines"
								 : "the sums";
	bool rounding = d->pool_shortened && about(here + rest_used + free_bytes, d->pool);
	if (all && free_bytes < rest - rest_used && !rounding) {
		add_rest_block(b, rest - rest_used - free_bytes, false);
		*source = "the sums, which do not tell how free memory is divided";
	}
}

/* Whether lines of sums tell of chunks that no chunk line shows. */
static bool lacks(const gs_bfc_dump *d, const printed *s)
{
	if (d->listed && (d->listed != s->used_chunks || d->listed_bytes != s->in_use))
		return true;
	if (d->in_use != GS_NONE && !d->shortened && !d->library && (uint64_t)d->in_use != s->in_use)
		return true; /* ONNX Runtime's holds more than what is in its regions */
	for (size_t k = 0; k < d->nbins; k++) {
		uint64_t bytes;
		size_t count;
		free_of_bin(d, k, &bytes, &count);
		if (count)
			return true;
	}
	return false;
}

gs_status gs_bfc_layout(gs_bfc_dump *dump, gs_snapshot *s, gs_device *d, bool *whole, gs_error *err)
{
	build b = {.l = &d->captured};
	printed seen = {0};
	const char *source = NULL;
	gs_layout_release(&d->captured);
	gs_layout_init(&d->captured);
	add_printed(&b, dump, &seen);
	*whole = dump->headed && dump->summed && dump->nchunks && !seen.missing && !lacks(dump, &seen);
	if (!b.failed && !*whole)
		add_rest(&b, dump, &seen, &source);
	if (b.failed)
		return gs_fail(err, GS_NO_MEMORY, "no memory for %zu chunks", dump->nchunks);
	d->has_layout = d->layout_at_oom = d->captured.nsegments > 0;
	if (seen.overlaps)
		gs_snapshot_warn(
			s, "device %d: %zu chunks overlap others and are left out", d->device, seen.overlaps);
	if (!*whole)
		gs_snapshot_warn(s, "device %d: the dump is not whole: %zu chunks are listed%s%s",
			d->device, dump->nchunks, source ? "; the rest is from " : "", source ? source : "");
	d->captured.exact = *whole && !seen.overlaps;
	if (!d->captured.exact)
		snprintf(d->captured.note, sizeof d->captured.note, "chunk lines are cut%s%s",
			source ? "; the rest is from " : "", source ? source : "");
	return GS_OK;
}
