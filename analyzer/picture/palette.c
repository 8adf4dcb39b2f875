#include "analyzer/picture/palette.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/array.h"
#include "analyzer/model/hash_map.h"
#include "analyzer/model/intern.h"
#include "analyzer/model/memory.h"
#include "schema/size.h"

/* Found by a search over six steps of lightness for the greatest least distance (CIE 1976) in plain
 * sight and under simulated deuteranopia, protanopia and tritanopia. */
static const uint32_t six[GS_CLASS_NAMED] = {
	0xa30710, 0xe09f20, 0x2d9d7c, 0x8d4ad2, 0x24325f, 0xd0c5fd};
static const uint32_t scale[6] = {0x440154, 0x414487, 0x2a788e, 0x22a884, 0x7ad151, 0xfde725};
static const gs_paint others = {0xbdbdbd, 0x6b6b6b, GS_DOTTED};
static const gs_paint nobody = {0xc9d3de, 0x5b6f86, GS_HATCHED};
static const gs_paint of_category[GS_CATEGORIES] = {
	[GS_CATEGORY_PARAMETER] = {0x24325f, 0, GS_PLAIN},
	[GS_CATEGORY_BUFFER] = {0x3c4f8f, 0xb9c4ea, GS_HATCHED},
	[GS_CATEGORY_GRADIENT] = {0x2d9d7c, 0, GS_PLAIN},
	[GS_CATEGORY_OPTIMIZER_STATE] = {0x8d4ad2, 0, GS_PLAIN},
	[GS_CATEGORY_ACTIVATION] = {0xa30710, 0, GS_PLAIN},
	[GS_CATEGORY_INPUT] = {0xd0c5fd, 0, GS_PLAIN},
	[GS_CATEGORY_WORKSPACE] = {0xe09f20, 0, GS_PLAIN},
	[GS_CATEGORY_TEMPORARY] = {0xf3d69b, 0x7a5200, GS_FALLING},
	[GS_CATEGORY_UNKNOWN] = {0xbdbdbd, 0x6b6b6b, GS_DOTTED},
};
static const uint64_t size_bounds[] = {
	64ull << 10, 1ull << 20, 10ull << 20, 64ull << 20, 512ull << 20};

const char *const gs_color_words[] = {
	"holder", "category", "state", "tag", "stream", "age", "size", NULL};

const char *gs_color_word(gs_color color)
{
	return color < GS_COLORS ? gs_color_words[color] : "?";
}

gs_color gs_color_parse(const char *word)
{
	int i = 0;

	while (i < GS_COLORS && strcmp(gs_color_words[i], word))
		i++;
	return (gs_color)i;
}

static gs_swatch *set_class(gs_palette *p, int at, gs_paint paint)
{
	p->classes[at].paint = paint;
	return &p->classes[at];
}

/* What a block says of itself; only a name that is short enough. */
static void set_label(gs_swatch *c, const char *name)
{
	size_t n = strlen(name);

	if (n >= sizeof c->label)
		return;
	memcpy(c->label, name, n + 1);
}

static gs_swatch *set_named(gs_palette *p, int slot)
{
	return set_class(p, GS_CLASS_LIVE + slot, (gs_paint){.rgb = six[slot]});
}

static void set_others(gs_palette *p, const char *name)
{
	snprintf(set_class(p, GS_CLASS_OTHERS, others)->name, sizeof p->classes->name, "%s", name);
}

/* --- holders and tags --------------------------------------------------------------------------
 */

/* Stacks (or tags) that read alike are one holder, also those of two snapshots. */
typedef struct place {
	char where[GS_PLACE_TEXT], called_by[GS_PLACE_TEXT];
	uint64_t bytes, beside; /* beside: of moments that rank behind */
	int class;
} place;

typedef struct places {
	place *all;
	size_t n, cap;
	gs_hash_map by_text; /* by hash of how it reads: number */
	uint32_t *of[2];     /* by source and id: number + 1; 0 not asked about */
} places;

