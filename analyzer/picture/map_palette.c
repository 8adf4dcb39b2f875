#include "analyzer/picture/map_palette.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/frames.h"
#include "schema/size.h"

enum { NAMED = 8 }; /* classes with a colour of their own; the ninth is "others" */

static const uint32_t muted[NAMED] = {
	0x332288, 0x44aa99, 0xcc6677, 0x88ccee, 0x117733, 0xaa4499, 0x999933, 0x882255};
static const uint32_t scale[6] = {0x440154, 0x414487, 0x2a788e, 0x22a884, 0x7ad151, 0xfde725};
static const uint32_t others = 0x8a8a8a;

static const char *const words[GS_MAP_COLORS] = {"state", "stack", "tag", "stream", "age", "size"};
static const uint64_t size_bounds[] = {
	64ull << 10, 1ull << 20, 10ull << 20, 64ull << 20, 512ull << 20};

const char *gs_map_color_text(gs_map_color color)
{
	return color < GS_MAP_COLORS ? words[color] : "?";
}

gs_map_color gs_map_color_parse(const char *word)
{
	int i = 0;

	while (i < GS_MAP_COLORS && strcmp(words[i], word))
		i++;
	return (gs_map_color)i;
}

bool gs_map_part_free(const gs_layout *l, const gs_segment *s)
{
	bool live = false, empty = false;

	for (size_t i = 0; i < s->nblocks && !(live && empty); i++) {
		bool inactive = l->blocks[s->first_block + i].state == GS_INACTIVE;
		empty |= inactive;
		live |= !inactive;
	}
	return live && empty;
}

static gs_map_class *set_class(gs_map_palette *p, int at, uint32_t rgb)
{
	p->classes[at].rgb = rgb;
	if (p->n <= at)
		p->n = at + 1;
	return &p->classes[at];
}

/* --- stacks and tags: the eight with most bytes ------------------------------------------------
 */

static gs_id id_of(gs_map_color color, const gs_block *b)
{
	return color == GS_MAP_STACK ? b->stack : b->tag;
}

/* The user's own frame, its file without folders. */
static void name_stack(const gs_snapshot *s, gs_id id, char *name, size_t cap)
{
	gs_id frame = gs_stack_user_frame(s, id);
	const gs_frame *f = &s->frames[frame];
	const char *file, *slash;

	if (!frame) {
		snprintf(name, cap, "no stack recorded");
		return;
	}
	file = gs_string_text(s, f->file);
	slash = strrchr(file, '/');
	if (f->line == GS_NONE)
		snprintf(name, cap, "%.90s (%.80s)", gs_string_text(s, f->name), slash ? slash + 1 : file);
	else
		snprintf(name, cap, "%.90s (%.70s:%" PRId64 ")", gs_string_text(s, f->name),
			slash ? slash + 1 : file, f->line);
}

static gs_status rank_ids(
	gs_map_palette *p, const gs_snapshot *s, const gs_map_panel *panels, size_t n, gs_error *err)
{
	size_t ids = (p->color == GS_MAP_STACK ? s->nstacks : s->nstrings) + 1;
	uint64_t *sum = calloc(ids, sizeof *sum);

	p->by_id = malloc(ids);
	if (!sum || !p->by_id) {
		free(sum);
		return gs_fail(err, GS_NO_MEMORY, "sums by %s", words[p->color]);
	}
	memset(p->by_id, GS_MAP_LIVE + NAMED, ids);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < panels[k].layout->nblocks; i++) {
			const gs_block *b = &panels[k].layout->blocks[i];
			if (b->state == GS_ACTIVE_ALLOCATED && id_of(p->color, b) < ids)
				sum[id_of(p->color, b)] += b->size;
		}
	for (int slot = 0; slot < NAMED; slot++) {
		size_t best = 0;
		for (size_t id = 1; id < ids; id++)
			best = sum[id] > sum[best] ? id : best;
		if (!sum[best])
			break;
		gs_map_class *c = set_class(p, GS_MAP_LIVE + slot, muted[slot]);
		if (p->color == GS_MAP_STACK)
			name_stack(s, (gs_id)best, c->name, sizeof c->name);
		else
			snprintf(c->name, sizeof c->name, "%.190s",
				best ? gs_string_text(s, (gs_id)best) : "no tag");
		p->by_id[best] = (uint8_t)(GS_MAP_LIVE + slot);
		sum[best] = 0;
	}
	free(sum);
	snprintf(set_class(p, GS_MAP_LIVE + NAMED, others)->name, sizeof p->classes->name, "other %ss",
		words[p->color]);
	return GS_OK;
}

/* --- streams: the eight seen first, in the heap's order ----------------------------------------
 */

static int stream_class(const gs_map_palette *p, uint64_t stream)
{
	int i = 0;

	while (i < p->nstreams && p->streams[i] != stream)
		i++;
	return GS_MAP_LIVE + (i < p->nstreams ? i : NAMED);
}

static void find_streams(gs_map_palette *p, const gs_map_panel *panels, size_t n)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < panels[k].layout->nsegments; i++) {
			uint64_t stream = panels[k].layout->segments[i].stream;
			if (p->nstreams == NAMED || stream_class(p, stream) != GS_MAP_LIVE + NAMED)
				continue;
			gs_map_class *c = set_class(p, GS_MAP_LIVE + p->nstreams, muted[p->nstreams]);
			snprintf(c->name, sizeof c->name, stream > 9 ? "stream 0x%" PRIx64 : "stream %" PRIu64,
				stream);
			p->streams[p->nstreams++] = stream;
		}
	snprintf(
		set_class(p, GS_MAP_LIVE + NAMED, others)->name, sizeof p->classes->name, "other streams");
}

