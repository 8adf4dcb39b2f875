/* Picks the lines of dumps out of a log. Each kind of line has an anchor; where a line was wrapped,
 * or what was printed before it, does not matter. */
#include "analyzer/read/logs/bfc_internal.h"

#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/read/text/figure.h"

#define MOST (INT64_C(1) << 50) /* bytes: no device has more, a larger number is damage */
enum {
	CHUNK_FIELDS = 200, /* squeezed characters that the fields of a chunk line may take */
	STAT_LINE = 120     /* … and a line of the statistics with what stands in front of it */
};

typedef gs_status line_reader(gs_bfc *b, const gs_text *t, size_t i, size_t *end);

#define DUMP(fresh)                                    \
	gs_bfc_dump *d = gs_bfc_dump_of(b, t, i, (fresh)); \
	if (!d)                                            \
	return GS_NO_MEMORY

/* After the sums and statistics of a dump nothing of it follows but more of them. */
static bool over(const gs_bfc *b)
{
	return b->open && (b->dumps[b->n - 1].stats || b->dumps[b->n - 1].summed);
}

/* A size printed in bytes, in the newest logs shortened ("3.20GiB"). What follows may be a word
 * that begins like a unit. */
static bool bytes_at(const gs_text *t, size_t *i, int64_t *bytes)
{
	static const char *const units[] = {".", "kib", "mib", "gib", "tib"};
	uint64_t value;
	size_t j = *i;
	if (!gs_text_number(t, &j, &value))
		return false;
	for (size_t k = 0; k < sizeof units / sizeof *units; k++)
		if (gs_text_is(t, j, units[k]))
			return gs_text_size(t, i, bytes, NULL);
	*i = j;
	*bytes = value > INT64_MAX ? INT64_MAX : (int64_t)value;
	return true;
}

/* The number at i without what the first line's end in it put behind it; 0 where there is none.
 * end: behind the number. */
static uint64_t before_line_end(const gs_text *t, size_t i, size_t end)
{
	uint64_t value = 0;
	for (size_t k = i; k < end; k++) {
		if (k > i && t->gap[k] == GS_GAP_WRAP)
			return value;
		if (t->s[k] < '0' || t->s[k] > '9')
			break;
		value = value * 10 + (uint64_t)(t->s[k] - '0');
	}
	return 0;
}

/* GPU_0_bfc, XPU_0_bfc; host allocators are called cpu, …host… */
static int32_t allocator_name(const gs_text *t, size_t i, bool *host)
{
	uint64_t device;
	size_t end = gs_text_find(t, i, i + 40, ")"), to = end == SIZE_MAX ? i + 16 : end;
	size_t gpu = gs_text_find(t, i, i + 24, "gpu_"), bfc = gs_text_find(t, i, i + 24, "_bfc");
	*host = gs_text_find(t, i, to, "cpu") != SIZE_MAX || gs_text_find(t, i, to, "host") != SIZE_MAX;
	if (gpu != SIZE_MAX)
		gpu += 4;
	else if (bfc != SIZE_MAX) /* XPU_0_bfc */
		for (gpu = bfc; gpu > i && t->s[gpu - 1] >= '0' && t->s[gpu - 1] <= '9';)
			gpu--;
	return gpu != SIZE_MAX && gs_text_number(t, &gpu, &device) && device < 1024 ? (int32_t)device
																				: -1;
}

static gs_status message(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t at = gs_text_find_last(t, i > 60 ? i - 60 : 0, i, "allocator(");
	if (gs_text_find(t, *end, *end + 120, "withfreed_by_count") != SIZE_MAX ||
		gs_text_find(t, *end, *end + 200, "notafailure") != SIZE_MAX)
		return GS_OK;
	b->host = false;
	b->open = false;
	if (at != SIZE_MAX)
		b->asked_device = allocator_name(t, at + 10, &b->host);
	return GS_OK;
}

static gs_status dump_for(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	bool host;
	int32_t device = allocator_name(t, *end, &host);
	b->host = host;
	if (device >= 0)
		b->asked_device = device;
	if (host)
		return GS_OK;
	DUMP(true);
	(void)d;
	return GS_OK;
}