static uint64_t hash_place(const place *p)
{
	return (uint64_t)gs_hash_bytes(p->where, strlen(p->where)) << 32 |
		gs_hash_bytes(p->called_by, strlen(p->called_by));
}

static bool read_alike(const place *a, const place *b)
{
	return !strcmp(a->where, b->where) && !strcmp(a->called_by, b->called_by);
}

/* The number of a place, added when new; UINT32_MAX when memory is short. Another one of the same
 * hash has the next key. */
static uint32_t find_place(places *all, const place *p)
{
	uint64_t key = hash_place(p);
	bool is_new;
	uint32_t *number;

	do
		number = gs_hash_map_at(&all->by_text, key++, &is_new);
	while (number && !is_new && !read_alike(&all->all[*number], p));
	if (!number || (is_new && !GS_ARRAY_RESERVE(all->all, all->cap, all->n + 1)))
		return UINT32_MAX;
	if (is_new) {
		*number = (uint32_t)all->n;
		all->all[all->n++] = *p;
	}
	return *number;
}

/* How an id reads; an empty text where it names nobody. */
static void read_place(const gs_palette *p, const gs_snapshot *s, gs_id id, place *out)
{
	*out = (place){.class = GS_CLASS_OTHERS};
	if (p->color == GS_COLOR_TAG)
		snprintf(out->where, sizeof out->where, "%.190s", gs_string_text(s, id));
	else if (!gs_stack_place(s, id, out->where, out->called_by))
		out->where[0] = out->called_by[0] = 0;
	if (!*out->where)
		out->class = GS_CLASS_NOBODY;
}

static gs_id id_of(gs_color color, gs_id stack, gs_id tag)
{
	return color == GS_COLOR_HOLDER ? stack : tag;
}

static bool add_id(
	const gs_palette *p, places *all, int source, size_t id, bool beside, uint64_t bytes)
{
	place read;

	if (!all->of[source][id]) {
		read_place(p, p->sources[source].snapshot, (gs_id)id, &read);
		uint32_t number = find_place(all, &read);
		if (number == UINT32_MAX)
			return false;
		all->of[source][id] = number + 1;
	}
	place *at = &all->all[all->of[source][id] - 1];
	*(beside ? &at->beside : &at->bytes) += bytes;
	return true;
}

/* What the moments hold of each place; whole: also of the ids that hold nothing. */
static bool find_places(
	const gs_palette *p, places *all, const gs_palette_moment *moments, size_t n, bool whole)
{
	for (int k = 0; k < p->nsources; k++) {
		all->of[k] = calloc(p->sources[k].nids, sizeof *all->of[k]);
		if (!all->of[k])
			return false;
		for (size_t id = 0; whole && id < p->sources[k].nids; id++)
			if (!add_id(p, all, k, id, false, 0))
				return false;
	}
	for (size_t k = 0; k < n; k++) {
		int source = gs_palette_source(p, moments[k].snapshot);
		for (size_t i = 0; i < moments[k].layout->nblocks; i++) {
			const gs_block *b = &moments[k].layout->blocks[i];
			gs_id id = id_of(p->color, b->stack, b->tag);
			if (b->state == GS_INACTIVE)
				continue;
			id = id < p->sources[source].nids ? id : 0;
			if (!add_id(p, all, source, id, moments[k].beside, b->size))
				return false;
		}
	}
	return true;
}

static void name_place(gs_palette *p, int slot, const place *holder)
{
	gs_swatch *c = set_named(p, slot);

	snprintf(c->name, sizeof c->name, *holder->called_by ? "%s ← %s" : "%s", holder->where,
		holder->called_by);
	set_label(c, holder->where);
}

static bool ranks_before(const place *a, const place *b)
{
	return a->bytes > b->bytes || (a->bytes == b->bytes && a->beside > b->beside);
}

