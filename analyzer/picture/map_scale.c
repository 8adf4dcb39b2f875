#include "analyzer/picture/map_scale.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/picture/map_palette.h"
#include "schema/size.h"

static bool same_pool(gs_pool_id a, gs_pool_id b) { return a.a == b.a && a.b == b.b; }

/* Whether a free block of this segment could have served the request at all. */
static bool could_serve(const gs_segment *s, const gs_oom *oom)
{
	gs_pool_id pool = {0, 0};

	if (!oom)
		return true;
	if (oom->has_pool_id)
		pool = oom->pool_id;
	if (oom->pool != GS_CLASS_UNKNOWN && s->pool != GS_CLASS_UNKNOWN && s->pool != oom->pool)
		return false;
	return same_pool(s->pool_id, pool) &&
		(oom->stream == GS_NONE || s->stream == (uint64_t)oom->stream);
}

/* Keeps `biggest` as a heap whose root is the smallest, so that one pass finds the largest few. */
static void sift(const gs_block *blocks, size_t *heap, size_t n, size_t at)
{
	for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
		if (child + 1 < n && blocks[heap[child + 1]].size < blocks[heap[child]].size)
			child++;
		if (blocks[heap[at]].size <= blocks[heap[child]].size)
			return;
		size_t swap = heap[at];
		heap[at] = heap[child];
		heap[child] = swap;
		at = child;
	}
}

static void keep(gs_map_figures *f, const gs_block *blocks, size_t i)
{
	if (f->nbiggest < GS_MAP_HOLES_SHOWN) {
		f->biggest[f->nbiggest++] = i;
		if (f->nbiggest == GS_MAP_HOLES_SHOWN)
			for (size_t at = f->nbiggest / 2; at-- > 0;)
				sift(blocks, f->biggest, f->nbiggest, at);
	} else if (blocks[i].size > blocks[f->biggest[0]].size) {
		f->biggest[0] = i;
		sift(blocks, f->biggest, f->nbiggest, 0);
	}
}

static int larger_first(const void *a, const void *b, void *blocks)
{
	const gs_block *x = (const gs_block *)blocks + *(const size_t *)a,
				   *y = (const gs_block *)blocks + *(const size_t *)b;

	return x->size != y->size     ? (x->size < y->size ? 1 : -1)
		: x->address < y->address ? -1
								  : x->address > y->address;
}

gs_status gs_map_figures_init(gs_map_figures *f, const gs_map_panel *panel, gs_error *err)
{
	const gs_layout *l = panel->layout;
	const gs_oom *oom = panel->oom;

	memset(f, 0, sizeof *f);
	f->hole = SIZE_MAX;
	f->request = oom ? oom->requested : GS_NONE;
	f->needed = oom ? oom->needed : GS_NONE;
	f->device_free = oom && oom->device_free != GS_NONE ? oom->device_free
														: panel->device->device_free;
	f->capacity = panel->device->capacity != GS_NONE ? panel->device->capacity
		: oom                                        ? oom->capacity
													 : GS_NONE;
	f->biggest = malloc(GS_MAP_HOLES_SHOWN * sizeof *f->biggest);
	if (!f->biggest)
		return gs_fail(err, GS_NO_MEMORY, "ranking holes");
	for (size_t k = 0; k < l->nsegments; k++) {
		const gs_segment *s = &l->segments[k];
		if (!could_serve(s, oom))
			continue;
		for (size_t i = s->first_block; i < s->first_block + s->nblocks; i++) {
			if (l->blocks[i].state != GS_INACTIVE)
				continue;
			f->free += l->blocks[i].size;
			f->holes++;
			if (l->blocks[i].size > f->largest) {
				f->largest = l->blocks[i].size;
				f->hole = i;
			}
			keep(f, l->blocks, i);
		}
	}
	qsort_r(f->biggest, f->nbiggest, sizeof *f->biggest, larger_first, l->blocks);
	for (size_t i = 0; i < f->nbiggest; i++)
		f->shown += l->blocks[f->biggest[i]].size;
	return GS_OK;
}

void gs_map_figures_release(gs_map_figures *f)
{
	free(f->biggest);
	memset(f, 0, sizeof *f);
}

/* " (large pool, stream 0)", or less where less is known. */
static void pool_words(const gs_oom *oom, char *buf, size_t cap)
{
	char pool[64] = "", stream[40] = "";
	const char *class = oom->pool == GS_SMALL ? "small pool"
		: oom->pool == GS_LARGE               ? "large pool"
											  : "";

	if (oom->has_pool_id && (oom->pool_id.a || oom->pool_id.b))
		snprintf(
			pool, sizeof pool, " of pool %" PRIu64 ",%" PRIu64, oom->pool_id.a, oom->pool_id.b);
	if (oom->stream != GS_NONE)
		snprintf(stream, sizeof stream,
			oom->stream >= 0 && oom->stream < 10 ? "stream %" PRIu64 : "stream 0x%" PRIx64,
			(uint64_t)oom->stream);
	*buf = 0;
	if (*class || *stream)
		snprintf(buf, cap, " (%s%s%s%s)", class, pool, *class && *stream ? ", " : "", stream);
}