/* Bin (256): Total Chunks: 4, Chunks in use: 4. 1.0KiB allocated for chunks. [… client-requested
 * for chunks.] … in use in bin. … */
static gs_status bin(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	gs_bfc_bin bin = {0, 0, 0, GS_NONE, GS_NONE, GS_NONE};
	uint64_t total, used;
	size_t j = *end;
	if (!gs_text_number(t, &j, &bin.size) || !gs_text_eat(t, &j, "):totalchunks:") ||
		!gs_text_number(t, &j, &total) || !gs_text_eat(t, &j, ",chunksinuse:") ||
		!gs_text_number(t, &j, &used) || used > total || total > INT32_MAX || bin.size > MOST)
		return GS_OK;
	bin.chunks = (int64_t)total;
	bin.used_chunks = (int64_t)used;
	gs_text_eat(t, &j, ".");
	for (int k = 0; k < 4; k++) {
		int64_t bytes;
		if (!gs_text_size(t, &j, &bytes, NULL) || bytes > MOST)
			break;
		if (gs_text_eat(t, &j, "allocatedforchunks."))
			bin.bytes = bytes;
		else if (gs_text_eat(t, &j, "inuseinbin."))
			bin.used_bytes = bytes;
		else if (gs_text_eat(t, &j, "client-requestedinuseinbin."))
			bin.requested = bytes;
		else if (!gs_text_eat(t, &j, "client-requestedforchunks."))
			break;
	}
	if (bin.bytes == GS_NONE && total == 0)
		bin.bytes = bin.used_bytes = 0;
	gs_bfc_dump *last = b->open ? &b->dumps[b->n - 1] : NULL;
	if (last && last->nbins && !memcmp(&last->bins[last->nbins - 1], &bin, sizeof bin))
		return GS_OK; /* printed twice */
	bool again = last &&
		(last->nchunks || last->nregions || over(b) ||
			(last->nbins && last->bins[last->nbins - 1].size >= bin.size));
	DUMP(again);
	if (d->nbins < GS_BFC_BINS && bin.bytes != GS_NONE)
		d->bins[d->nbins++] = bin;
	*end = j;
	return GS_OK;
}

/* Allocator:Cuda, and the heading of the bins of ONNX Runtime. */
static gs_status arena(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t at = gs_text_find_last(t, i > 300 ? i - 300 : 0, i, "allocator:");
	(void)end;
	if (at == SIZE_MAX)
		return GS_OK;
	b->host = gs_text_is(t, at + 10, "cpu") ||
		gs_text_find(t, at + 10, at + 30, "pinned") != SIZE_MAX;
	if (b->host)
		return GS_OK;
	DUMP(true);
	d->library = "onnxruntime";
	return GS_OK;
}

/* 256: Chunks 1/2. Bytes 256/512. Requested 200. (in use / all) */
static gs_status arena_bin(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t from = i, j = *end;
	uint64_t size, used, all, used_bytes, bytes, requested;
	while (from && from + 16 > i && t->s[from - 1] >= '0' && t->s[from - 1] <= '9' &&
		(from == i || t->gap[from] == GS_GAP_NONE || t->gap[from] == GS_GAP_WRAP))
		from--;
	if (!b->open || over(b) || from == i || !gs_text_number(t, &from, &size) || from != i)
		return GS_OK;
	bool is = gs_text_number(t, &j, &used) && gs_text_eat(t, &j, "/") &&
		gs_text_number(t, &j, &all) && gs_text_eat(t, &j, ".bytes") &&
		gs_text_number(t, &j, &used_bytes) && gs_text_eat(t, &j, "/") &&
		gs_text_number(t, &j, &bytes) && gs_text_eat(t, &j, ".requested") &&
		gs_text_number(t, &j, &requested);
	if (!is || used > all || all > INT32_MAX || used_bytes > bytes || bytes > MOST || size > MOST ||
		requested > MOST)
		return GS_OK;
	gs_bfc_dump *d = &b->dumps[b->n - 1];
	if (d->nbins < GS_BFC_BINS && !(d->nbins && d->bins[d->nbins - 1].size >= size))
		d->bins[d->nbins++] = (gs_bfc_bin){size, (int64_t)all, (int64_t)used, (int64_t)bytes,
			(int64_t)used_bytes, (int64_t)requested};
	d->end = t->base + i;
	*end = j;
	return GS_OK;
}

