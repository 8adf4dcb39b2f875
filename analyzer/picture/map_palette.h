/* Which colour a block gets, and the sums that the legend shows. Colours were chosen to stay apart
 * for readers with any common colour blindness (Okabe-Ito, Paul Tol's muted set, viridis). */
#ifndef GS_ANALYZER_MAP_PALETTE_H
#define GS_ANALYZER_MAP_PALETTE_H

#include "analyzer/picture/map.h"

enum {
	GS_MAP_FREE,    /* inactive */
	GS_MAP_PENDING, /* freed by the program, waiting for another stream */
	GS_MAP_UNTOLD,  /* bytes of a segment that no block covers (an input that contradicts itself) */
	GS_MAP_LIVE,    /* the first of the classes of allocated blocks */
	GS_MAP_CLASSES = GS_MAP_LIVE + 9
};

enum {
	GS_MAP_INK = 0x222222,
	GS_MAP_FAINT = 0x666666,
	GS_MAP_PAPER = 0xffffff,
	GS_MAP_SEGMENT_LINE = 0x404040,
	GS_MAP_PIN_LINE = 0xd55e00,
	GS_MAP_HOLE_LINE = 0x000000,
	GS_MAP_REQUEST = 0x222222
};

typedef struct gs_map_class {
	uint32_t rgb;
	char name[200];
	uint64_t bytes;
	size_t blocks;
} gs_map_class;

typedef struct gs_map_palette {
	gs_map_color color;
	int n; /* classes in use */
	gs_map_class classes[GS_MAP_CLASSES];
	uint8_t *by_id;      /* class by stack or tag id */
	uint64_t streams[8]; /* handle of class GS_MAP_LIVE + i */
	int nstreams;
	int64_t first, last; /* events, for age */
	/* what the outlines mean */
	uint64_t pin_bytes;
	size_t pin_blocks;
} gs_map_palette;

gs_status gs_map_palette_init(gs_map_palette *p, const gs_snapshot *s, const gs_map_panel *panels,
	size_t n, gs_map_color color, gs_error *err);
void gs_map_palette_release(gs_map_palette *p);

/* The class of a block. */
int gs_map_palette_class(const gs_map_palette *p, const gs_layout *l, const gs_block *b);

/* Whether a segment holds live and free bytes, so that its live blocks pin the free ones. */
bool gs_map_part_free(const gs_layout *l, const gs_segment *s);

#endif
