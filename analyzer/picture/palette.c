/* Which class a block is of. */
#include "analyzer/picture/palette_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/size.h"

static const uint32_t scale[6] = {0x440154, 0x414487, 0x2a788e, 0x22a884, 0x7ad151, 0xfde725};
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
			gs_swatch *c = gs_palette_set_named(p, p->nstreams);
			snprintf(c->name, sizeof c->name, "stream %" PRIu64, stream);
			gs_palette_label(c, c->name);
			p->streams[p->nstreams++] = stream;
		}
	if (p->nstreams == 1)
		snprintf(p->remark, sizeof p->remark, "there is one stream alone");
	gs_palette_set_others(p, "other streams");
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
	gs_palette_set_others(p, "allocated before the recording");
	if (p->first > p->last) {
		p->first = p->last = 0;
		snprintf(p->remark, sizeof p->remark, "no event tells when a block was allocated");
		return;
	}
	for (int i = 0; i < 6; i++) {
		gs_swatch *c = gs_palette_set(p, GS_CLASS_LIVE + i, (gs_paint){.rgb = scale[i]});
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
		gs_swatch *c = gs_palette_set(p, GS_CLASS_LIVE + i, (gs_paint){.rgb = scale[i]});
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
		gs_swatch *c = gs_palette_set(p, category_class(i), of_category[i]);
		snprintf(c->name, sizeof c->name, "%s", gs_category_word(NULL, i));
		for (char *at = strchr(c->name, '_'); at; at = strchr(at, '_'))
			*at = ' ';
		gs_palette_label(c, c->name);
	}
	snprintf(
		gs_palette_set(p, GS_CLASS_OTHERS - 1, (gs_paint){0x9fd8e8, 0x1c6c80, GS_CHECKED})->name,
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
		snprintf(gs_palette_set(p, common[i].class, common[i].paint)->name, sizeof p->classes->name,
			"%s", common[i].name);
}

int gs_palette_live(const gs_palette *p, const gs_colored *c)
{
	int i = 0;

	switch (p->color) {
	case GS_COLOR_HOLDER:
	case GS_COLOR_TAG: {
		gs_id id = gs_palette_id(p->color, c->stack, c->tag);
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
	case GS_COLOR_TAG: return gs_palette_make_places(p, moments, n, whole, err);
	case GS_COLOR_STREAM: make_streams(p, moments, n); break;
	case GS_COLOR_AGE: make_ages(p, moments, n); break;
	case GS_COLOR_SIZE: make_sizes(p); break;
	case GS_COLOR_CATEGORY: make_categories(p, moments, n); break;
	default:
		snprintf(gs_palette_set(p, GS_CLASS_LIVE, (gs_paint){.rgb = 0x0072b2})->name,
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