static gs_status heading(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t state = gs_text_find(t, i, i + 60, "chunkstate:");
	if (state == SIZE_MAX)
		return GS_OK;
	DUMP(over(b));
	d->headed = true;
	gs_text_size(t, end, &d->request, NULL);
	*end = state + 11;
	return GS_OK;
}

static gs_status region(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	int64_t size;
	size_t from = *end;
	if (!bytes_at(t, end, &size) || size <= 0 || size > MOST || *end >= t->n)
		return GS_OK;
	DUMP(over(b));
	d->headed |= !d->nchunks;
	if (d->nregions && d->regions[d->nregions - 1].first == d->nchunks &&
		d->regions[d->nregions - 1].size == (uint64_t)size)
		d->nregions--; /* the line was printed twice */
	if (!GS_ARRAY_RESERVE(d->regions, d->cap_regions, d->nregions + 1))
		return GS_NO_MEMORY;
	uint64_t shorter = before_line_end(t, from, *end);
	bool whole = size % GS_BFC_UNIT == 0 || shorter % GS_BFC_UNIT != 0 || !shorter;
	d->regions[d->nregions++] = (gs_bfc_region){
		whole ? (uint64_t)size : shorter, shorter, d->nchunks};
	return GS_OK;
}

static gs_status chunk(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	gs_bfc_chunk c = {0, 0, 0, !gs_text_is(t, i, "free")};
	int64_t size = 0;
	size_t j = *end;
	if (!gs_text_hex(t, &j, &c.address) || !c.address)
		return GS_OK;
	if (!gs_text_is(t, j, "ofsize") && !gs_text_is(t, j, "next"))
		return GS_OK;
	size_t at = gs_text_find(t, j, j + CHUNK_FIELDS, "ofsize");
	size_t other = gs_text_find(t, j, j + CHUNK_FIELDS, "at0x"),
		   next = gs_text_find(t, j, j + CHUNK_FIELDS, "inuseat");
	if (at == SIZE_MAX || at > other || at > next)
		return GS_OK;
	size_t from = at += 6;
	if (!bytes_at(t, &at, &size) || size <= 0 || size > MOST || (at >= t->n && size % GS_BFC_UNIT))
		return GS_OK; /* at the end of the input the number may be cut */
	c.size = (uint64_t)size;
	c.shorter = before_line_end(t, from, at);
	if (c.size > UINT64_MAX - c.address)
		return GS_OK;
	DUMP(over(b));
	if (d->nchunks && d->chunks[d->nchunks - 1].address == c.address &&
		d->chunks[d->nchunks - 1].size == c.size)
		return GS_OK; /* printed twice */
	if (!GS_ARRAY_RESERVE(d->chunks, d->cap_chunks, d->nchunks + 1))
		return GS_NO_MEMORY;
	d->chunks[d->nchunks++] = c;
	*end = at;
	return GS_OK;
}

/* 4 Chunks of size 256 totalling 1.0KiB (ONNX Runtime: 4 chunks of size 256. Total 1024) */
static gs_status by_size(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	size_t from = i, j;
	uint64_t count;
	int64_t size;
	while (from && from + 12 > i && t->s[from - 1] >= '0' && t->s[from - 1] <= '9' &&
		(from == i || t->gap[from] == GS_GAP_NONE || t->gap[from] == GS_GAP_WRAP))
		from--;
	j = from;
	if (from == i || !gs_text_number(t, &j, &count) || j != i || count > MOST / 256 ||
		!bytes_at(t, end, &size) || size <= 0 || size > MOST ||
		(uint64_t)size > MOST / (count ? count : 1) ||
		!(gs_text_is(t, *end, "totalling") || gs_text_is(t, *end, ".total")))
		return GS_OK;
	DUMP(b->open && b->dumps[b->n - 1].stats);
	d->listed += count;
	if (d->listed_bytes < UINT64_MAX / 2)
		d->listed_bytes += count * (uint64_t)size;
	return GS_OK;
}

