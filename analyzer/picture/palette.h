/* Which colour an allocation gets in a picture, and what each colour stands for. Map and plot of
 * one report are made with one palette, so that a holder has one colour throughout.
 *
 * Six holders have colours of their own, told apart in print without colour and by readers with any
 * common colour blindness (a test simulates them); the rest are patterns. Not thread-safe; borrows
 * the snapshot and the meanings. */
#ifndef GS_ANALYZER_PICTURE_PALETTE_H
#define GS_ANALYZER_PICTURE_PALETTE_H

#include "analyzer/draw/draw.h"
#include "analyzer/meaning/meaning.h"

/* What decides a block's colour. */
typedef enum gs_color {
	GS_COLOR_HOLDER,
	GS_COLOR_CATEGORY,
	GS_COLOR_STATE,
	GS_COLOR_TAG,
	GS_COLOR_STREAM,
	GS_COLOR_AGE,
	GS_COLOR_SIZE,
	GS_COLORS
} gs_color;

/* The word of a colouring ("holder"), and the colouring of a word; GS_COLORS for any other. */
const char *gs_color_word(gs_color color);
gs_color gs_color_parse(const char *word);
extern const char *const gs_color_words[]; /* all, ended by NULL */

/* Classes that stand for no allocation come first. */
enum {
	GS_CLASS_FREE,     /* inactive; the failed request may have it, where there is one */
	GS_CLASS_UNUSABLE, /* inactive, but not for the failed request */
	GS_CLASS_PENDING,  /* freed by the program, waiting for another stream */
	GS_CLASS_UNTOLD,   /* bytes of a segment that no block covers (an input that contradicts itself)
						*/
	GS_CLASS_LIVE,     /* the first of the classes of allocated blocks */
	GS_CLASS_NAMED = 6,                  /* those that have a name of their own */
	GS_CLASS_NOBODY = GS_CLASS_LIVE + 6, /* no stack, no tag */
	GS_CLASS_OTHERS = GS_CLASS_LIVE + 9,
	GS_CLASSES
};

enum { GS_INK = 0x222222, GS_FAINT = 0x666666, GS_PAPER = 0xffffff, GS_LINE = 0x404040 };

typedef struct gs_swatch {
	gs_paint paint;
	char name[400];  /* for the legend */
	char label[100]; /* short, for inside a block; "" none */
} gs_swatch;

/* What a class is found from. */
typedef struct gs_colored {
	int source; /* whose ids stack and tag are: gs_palette_source */
	gs_id stack, tag;
	uint64_t stream, size;
	int64_t idx; /* of its alloc event, GS_NONE */
	unsigned category;
} gs_colored;

typedef struct gs_palette {
	gs_color color;
	gs_swatch classes[GS_CLASSES]; /* an empty name: not in use */
	char remark[160]; /* where the colouring says nothing: why ("no allocation has a tag") */
	struct {
		const gs_snapshot *snapshot;
		uint8_t *by_id; /* class by stack, or by tag */
		size_t nids;
	} sources[2]; /* the snapshots, whose ids differ */
	int nsources;
	uint64_t streams[GS_CLASS_NAMED];
	int nstreams;
	int64_t first, last; /* events, for age */
} gs_palette;

/* A moment whose blocks rank the holders; meaning may be NULL (then categories are unknown).
 * beside: it ranks those alone that hold nothing (or the same) in the others. */
typedef struct gs_palette_moment {
	const gs_snapshot *snapshot;
	const gs_layout *layout;
	const gs_meaning *meaning;
	bool beside;
} gs_palette_moment;

/* Of two snapshots at most. whole: allocations that are not live in any of the moments will be
 * asked about too. GS_INVALID: more snapshots; GS_NO_MEMORY. */
gs_status gs_palette_init(gs_palette *p, const gs_palette_moment *moments, size_t n, gs_color color,
	bool whole, gs_error *err);
void gs_palette_release(gs_palette *p);

/* The number of a snapshot among the sources. */
static inline int gs_palette_source(const gs_palette *p, const gs_snapshot *s)
{
	return p->nsources == 2 && p->sources[1].snapshot == s;
}

/* The class of an allocation: GS_CLASS_LIVE … GS_CLASS_OTHERS. */
int gs_palette_live(const gs_palette *p, const gs_colored *c);

/* The class of a block (an inactive one's is GS_CLASS_FREE). */
int gs_palette_class(
	const gs_palette *p, const gs_palette_moment *moment, int source, const gs_block *b);

#endif