static void name_places(gs_palette *p, places *all)
{
	uint64_t told = 0, untold = 0;

	for (int slot = 0; slot < GS_CLASS_NAMED; slot++) {
		place *best = NULL;
		for (size_t i = 0; i < all->n; i++)
			if (all->all[i].class == GS_CLASS_OTHERS && (all->all[i].bytes || all->all[i].beside) &&
				(!best || ranks_before(&all->all[i], best)))
				best = &all->all[i];
		if (!best)
			break;
		best->class = GS_CLASS_LIVE + slot;
		name_place(p, slot, best);
	}
	for (size_t i = 0; i < all->n; i++)
		*(all->all[i].class == GS_CLASS_NOBODY ? &untold : &told) += all->all[i].bytes +
			all->all[i].beside;
	if (untold && !told)
		snprintf(p->remark, sizeof p->remark,
			p->color == GS_COLOR_TAG ? "no allocation has a tag" : "no stack was recorded");
}

static gs_status make_places(
	gs_palette *p, const gs_palette_moment *moments, size_t n, bool whole, gs_error *err)
{
	bool holders = p->color == GS_COLOR_HOLDER;
	places all = {0};
	gs_status status = GS_OK;

	for (int k = 0; k < p->nsources; k++) {
		const gs_snapshot *s = p->sources[k].snapshot;
		p->sources[k].nids = (size_t)(holders ? s->nstacks : s->nstrings) + 1;
		p->sources[k].by_id = malloc(p->sources[k].nids);
		if (!p->sources[k].by_id)
			status = gs_fail(err, GS_NO_MEMORY, "colours of %zu ids", p->sources[k].nids);
	}
	if (!status && !find_places(p, &all, moments, n, whole))
		status = gs_fail(err, GS_NO_MEMORY, "sums of holders");
	if (!status)
		name_places(p, &all);
	for (int k = 0; k < p->nsources && !status; k++)
		for (size_t id = 0; id < p->sources[k].nids; id++)
			p->sources[k].by_id[id] =
				(uint8_t)(all.of[k][id] ? all.all[all.of[k][id] - 1].class : GS_CLASS_OTHERS);
	gs_memory_give(all.all);
	gs_hash_map_release(&all.by_text);
	free(all.of[0]);
	free(all.of[1]);
	snprintf(set_class(p, GS_CLASS_NOBODY, nobody)->name, sizeof p->classes->name, "%s",
		holders ? "no stack recorded" : "no tag");
	set_others(p, holders ? "other holders" : "other tags");
	return status;
}

/* --- streams: the six seen first, in the heap's order ------------------------------------------
 */

static int stream_class(const gs_palette *p, uint64_t stream)
{
	int i = 0;

	while (i < p->nstreams && p->streams[i] != stream)
		i++;
	return i < p->nstreams ? GS_CLASS_LIVE + i : GS_CLASS_OTHERS;
}

static void make_streams(gs_palette *p, const gs_palette_moment *moments, size_t n)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < moments[k].layout->nsegments; i++) {
			uint64_t stream = moments[k].layout->segments[i].stream;
			if (p->nstreams == GS_CLASS_NAMED || stream_class(p, stream) != GS_CLASS_OTHERS)
				continue;
			gs_swatch *c = set_named(p, p->nstreams);
			snprintf(c->name, sizeof c->name, "stream %" PRIu64, stream);
			set_label(c, c->name);
			p->streams[p->nstreams++] = stream;
		}
	if (p->nstreams == 1)
		snprintf(p->remark, sizeof p->remark, "there is one stream alone");
	set_others(p, "other streams");
}

/* --- age and size: six steps -------------------------------------------------------------------
 */

static int64_t age_step(const gs_palette *p) { return (p->last - p->first) / 6 + 1; }