/* --- age and size: six steps -------------------------------------------------------------------
 */

static int64_t age_step(const gs_map_palette *p) { return (p->last - p->first) / 6 + 1; }

static void make_ages(gs_map_palette *p, const gs_map_panel *panels, size_t n)
{
	p->first = INT64_MAX;
	p->last = INT64_MIN;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < panels[k].layout->nblocks; i++) {
			const gs_block *b = &panels[k].layout->blocks[i];
			if (b->state != GS_ACTIVE_ALLOCATED || b->idx == GS_NONE)
				continue;
			p->first = b->idx < p->first ? b->idx : p->first;
			p->last = b->idx > p->last ? b->idx : p->last;
		}
	for (int i = 0; i < 6 && p->first <= p->last; i++) {
		gs_map_class *c = set_class(p, GS_MAP_LIVE + i, scale[i]);
		int64_t from = p->first + i * age_step(p), to = from + age_step(p) - 1;
		snprintf(c->name, sizeof c->name, "allocated in events %" PRId64 " to %" PRId64 "%s", from,
			to > p->last ? p->last : to,
			i == 0       ? " (oldest)"
				: i == 5 ? " (newest)"
						 : "");
	}
	snprintf(set_class(p, GS_MAP_LIVE + NAMED, others)->name, sizeof p->classes->name,
		"allocated before the recording");
}

static void make_sizes(gs_map_palette *p)
{
	char low[32], high[32];

	for (int i = 0; i < 6; i++) {
		gs_map_class *c = set_class(p, GS_MAP_LIVE + i, scale[i]);
		if (i < 5)
			gs_size_format(high, sizeof high, size_bounds[i]);
		if (i > 0)
			gs_size_format(low, sizeof low, size_bounds[i - 1]);
		if (i == 0)
			snprintf(c->name, sizeof c->name, "up to %s", high);
		else if (i == 5)
			snprintf(c->name, sizeof c->name, "over %s", low);
		else
			snprintf(c->name, sizeof c->name, "over %s to %s", low, high);
	}
}

/* --- all ---------------------------------------------------------------------------------------
 */

int gs_map_palette_class(const gs_map_palette *p, const gs_layout *l, const gs_block *b)
{
	int i = 0;

	if (b->state != GS_ACTIVE_ALLOCATED)
		return b->state == GS_INACTIVE ? GS_MAP_FREE : GS_MAP_PENDING;
	switch (p->color) {
	case GS_MAP_STACK:
	case GS_MAP_TAG: return p->by_id[id_of(p->color, b)];
	case GS_MAP_STREAM: return stream_class(p, l->segments[b->segment].stream);
	case GS_MAP_AGE:
		return GS_MAP_LIVE + (b->idx == GS_NONE ? NAMED : (int)((b->idx - p->first) / age_step(p)));
	case GS_MAP_SIZE:
		while (i < 5 && b->size > size_bounds[i])
			i++;
		return GS_MAP_LIVE + i;
	default: return GS_MAP_LIVE;
	}
}

static void add_sums(gs_map_palette *p, const gs_layout *l)
{
	for (size_t k = 0; k < l->nsegments; k++) {
		const gs_segment *s = &l->segments[k];
		bool part_free = gs_map_part_free(l, s);
		uint64_t told = 0;
		for (size_t i = s->first_block; i < s->first_block + s->nblocks; i++) {
			const gs_block *b = &l->blocks[i];
			gs_map_class *c = &p->classes[gs_map_palette_class(p, l, b)];
			c->bytes += b->size;
			c->blocks++;
			told += b->size;
			if (part_free && b->state != GS_INACTIVE) {
				p->pin_bytes += b->size;
				p->pin_blocks++;
			}
		}
		if (told < s->size)
			p->classes[GS_MAP_UNTOLD].bytes += s->size - told;
	}
}

gs_status gs_map_palette_init(gs_map_palette *p, const gs_snapshot *s, const gs_map_panel *panels,
	size_t n, gs_map_color color, gs_error *err)
{
	gs_status status = GS_OK;

	memset(p, 0, sizeof *p);
	p->color = color;
	strcpy(set_class(p, GS_MAP_FREE, 0xe4e4e4)->name, "free (cached by the allocator)");
	strcpy(set_class(p, GS_MAP_PENDING, 0xe69f00)->name, "freed, waiting for another stream");
	strcpy(set_class(p, GS_MAP_UNTOLD, 0xb9a7c9)->name, "not told by the file");
	switch (color) {
	case GS_MAP_STACK:
	case GS_MAP_TAG: status = rank_ids(p, s, panels, n, err); break;
	case GS_MAP_STREAM: find_streams(p, panels, n); break;
	case GS_MAP_AGE: make_ages(p, panels, n); break;
	case GS_MAP_SIZE: make_sizes(p); break;
	default: strcpy(set_class(p, GS_MAP_LIVE, 0x0072b2)->name, "allocated");
	}
	for (size_t k = 0; k < n && !status; k++)
		add_sums(p, panels[k].layout);
	return status;
}

void gs_map_palette_release(gs_map_palette *p)
{
	free(p->by_id);
	memset(p, 0, sizeof *p);
}