static gs_status sum_total(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	DUMP(b->open && b->dumps[b->n - 1].stats);
	d->summed = true;
	gs_text_size(t, end, &d->sum_in_use, NULL);
	return GS_OK;
}

/* total_region_allocated_bytes_: … memory_limit_: … (newer: Total bytes in pool: …) */
static gs_status pool(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	int64_t bytes;
	bool unit;
	if (!gs_text_size(t, end, &bytes, &unit) || bytes > MOST)
		return GS_OK;
	DUMP(b->open && b->dumps[b->n - 1].stats);
	d->summed = true;
	d->pool = bytes;
	d->pool_shortened = unit;
	if (gs_text_eat(t, end, "memory_limit_:") && gs_text_size(t, end, &bytes, NULL) &&
		bytes <= MOST)
		d->limit = bytes;
	return GS_OK;
}

/* Allocator memory summary: rounded request …, … pool size 2.00GiB, pool limit 3.00GiB: the newest
 * XLA, which shortens them. */
static gs_status pool_summary(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	int64_t bytes;
	size_t size = gs_text_find(t, *end, *end + 400, ",poolsize");
	if (size == SIZE_MAX)
		return GS_OK;
	size += 9;
	if (!gs_text_size(t, &size, &bytes, NULL) || bytes > MOST)
		return GS_OK;
	DUMP(b->open && b->dumps[b->n - 1].stats);
	d->summed = true;
	d->pool = bytes;
	d->pool_shortened = true;
	*end = size;
	return GS_OK;
}

/* Whether a name stands at i that begins a line, or follows what may stand in front of every line
 * of a log (with *behind). */
static bool name_begins(const gs_text *t, size_t i, bool *behind)
{
	*behind = t->gap[i] < GS_GAP_WRAP;
	if (!*behind || t->gap[i] == GS_GAP_BLANK)
		return true;
	char c = t->s[i - 1];
	bool colour = c == 'm' && i > 1 && t->s[i - 2] >= '0' && t->s[i - 2] <= '9';
	return colour ||
		!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.');
}

/* Whether the lines that follow a limit are behind i; the input may end before them. */
static bool limit_begins(const gs_text *t, size_t i, bool behind)
{
	uint64_t number;
	size_t used = gs_text_find(t, i, i + STAT_LINE, "inuse:"), at = used + 6;
	if (used == SIZE_MAX || !gs_text_number(t, &at, &number))
		return false;
	size_t most = gs_text_find(t, at, at + 2 * STAT_LINE, "maxinuse:");
	if (most == SIZE_MAX)
		return !behind && t->end && t->n < at + STAT_LINE;
	return gs_text_find(t, i, most, "limit:") == SIZE_MAX;
}

/* A line of the statistics: a name at the beginning of a line and a number; the limit comes first.
 * ONNX Runtime has no Reserved, but the size of its regions. */
static gs_status statistic(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	static const char *const names[] = {"limit:", "inuse:", "maxinuse:", "numallocs:",
		"maxallocsize:", "largestfreeblock:", "reserved:", "totalallocated:"};
	int64_t bytes;
	size_t k = 0;
	bool behind, unit;
	if (!name_begins(t, i, &behind) || gs_text_ends(t, i, "chunks") ||
		!gs_text_size(t, end, &bytes, &unit))
		return GS_OK;
	while (!gs_text_is(t, i, names[k]))
		k++;
	if (k == 0 && !limit_begins(t, *end, behind))
		return GS_OK; /* some other limit */
	if (k && (!b->open || (behind && !b->dumps[b->n - 1].stats)))
		return GS_OK;
	DUMP(k == 0 && b->open && b->dumps[b->n - 1].stats);
	int64_t *const fields[] = {&d->limit, &d->in_use, &d->max_in_use, &d->num_allocs, &d->max_alloc,
		&d->largest_free, &d->reserved, &d->pool};
	if (bytes <= MOST &&
		(k == 7 ||
			*fields[k] ==
				GS_NONE)) /* the limit of the line before is exact, this one may be shortened */
		*fields[k] = bytes;
	d->shortened |= unit;
	d->stats = true;
	return GS_OK;
}