static void find_ages(gs_palette *p, const gs_palette_moment *moments, size_t n)
{
	p->first = INT64_MAX;
	p->last = INT64_MIN;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < moments[k].layout->nblocks; i++) {
			const gs_block *b = &moments[k].layout->blocks[i];
			if (b->state == GS_INACTIVE || b->idx == GS_NONE)
				continue;
			p->first = b->idx < p->first ? b->idx : p->first;
			p->last = b->idx > p->last ? b->idx : p->last;
		}
}

static void make_ages(gs_palette *p, const gs_palette_moment *moments, size_t n)
{
	find_ages(p, moments, n);
	set_others(p, "allocated before the recording");
	if (p->first > p->last) {
		p->first = p->last = 0;
		snprintf(p->remark, sizeof p->remark, "no event tells when a block was allocated");
		return;
	}
	for (int i = 0; i < 6; i++) {
		gs_swatch *c = set_class(p, GS_CLASS_LIVE + i, (gs_paint){.rgb = scale[i]});
		int64_t from = p->first + i * age_step(p), to = from + age_step(p) - 1;
		snprintf(c->name, sizeof c->name, "allocated in events %" PRId64 " to %" PRId64 "%s", from,
			to > p->last ? p->last : to,
			i == 0       ? " (oldest)"
				: i == 5 ? " (newest)"
						 : "");
	}
}

static void make_sizes(gs_palette *p)
{
	char low[32], high[32];

	for (int i = 0; i < 6; i++) {
		gs_swatch *c = set_class(p, GS_CLASS_LIVE + i, (gs_paint){.rgb = scale[i]});
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

/* --- categories --------------------------------------------------------------------------------
 */

/* Categories of a user's rules follow ours; those beyond the classes share the last. */
static int category_class(unsigned category)
{
	if (category < GS_CATEGORY_UNKNOWN)
		return GS_CLASS_LIVE + (int)category;
	return category == GS_CATEGORY_UNKNOWN ? GS_CLASS_OTHERS : GS_CLASS_OTHERS - 1;
}

static bool any_category(const gs_palette_moment *moments, size_t n)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; moments[k].meaning && i < moments[k].layout->nblocks; i++) {
			const gs_block *b = &moments[k].layout->blocks[i];
			if (b->state != GS_INACTIVE &&
				gs_meaning_of(moments[k].meaning, b).category != GS_CATEGORY_UNKNOWN)
				return true;
		}
	return false;
}

static void make_categories(gs_palette *p, const gs_palette_moment *moments, size_t n)
{
	for (unsigned i = 0; i < GS_CATEGORIES; i++) {
		gs_swatch *c = set_class(p, category_class(i), of_category[i]);
		snprintf(c->name, sizeof c->name, "%s", gs_category_word(NULL, i));
		for (char *at = strchr(c->name, '_'); at; at = strchr(at, '_'))
			*at = ' ';
		set_label(c, c->name);
	}
	snprintf(set_class(p, GS_CLASS_OTHERS - 1, (gs_paint){0x9fd8e8, 0x1c6c80, GS_CHECKED})->name,
		sizeof p->classes->name, "of rules of one's own");
	if (!any_category(moments, n))
		snprintf(p->remark, sizeof p->remark, "nothing tells what the memory is for");
}

/* --- all ---------------------------------------------------------------------------------------
 */

static void name_common(gs_palette *p)
{
	static const struct {
		int class;
		gs_paint paint;
		const char *name;
	} common[] = {
		{GS_CLASS_FREE, {0xf2f2f2, 0, GS_PLAIN}, "free (cached by the allocator)"},
		{GS_CLASS_UNUSABLE, {0xfafafa, 0x9c9c9c, GS_HATCHED}, "free, but not for this request"},
		{GS_CLASS_PENDING, {0x56b4e9, 0xfefefe, GS_CHECKED}, "freed, waiting for another stream"},
		{GS_CLASS_UNTOLD, {0xfdfdfd, 0xc4b5d0, GS_FALLING}, "not told by the file"},
	};

	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		snprintf(set_class(p, common[i].class, common[i].paint)->name, sizeof p->classes->name,
			"%s", common[i].name);
}

