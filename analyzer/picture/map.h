/* The map: every byte of a heap as a picture. Rows of fixed bytes-a-pixel wrap like text; segments
 * are outlined, blocks coloured. Above it the answer: what failed, and how the device is used; the
 * failed request lies as a dashed ghost, at the heap's own scale, below the largest hole, which
 * always has its label. Free memory that the request may not use is hatched; outlined is the
 * cheapest eviction alone. The picture's size is bounded whatever the heap: the bytes of a pixel
 * are chosen (a power of two, 512 at least). A pixel that several blocks share shows them by parts
 * of its height, so dithered that each colour's share of the picture is its share of the bytes, and
 * nothing that is there disappears.
 *
 * A gs_map borrows all that it is made of; its own memory is proportional to the number of
 * segments. */
#ifndef GS_ANALYZER_PICTURE_MAP_H
#define GS_ANALYZER_PICTURE_MAP_H

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/picture/palette.h"
#include "analyzer/picture/picture.h"

/* One device at one moment. */
typedef struct gs_map_panel {
	const gs_snapshot *snapshot;
	const gs_device *device;
	const gs_layout *layout;
	const gs_oom *oom;             /* the request that failed at this moment, or NULL */
	const char *state;             /* "oom 1", "captured": for the title */
	const gs_meaning *meaning;     /* NULL: categories are unknown */
	const gs_diagnosis *diagnosis; /* of that failure, on this layout; or NULL */
} gs_map_panel;

enum {
	GS_MAP_PANELS_MAX = 16,
	GS_MAP_WIDTH = 1320,
	GS_MAP_WIDTH_MIN = 320,
	GS_MAP_WIDTH_MAX = 8192
};

typedef struct gs_map_options {
	const gs_map_panel *panels; /* the first is told first */
	const gs_map_panel *before; /* NULL; or as many: each device at another moment, drawn to the
								   left (layout NULL: it was not there) */
	size_t n;
	const char *headline; /* NULL: none */
	gs_color color;
	int width;                     /* 0: GS_MAP_WIDTH */
	const gs_palette_moment *also; /* further moments that rank the holders */
	size_t nalso;
} gs_map_options;

typedef struct gs_map gs_map;

/* Plans the picture of 1 to GS_MAP_PANELS_MAX panels. GS_INVALID when a panel has no segment;
 * GS_LIMIT for heaps of 2^62 bytes or more, and for widths out of bounds. */
gs_status gs_map_make(gs_map **out, const gs_map_options *options, gs_error *err);
void gs_map_free(gs_map *m); /* accepts NULL */

/* Its size in pixels; draws it from the top left corner. */
int gs_map_width(const gs_map *m);
int gs_map_height(const gs_map *m);
void gs_map_draw(const gs_map *m, gs_draw *d);

/* The planned map as a picture; it borrows the map. */
gs_picture gs_map_picture(const gs_map *m);

/* Bytes and blocks of a class, as the legend tells them, of all panels (before: of those before).
 */
void gs_map_class_sums(const gs_map *m, int class, bool before, uint64_t *bytes, size_t *blocks);

#endif