/* totalMemory: 11.17GiB freeMemory: …, deviceMemorySize: 39.59GiB */
static gs_status device_memory(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	int64_t bytes;
	bool unit;
	(void)i;
	if (!gs_text_size(t, end, &bytes, &unit) || !unit)
		return GS_OK;
	b->capacities |= b->capacity != GS_NONE && b->capacity != bytes;
	b->capacity = bytes;
	return GS_OK;
}

/* (device: 0, name: NVIDIA A100-PCIE-40GB, pci bus id: … */
static gs_status device_name(gs_bfc *b, const gs_text *t, size_t i, size_t *end)
{
	uint64_t device;
	size_t from = i > 120 ? i - 120 : 0, name = gs_text_find_last(t, from, i, ",name:"), at;
	(void)end;
	if (name == SIZE_MAX || name + 6 >= i ||
		(at = gs_text_find_last(t, from, name, "device:")) == SIZE_MAX)
		return GS_OK;
	at += 7;
	if (!gs_text_number(t, &at, &device) || at != name || device >= 1024)
		return GS_OK;
	gs_device *d = gs_snapshot_device(b->snapshot, (int32_t)device);
	size_t begin = t->at[name + 6], stop = t->at[i - 1] + 1;
	if (d && !d->name)
		d->name = gs_snapshot_string(b->snapshot, t->text + begin, stop - begin);
	return d && d->name ? GS_OK : GS_NO_MEMORY;
}

static const struct {
	const char *anchor;
	line_reader *read;
	bool always;
} lines[] = {
	{"inuseat", chunk, false},
	{"chunkat", chunk, false},
	{"freeat", chunk, false},
	{"bin(", bin, false},
	{"binfor", heading, false},
	{"nextregionofsize", region, false},
	{"chunksofsize", by_size, false},
	{"sumtotalofin-usechunks:", sum_total, false},
	{"total_region_allocated_bytes_:", pool, false},
	{"totalbytesinpool:", pool, false},
	{"totalsizeinpool:", pool, false},
	{"limit:", statistic, false},
	{"inuse:", statistic, false},
	{"maxinuse:", statistic, false},
	{"numallocs:", statistic, false},
	{"totalallocated:", statistic, false},
	{"binsize:chunksin_use/total", arena, true},
	{":chunks", arena_bin, false},
	{"allocatormemorysummary:", pool_summary, false},
	{"maxallocsize:", statistic, false},
	{"largestfreeblock:", statistic, false},
	{"reserved:", statistic, false},
	{"ranoutofmemorytryingtoallocate", message, true},
	{"bfcallocatordumpfor", dump_for, true},
	{"totalmemory:", device_memory, true},
	{"devicememorysize:", device_memory, true},
	{",pcibusid", device_name, true},
};
enum { LINES = sizeof lines / sizeof *lines };

gs_status gs_bfc_scan(gs_bfc *b, const gs_text *t, size_t from, size_t to, gs_error *err)
{
	size_t at[LINES];
	if (b->done > t->base + from)
		from = (size_t)(b->done - t->base);
	for (size_t k = 0; k < LINES; k++)
		at[k] = gs_text_find(t, from, to + strlen(lines[k].anchor) - 1, lines[k].anchor);
	for (;;) {
		size_t first = 0;
		for (size_t k = 1; k < LINES; k++)
			if (at[k] < at[first])
				first = k;
		if (at[first] >= to)
			return GS_OK;
		size_t length = strlen(lines[first].anchor), i = at[first], end = i + length;
		if ((lines[first].always || !b->host) && lines[first].read(b, t, i, &end))
			return gs_fail(err, GS_NO_MEMORY, "no memory for a dump of the allocator");
		b->done = t->base + i + length;
		at[first] = gs_text_find(t, i + length, to + length - 1, lines[first].anchor);
	}
}