int gs_palette_source(const gs_palette *p, const gs_snapshot *s)
{
	return p->nsources == 2 && p->sources[1].snapshot == s;
}

int gs_palette_live(const gs_palette *p, const gs_colored *c)
{
	int i = 0;

	switch (p->color) {
	case GS_COLOR_HOLDER:
	case GS_COLOR_TAG: {
		gs_id id = id_of(p->color, c->stack, c->tag);
		return p->sources[c->source].by_id[id < p->sources[c->source].nids ? id : 0];
	}
	case GS_COLOR_CATEGORY: return category_class(c->category);
	case GS_COLOR_STREAM: return stream_class(p, c->stream);
	case GS_COLOR_AGE:
		return c->idx == GS_NONE || c->idx < p->first || c->idx > p->last
			? GS_CLASS_OTHERS
			: GS_CLASS_LIVE + (int)((c->idx - p->first) / age_step(p));
	case GS_COLOR_SIZE:
		while (i < 5 && c->size > size_bounds[i])
			i++;
		return GS_CLASS_LIVE + i;
	default: return GS_CLASS_LIVE;
	}
}

int gs_palette_class(
	const gs_palette *p, const gs_palette_moment *moment, int source, const gs_block *b)
{
	if (b->state != GS_ACTIVE_ALLOCATED)
		return b->state == GS_INACTIVE ? GS_CLASS_FREE : GS_CLASS_PENDING;
	if (p->color == GS_COLOR_HOLDER && b->stack < p->sources[source].nids)
		return p->sources[source].by_id[b->stack];
	gs_colored c = {.source = source,
		.stack = b->stack,
		.tag = b->tag,
		.size = b->size,
		.idx = b->idx,
		.category = GS_CATEGORY_UNKNOWN};
	if (p->color == GS_COLOR_STREAM)
		c.stream = moment->layout->segments[b->segment].stream;
	if (p->color == GS_COLOR_CATEGORY && moment->meaning)
		c.category = gs_meaning_of(moment->meaning, b).category;
	return gs_palette_live(p, &c);
}

static gs_status find_sources(
	gs_palette *p, const gs_palette_moment *moments, size_t n, gs_error *err)
{
	for (size_t k = 0; k < n; k++) {
		int i = 0;
		while (i < p->nsources && p->sources[i].snapshot != moments[k].snapshot)
			i++;
		if (i == 2)
			return gs_fail(err, GS_INVALID, "a picture shows two snapshots at most");
		if (i == p->nsources)
			p->sources[p->nsources++].snapshot = moments[k].snapshot;
	}
	return GS_OK;
}

gs_status gs_palette_init(gs_palette *p, const gs_palette_moment *moments, size_t n, gs_color color,
	bool whole, gs_error *err)
{
	memset(p, 0, sizeof *p);
	p->color = color;
	name_common(p);
	gs_status status = find_sources(p, moments, n, err);
	if (status)
		return status;
	switch (color) {
	case GS_COLOR_HOLDER:
	case GS_COLOR_TAG: return make_places(p, moments, n, whole, err);
	case GS_COLOR_STREAM: make_streams(p, moments, n); break;
	case GS_COLOR_AGE: make_ages(p, moments, n); break;
	case GS_COLOR_SIZE: make_sizes(p); break;
	case GS_COLOR_CATEGORY: make_categories(p, moments, n); break;
	default:
		snprintf(set_class(p, GS_CLASS_LIVE, (gs_paint){.rgb = 0x0072b2})->name,
			sizeof p->classes->name, "allocated");
	}
	return GS_OK;
}

void gs_palette_release(gs_palette *p)
{
	free(p->sources[0].by_id);
	free(p->sources[1].by_id);
	memset(p, 0, sizeof *p);
}