void gs_map_figures_text(const gs_map_figures *f, const gs_map_panel *panel, char *buf, size_t cap)
{
	char request[32], free_bytes[32], largest[32], device[32], pool[160];
	int n;

	if (f->request != GS_NONE) {
		pool_words(panel->oom, pool, sizeof pool);
		n = snprintf(buf, cap, "request of %s failed%s. Free there: ",
			gs_size_format(request, sizeof request, (uint64_t)f->request), pool);
	} else {
		n = snprintf(buf, cap, "%s. Free: ",
			panel->oom ? "a request of unknown size failed" : "no failed request here");
	}
	if (f->holes)
		n += snprintf(buf + n, cap - (size_t)n, "%s in %zu hole%s, largest %s",
			gs_size_format(free_bytes, sizeof free_bytes, f->free), f->holes,
			f->holes == 1 ? "" : "s", gs_size_format(largest, sizeof largest, f->largest));
	else
		n += snprintf(buf + n, cap - (size_t)n, "nothing");
	if (f->device_free != GS_NONE)
		snprintf(buf + n, cap - (size_t)n, "; free on the device: %s",
			gs_size_format(device, sizeof device, (uint64_t)f->device_free));
}

int gs_map_bars(const gs_map_figures *f)
{
	return (f->request != GS_NONE) + 2 * (f->holes > 0) + (f->device_free != GS_NONE);
}

typedef struct bar_place {
	gs_draw *d;
	int x, y, w;  /* of the next bar; label and value lie beside it */
	double bytes; /* that w pixels stand for */
} bar_place;

enum { LABEL = 176, VALUE = 250 };

static int bar_width(const bar_place *p, double bytes)
{
	int w = (int)(bytes / p->bytes * p->w + 0.5);

	return w > p->w ? p->w : w < 1 ? 1 : w;
}

static void bar(
	bar_place *p, const char *label, uint64_t bytes, uint32_t rgb, uint32_t edge, const char *note)
{
	int w = bar_width(p, (double)bytes);
	char value[160], size[32];

	gs_draw_text_right(p->d, p->x - 8, p->y, 12, GS_MAP_INK, LABEL, label);
	gs_draw_rect(p->d, p->x, p->y, w, GS_MAP_BAR_PITCH - 4, rgb);
	gs_draw_frame(p->d, p->x, p->y, w, GS_MAP_BAR_PITCH - 4, 1, edge);
	if ((double)bytes > p->bytes) /* longer than the scale: torn off */
		for (int i = 0; i < 2; i++)
			gs_draw_rect(p->d, p->x + w - 16 + 6 * i, p->y, 3, GS_MAP_BAR_PITCH - 4, GS_MAP_PAPER);
	snprintf(value, sizeof value, "%s%s", gs_size_format(size, sizeof size, bytes), note);
	gs_draw_text(p->d, p->x + w + 8, p->y, 12, GS_MAP_INK, VALUE, value);
	p->y += GS_MAP_BAR_PITCH;
}

/* All holes end to end, each to scale. */
static void bar_of_holes(bar_place *p, const gs_map_figures *f, const gs_layout *l)
{
	int y = p->y, drawn = 0;
	double at = 0;
	char note[64];

	snprintf(note, sizeof note, " in %zu hole%s", f->holes, f->holes == 1 ? "" : "s");
	bar(p, "all holes there", f->free, 0xe4e4e4, GS_MAP_SEGMENT_LINE, note);
	for (size_t i = 0; i < f->nbiggest; i++) {
		at += (double)l->blocks[f->biggest[i]].size;
		if (at >= p->bytes || i + 1 >= f->holes || bar_width(p, at) < drawn + 3)
			continue;
		drawn = bar_width(p, at);
		gs_draw_rect(p->d, p->x + drawn - 1, y, 1, GS_MAP_BAR_PITCH - 4, GS_MAP_SEGMENT_LINE);
	}
}

void gs_map_draw_bars(const gs_map_figures *f, const gs_layout *l, gs_draw *d, int x, int y, int w)
{
	double request = f->request == GS_NONE ? 0 : (double)f->request,
		   device = f->device_free == GS_NONE ? 0 : (double)f->device_free;
	double all = device > (double)f->free ? device : (double)f->free,
		   most = request > (double)f->largest ? request : (double)f->largest;
	bar_place p = {d, x + LABEL, y, w - LABEL - VALUE, 0};
	char note[80] = "", size[32], plain[32];

	if (all > 4 * most && most > 0)
		all = 4 * most; /* so that the request stays visible */
	p.bytes = all > most ? all : most;
	if (p.bytes < 1)
		p.bytes = 1;
	if (f->needed != GS_NONE && f->request != GS_NONE) {
		gs_size_format(size, sizeof size, (uint64_t)f->needed);
		if (strcmp(size, gs_size_format(plain, sizeof plain, (uint64_t)f->request)))
			snprintf(note, sizeof note, " (asked of the driver: %s)", size);
	}
	if (f->request != GS_NONE)
		bar(&p, "failed request", (uint64_t)f->request, GS_MAP_REQUEST, GS_MAP_REQUEST, note);
	if (f->holes) {
		bar(&p, "largest hole", f->largest, 0xe4e4e4, GS_MAP_HOLE_LINE, "");
		bar_of_holes(&p, f, l);
	}
	if (f->device_free != GS_NONE)
		bar(&p, "free on the device", (uint64_t)f->device_free, GS_MAP_PAPER, GS_MAP_SEGMENT_LINE,
			"");
}
